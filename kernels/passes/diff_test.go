package passes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

func TestMain(m *testing.M) {
	VerifyEach = true
	m.Run()
}

// outcome is all that a run of a batch shows.
type outcome struct {
	planes      [][]byte // after init and steps
	mask        []byte
	taken       []uint32
	faults      []interp.Fault
	initFaults  []interp.Fault
	observables [][]uint64
}

const (
	samples  = 21
	maxSteps = 4
)

// execute runs init, some steps and the observables of k on random planes.
func execute(k *ir.Kernel, seed uint64) outcome {
	o := outcome{planes: irtest.Planes(k, samples, seed), mask: make([]byte, samples), taken: make([]uint32, samples)}
	code := interp.Compile(k)
	if k.Init != nil {
		faults, _ := code.Init().NewMachine().Store(o.planes, samples, interp.NewCursor(0, samples), nil)
		o.initFaults = slices.Clone(faults)
	}
	r := code.NewMachine().Run(&interp.Work{
		Planes: o.planes, N: samples, Mask: o.mask, Taken: o.taken,
		Next: interp.NewCursor(0, samples), Upto: maxSteps,
	})
	o.faults = slices.Clone(r.Faults.All())
	for i, f := range k.Observables {
		out := make([]uint64, samples)
		code.Observable(i).NewMachine().Bits(0, o.planes, samples, 0, out, nil)
		for j := range out {
			out[j] = irtest.Canonical(f.Type(f.Body.Yield[0]), out[j])
		}
		o.observables = append(o.observables, out)
	}
	return o
}

// differ names the first difference between what two kernels of the same planes did, "" when there is none.
func differ(k *ir.Kernel, got, want outcome) string {
	for i := range want.planes {
		p := &k.Planes[i]
		size := p.Type.Bytes()
		for e := 0; e < len(want.planes[i]); e += size {
			g, w := got.planes[i][e:e+size], want.planes[i][e:e+size]
			if !bytes.Equal(g, w) {
				return fmt.Sprintf("plane %s, element %d: got % x, want % x (little-endian)", p.Name, e/size, g, w)
			}
		}
	}
	for i := range want.mask {
		if got.mask[i] != want.mask[i] || got.taken[i] != want.taken[i] {
			return fmt.Sprintf("sample %d: got mask %d after %d steps, want %d after %d", i, got.mask[i], got.taken[i], want.mask[i], want.taken[i])
		}
	}
	if !slices.Equal(got.faults, want.faults) || !slices.Equal(got.initFaults, want.initFaults) {
		return fmt.Sprintf("faults: got %v and %v, want %v and %v", got.faults, got.initFaults, want.faults, want.initFaults)
	}
	for i := range want.observables {
		for s := range want.observables[i] {
			if g, w := got.observables[i][s], want.observables[i][s]; g != w {
				return fmt.Sprintf("observable %d, sample %d: got 0x%x, want 0x%x", i, s, g, w)
			}
		}
	}
	return ""
}

