package interp

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

const controlHeader = `eaglet.ir 1
kernel control guard=mask steps=auto steps_max=64 precision=f64 fma=off
plane a "A" i64 input init const(0)
plane b "B" i64 input init const(0)
plane x "X" i64 state init const(0)
plane y "Y" i64 state init const(0)
`

// Each case runs one step on samples with a and b in [-3, 12) and x, y = a, b. step says in Go what one
// step makes of x and y, and whether it faults, which leaves both alone.
var controlCases = []struct {
	name string
	code string
	step func(a, b, x, y int64) (int64, int64, ir.FaultKind)
}{
	{
		name: "an if in an if, both with results",
		code: `
head {
  %1 = load.i64 a
  %2 = load.i64 b
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = lt.i64 %1, %2
  %6, %7 = if %5 {
    %8 = const.i64 0
    %9 = lt.i64 %1, %8
    %10 = if %9 {
      %11 = neg.i64 %2
      yield %11
    } else {
      %12 = mul.i64 %1, %2
      yield %12
    }
    %13 = add.i64 %10, %3
    yield %13, %10
  } else {
    %14 = sub.i64 %3, %4
    yield %14, %3
  }
  %15 = const.bool false
  yield %15, %6, %7
}`,
		step: func(a, b, x, y int64) (int64, int64, ir.FaultKind) {
			if a < b {
				v := a * b
				if a < 0 {
					v = -b
				}
				return v + x, v, 0
			}
			return x - y, x, 0
		},
	},
	{
		name: "a loop whose lanes leave at turns of their own, swapping as it goes",
		code: `
head {
  %1 = load.i64 a
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = const.i64 0
  %20, %21, %22 = loop 9 (%6 i64 = %5, %7 i64 = %3, %8 i64 = %4) {
    %9 = const.i64 1
    %10 = add.i64 %6, %9
    %11 = lt.i64 %10, %1
    yield %11, %10, %8, %7
  }
  %15 = const.bool false
  %16 = add.i64 %21, %20
  yield %15, %16, %22
}`,
		step: func(a, _, x, y int64) (int64, int64, ir.FaultKind) {
			i := int64(0)
			for range 9 {
				i++
				x, y = y, x
				if i >= a {
					break
				}
			}
			return x + i, y, 0
		},
	},
	{
		name: "a value from outside of a loop is used at the start of every turn",
		code: `
head {
  %1 = load.i64 a
  %2 = load.i64 b
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = mul.i64 %1, %2
  %6 = const.i64 0
  %20, %21 = loop 5 (%7 i64 = %6, %8 i64 = %3) {
    %9 = add.i64 %8, %5
    %10 = const.i64 1
    %11 = add.i64 %7, %10
    %12 = mul.i64 %9, %11
    %13 = xor.i64 %12, %9
    %14 = const.i64 4
    %15 = lt.i64 %11, %14
    yield %15, %11, %13
  }
  %16 = const.bool false
  yield %16, %21, %4
}`,
		step: func(a, b, x, y int64) (int64, int64, ir.FaultKind) {
			for i := int64(1); ; i++ {
				s := x + a*b
				x = s*i ^ s
				if i >= 4 {
					return x, y, 0
				}
			}
		},
	},
	{
		name: "a loop in a loop in an if",
		code: `
head {
  %1 = load.i64 a
  %2 = load.i64 b
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = const.i64 0
  %6 = gt.i64 %1, %5
  %7 = if %6 {
    %8, %9 = loop 7 (%10 i64 = %5, %11 i64 = %3) {
      %12, %13 = loop 5 (%14 i64 = %5, %15 i64 = %11) {
        %16 = add.i64 %15, %10
        %17 = const.i64 1
        %18 = add.i64 %14, %17
        %19 = lt.i64 %18, %2
        yield %19, %18, %16
      }
      %20 = const.i64 1
      %21 = add.i64 %10, %20
      %22 = lt.i64 %21, %1
      yield %22, %21, %13
    }
    yield %9
  } else {
    yield %4
  }
  %23 = const.bool false
  yield %23, %7, %3
}`,
		step: func(a, b, x, y int64) (int64, int64, ir.FaultKind) {
			if a <= 0 {
				return y, x, 0
			}
			v := x
			for i := range max(1, min(a, 7)) {
				for range max(1, min(b, 5)) {
					v += i
				}
			}
			return v, x, 0
		},
	},
	{
		name: "a fault in an if is guarded by its path, and the first of two wins",
		code: `
head {
  %1 = load.i64 a
  %2 = load.i64 b
  %3 = const.i64 0
  %4 = eq.i64 %2, %3
}
trip (%5 i64 = x, %6 i64 = y) {
  %7 = gt.i64 %1, %3
  %8 = if %7 {
    fault divide %4
    %9 = div.i64 %1, %2
    yield %9
  } else {
    yield %5
  }
  %10 = const.i64 2
  %11 = gt.i64 %1, %10
  %12 = and.bool %11, %4
  fault index %12
  %13 = const.i64 -2
  %14 = lt.i64 %1, %13
  fault cap %14
  %15 = const.bool false
  yield %15, %8, %10
}`,
		step: func(a, b, x, y int64) (int64, int64, ir.FaultKind) {
			switch {
			case a > 0 && b == 0:
				return x, y, ir.FaultDivide
			case a < -2:
				return x, y, ir.FaultCap
			case a > 0:
				return a / b, 2, 0
			}
			return x, 2, 0
		},
	},
	{
		name: "a fault in a loop stops lanes that are still in it only",
		code: `
head {
  %1 = load.i64 a
  %2 = load.i64 b
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = const.i64 0
  %6 = loop 20 (%7 i64 = %5) {
    %8 = eq.i64 %7, %2
    fault shift %8
    %9 = const.i64 1
    %10 = add.i64 %7, %9
    %11 = lt.i64 %10, %1
    yield %11, %10
  }
  %12 = const.bool false
  yield %12, %6, %4
}`,
		step: func(a, b, x, y int64) (int64, int64, ir.FaultKind) {
			for i := int64(0); ; {
				if i == b {
					return x, y, ir.FaultShift
				}
				if i++; i >= a {
					return i, y, 0
				}
			}
		},
	},
	{
		name: "new values that swap, stay and come from the head",
		code: `
head {
  %1 = load.i64 a
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = const.bool false
  yield %5, %4, %3
}`,
		step: func(_, _, x, y int64) (int64, int64, ir.FaultKind) { return y, x, 0 },
	},
}

