package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// traveller is a batch that goes to and fro, beside one that ran once.
type traveller struct {
	*enginetest.Batch
	trace *engine.Trace
	start *engine.Planes
	o     engine.RunOptions
	went  int // times that it began at the start
	stop  engine.Stop
	after uint64 // sample-steps from now on after which it is stopped; 0: not
}

// newTraveller makes a batch whose clock gives every launch another wall, so that what is measured twice differs.
func newTraveller(t *testing.T, way travelWay) *traveller {
	t.Helper()
	x := &traveller{trace: engine.NewTrace(1 << 14), o: way.o}
	now, calls := time.Duration(0), 0
	way.script.Tick = func(_ engine.Entry, s engine.LaunchStats) {
		calls++
		now += time.Duration(20+s.SampleSteps)*time.Duration(3+calls%5) + time.Duration(calls)
	}
	if way.n < 1000 { // a call per sample-step is dear
		way.script.Poll = func(uint64) {
			if x.after > 0 {
				if x.after--; x.after == 0 {
					x.stop.Set()
				}
			}
		}
	}
	x.Batch = batch(t, way.script, way.n, way.change...)
	x.start = x.Planes.Clone()
	x.o.MaxSteps, x.o.Trace, x.o.Clock = way.most, x.trace, func() time.Duration { return now }
	x.o.Keyframes = &engine.Keyframes{Bytes: way.bytes, Eager: true}
	return x
}

// to goes to a step as a session does.
func (x *traveller) to(t interface {
	Helper()
	Fatal(...any)
}, step int,
) engine.Report {
	t.Helper()
	course := x.Course()
	if !x.Reaches(step) {
		x.went++
		x.Planes.CopyFrom(x.start)
		if err := x.Reset(); err != nil {
			t.Fatal(err)
		}
	}
	x.stop.Clear()
	rep, err := x.RunTo(&x.stop, x.o, step, course)
	x.after = 0
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

type travelWay struct {
	name    string
	script  enginetest.Script
	n, most int
	o       engine.RunOptions
	change  []func(*ir.Kernel)
	bytes   int64
}

// passes says that the run that went straight had no boundaries, and so nothing to compact at.
func (w *travelWay) passes() bool { return w.script.Passes || w.script.Lanes > 0 }

// byClock says that a launch which a stop has cut is measured anew.
func (w *travelWay) byClock() bool { return w.o.Policy == engine.PolicyMeasured }

var travelWays = []travelWay{
	{name: "band", o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}},
	{name: "band without keyframes", o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}, bytes: 1},
	{name: "band with two keyframes", o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}, bytes: 2 * 60 * 20},
	{name: "doubling", o: engine.RunOptions{Policy: engine.PolicyDoubling}},
	{name: "measured", o: engine.RunOptions{Policy: engine.PolicyMeasured, R: 0.25}},
	{name: "fixed K", o: engine.RunOptions{}, change: []func(*ir.Kernel){enginetest.WithSteps(7), enginetest.WithMask}, most: 250},
	{name: "fixed K, several launches in a turn", o: engine.RunOptions{Every: 12}, change: []func(*ir.Kernel){enginetest.WithSteps(3)}, most: 250},
	{name: "reordering", n: 5000, script: enginetest.Script{Reorders: true}, o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25, Reorder: 0.75}},
	{name: "one pass", script: enginetest.Script{Passes: true}, o: engine.RunOptions{Policy: engine.PolicyTiled}},
	{name: "persistent", script: enginetest.Script{Lanes: 16}, o: engine.RunOptions{Entry: persistent}},
	{name: "with faults", script: enginetest.Script{Faults: map[int]uint32{3: 20, 5: 0, 40: 111}}, o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}},
}

// Wherever a run has gone, back and on, each step holds the bits of that step, and from there the run ends as the one
// that went straight: planes, mask, steps, launches, compactions; and no event is sent twice.
func TestGoingToAnyStepOfARun(t *testing.T) {
	stops := []uint32{5, 90, 5, 300, 17, 5, 120, 64, 0}
	for _, way := range travelWays {
		way.n, way.most, way.script.Stops = max(way.n, 60), max(way.most, 400), stops
		if way.bytes == 0 {
			way.bytes = 1 << 20
		}
		t.Run(way.name, func(t *testing.T) {
			straight := newTraveller(t, way)
			want := must(t)(straight.Run(nil, straight.o))
			sent := decisions(straight.trace)
			rapid.Check(t, func(rt *rapid.T) {
				x := newTraveller(t, way)
				t := rt
				if !way.passes() { // of a pass that was cut there are no launches to be made again
					x.after = uint64(rapid.IntRange(0, 2*int(want.SampleSteps)).Draw(t, "stopped after"))
				}
				if _, err := x.Run(&x.stop, x.o); err != nil {
					t.Fatal(err)
				}
				x.after = 0
				whole := !x.stop.IsSet() // else a step on its own may be the first that is decided there
				for _, step := range rapid.SliceOfN(rapid.IntRange(1, want.Steps-1), 1, 5).Draw(t, "steps") {
					if rapid.IntRange(0, 3).Draw(t, "stopped on the way") == 0 {
						x.after = uint64(rapid.IntRange(1, 2000).Draw(t, "after"))
						x.to(t, step)
					}
					rep := x.to(t, step)
					planes, mask := straight.start.Clone(), make([]byte, way.n)
					taken := straight.Workload.Native(planes, mask, 0)
					replay(planes, mask, taken, way.script, uint32(step))
					same(t, fmt.Sprint("at step ", step), x, planes, mask, taken)
					if at, even := x.Stands(); rep.Status == "paused" && (at != step || !even) {
						t.Fatalf("asked for step %d it stands at %d, even: %v", step, at, even)
					}
					if whole && rapid.Bool().Draw(t, "a step on its own") && rep.Status == "paused" && step+3 < want.Steps {
						if _, err := x.Launch(nil, x.o, 3); err != nil {
							t.Fatal(err)
						}
						if at, _ := x.Stands(); at != step+3 {
							t.Fatalf("three steps from step %d it stands at %d", step, at)
						}
					}
				}
				x.stop.Clear()
				got, err := x.Continue(nil)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "gone on to the end", x, straight.Planes, straight.Mask, straight.Bound.StepsTaken())
				if (whole || !way.byClock()) && !maps.Equal(got.LaunchesByK, want.LaunchesByK) || got.Compactions != want.Compactions && !way.passes() || got.Status != want.Status || got.Faulted != want.Faulted {
					t.Fatalf("gone on to the end:\n got %+v\nwant %+v", got, want)
				}
				if now := decisions(x.trace); !slices.Equal(now, sent) && (whole || !way.byClock()) {
					for i := range now {
						if i >= len(sent) || now[i] != sent[i] {
							t.Fatalf("event %d of %d, want %d\n got %q\nwant %q", i, len(now), len(sent), now[i], sent[min(i, len(sent)-1)])
						}
					}
					t.Fatalf("%d events, want %d", len(now), len(sent))
				}
				if k := x.o.Keyframes; k.Taken() > k.Bytes && way.bytes > 1 {
					t.Fatalf("keyframes take %d bytes of %d", k.Taken(), k.Bytes)
				}
			})
		})
	}
}

