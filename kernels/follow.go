package kernels

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Fault is a sample that stopped where Go would panic.
type Fault struct {
	Sample int
	Step   int // steps taken before the step that faulted
	Kind   ir.FaultKind
	Pos    ir.Pos
}

// Follower makes steps of a few samples on the interpreter, whose bits are those of every engine, and looks
// at them on the way. It belongs to one goroutine; it changes nothing but the memory that it is given.
// planes are in the kernel's order, component-major, of n samples.
type Follower struct {
	kernel  *Kernel
	code    *interp.Code
	machine *interp.Machine
	observe []*interp.FuncMachine
}

// NewFollower makes a follower.
func NewFollower(k *Kernel) *Follower {
	code := interp.Compile(k.IR)
	f := &Follower{kernel: k, code: code, machine: code.NewMachine()}
	for i := range k.IR.Observables {
		f.observe = append(f.observe, code.Observable(i).NewMachine())
	}
	return f
}

// Init runs the kernel's Init on all n samples; those on which it faults keep their values.
func (f *Follower) Init(planes [][]byte, n int) {
	if init := f.code.Init(); init != nil {
		init.NewMachine().Store(planes, n, interp.NewCursor(0, n), nil)
	}
}

// Run runs every sample that is not marked in mask until its steps taken are upto, or it finishes (mask 1)
// or faults (mask 2), and returns the faults of this call, at most 16.
func (f *Follower) Run(planes [][]byte, n int, mask []byte, taken []uint32, upto uint32) []Fault {
	r := f.machine.Run(&interp.Work{Planes: planes, N: n, Mask: mask, Taken: taken, Next: interp.NewCursor(0, n), Upto: upto})
	var faults []Fault
	for _, x := range r.Faults.All() {
		faults = append(faults, Fault{int(x.Sample), int(x.Step), x.Kind, x.Pos})
	}
	return faults
}

// Observe evaluates observable fn of every sample, as float64; out has n elements.
func (f *Follower) Observe(fn int, planes [][]byte, n int, out []float64) {
	f.observe[fn].Float64(0, planes, n, 0, out, nil)
}

// Origin is the expression that made a value that is not finite out of finite ones.
type Origin struct {
	Cell     ir.Cell // of the state that the value reached
	Value    float64
	Pos      ir.Pos
	Operands []OriginOperand
	Loaded   bool // there is no such expression: the value was in a plane when the step began
}

// OriginOperand is a value that went into the expression; Pos is where it comes from, zero where that is
// not known.
type OriginOperand struct {
	Pos   ir.Pos
	Value float64
}

// Origin makes the next step of one sample, and says where the first value that is not finite among what
// the step stores came from; nil when all are finite. It walks the kernel as it was before the passes, so
// that every expression is still where the source has it.
func (f *Follower) Origin(planes [][]byte, n, sample int) *Origin {
	k := f.kernel.first
	trail := &trail{bad: map[ir.Value]*Origin{}, arrays: map[uint64]*Origin{}, pos: map[ir.Value]ir.Pos{}, types: k.Step.Types}
	w := &interp.Walker{Kernel: k, Planes: planes, N: n, Watch: trail}
	if _, fault := w.Step(sample); fault != nil {
		return nil
	}
	for j, c := range k.Step.Carry {
		v := k.Step.Trip.Yield[1+j]
		spec := &k.Planes[c.Plane]
		if !spec.Type.Float() {
			continue
		}
		value := floatOf(w.Load(c, sample), spec.Type)
		if finite(value) {
			continue
		}
		o := Origin{Loaded: true, Value: value}
		if from := trail.bad[v]; from != nil {
			o = *from
		}
		o.Cell = c
		return &o
	}
	return nil
}

// trail remembers, for every value that is not finite, where the first of them on its way came from.
type trail struct {
	types  []ir.Type
	bad    map[ir.Value]*Origin
	arrays map[uint64]*Origin // by local array: the last that was put there
	pos    map[ir.Value]ir.Pos
}

func (t *trail) Made(in *ir.Instr, args []uint64, result uint64) {
	typ := in.Type
	if in.Op.Compare() || !typ.Float() || finite(floatOf(result, typ)) {
		t.forget(in)
		return
	}
	o := t.before(in, args)
	if o == nil {
		o = &Origin{Value: floatOf(result, typ), Pos: in.Pos, Loaded: in.Op == ir.OpLoad || in.Op == ir.OpLookup}
		for i, a := range in.Args {
			if at := t.types[a]; at.Float() {
				o.Operands = append(o.Operands, OriginOperand{t.pos[a], floatOf(args[i], at)})
			}
		}
	}
	if in.Op.OnArray() && in.Op != ir.OpGet {
		t.arrays[in.Imm] = o
		return
	}
	for _, r := range in.Results {
		t.bad[r], t.pos[r] = o, in.Pos
	}
}

// before is where a bad argument of in came from.
func (t *trail) before(in *ir.Instr, args []uint64) *Origin {
	switch in.Op {
	case ir.OpGet:
		return t.arrays[in.Imm]
	case ir.OpSelect:
		chosen := in.Args[2]
		if args[0] != 0 {
			chosen = in.Args[1]
		}
		return t.bad[chosen]
	}
	for _, a := range in.Args {
		if o := t.bad[a]; o != nil {
			return o
		}
	}
	return nil
}

func (t *trail) forget(in *ir.Instr) {
	for _, r := range in.Results {
		delete(t.bad, r)
		t.pos[r] = in.Pos
	}
}

func (t *trail) Moved(to, from ir.Value) {
	t.pos[to] = t.pos[from]
	if o := t.bad[from]; o != nil {
		t.bad[to] = o
	} else {
		delete(t.bad, to)
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// floatOf is the float with the given bits, as an OpConst has them.
func floatOf(bits uint64, t ir.Type) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}