func TestControlFlow(t *testing.T) {
	const side = 15 // a and b take 15 values each
	for _, c := range controlCases {
		t.Run(c.name, func(t *testing.T) {
			k := parseKernel(t, controlHeader+c.code)
			start := newBatch(k, side*side)
			a := func(_, i int) uint64 { return uint64(int64(i%side - 3)) }
			b := func(_, i int) uint64 { return uint64(int64(i/side - 3)) }
			start.fill("a", a)
			start.fill("b", b)
			start.fill("x", a)
			start.fill("y", b)
			for _, width := range []int{1, 8, 30, 0} {
				got := start.clone()
				r := compileWidth(k, width).NewMachine().Run(got.work(1))
				x, y := elements[int64](got.planes[2], got.n), elements[int64](got.planes[3], got.n)
				var faults FaultList
				for i := range got.n {
					a, b := int64(a(0, i)), int64(b(0, i))
					wantX, wantY, kind := c.step(a, b, a, b)
					wantMask := byte(0)
					if kind != 0 {
						wantMask = 2
						faults.Add(Fault{Sample: uint32(i), Kind: kind})
					}
					if x[i] != wantX || y[i] != wantY || got.mask[i] != wantMask {
						t.Fatalf("width %d, a %d, b %d: got x %d, y %d, mask %d, want %d, %d, %d", width, a, b, x[i], y[i], got.mask[i], wantX, wantY, wantMask)
					}
				}
				if r.Faults != faults {
					t.Errorf("width %d: got faults %v, want %v", width, r.Faults.All(), faults.All())
				}
			}
		})
	}
}

// countStop is set after it has been asked so many times.
type countStop struct{ left atomic.Int64 }

func (s *countStop) IsSet() bool { return s.left.Add(-1) < 0 }

func TestAStopLeavesSamplesAtStepBoundaries(t *testing.T) {
	const n, upto = 50, 40
	want := oscillators(t, n, stopSpread)
	p := want.plain()
	for i := range n {
		p.run(i, upto)
	}
	for _, asks := range []int64{0, 1, 2, 3, 5, 8, 13, 21, 34, 55} {
		for _, width := range []int{8, 0} {
			got := oscillators(t, n, stopSpread)
			between := got.clone() // each sample run for the steps that it says it has taken
			m := compileWidth(got.k, width).NewMachine()
			w := got.work(upto)
			stop := new(countStop)
			stop.left.Store(asks)
			w.Stop = stop
			r := m.Run(w)
			if !r.Stopped {
				continue
			}
			// At most a trip of one strip for each time that the stop was asked about.
			if most := uint64(asks) * uint64(m.width); r.SampleSteps > most {
				t.Fatalf("stop after %d looks: %d sample-steps, want at most %d", asks, r.SampleSteps, most)
			}
			p := between.plain()
			for i := range n {
				p.run(i, got.taken[i])
			}
			same(t, got, between)
			w.Stop, w.Next = nil, NewCursor(0, n)
			if m.Run(w).Stopped {
				t.Fatal("stopped without a stop")
			}
			same(t, got, want)
			if t.Failed() {
				t.Fatalf("stop after %d looks, width %d", asks, width)
			}
		}
	}
}

