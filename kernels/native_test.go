package kernels

import (
	"embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"reflect"
	"runtime"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/arrays"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/control"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/floats"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/integers"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/logic"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/mixed"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/tables"
	"github.com/eaglet-workbench/eaglet/kernels/testdata/native/values"
)

//go:embed testdata/native
var nativeSources embed.FS

// native are kernels that the Go compiler compiled into this test. Their source is also given to the front
// end, and both must compute the same bits.
var native = []struct {
	name   string
	make   func() stepper
	faults bool // its code holds a fault
	seen   bool // random samples do fault; a cap never runs out
}{
	{"arrays", func() stepper { return new(arrays.Arrays) }, true, true},
	{"control", func() stepper { return new(control.Control) }, true, false},
	{"floats", func() stepper { return new(floats.Floats) }, false, false},
	{"integers", func() stepper { return new(integers.Integers) }, true, true},
	{"logic", func() stepper { return new(logic.Logic) }, true, true},
	{"mixed", func() stepper { return new(mixed.Mixed) }, true, false},
	{"tables", func() stepper { return new(tables.Tables) }, true, true},
	{"values", func() stepper { return new(values.Values) }, false, false},
}

type stepper interface{ Step() bool }

func nativeFiles(t testing.TB, name string) []SourceFile {
	t.Helper()
	file := path.Join("testdata/native", name, name+".go")
	text, err := nativeSources.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return []SourceFile{{Name: file, Text: text}}
}

// batch holds n samples as planes, and as structs of the Go compiler.
type batch struct {
	k       *ir.Kernel
	n       int
	planes  [][]byte
	structs []reflect.Value // of the sample type, addressable
}

func newBatch(k *ir.Kernel, n int, newSample func() reflect.Value) *batch {
	b := &batch{k: k, n: n}
	for i := range k.Planes {
		p := &k.Planes[i]
		rows := n
		if p.Role == ir.RoleTable {
			rows = tableCells
		}
		b.planes = append(b.planes, make([]byte, rows*p.Width()*p.Type.Bytes()))
	}
	for range n {
		b.structs = append(b.structs, newSample())
	}
	return b
}

// tableCells is the length of the tables of a random batch.
const tableCells = 7

// leaves calls f for every scalar of a value, in order.
func scalarsOf(v reflect.Value, f func(reflect.Value)) {
	if v.Kind() != reflect.Array {
		f(v)
		return
	}
	for i := range v.Len() {
		scalarsOf(v.Index(i), f)
	}
}

// each calls f for every scalar of sample i with its bytes in the planes.
func (b *batch) each(i int, f func(p *ir.Plane, comp int, v reflect.Value, cell []byte)) {
	for j := range b.k.Planes {
		p := &b.k.Planes[j]
		if p.Role == ir.RoleTable {
			continue
		}
		size, comp := p.Type.Bytes(), 0
		scalarsOf(b.structs[i].FieldByName(p.Field), func(v reflect.Value) {
			at := (comp*b.n + i) * size
			f(p, comp, v, b.planes[j][at:at+size])
			comp++
		})
	}
}

// bitsOf are the bits of a scalar as a plane has them: NaN is one value.
func bitsOf(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return ir.NaN64
		}
		return math.Float64bits(v.Float())
	case reflect.Float32:
		if math.IsNaN(v.Float()) {
			return uint64(ir.NaN32)
		}
		return uint64(math.Float32bits(float32(v.Float())))
	case reflect.Int32:
		return uint64(uint32(v.Int()))
	case reflect.Int, reflect.Int64:
		return uint64(v.Int())
	}
	return v.Uint()
}

func cellBits(cell []byte) uint64 {
	switch len(cell) {
	case 1:
		return uint64(cell[0])
	case 4:
		return uint64(binary.LittleEndian.Uint32(cell))
	}
	return binary.LittleEndian.Uint64(cell)
}

func putBits(cell []byte, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(cell, b[:])
}

// fill gives every scalar a random value: mostly small ones, now and then a special one.
func (b *batch) fill(r *rand.Rand) {
	for j := range b.k.Planes {
		p := &b.k.Planes[j]
		if p.Role != ir.RoleTable {
			continue
		}
		field := b.structs[0].FieldByName(p.Field)
		cells := reflect.MakeSlice(field.Type(), tableCells, tableCells)
		for c := range tableCells {
			switch v := cells.Index(c); v.Kind() {
			case reflect.Float64:
				v.SetFloat(r.NormFloat64())
			default:
				v.SetInt(r.Int64N(100))
			}
			size := p.Type.Bytes()
			putBits(b.planes[j][c*size:(c+1)*size], bitsOf(cells.Index(c)))
		}
		for _, s := range b.structs {
			s.FieldByName(p.Field).Set(cells)
		}
	}
	for i := range b.n {
		b.each(i, func(_ *ir.Plane, _ int, v reflect.Value, cell []byte) {
			switch v.Kind() {
			case reflect.Bool:
				v.SetBool(r.IntN(2) == 1)
			case reflect.Float64, reflect.Float32:
				special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e-310, 0.5}
				x := r.NormFloat64() * 4
				if r.IntN(8) == 0 {
					x = special[r.IntN(len(special))]
				}
				v.SetFloat(x)
				if v.Kind() == reflect.Float32 {
					v.SetFloat(float64(float32(x)))
				}
			case reflect.Int, reflect.Int32, reflect.Int64:
				x := r.Int64N(13) - 3
				if r.IntN(10) == 0 {
					x = int64(r.Uint64())
				}
				if v.Kind() == reflect.Int32 {
					x = int64(int32(x))
				}
				v.SetInt(x)
			default:
				x := r.Uint64N(9)
				if r.IntN(10) == 0 {
					x = r.Uint64()
				}
				if v.Kind() == reflect.Uint32 {
					x = uint64(uint32(x))
				}
				v.SetUint(x)
			}
			putBits(cell, bitsOf(v))
		})
	}
}

