package interp

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Walker runs one sample at a time, one step at a time, walking the regions as a tree: it has no rows,
// masks, lanes or lifetimes. It is slow, and shows every value: it finds where a NaN came from, and it is
// what the strips are tested against. Values are bits as in an OpConst. It belongs to one goroutine.
type Walker struct {
	Kernel *ir.Kernel
	Planes [][]byte // as in [Work]
	N      int
	Watch  Watcher // nil: nobody watches

	values []uint64
	arrays [][]uint64 // by local array
	site   *ir.Instr  // where the sample at hand has faulted
}

// Watcher is told what happens during a step, in order.
type Watcher interface {
	// Made: instruction in, which has no regions, gave result. args are valid during the call. OpPut and OpArray
	// have no result; theirs is the value that they wrote.
	Made(in *ir.Instr, args []uint64, result uint64)
	// Moved: value to, a parameter of a region or a result of one, is now what value from was.
	Moved(to, from ir.Value)
}

// Step makes one step of sample i and stores what it carries; when it faults nothing changes, and where it
// did is returned.
func (w *Walker) Step(i int) (finished bool, fault *ir.Instr) {
	s := &w.Kernel.Step
	w.begin(&s.Values)
	w.region(&s.Head, i)
	for j, v := range s.Trip.Params {
		w.values[v] = w.load(s.Carry[j].Plane, s.Carry[j].Comp, i)
	}
	w.region(&s.Trip, i)
	if w.site != nil {
		return false, w.site
	}
	out := w.yields(s.Trip.Yield)
	for j, c := range s.Carry {
		w.store(c, i, out[1+j])
	}
	return out[0] != 0, nil
}

// Init runs the kernel's Init on sample i; a fault stores nothing.
func (w *Walker) Init(i int) (fault *ir.Instr) {
	out := w.Eval(w.Kernel.Init, i)
	if w.site != nil {
		return w.site
	}
	for j, c := range w.Kernel.Init.Stores {
		w.store(c, i, out[j])
	}
	return nil
}

// Eval gives what f yields for sample i.
func (w *Walker) Eval(f *ir.Func, i int) []uint64 {
	w.begin(&f.Values)
	w.region(&f.Body, i)
	return w.yields(f.Body.Yield)
}

// Load is an element of a plane: component comp of sample i.
func (w *Walker) Load(c ir.Cell, i int) uint64 { return w.load(c.Plane, c.Comp, i) }

func (w *Walker) cell(plane int, comp int32, sample int) int {
	if w.Kernel.Planes[plane].Role == ir.RoleParam {
		return int(comp)
	}
	return int(comp)*w.N + sample
}

func (w *Walker) load(plane int, comp int32, sample int) uint64 {
	return cellBits(w.Planes[plane], w.cell(plane, comp, sample), w.Kernel.Planes[plane].Type)
}

func (w *Walker) store(c ir.Cell, sample int, bits uint64) {
	storeBits(w.Planes[c.Plane], w.cell(c.Plane, c.Comp, sample), w.Kernel.Planes[c.Plane].Type, bits)
}

// storeBits writes an element of a plane; any NaN becomes the canonical one.
func storeBits(plane []byte, i int, t ir.Type, bits uint64) {
	switch t {
	case ir.Bool:
		plane[i] = byte(bits)
	case ir.F64:
		if f := math.Float64frombits(bits); f != f {
			bits = ir.NaN64
		}
		elements[uint64](plane, i+1)[i] = bits
	case ir.F32:
		if f := math.Float32frombits(uint32(bits)); f != f {
			bits = uint64(ir.NaN32)
		}
		elements[uint32](plane, i+1)[i] = uint32(bits)
	case ir.I32, ir.U32:
		elements[uint32](plane, i+1)[i] = uint32(bits)
	default:
		elements[uint64](plane, i+1)[i] = bits
	}
}

func (w *Walker) begin(v *ir.Values) {
	w.values, w.site, w.arrays = make([]uint64, len(v.Types)), nil, nil
	for _, a := range v.Arrays {
		cells := make([]uint64, a.Len)
		for i := range cells {
			cells[i] = 0xBAD & a.Type.Mask() // nothing may read what is not filled
		}
		w.arrays = append(w.arrays, cells)
	}
}

// lookup is cell x of a table plane, or component x of sample i.
func (w *Walker) lookup(plane int, x int64, i int) uint64 {
	spec := &w.Kernel.Planes[plane]
	cells := spec.Width()
	if spec.Role == ir.RoleTable {
		cells = len(w.Planes[plane]) / spec.Type.Bytes()
	}
	if x < 0 || x >= int64(cells) {
		x = 0
	}
	switch {
	case cells == 0:
		return 0
	case spec.Role == ir.RoleTable:
		return cellBits(w.Planes[plane], int(x), spec.Type)
	}
	return w.load(plane, int32(x), i)
}

func (w *Walker) yields(vs []ir.Value) []uint64 {
	out := make([]uint64, len(vs))
	for i, v := range vs {
		out[i] = w.values[v]
	}
	return out
}

// move gives values what others are; all are read before any is written.
func (w *Walker) move(to, from []ir.Value) {
	bits := w.yields(from)
	for i, v := range to {
		w.values[v] = bits[i]
		if w.Watch != nil {
			w.Watch.Moved(v, from[i])
		}
	}
}

func (w *Walker) region(r *ir.Region, i int) {
	for _, in := range r.Instrs {
		switch in.Op {
		case ir.OpIf:
			side := in.Else
			if w.values[in.Args[0]] != 0 {
				side = in.Then
			}
			w.region(side, i)
			w.move(in.Results, side.Yield)
		case ir.OpLoop:
			from := in.Args
			for range in.Imm {
				w.move(in.Body.Params, from)
				w.region(in.Body, i)
				from = in.Body.Yield[1:]
				if w.values[in.Body.Yield[0]] == 0 {
					break
				}
			}
			w.move(in.Results, from)
		case ir.OpFault:
			if w.values[in.Args[0]] != 0 && w.site == nil {
				w.site = in
			}
		default:
			args := w.yields(in.Args)
			result := w.plain(in, args, i)
			if len(in.Results) == 1 {
				w.values[in.Results[0]] = result
			}
			if w.Watch != nil {
				w.Watch.Made(in, args, result)
			}
		}
	}
}

// plain carries out an instruction without regions.
func (w *Walker) plain(in *ir.Instr, args []uint64, i int) uint64 {
	switch in.Op {
	case ir.OpConst:
		return in.Imm
	case ir.OpLoad:
		return w.load(int(in.Imm), in.Comp, i)
	case ir.OpTable:
		t, x := w.Kernel.Tables[in.Imm].Bits, int64(args[0])
		if x < 0 || x >= int64(len(t)) {
			x = 0
		}
		return t[x]
	case ir.OpLookup:
		return w.lookup(int(in.Imm), int64(args[0]), i)
	case ir.OpLen:
		return uint64(len(w.Planes[in.Imm]) / w.Kernel.Planes[in.Imm].Type.Bytes())
	case ir.OpArray:
		for c := range w.arrays[in.Imm] {
			w.arrays[in.Imm][c] = args[0]
		}
		return args[0]
	case ir.OpGet:
		cells, x := w.arrays[in.Imm], int64(args[0])
		if x < 0 || x >= int64(len(cells)) {
			x = 0
		}
		return cells[x]
	case ir.OpPut:
		if cells, x := w.arrays[in.Imm], int64(args[0]); x >= 0 && x < int64(len(cells)) {
			cells[x] = args[1]
		}
		return args[1]
	}
	return Eval(in.Op, in.Type, in.From, args...)
}