func printed(t testing.TB, k *ir.Kernel) string {
	t.Helper()
	var b bytes.Buffer
	if err := ir.Print(&b, k, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// watched is k with an output plane for every value of its finish condition, so that a run shows them.
// The second result is where in the trip's yield they are, in the order of [conditionValues].
func watched(k *ir.Kernel) (*ir.Kernel, []int) {
	k = k.Clone()
	s := &k.Step
	var at []int
	for i, x := range conditionValues(k) {
		t := s.Type(x)
		k.Planes = append(k.Planes, ir.Plane{Name: fmt.Sprintf("w%d", i), Type: t, Role: ir.RoleOutput, Init: ir.Init{Args: []float64{0}}})
		s.Carry = append(s.Carry, ir.Cell{Plane: len(k.Planes) - 1})
		s.Trip.Params = append(s.Trip.Params, s.New(t))
		at = append(at, len(s.Trip.Yield))
		s.Trip.Yield = append(s.Trip.Yield, x)
	}
	return k, at
}

func conditionValues(k *ir.Kernel) []ir.Value {
	var xs []ir.Value
	if k.Finish != nil {
		k.Finish.Cond.Walk(func(c *ir.Cond) {
			for _, x := range []ir.Value{c.Result, c.LHS, c.RHS} {
				if x != 0 {
					xs = append(xs, x)
				}
			}
		})
	}
	return xs
}

// TestRandomKernelsKeepTheirBits runs random kernels before and after every pass alone and after all of
// them, and compares planes, masks, steps, faults and observables by bits.
func TestRandomKernelsKeepTheirBits(t *testing.T) {
	variants := map[string]func(*ir.Kernel) (*ir.Kernel, error){"all": Run}
	for _, p := range table {
		variants[p.name] = func(k *ir.Kernel) (*ir.Kernel, error) { return run(k, []pass{p}) }
	}
	twice := func(k *ir.Kernel) (*ir.Kernel, error) {
		once, err := Run(k)
		if err != nil {
			return nil, err
		}
		return Run(once)
	}
	variants["all twice"] = twice
	stepped, faulted, smaller := 0, 0, 0
	const kernels = 250
	for seed := range uint64(kernels) {
		k, at := watched(irtest.Kernel(seed, 70))
		want := execute(k, seed)
		for _, n := range want.taken {
			stepped += int(n)
		}
		faulted += len(want.faults)
		for name, f := range variants {
			got, err := f(k)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if d := differ(k, execute(got, seed), want); d != "" {
				t.Fatalf("seed %d, %s: %s\nbefore\n%s\nafter\n%s", seed, name, d, printed(t, k), printed(t, got))
			}
			for i, x := range conditionValues(got) {
				if y := got.Step.Trip.Yield[at[i]]; x != y {
					t.Fatalf("seed %d, %s: value %d of the finish condition is %%%d, and what a run shows of it is %%%d", seed, name, i, x, y)
				}
			}
			if name == "all" && strings.Count(printed(t, got), "\n") < strings.Count(printed(t, k), "\n") {
				smaller++
			}
		}
	}
	// The comparison means something only when samples do take steps, some fault, and passes do something.
	if stepped < kernels*samples || faulted < 60 || smaller < kernels*9/10 {
		t.Errorf("%d steps, %d faults, %d kernels of %d became smaller: the kernels do not exercise the passes", stepped, faulted, smaller, kernels)
	}
}

// TestScrambledKernelsKeepTheirBits does the same with kernels that no generator would think of.
func TestScrambledKernelsKeepTheirBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ran := 0
	for round := range uint64(1000) {
		k, err := ir.Read(strings.NewReader(irtest.Scramble(r, printed(t, irtest.Kernel(round, 30)))))
		if err != nil || ir.Verify(k) != nil {
			continue
		}
		loops := ir.Counts(&k.Step.Trip).Loops // a scrambled number of turns may be large
		if loops.Flops+loops.Integers+loops.Logic+loops.Compares > 1e4 {
			continue
		}
		ran++
		got, err := Run(k)
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(k, execute(got, round), execute(k, round)); d != "" {
			t.Fatalf("round %d: %s\nbefore\n%s\nafter\n%s", round, d, printed(t, k), printed(t, got))
		}
	}
	if ran < 100 {
		t.Errorf("%d kernels ran", ran)
	}
}

// TestDifferentialRejectsMutants gives the oracle passes that are wrong.
func TestDifferentialRejectsMutants(t *testing.T) {
	change := func(want ir.Op, f func(*ir.Instr)) func(*ir.Kernel) {
		return func(k *ir.Kernel) {
			for _, c := range codes(k) {
				for _, r := range c.regions {
					r.Walk(func(in *ir.Instr) {
						if in.Op == want {
							f(in)
						}
					})
				}
			}
		}
	}
	swap := func(in *ir.Instr) { in.Args[0], in.Args[1] = in.Args[1], in.Args[0] }
	for _, m := range []struct {
		name string
		run  func(*ir.Kernel)
	}{
		{"a subtraction with its arguments exchanged", change(ir.OpSub, swap)},
		{"a fault of another kind", change(ir.OpFault, func(in *ir.Instr) { in.Imm = in.Imm%4 + 1 })},
		{"faults dropped", func(k *ir.Kernel) { drop(&k.Step.Trip, ir.OpFault) }},
		{"writes to local arrays dropped", func(k *ir.Kernel) { drop(&k.Step.Trip, ir.OpPut) }},
		{"a lookup of the first cell", change(ir.OpLookup, func(in *ir.Instr) { in.Op, in.Imm, in.Args = ir.OpConst, 0, nil })},
	} {
		t.Run(m.name, func(t *testing.T) {
			for seed := range uint64(400) {
				k := irtest.Kernel(seed, 70)
				got := k.Clone()
				m.run(got)
				if differ(k, execute(got, seed), execute(k, seed)) != "" {
					return
				}
			}
			t.Error("no kernel shows the difference")
		})
	}
}

func drop(r *ir.Region, op ir.Op) {
	r.Instrs = slices.DeleteFunc(r.Instrs, func(in *ir.Instr) bool { return in.Op == op })
	for _, in := range r.Instrs {
		for _, inner := range in.Regions() {
			drop(inner, op)
		}
	}
}