// run takes up to steps steps of every sample on the interpreter.
func (b *batch) run(steps uint32) (mask []byte, taken []uint32, faults []interp.Fault) {
	mask, taken = make([]byte, b.n), make([]uint32, b.n)
	m := interp.Compile(b.k).NewMachine()
	res := m.Run(&interp.Work{Planes: b.planes, N: b.n, Mask: mask, Taken: taken, Next: interp.NewCursor(0, b.n), Upto: steps})
	return mask, taken, append([]interp.Fault(nil), res.Faults.All()...)
}

// nativeRun takes up to steps steps of one sample as the Go compiler compiled it: the mask byte, the steps
// taken, and the panic that made it fault.
func nativeRun(v reflect.Value, steps uint32) (mask byte, taken uint32, why error) {
	saved := reflect.New(v.Type()).Elem()
	defer func() {
		if x := recover(); x != nil {
			v.Set(saved)
			mask, why = 2, x.(runtime.Error)
		}
	}()
	s := v.Addr().Interface().(stepper)
	for taken < steps {
		saved.Set(v)
		done := s.Step()
		taken++
		if done {
			return 1, taken, nil
		}
	}
	return 0, taken, nil
}

// oracle runs one random batch both ways and says where they differ.
func oracle(k *ir.Kernel, newSample func() reflect.Value, seed uint64, n int, steps uint32) (faulted int, err error) {
	b := newBatch(k, n, newSample)
	b.fill(rand.New(rand.NewPCG(seed, 1)))
	mask, taken, _ := b.run(steps)
	for i := range n {
		wantMask, wantTaken, why := nativeRun(b.structs[i], steps)
		if wantMask == 2 {
			faulted++
		}
		if mask[i] != wantMask || taken[i] != wantTaken {
			return 0, fmt.Errorf("seed %d sample %d: mask %d after %d steps, the Go compiler has %d after %d (%v)", seed, i, mask[i], taken[i], wantMask, wantTaken, why)
		}
		b.each(i, func(p *ir.Plane, comp int, v reflect.Value, cell []byte) {
			if got, want := cellBits(cell), bitsOf(v); got != want && err == nil {
				err = fmt.Errorf("seed %d sample %d plane %s[%d] after %d steps: got 0x%x, the Go compiler has 0x%x", seed, i, p.Name, comp, taken[i], got, want)
			}
		})
		if err != nil {
			return 0, err
		}
	}
	return faulted, nil
}

func TestLoweringComputesWhatTheGoCompilerDoes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the Go compiler fuses multiply-adds on " + runtime.GOARCH)
	}
	for _, c := range native {
		t.Run(c.name, func(t *testing.T) {
			k, ds := load(nativeFiles(t, c.name), c.name)
			if k == nil {
				t.Fatal(ds)
			}
			newSample := func() reflect.Value { return reflect.ValueOf(c.make()).Elem() }
			faulted := 0
			for seed := range uint64(40) {
				for _, steps := range []uint32{1, 7, 30} {
					f, err := oracle(k.IR, newSample, seed, 50, steps)
					if err != nil {
						t.Fatal(err)
					}
					faulted += f
				}
			}
			if fault := k.IR.Faults(); fault != c.faults || (faulted > 0) != c.seen {
				t.Errorf("%d samples faulted; the kernel can fault: %v", faulted, fault)
			}
		})
	}
}

// TestOracleRejectsMutants: an oracle that accepts a wrong kernel is none.
func TestOracleRejectsMutants(t *testing.T) {
	for _, c := range native {
		k, ds := load(nativeFiles(t, c.name), c.name)
		if k == nil {
			t.Fatal(ds)
		}
		mutant := k.IR.Clone()
		if !mutate(&mutant.Step.Trip) {
			t.Fatalf("%s: nothing to mutate", c.name)
		}
		newSample := func() reflect.Value { return reflect.ValueOf(c.make()).Elem() }
		if _, err := oracle(mutant, newSample, 1, 200, 7); err == nil {
			t.Errorf("%s: a kernel with an add made a subtract passed", c.name)
		}
	}
}

// mutate turns the first addition of the region, or of one inside it, into a subtraction.
func mutate(r *ir.Region) bool {
	done := false
	r.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpAdd && !done {
			in.Op, done = ir.OpSub, true
		}
	})
	return done
}
