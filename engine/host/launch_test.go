package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// stops says how many steps a sample takes until it finishes.
type stops func(rng *rand.Rand) int32

func never(*rand.Rand) int32 { return 1 << 30 }

func spread(rng *rand.Rand) int32 { return 1 + rng.Int32N(100) }

// batch is a batch twice: one on the engine, one for a plain loop of single steps.
type batch struct {
	*bound
	t *testing.T

	want      *engine.Planes
	wantMask  []byte
	wantTaken []uint32
}

// newBatch makes n samples of the count kernel, some of which will fault, with a preset mask.
func newBatch(t *testing.T, workers, n int, stop stops, change ...func(*ir.Kernel)) *batch {
	t.Helper()
	k := enginetest.CountKernel(change...)
	planes := engine.NewPlanes(k.Planes, n)
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, nstop := engine.View[float64](planes, planes.Index("x")), engine.View[int32](planes, planes.Index("nstop"))
	bad := engine.View[int32](planes, planes.Index("bad"))
	mask := make([]byte, n)
	for i := range n {
		x[i], nstop[i], bad[i] = rng.Float64(), stop(rng), -1
		if rng.IntN(20) == 0 {
			bad[i] = rng.Int32N(30)
		}
		if rng.IntN(9) == 0 {
			mask[i] = []byte{1, 2, 7}[rng.IntN(3)]
		}
	}
	b := &batch{t: t, want: planes.Clone(), wantTaken: make([]uint32, n)}
	for _, m := range mask {
		b.wantMask = append(b.wantMask, map[byte]byte{0: 0, 1: 1, 2: 2, 7: 1}[m])
	}
	p, err := New(WithWorkers(workers)).Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	bd, err := p.Bind(planes, mask)
	if err != nil {
		t.Fatal(err)
	}
	b.bound = bd.(*bound)
	return b
}

// plain takes the other batch to upto, one step of one sample at a time, and says what a launch would.
func (b *batch) plain(upto uint32) (s engine.LaunchStats) {
	x, k := engine.View[float64](b.want, 0), engine.View[int32](b.want, 1)
	nstop, bad := engine.View[int32](b.want, 2), engine.View[int32](b.want, 3)
	for i := range b.want.N {
		before := b.wantTaken[i]
		if b.wantMask[i] != 0 {
			continue
		}
		for b.wantMask[i] == 0 && b.wantTaken[i] < upto {
			if k[i] == bad[i] {
				b.wantMask[i] = 2
				s.Faulted++
				break
			}
			x[i] = float64(x[i]*0.5) + float64(k[i])
			k[i]++
			b.wantTaken[i]++
			if k[i] >= nstop[i] {
				b.wantMask[i] = 1
			}
		}
		steps := b.wantTaken[i] - before
		s.SampleSteps += uint64(steps)
		s.Longest = max(s.Longest, steps)
		if b.wantMask[i] != 0 {
			s.Newly++
			s.LastStop = max(s.LastStop, b.wantTaken[i])
		}
	}
	return s
}

// check compares planes, mask, steps and counters.
func (b *batch) check() {
	b.t.Helper()
	for i := range b.want.Spec {
		if !bytes.Equal(b.planes.Bytes(i), b.want.Bytes(i)) {
			for e := range b.want.Elements(i) {
				if got, want := b.planes.Float(i, e), b.want.Float(i, e); got != want {
					b.t.Fatalf("plane %s sample %d after %d steps: got %v, want %v", b.want.Spec[i].Name, e, b.taken[e], got, want)
				}
			}
			b.t.Fatalf("plane %s differs in the sign of a zero or in a NaN", b.want.Spec[i].Name)
		}
	}
	for i := range b.mask {
		if b.mask[i] != b.wantMask[i] || b.taken[i] != b.wantTaken[i] {
			b.t.Fatalf("sample %d: got mask %d after %d steps, want %d after %d", i, b.mask[i], b.taken[i], b.wantMask[i], b.wantTaken[i])
		}
	}
	var want engine.Counters
	for _, m := range b.wantMask {
		if m != 0 {
			want.Finished++
		}
		if m == 2 {
			want.Faulted++
		}
	}
	want.Active = b.Counters().Active
	if got := b.Counters(); got != want {
		b.t.Fatalf("got counters %+v, want %+v", got, want)
	}
}

