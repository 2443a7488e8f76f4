package passes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

func kernel(t testing.TB, trip string) *ir.Kernel {
	t.Helper()
	k, err := ir.Read(strings.NewReader(`eaglet.ir 1
kernel k guard=mask steps=1 steps_max=0 precision=f64 fma=off
plane a f64 input init const(0)
plane n i64 input init const(0)
plane x f64 state init const(0)
head {
  %1 = load.f64 a
  %2 = load.i64 n
}
trip (%3 f64 = x) {
  local q i64[4]
` + trip + `
  %1000 = const.bool false
  yield %1000, %3
}`))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestFaultsAreNeverLost tries to lose a fault: nothing uses it, its path is unlikely, its condition is
// known where it stands, its like stands before it.
func TestFaultsAreNeverLost(t *testing.T) {
	const conditions = `
  %4 = const.bool true
  %5 = const.bool false
  %6 = const.i64 0
  %7 = eq.i64 %2, %6
  %8 = lt.f64 %3, %1
`
	for _, c := range []struct {
		name, code string
		faults     []string // that are left, in order, by kind; (x) is a fault inside x
	}{
		{"a fault that nothing uses", "fault divide %7", []string{"divide"}},
		{"a fault of head values stays in the trip", "fault index %7", []string{"index"}},
		{"a fault that always happens", "fault cap %4", []string{"cap"}},
		{"a fault that never happens goes", "fault cap %5", nil},
		{"a fault that folds to never goes", "%9 = and.bool %7, %5 fault cap %9", nil},
		{"two faults of one condition keep their order", "fault divide %8 fault index %8", []string{"divide", "index"}},
		{"the same fault twice", "fault divide %8 fault divide %8", []string{"divide", "divide"}},
		{"a fault under its own condition", "if %8 { fault shift %8 } else { }", []string{"if(shift)"}},
		{"a fault under the opposite of its condition", "if %8 { } else { fault shift %8 }", []string{"if(shift)"}},
		{"a fault in an if of which no result is used", "%9 = if %8 { fault cap %7 yield %3 } else { yield %1 }", []string{"if(cap)"}},
		{"a fault in an if that is known", "if %4 { fault cap %7 } else { fault divide %7 }", []string{"cap"}},
		{"a fault in a loop of which no result is used", "%9 = loop 9 (%10 f64 = %3) { fault cap %7 yield %8, %10 }", []string{"loop(cap)"}},
		{"a fault in a loop of one turn", "%9 = loop 1 (%10 f64 = %3) { fault cap %7 yield %8, %10 }", []string{"cap"}},
		{"a fault in a loop of head values stays in the trip", "%9 = loop 9 (%10 f64 = %1) { %11 = lt.f64 %10, %1 fault cap %7 yield %11, %10 }", []string{"loop(cap)"}},
		{"a fault deep inside", "if %8 { %9 = loop 9 (%10 f64 = %3) { if %7 { fault cap %8 } else { } yield %8, %10 } } else { }", []string{"if(loop(if(cap)))"}},
		{"a fault of what an array held before a write", "array.i64 q %6 %9 = get.i64 q[%2] put.i64 q[%2] %2 %10 = get.i64 q[%2] %11 = eq.i64 %9, %10 fault divide %11", []string{"divide"}},
		{"a fault in an if that only writes to an array", "array.i64 q %6 if %8 { put.i64 q[%2] %2 fault index %7 } else { }", []string{"if(index)"}},
		{"a fault in a loop that fills an array of its own", "%9 = loop 9 (%10 i64 = %2) { array.i64 q %10 %11 = get.i64 q[%10] %12 = eq.i64 %11, %10 fault shift %12 yield %8, %11 }", []string{"loop(shift)"}},
		{"a fault of a write that only one path makes", "array.i64 q %6 if %8 { put.i64 q[%6] %2 } else { } %9 = get.i64 q[%6] %10 = eq.i64 %9, %6 fault divide %10", []string{"divide"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, err := Run(kernel(t, conditions+c.code))
			if err != nil {
				t.Fatal(err)
			}
			if after.Step.Head.Faults() {
				t.Error("a fault is in the head")
			}
			if got := faultPaths(&after.Step.Trip); !slices.Equal(got, c.faults) {
				t.Errorf("got faults %v, want %v\n%s", got, c.faults, printed(t, after))
			}
		})
	}
}

func faultPaths(r *ir.Region) []string {
	var paths []string
	for _, in := range r.Instrs {
		if in.Op == ir.OpFault {
			paths = append(paths, []string{"", "divide", "index", "shift", "cap"}[in.Imm])
		}
		for _, inner := range in.Regions() {
			for _, p := range faultPaths(inner) {
				paths = append(paths, in.Op.String()+"("+p+")")
			}
		}
	}
	return paths
}

func TestOrderIsChecked(t *testing.T) {
	if err := checkOrder(table, order); err != nil {
		t.Error(err)
	}
	wrong := slices.Clone(table)
	slices.Reverse(wrong)
	if err := checkOrder(wrong, order); err == nil || !strings.Contains(err.Error(), "must come before") {
		t.Errorf("the reverse order: got %v", err)
	}
	if err := checkOrder(table, []constraint{{"fold", "inline", "gone"}}); err == nil {
		t.Error("a constraint on a pass that does not exist is accepted")
	}
	for i, c := range order {
		if c.reason == "" {
			t.Errorf("constraint %d has no reason", i)
		}
	}
}

func TestRunUntilAndWithout(t *testing.T) {
	k := kernel(t, "%4 = const.f64 2 %5 = const.f64 3 %6 = add.f64 %4, %5")
	before := printed(t, k)
	for _, c := range []struct {
		name string
		f    func() (*ir.Kernel, error)
		want string // text that the result has, or what the error says
		err  bool
	}{
		{"until fold", func() (*ir.Kernel, error) { return RunUntil(k, "fold") }, "const.f64 5", false},
		{"until a pass that does not exist", func() (*ir.Kernel, error) { return RunUntil(k, "inline") }, `there is no pass "inline"; the passes are fold, hoist, cse, dce, number`, true},
		{"without dce", func() (*ir.Kernel, error) { return RunWithout(k, "dce") }, "const.f64 5", false},
		{"without fold and dce", func() (*ir.Kernel, error) { return RunWithout(k, "fold", "dce") }, "add.f64", false},
		{"without a needed pass", func() (*ir.Kernel, error) { return RunWithout(k, "number") }, "number cannot be left out", true},
		{"without a pass that does not exist", func() (*ir.Kernel, error) { return RunWithout(k, "inline") }, `there is no pass "inline"`, true},
		{"a kernel that breaks a rule", func() (*ir.Kernel, error) { return Run(&ir.Kernel{}) }, "kernel name", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.f()
			switch {
			case c.err && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got error %v, want %q", err, c.want)
			case !c.err && (err != nil || !strings.Contains(printed(t, got), c.want)):
				t.Errorf("got %v, want a text with %q", err, c.want)
			}
		})
	}
	if printed(t, k) != before {
		t.Error("a pass changed the kernel that it was given")
	}
}

