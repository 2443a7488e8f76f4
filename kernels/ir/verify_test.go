package ir_test

import (
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

func every(t testing.TB) *ir.Kernel {
	t.Helper()
	b, err := os.ReadFile("testdata/every.ir")
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(b))
}

// find is the first instruction of the head or trip with the given operation.
func find(t testing.TB, k *ir.Kernel, op ir.Op) *ir.Instr {
	t.Helper()
	var found *ir.Instr
	for _, r := range []*ir.Region{&k.Step.Head, &k.Step.Trip} {
		r.Walk(func(in *ir.Instr) {
			if found == nil && in.Op == op {
				found = in
			}
		})
	}
	if found == nil {
		t.Fatalf("no %v", op)
	}
	return found
}

func TestVerifyNamesThePlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, k *ir.Kernel)
		want  string
	}{
		{"a kernel without a name", func(_ *testing.T, k *ir.Kernel) { k.Name = "" }, `kernel name "" is not an identifier`},
		{"an unknown guard", func(_ *testing.T, k *ir.Kernel) { k.Guard = 9 }, "guard ?9 is unknown"},
		{"negative steps", func(_ *testing.T, k *ir.Kernel) { k.Steps = -1 }, "steps is -1, want at least 1, or 0 for auto"},
		{"auto without steps_max", func(_ *testing.T, k *ir.Kernel) { k.Steps = 0 }, "steps_max is 0, want at least 1 for an auto kernel"},
		{"an integer precision", func(_ *testing.T, k *ir.Kernel) { k.Precision = ir.I64 }, "precision is i64, want f32 or f64"},

		{"a plane name not in snake case", func(_ *testing.T, k *ir.Kernel) { k.Planes[0].Name = "Dt" }, `plane "Dt": the name is not in snake case`},
		{"a reserved plane name", func(_ *testing.T, k *ir.Kernel) { k.Planes[0].Name = "steps_taken" }, `plane "steps_taken": the name is reserved for the runner`},
		{"two planes of one name", func(_ *testing.T, k *ir.Kernel) { k.Planes[0].Name = "x" }, `plane "x": the name is taken by the plane of that name`},
		{"a mask called like a plane", func(_ *testing.T, k *ir.Kernel) { k.Finish.Name = "x" }, `mask "x": the name is taken by the plane of that name`},
		{"an observable called like the mask", func(_ *testing.T, k *ir.Kernel) { k.Observables[0].Name = "terminated" }, `observable "terminated": the name is taken by the mask of that name`},
		{"a plane without a type", func(_ *testing.T, k *ir.Kernel) { k.Planes[0].Type = 0 }, `plane "dt": type is invalid`},
		{"a plane too wide", func(_ *testing.T, k *ir.Kernel) { k.Planes[1].Dims = []int{1 << 16, 2} }, `plane "x": dimensions [65536 2]: want each at least 1 and at most 65536 components`},
		{"a dimension of none", func(_ *testing.T, k *ir.Kernel) { k.Planes[1].Dims = []int{0} }, `plane "x": dimensions [0]: want each at least 1 and at most 65536 components`},
		{"an init rule with too few arguments", func(_ *testing.T, k *ir.Kernel) { k.Planes[1].Init.Args = nil }, `plane "x": init rule uniform has 0 arguments, want 2`},
		{"a position in no file", func(_ *testing.T, k *ir.Kernel) { k.Planes[0].Pos.File = 2 }, `plane "dt": position {2 12 2 4} is in none of the 2 source files`},
		{"a table without cells", func(_ *testing.T, k *ir.Kernel) { k.Tables[0].Bits = nil }, `table "weights" has no cells: a read out of range needs cell 0`},
		{"a table cell too large", func(_ *testing.T, k *ir.Kernel) { k.Tables[0].Type = ir.F32 }, `table "weights": cell 0 has bits 0x3fe0000000000000 above the width of f32`},

		{"a carried cell of an input", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[1] = ir.Cell{Plane: 2} }, "carry: cell 1: kind is an input plane"},
		{"a carried cell twice", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[1] = ir.Cell{Plane: 1} }, "carry: cell 1: x[0] is there twice"},
		{"a carried cell out of range", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[0].Comp = 4 }, `carry: cell 0: component 4 of plane "x" is out of range`},
		{"a carried cell without parameter", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry = k.Step.Carry[:1] }, "trip: has 2 parameters, want 1"},
		{"a parameter of another type", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[1] = ir.Cell{Plane: 1, Comp: 1} }, "trip: parameter 2: value %6 is f32, want f64"},
		{"a load of a carried cell", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[0].Comp = 3 }, "head: %3 = load.f64: x[3] is carried: its value changes from step to step, the trip's parameter has it"},
		{"a load in the trip", func(t *testing.T, k *ir.Kernel) {
			k.Step.Trip.Instrs = append([]*ir.Instr{k.Step.Head.Instrs[0]}, k.Step.Trip.Instrs...)
			k.Step.Head.Instrs = k.Step.Head.Instrs[1:]
		}, "trip: %1 = load.f64 (every.go:20:9): a load belongs to the head"},
		{"a load of another type", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLoad).Imm = 2 }, `head: %1 = load.f64 (every.go:20:9): plane "kind" is i32`},
		{"a load of no plane", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLoad).Imm = 1 << 63 }, "head: %1 = load.f64 (every.go:20:9): plane 9223372036854775808 does not exist"},
		{"a fault in the head", func(t *testing.T, k *ir.Kernel) {
			no := &ir.Instr{Op: ir.OpConst, Type: ir.Bool, Results: []ir.Value{k.Step.New(ir.Bool)}}
			k.Step.Head.Instrs = append(k.Step.Head.Instrs, no, &ir.Instr{Op: ir.OpFault, Imm: 1, Args: no.Results})
		}, "head: fault: a fault belongs to the trip or to init"},
		{"a fault of no kind", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFault).Imm = 0 }, "trip: fault (more.go:4:3): fault kind 0 is unknown"},

		{"an argument of another type", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Args[1] = 2 }, "trip: %8 = fma.f64 (every.go:21:3): argument 2 is i32, want f64"},
		{"an argument too few", func(t *testing.T, k *ir.Kernel) { in := find(t, k, ir.OpFMA); in.Args = in.Args[:2] }, "trip: %8 = fma.f64 (every.go:21:3): has 2 arguments, want 3"},
		{"a use before the definition", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Args[1] = 8 }, "trip: %8 = fma.f64 (every.go:21:3): argument 2: value %8 is not defined before its use"},
		{"a use outside of the region", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpSelect).Args[1] = 13 }, "trip: %20 = select.f32: argument 2: value %13 is used outside of its region"},
		{"a use of a loop's parameter outside", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpSelect).Args[1] = 16 }, "trip: %20 = select.f32: argument 2: value %16 is used outside of its region"},
		{"a use of no value", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Args[1] = 0 }, "trip: %8 = fma.f64 (every.go:21:3): argument 2: value %0 does not exist"},
		{"a definition twice", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Results[0] = 7 }, "trip: %7 = fma.f64 (every.go:21:3): value %7 is defined twice"},
		{"a result of another type", func(t *testing.T, k *ir.Kernel) { k.Step.Types[8] = ir.F32 }, "trip: %8 = fma.f64 (every.go:21:3): value %8 is f32, want f64"},
		{"an operation on a type it does not take", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Type = ir.I64 }, "trip: %8 = fma.i64 (every.go:21:3): works on no i64"},
		{"an unknown operation", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Op = 200 }, "trip: %8 = op(200) (every.go:21:3): the operation is unknown"},
		{"bits of another width", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpBits).From = ir.F32 }, "trip: %21 = bits.u64: does not convert from f32"},
		{"a constant too large", func(t *testing.T, k *ir.Kernel) {
			in := find(t, k, ir.OpConst)
			in.Type, in.Imm, k.Step.Types[4] = ir.I32, 1<<32, ir.I32
		}, "head: %4 = const.i32: bits 0x100000000 are above the width of i32"},
		{"a field that is not used", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpFMA).Imm = 1 }, "trip: %8 = fma.f64 (every.go:21:3): the field Imm is set, and the operation does not use it"},
		{"a table plane with dimensions", func(_ *testing.T, k *ir.Kernel) { k.Planes[4].Dims = []int{2} }, `plane "wind": is a table of length 64 and dimensions [2], want at most 268435456 cells and no dimensions`},
		{"a length of a plane that is no table", func(_ *testing.T, k *ir.Kernel) { k.Planes[2].Len = 3 }, `plane "kind": has a length, and is no table but an input plane`},
		{"a load of a table plane", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLoad).Imm = 4 }, `head: %1 = load.f64 (every.go:20:9): plane "wind" is a table: it is read by lookup`},
		{"a lookup of a plane that is written", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLookup).Imm = 1 }, `trip: %26 = lookup.f64: plane "x" is a state plane, which a step writes`},
		{"a lookup of another type", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLookup).Imm = 2 }, `trip: %26 = lookup.f64: plane "kind" is i32`},
		{"a lookup of no plane", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLookup).Imm = 9 }, "trip: %26 = lookup.f64: plane 9 does not exist"},
		{"the length of a plane that is no table", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLen).Imm = 2 }, `trip: %25 = len.i64 (every.go:23:2): plane "kind" is no table but an input plane`},
		{"a table plane carried", func(_ *testing.T, k *ir.Kernel) { k.Step.Carry[1] = ir.Cell{Plane: 4} }, "carry: cell 1: wind is a table plane"},
		{"a local array without cells", func(_ *testing.T, k *ir.Kernel) { k.Step.Arrays[0].Len = 0 }, `trip: array "acc" has 0 cells, want at least 1 and at most 65536 in all arrays`},
		{"local arrays that are too large", func(_ *testing.T, k *ir.Kernel) { k.Step.Arrays[0].Len = 1 << 16 }, `trip: array "hit" has 1 cells, want at least 1 and at most 65536 in all arrays`},
		{"two local arrays of one name", func(_ *testing.T, k *ir.Kernel) { k.Step.Arrays[1].Name = "acc" }, `trip: array "acc": the name is taken`},
		{"a local array of another type", func(_ *testing.T, k *ir.Kernel) { k.Step.Arrays[0].Type = ir.F32 }, `trip: array.f64 (every.go:24:2): local array "acc" is f32`},
		{"no such local array", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpPut).Imm = 7 }, "trip: put.f64 (every.go:24:2): local array 7 does not exist"},
		{"a local array that is not filled", func(t *testing.T, k *ir.Kernel) {
			find(t, k, ir.OpArray).Imm = 1
			find(t, k, ir.OpArray).Type = ir.Bool
			find(t, k, ir.OpArray).Args[0] = find(t, k, ir.OpGt).Results[0]
		}, `trip: put.f64 (every.go:24:2): local array "acc" is used before it is filled, or outside of where it is`},
		{"a get that gives nothing", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpGet).Results = nil }, "trip: get.bool: has 0 results, want 1"},
		{"a put that gives something", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpPut).Results = []ir.Value{99} }, "trip: %99 = put.f64 (every.go:24:2): has 1 results, want 0"},
		{"a local array in the head", func(t *testing.T, k *ir.Kernel) {
			k.Step.Head.Instrs = append(k.Step.Head.Instrs, find(t, k, ir.OpArray))
		}, `head: array.f64 (every.go:24:2): a local array belongs to the trip, to init or to an observable`},
		{"a table of another type", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpTable).Imm = 1 }, `trip: %7 = table.f64: table "steps.1" is u64`},

		{"an if without else", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpIf).Else = nil }, "trip: %11 = if (more.go:3:2): the else region is missing"},
		{"an if with a region twice", func(t *testing.T, k *ir.Kernel) { in := find(t, k, ir.OpIf); in.Else = in.Then }, "trip: %11 = if (more.go:3:2): else: a region hangs in two places"},
		{"a region with a parameter", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpIf).Then.Params = []ir.Value{3} }, "trip: %11 = if (more.go:3:2): then: has 1 parameters, want 0"},
		{"a yield too few", func(t *testing.T, k *ir.Kernel) { in := find(t, k, ir.OpIf); in.Then.Yield = in.Then.Yield[:1] }, "trip: %11 = if (more.go:3:2): then: yields 1 values, want 2"},
		{"a yield of another type", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpIf).Else.Yield[0] = 4 }, "trip: %11 = if (more.go:3:2): else: yield 1 is i64, want f64"},
		{"a condition that is no bool", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpIf).Args[0] = 4 }, "trip: %11 = if (more.go:3:2): argument 1 is i64, want bool"},
		{"a loop of no turn", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLoop).Imm = 0 }, "trip: %14 = loop: takes at most 0 turns, want 1 to 2147483647"},
		{"a loop whose flag is no bool", func(t *testing.T, k *ir.Kernel) { find(t, k, ir.OpLoop).Body.Yield[0] = 4 }, "trip: %14 = loop: body: yield 1 is i64, want bool"},
		{"a missing instruction", func(_ *testing.T, k *ir.Kernel) { k.Step.Trip.Instrs[3] = nil }, "trip: instruction 4 is missing"},

		{"an exit flag that is no bool", func(_ *testing.T, k *ir.Kernel) { k.Step.Trip.Yield[0] = 4 }, "trip: yield 1 is i64, want bool"},
		{"an exit flag without finish declaration", func(_ *testing.T, k *ir.Kernel) { k.Finish = nil }, "trip: the exit flag %24 is not the constant false, and there is no finish declaration"},
		{"a condition that is not the exit flag", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond.Result = 23 }, "finish terminated: the condition is %23, and the trip's exit flag is %24"},
		{"a condition out of scope", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond.Kids[0].LHS = 13 }, "finish terminated: compare %10: left side: value %13 is used outside of its region"},
		{"a condition of two types", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond.Kids[0].LHS = 4 }, "finish terminated: compare %10: compares i64 with f64 by gt"},
		{"a condition of one side", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond.Kids = k.Finish.Cond.Kids[:1] }, "finish terminated: or %24: has 1 nodes below it, want two or more"},
		{"a condition round itself", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond.Kids[0] = k.Finish.Cond }, "finish terminated: a node hangs in two places"},
		{"no condition", func(_ *testing.T, k *ir.Kernel) { k.Finish.Cond = nil }, "finish terminated: the condition is missing"},

		{"a store to a param", func(_ *testing.T, k *ir.Kernel) { k.Init.Stores[0] = ir.Cell{} }, "init: stores: cell 0: dt is a param plane"},
		{"a store of nothing", func(_ *testing.T, k *ir.Kernel) { k.Init.Body.Yield = nil }, "init: yields 0 values, want 2"},
		{"an observable without result", func(_ *testing.T, k *ir.Kernel) { k.Observables[0].Body.Yield = nil }, "observable energy: yields 0 values and has 0 stores, want one and none"},
		{"an observable with a store", func(_ *testing.T, k *ir.Kernel) { k.Observables[0].Stores = []ir.Cell{{Plane: 1}} }, "observable energy: yields 1 values and has 1 stores, want one and none"},
		{"an observable with a fault", func(_ *testing.T, k *ir.Kernel) {
			f := k.Observables[0]
			b := ir.NewBuilder(&f.Values, &f.Body)
			b.EmitFault(ir.FaultCap, b.EmitConst(ir.Bool, 0))
		}, "observable energy: fault: a fault belongs to the trip or to init"},
		{"a missing observable", func(_ *testing.T, k *ir.Kernel) { k.Observables[0] = nil }, "observable 0 is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := every(t)
			c.spoil(t, k)
			if err := ir.Verify(k); err == nil || err.Error() != "ir: "+c.want {
				t.Errorf("got  %v\nwant ir: %s", err, c.want)
			}
		})
	}
}