func TestLaunchesEqualPlainLoop(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 33, 1000, 2049} {
		for _, guard := range []func(*ir.Kernel){enginetest.WithMask, enginetest.WithActiveSet} {
			for _, workers := range []int{1, 2, 3, 8} {
				t.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(t *testing.T) {
					b := newBatch(t, workers, n, spread, guard)
					rng := rand.New(rand.NewPCG(5, 5))
					for i := range n { // samples are not all at the same step
						b.taken[i] = rng.Uint32N(4)
						b.wantTaken[i] = b.taken[i]
					}
					for _, upto := range []uint32{1, 1, 3, 4, 12, 60, 130} {
						want := b.plain(upto)
						got, err := b.Launch(nil, upto)
						if err != nil {
							t.Fatal(err)
						}
						want.Wall = got.Wall
						if got != want {
							t.Fatalf("launch to %d: got %+v, want %+v", upto, got, want)
						}
						b.check()
						if upto > 3 {
							if _, err := b.Compact(); err != nil {
								t.Fatal(err)
							}
						}
					}
				})
			}
		}
	}
}

func TestPassEqualsPlainLoop(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		b := newBatch(t, workers, 2049, spread)
		want := b.plain(90)
		got, err := b.Pass(nil, 90, func(_, _ uint64) {})
		if err != nil {
			t.Fatal(err)
		}
		want.Wall = got.Wall
		if got != want {
			t.Errorf("%d workers: got %+v, want %+v", workers, got, want)
		}
		b.check()
	}
}

func TestPassSaysHowFarItIs(t *testing.T) {
	const n = 2000
	b := newBatch(t, 2, n, never)
	var stop engine.Stop
	var calls, last uint64
	s, err := b.Pass(&stop, 1<<30, func(finished, steps uint64) { // ends because of the stop only
		if calls++; calls == 3 {
			stop.Set()
		}
		if finished > n || steps < last {
			t.Errorf("%d samples finished and %d steps run, after %d", finished, steps, last)
		}
		last = steps
	})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Stopped || calls < 3 || last == 0 || last > s.SampleSteps {
		t.Errorf("stopped: %v, %d calls, the last said %d of %d steps", s.Stopped, calls, last, s.SampleSteps)
	}
}

// watched is a back end whose machines count how often the stop is looked at, and act at one of the looks.
type watched struct {
	turn sync.Mutex // of act
	code
	looks atomic.Int64
	at    int64
	act   func()
}

func (w *watched) newMachine() machine { return &watchedMachine{w.code.newMachine(), w} }

type watchedMachine struct {
	machine
	w *watched
}

func (m *watchedMachine) run(work *interp.Work) *interp.Result {
	c := *work
	c.Stop = watchedStop{work.Stop, m.w}
	return m.machine.run(&c)
}

type watchedStop struct {
	interp.Stopper
	w *watched
}

func (s watchedStop) IsSet() bool {
	// Everybody from that look on acts: the one who makes it may be held up before it has.
	if n := s.w.looks.Add(1); s.w.at > 0 && n >= s.w.at {
		s.w.turn.Lock()
		defer s.w.turn.Unlock()
		s.w.act()
	}
	return s.Stopper.IsSet()
}

// TestAStopEndsALaunchWithinATrip holds for the interpreter; machine code looks at the stop between its calls, which
// are as short as the jit's own tests say.
func TestAStopEndsALaunchWithinATrip(t *testing.T) {
	t.Setenv(backEndVariable, interpName)
	const n, upto = 2049, 100
	for _, workers := range []int{1, 3} {
		for _, at := range []int64{1, 2, 3, 20, 90} {
			t.Run(fmt.Sprintf("workers=%d/look=%d", workers, at), func(t *testing.T) {
				b := newBatch(t, workers, n, spread)
				var stop engine.Stop
				var done uint64 // steps that were run when the stop was set
				w := &watched{code: b.code, at: at}
				w.act = func() {
					if !stop.IsSet() {
						stop.Set()
						_, done = b.team.progress(b.size)
					}
				}
				c := *b.program
				c.code, b.program = w, &c
				s, err := b.Launch(&stop, upto)
				if err != nil {
					t.Fatal(err)
				}
				if !s.Stopped {
					t.Fatal("the stop was not seen")
				}
				// Each worker may finish the trip that it is in, and may not have told of the one before.
				if most := done + uint64(2*workers*b.work.Lanes); s.SampleSteps > most {
					t.Errorf("%d sample-steps, %d of them when the stop was set: want at most %d", s.SampleSteps, done, most)
				}
				if looks := w.looks.Load(); looks > at+int64(3*workers) {
					t.Errorf("%d looks at the stop, it was set at the %dth", looks, at)
				}
				stop.Clear()
				w.at = 0
				first := s
				if s, err = b.Launch(&stop, upto); err != nil || s.Stopped {
					t.Fatal(s, err)
				}
				want := b.plain(upto)
				if got := first.SampleSteps + s.SampleSteps; got != want.SampleSteps {
					t.Errorf("%d sample-steps in two parts, %d in one", got, want.SampleSteps)
				}
				b.check()
			})
		}
	}
}