// A step may take long by itself: a loop looks at the stop at every turn, and the step is taken back.
func TestAStopInsideALoopTakesTheStepBack(t *testing.T) {
	k := parseKernel(t, controlHeader+`
head {
  %1 = load.i64 a
}
trip (%3 i64 = x, %4 i64 = y) {
  %5 = const.i64 1
  %6 = loop 2000000000 (%7 i64 = %3) {
    %8 = add.i64 %7, %5
    %10 = ge.i64 %8, %1
    fault cap %10
    %9 = const.bool true
    yield %9, %8
  }
  %12 = const.bool false
  yield %12, %6, %4
}`)
	b := newBatch(k, 50)
	b.fill("a", func(_, i int) uint64 { return uint64(i) }) // every lane faults soon, but loops on
	b.fill("x", func(_, i int) uint64 { return uint64(i) })
	before := b.clone()
	w := b.work(10)
	stop := new(countStop)
	stop.left.Store(100)
	w.Stop = stop
	r := Compile(k).NewMachine().Run(w)
	if !r.Stopped || r.SampleSteps != 0 || r.Newly != 0 || r.Faulted != 0 {
		t.Errorf("got %+v, want a stop and nothing done", *r)
	}
	same(t, b, before)
}

func TestAMapChoosesTheSamples(t *testing.T) {
	const n = 90
	got := oscillators(t, n, stopSpread)
	got.mask[12] = 1 // in the map, but finished
	want := got.clone()
	p := want.plain()
	w := got.work(30)
	for i := 0; i < n; i += 3 {
		w.Map = append(w.Map, uint32(i))
		p.run(i, 30)
	}
	w.Next = NewCursor(0, len(w.Map))
	compileWidth(got.k, 8).NewMachine().Run(w)
	same(t, got, want)
}

// A sample that is finished on entry is neither read nor written: the bits of a NaN that a store would
// change stay.
func TestFinishedSamplesAreNotTouched(t *testing.T) {
	const odd = ir.NaN64 | 99
	got := oscillators(t, 40, stopSpread)
	got.fill("x", func(_, i int) uint64 {
		if i%3 == 0 {
			return odd
		}
		return math.Float64bits(1)
	})
	for i := range got.n {
		if i%3 == 0 {
			got.mask[i] = 1
		}
	}
	r := Compile(got.k).NewMachine().Run(got.work(10))
	x := elements[uint64](got.planes[got.k.Plane("x")], got.n)
	for i := range got.n {
		if i%3 == 0 && (x[i] != odd || got.taken[i] != 0 || got.mask[i] != 1) {
			t.Fatalf("sample %d: x %#x, %d steps, mask %d", i, x[i], got.taken[i], got.mask[i])
		}
	}
	if r.Newly > 26 {
		t.Errorf("%d samples finished of 26 that were not", r.Newly)
	}
}

func TestStoresMakeNaNCanonical(t *testing.T) {
	got := oscillators(t, 10, func(int) uint64 { return 1 << 30 })
	got.fill("x", func(_, i int) uint64 { return 0xFFF8000000000000 | uint64(i) })
	Compile(got.k).NewMachine().Run(got.work(1))
	for i, x := range elements[uint64](got.planes[got.k.Plane("x")], got.n) {
		if x != ir.NaN64 {
			t.Errorf("sample %d: x is %#x, want %#x", i, x, ir.NaN64)
		}
	}
}

func TestFaultListKeepsTheFirst(t *testing.T) {
	var l FaultList
	for i := range uint32(50) {
		l.Add(Fault{Sample: i * 37 % 50}) // a permutation of 0..49
	}
	for i, f := range l.All() {
		if f.Sample != uint32(i) {
			t.Errorf("place %d holds sample %d", i, f.Sample)
		}
	}
	if len(l.All()) != MaxFaults {
		t.Errorf("holds %d faults, want %d", len(l.All()), MaxFaults)
	}
}

func TestNothingIsAllocatedPerRun(t *testing.T) {
	b := oscillators(t, 2000, stopSpread)
	m := Compile(b.k).NewMachine()
	w := b.work(0)
	upto := uint32(0)
	if allocs := testing.AllocsPerRun(10, func() {
		upto += 3
		w.Upto = upto
		w.Next.Reset(0, b.n)
		m.Run(w)
	}); allocs != 0 {
		t.Errorf("%v allocations per run, want none", allocs)
	}
}

func TestChooseWidth(t *testing.T) {
	for _, c := range []struct {
		name               string
		rows, instructions int
		want               int
	}{
		{"a tiny kernel is as wide as is useful", 3, 10, 512},
		{"rows fill the first-level cache", 15, 50, 232},
		{"many rows leave it rather than being narrow", 75, 1050, 192},
		{"very many rows stay in the second-level cache", 400, 1050, 80},
		{"a long trip is narrow, so that a stop is seen soon", 75, 8000, 64},
		{"nothing is narrower than this", 100000, 1 << 20, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := chooseWidth(c.rows, c.instructions); got != c.want {
				t.Errorf("got %d lanes, want %d", got, c.want)
			}
		})
	}
}

func TestLifetimesReuseRows(t *testing.T) {
	// 49 values in the trip; few of them live at a time.
	if s := Compile(readKernel(t, "oscillator")).step; s.strips > 24 {
		t.Errorf("%d rows, want at most 24", s.strips)
	}
	if got := Compile(readKernel(t, "oscillator")).step.keep; slices.Contains(got, lanePlace{}) {
		t.Errorf("a kept value has no row: %v", got)
	}
}