func TestVerifyRefusesNothingAndCycles(t *testing.T) {
	if err := ir.Verify(nil); err == nil {
		t.Error("nil is accepted")
	}
	k := every(t)
	in := find(t, k, ir.OpIf)
	in.Then.Instrs = append(in.Then.Instrs, in)
	if err := ir.Verify(k); err == nil {
		t.Error("an if inside itself is accepted")
	}
	k = every(t)
	r := &k.Step.Trip
	c := r.Instrs[3].Results[0] // the comparison
	for range ir.MaxNest + 1 {
		deep := &ir.Instr{Op: ir.OpIf, Args: []ir.Value{c}, Then: &ir.Region{}, Else: &ir.Region{}}
		r.Instrs = append(r.Instrs, deep)
		r = deep.Then
	}
	if err := ir.Verify(k); err == nil || !strings.Contains(err.Error(), "regions nest deeper than 1000") {
		t.Errorf("got %v", err)
	}
}

// TestVerifyNeverPanics changes one field anywhere in a kernel to something else, many times over. What
// the verifier still accepts must print and read back.
func TestVerifyNeverPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	const rounds = 2000
	for round := range rounds {
		k := irtest.Kernel(uint64(round%50), 15)
		m := mutator{r: r}
		m.collect(reflect.ValueOf(k).Elem())
		for range 1 + r.IntN(2) {
			m.sites[r.IntN(len(m.sites))]()
		}
		if err := ir.Verify(k); err != nil {
			refused++
			text(t, k, round%2 == 0) // does not panic either
			continue
		}
		s := text(t, k, true)
		if again := text(t, read(t, s), true); again != s {
			t.Fatalf("round %d: the text changed on its way, %s", round, firstDifference(s, again))
		}
	}
	if refused < rounds/4 || refused == rounds {
		t.Errorf("%d of %d mutants refused", refused, rounds)
	}
}