func TestAPanicOfAWorkerIsReportedAsOurBug(t *testing.T) {
	b := newBatch(t, 3, 2049, never)
	w := &watched{code: b.code, at: 5, act: func() { panic("a wrong turn") }}
	c := *b.program
	c.code, b.program = w, &c
	_, err := b.Launch(nil, 1<<30) // ends only because the others are stopped
	bug, ok := err.(*BugError)
	if !ok {
		t.Fatalf("got %v, want a BugError", err)
	}
	if bug.Phase != "launch" || bug.Cause != "a wrong turn" || len(bug.Stack) == 0 {
		t.Errorf("got %+v", bug)
	}
	const want = "host: launch of kernel count: this is a bug in eaglet, please report it with the kernel file: a wrong turn"
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFaultsAreTheFirstWhateverTheTeam(t *testing.T) {
	var first []engine.Fault
	for _, workers := range []int{1, 2, 7} {
		b := newBatch(t, workers, 2049, never)
		for upto := uint32(5); upto <= 40; upto += 5 {
			if _, err := b.Launch(nil, upto); err != nil {
				t.Fatal(err)
			}
		}
		b.plain(40)
		b.check()
		got := b.Faults()
		if first == nil {
			first = got
			bad := engine.View[int32](b.planes, b.planes.Index("bad"))
			i := 0
			for s := range b.wantMask {
				if b.wantMask[s] == 2 && bad[s] >= 0 && b.wantTaken[s] == uint32(bad[s]) && i < 16 && b.mask[s] == 2 && got[i].Sample == uint32(s) {
					if got[i].Step != uint32(bad[s]) || got[i].Kind != ir.FaultDivide || got[i].Pos.Line != 7 {
						t.Errorf("got %+v, want step %d", got[i], bad[s])
					}
					i++
				}
			}
			if i != 16 {
				t.Errorf("%d of the faults are those of the first samples: %+v", i, got)
			}
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d workers: got %v, want %v", workers, got, first)
		}
	}
}

// TestCallsAllocateNothing holds for a team that is at work, progress told or not.
func TestCallsAllocateNothing(t *testing.T) {
	told := func(_, _ uint64) {}
	for _, workers := range []int{1, 2} {
		for _, c := range []struct {
			name string
			call func(b *batch, upto uint32) error
		}{
			{"a launch", func(b *batch, upto uint32) error { _, err := b.Launch(nil, upto); return err }},
			{"a launch and a compaction", func(b *batch, upto uint32) error {
				if _, err := b.Launch(nil, upto); err != nil {
					return err
				}
				b.snapshot = 0
				_, err := b.Compact()
				return err
			}},
			{"a pass", func(b *batch, upto uint32) error { _, err := b.Pass(nil, upto, told); return err }},
			{"a persistent launch", func(b *batch, upto uint32) error { _, err := b.Persist(nil, upto, 8, told); return err }},
		} {
			t.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(t *testing.T) {
				b := newBatch(t, workers, 2049, never)
				upto := uint32(0)
				if allocs := testing.AllocsPerRun(50, func() {
					upto += 2
					if err := c.call(b, upto); err != nil {
						t.Fatal(err)
					}
				}); allocs > 0 {
					t.Errorf("%v allocations, want none", allocs)
				}
			})
		}
	}
}