// TestBrokenPassIsNamed: the verifier runs after each pass and says which one it was.
func TestBrokenPassIsNamed(t *testing.T) {
	broken := pass{name: "broken", run: func(k *ir.Kernel) { k.Step.Trip.Yield[0] = 0 }}
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "after broken: ir: trip:") {
			t.Errorf("got %s", r)
		}
	}()
	_, _ = run(kernel(t, ""), []pass{broken, table[0]})
	t.Error("the verifier did not run after the pass")
}

// TestNumberLeavesNoGaps: engines size their tables by the number of types.
func TestNumberLeavesNoGaps(t *testing.T) {
	for seed := range uint64(50) {
		k, err := Run(irtest.Kernel(seed, 60))
		if err != nil {
			t.Fatal(err)
		}
		s := &k.Step
		defined := len(s.Trip.Params)
		count := func(in *ir.Instr) {
			defined += len(in.Results)
			if in.Op == ir.OpLoop {
				defined += len(in.Body.Params)
			}
		}
		s.Head.Walk(count)
		s.Trip.Walk(count)
		if len(s.Types) != defined+1 {
			t.Errorf("seed %d: %d types for %d values", seed, len(s.Types)-1, defined)
		}
	}
}

// TestPassesAreNearLinear runs all passes on kernels of 100,000 instructions of shapes that a pass of
// quadratic time would not get through before the test run's own limit.
func TestPassesAreNearLinear(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		name string
		code func(b *strings.Builder)
	}{
		{"a chain of multiplications", func(b *strings.Builder) {
			last := 3
			for i := 2000; i < 2000+n; i++ {
				fmt.Fprintf(b, "%%%d = mul.f64 %%%d, %%3\n", i, last)
				last = i
			}
			fmt.Fprintf(b, "%%1001 = lt.f64 %%%d, %%1 fault cap %%1001\n", last)
		}},
		{"ifs inside each other, with faults", func(b *strings.Builder) {
			const depth = 900
			for range n / depth / 4 {
				b.WriteString(strings.Repeat("if %4 { fault cap %4\n", depth))
				b.WriteString(strings.Repeat("} else { }\n", depth))
			}
		}},
		{"loops inside each other, with invariants", func(b *strings.Builder) {
			const depth = 400
			next := 2000
			for range n / depth / 8 {
				for range depth {
					fmt.Fprintf(b, "%%%d = loop 9 (%%%d f64 = %%3) { %%%d = mul.f64 %%%d, %%1 %%%d = lt.f64 %%%d, %%1 fault cap %%%d\n", next, next+1, next+2, next+1, next+3, next+2, next+3)
					next += 4
				}
				for i := range depth {
					fmt.Fprintf(b, "yield %%%d, %%%d }\n", next-4*i-1, next-4*i-2)
				}
			}
		}},
		{"loops of one turn inside each other", func(b *strings.Builder) {
			const depth = 400
			next := 2000
			for range n / depth / 4 {
				for range depth {
					fmt.Fprintf(b, "%%%d = loop 1 (%%%d f64 = %%3) { %%%d = mul.f64 %%%d, %%1\n", next, next+1, next+2, next+1)
					next += 3
				}
				for i := range depth {
					fmt.Fprintf(b, "yield %%4, %%%d }\n", next-3*i-1)
				}
			}
		}},
		{"a long conjunction", func(b *strings.Builder) {
			last := 4
			for i := 2000; i < 2000+n/4; i += 2 {
				fmt.Fprintf(b, "%%%d = lt.f64 %%3, %%1 %%%d = and.bool %%%d, %%%d\n if %%%d { fault cap %%%d } else { }\n", i, i+1, last, i, i+1, i+1)
				last = i + 1
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("%4 = lt.f64 %3, %1\n")
			c.code(&b)
			k := kernel(t, b.String())
			VerifyEach = false
			defer func() { VerifyEach = true }()
			if _, err := Run(k); err != nil {
				t.Fatal(err)
			}
		})
	}
}