// mutator collects ways to change one field below a value.
type mutator struct {
	r     *rand.Rand
	sites []func()
}

func (m *mutator) site(f func()) { m.sites = append(m.sites, f) }

func (m *mutator) collect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			m.collect(v.Elem())
			m.site(func() { v.SetZero() })
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.collect(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.collect(v.Index(i))
		}
		if v.Len() > 0 {
			m.site(func() {
				if v.Len() > 0 {
					v.SetLen(m.r.IntN(v.Len()))
				}
			})
		}
		if v.Len() > 1 {
			m.site(func() { // exchange two
				if v.Len() == 0 {
					return
				}
				i, j := v.Index(m.r.IntN(v.Len())), v.Index(m.r.IntN(v.Len()))
				a, b := reflect.ValueOf(i.Interface()), reflect.ValueOf(j.Interface())
				i.Set(b)
				j.Set(a)
			})
		}
	case reflect.String:
		m.site(func() { v.SetString([]string{"", "x", "Ünï", "\x00\xff", "steps_taken"}[m.r.IntN(5)]) })
	case reflect.Bool:
		m.site(func() { v.SetBool(!v.Bool()) })
	case reflect.Int, reflect.Int32:
		m.site(func() { v.SetInt([]int64{-1, 0, 1, v.Int() + 1, 5, 1<<31 - 1}[m.r.IntN(6)]) })
	case reflect.Uint8, reflect.Uint64:
		m.site(func() {
			v.SetUint([]uint64{0, 1, v.Uint() + 1, 5, 255, 1<<64 - 1}[m.r.IntN(6)] & (1<<v.Type().Bits() - 1))
		})
	case reflect.Float64:
		m.site(func() { v.SetFloat(-1e308) })
	}
}