// replay is the script, sample by sample.
func replay(p *engine.Planes, mask []byte, taken []uint32, s enginetest.Script, upto uint32) {
	x, k := engine.View[float64](p, p.Index("x")), engine.View[int32](p, p.Index("k"))
	for i := range mask {
		stop := s.Stops[i%len(s.Stops)]
		fault, faults := s.Faults[i]
		for mask[i] == 0 && taken[i] < upto {
			if faults && taken[i] == fault {
				mask[i] = 2
				break
			}
			x[i] = float64(x[i]*0.5) + float64(k[i])
			k[i]++
			if taken[i]++; taken[i] == stop {
				mask[i] = 1
			}
		}
	}
}

func same(t *rapid.T, what string, x *traveller, planes *engine.Planes, mask []byte, taken []uint32) {
	t.Helper()
	for i := range planes.Spec {
		if !slices.Equal(x.Planes.Bytes(i), planes.Bytes(i)) {
			t.Fatalf("%s: plane %s is another one", what, planes.Spec[i].Name)
		}
	}
	if !slices.Equal(x.Mask, mask) || !slices.Equal(x.Bound.StepsTaken(), taken) {
		t.Fatalf("%s: mask %v\nwant %v\nsteps %v\nwant %v", what, x.Mask, mask, x.Bound.StepsTaken(), taken)
	}
}

// decisions are the sentences of a trace about what was decided, without the beginning and end of calls; and without
// faults, which are told as soon as they happen, and again when a launch that a stop has cut is made anew.
func decisions(trace *engine.Trace) []string {
	var out []string
	for _, e := range events(trace) {
		switch e.Kind {
		case engine.EventRunStart, engine.EventRunEnd, engine.EventProgress, engine.EventNonFinite, engine.EventPick, engine.EventCancel, engine.EventFault:
		default:
			out = append(out, engine.Sentence(e))
		}
	}
	return out
}

// Keyframes lie evenly, within their memory, however long the run; a short way is enough to any step.
func TestKeyframesLieEvenlyOverTheRun(t *testing.T) {
	way := travelWay{n: 100, most: 200_000, script: enginetest.Script{Stops: []uint32{0}}, o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}, bytes: 10 * 100 * 25}
	x := newTraveller(t, way)
	must(t)(x.Run(nil, x.o))
	steps := x.o.Keyframes.Steps()
	if len(steps) < 4 || x.o.Keyframes.Taken() > x.o.Keyframes.Bytes {
		t.Fatalf("keyframes at %v, %d bytes", steps, x.o.Keyframes.Taken())
	}
	for i, at := range append(steps, way.most) {
		before := 0
		if i > 0 {
			before = steps[i-1]
		}
		if way := at - before; way > 2*200_000/len(steps)+64 {
			t.Errorf("%d steps from %d to %d, with %d keyframes", way, before, at, len(steps))
		}
	}
	x.to(t, 150_000)
	if x.went != 0 {
		t.Error("it went back to the start")
	}
	if len(x.o.Keyframes.Steps()) != len(steps) {
		t.Errorf("on the way: keyframes at %v, before at %v", x.o.Keyframes.Steps(), steps)
	}
}

// After Forget the run decides anew from where it stands, and says so.
func TestForgettingWhatLiesAhead(t *testing.T) {
	x := newTraveller(t, travelWay{n: 60, most: 400, script: enginetest.Script{Stops: []uint32{300, 90}}, o: engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}, bytes: 1 << 20})
	must(t)(x.Run(nil, x.o))
	x.to(t, 16)
	if err := x.Forget(); err != nil {
		t.Fatal(err)
	}
	from := x.trace.Written()
	rep := must(t)(x.Launch(nil, x.o, 3))
	if rep.Steps != 19 || rep.LaunchesByK[3] != 1 {
		t.Errorf("a launch of 3 steps: %+v", rep)
	}
	if x.trace.Written() == from {
		t.Error("a new launch is not told")
	}
	if steps := x.o.Keyframes.Steps(); len(steps) > 0 && steps[len(steps)-1] > 19 {
		t.Errorf("keyframes at %v", steps)
	}
}
