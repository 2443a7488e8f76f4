package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// exampleBatch is a batch of n samples that all stop at step stop, on an engine of the tests. On a real
// engine: Compile a kernel, make and fill Planes, Bind, NewRunner.
func exampleBatch(s enginetest.Script, n int, stop int32) *enginetest.Batch {
	b, err := enginetest.CountWorkload().NewBatch(enginetest.NewScripted(s), n, enginetest.Uniform, stop, 1)
	if err != nil {
		panic(err)
	}
	return b
}

func ExampleNewRunner() {
	e := enginetest.NewScripted(enginetest.Script{})
	program, err := e.Compile(enginetest.CountKernel())
	if err != nil {
		fmt.Println(err)
		return
	}
	const n = 4
	planes, mask := engine.NewPlanes(program.Kernel().Planes, n), make([]byte, n)
	copy(engine.View[int32](planes, planes.Index("nstop")), []int32{3, 1, 4, 1})
	copy(engine.View[int32](planes, planes.Index("bad")), []int32{-1, -1, -1, -1})
	bound, err := program.Bind(planes, mask)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer bound.Close()
	r := engine.NewRunner(program, bound, planes, mask, e.Name(), "")
	report, err := r.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 100, Policy: engine.PolicyBand, R: 0.25})
	fmt.Println(report.Status, report.Finished, "finished, the longest after", report.Longest, "steps", err)
	fmt.Println(engine.View[int32](planes, planes.Index("k")), mask)
	// Output:
	// finished 4 finished, the longest after 4 steps <nil>
	// [3 1 4 1] [1 1 1 1]
}

func ExampleRunner_Run() {
	r := exampleBatch(enginetest.Script{}, 1000, 100)
	report, err := r.Run(nil, engine.RunOptions{MaxSteps: 10_000, Policy: engine.PolicyBand, R: 0.25})
	fmt.Println(report.Status, report.LaunchesByK, "exact:", report.ExactSteps, err)
	// The cap is a result, not an error; a second run gives everybody a new budget.
	r = exampleBatch(enginetest.Script{}, 1000, 100)
	for range 2 {
		report, err = r.Run(nil, engine.RunOptions{MaxSteps: 60, Policy: engine.PolicyTiled})
		fmt.Println(report.Status, report.LaunchesByK, "exact:", report.ExactSteps, err)
	}
	// Output:
	// finished map[16:1 64:2] exact: false <nil>
	// max_steps map[60:1] exact: true <nil>
	// finished map[60:1] exact: false <nil>
}

func ExampleRunner_Run_refused() {
	r := exampleBatch(enginetest.Script{}, 10, 100)
	_, err := r.Run(nil, engine.RunOptions{MaxSteps: 0, Every: 16})
	fmt.Println(err)
	// Output:
	// kernel count: 2 problems
	//   max_steps must be a whole number from 1 to 2147483647, given 0: give the most steps that a sample may take
	//   every must be left out for a kernel with steps=auto, given 16: such a kernel compacts after every launch in which a sample finished
}

func ExampleRunner_Run_persistent() {
	// 4 lanes; 1000 samples, of which one in ten takes 300 steps and the others 20.
	stops := []uint32{300, 20, 20, 20, 20, 20, 20, 20, 20, 20}
	r := exampleBatch(enginetest.Script{Lanes: 4, Stops: stops}, 1000, 0)
	report, err := r.Run(nil, engine.RunOptions{MaxSteps: 10_000})
	fmt.Println(report.Entry, report.LaunchesByK, "chunk", report.Chunk, err)
	fmt.Printf("%.2f of the lanes' steps used\n", report.SlotFill)
	// Output:
	// persistent map[300:1] chunk 32 <nil>
	// 0.79 of the lanes' steps used
}

func ExampleRunner_Run_reorder() {
	// Two of three samples stop at step 5: after the first launch each group of 32 is a third full.
	r := exampleBatch(enginetest.Script{Reorders: true, Stops: []uint32{5, 5, 100}}, 6000, 0)
	report, err := r.Run(nil, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25, Reorder: engine.ThetaDefault})
	fmt.Println(report.Status, report.Compactions, "compactions,", report.Reorders, "reorder", err)
	fmt.Println(engine.View[int32](r.Planes, r.Planes.Index("k"))[:6]) // in sample order
	// Output:
	// finished 2 compactions, 1 reorder <nil>
	// [5 5 100 5 5 100]
}

func ExampleRunner_Continue() {
	var stop engine.Stop
	asked := false
	ask := func(sampleSteps uint64) {
		if sampleSteps == 20_000 && !asked {
			asked = true
			stop.Set() // anybody may ask, at any time
		}
	}
	r := exampleBatch(enginetest.Script{Poll: ask}, 1000, 100)
	report, err := r.Run(&stop, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25})
	fmt.Println(report.Status, report.SampleSteps, "sample-steps", err)
	stop.Clear()
	report, err = r.Continue(&stop)
	fmt.Println(report.Status, report.SampleSteps, "sample-steps", report.LaunchesByK, err)
	// Output:
	// cancelled 20000 sample-steps <nil>
	// finished 100000 sample-steps map[16:1 64:2] <nil>
}

func ExampleRunner_Launch() {
	r := exampleBatch(enginetest.Script{}, 1000, 100)
	o := engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25}
	for _, word := range []int{0, 1, 0} { // 0: the policy's choice
		report, err := r.Launch(nil, o, word)
		fmt.Println(report.Status, report.Steps, err)
	}
	// Output:
	// paused 16 <nil>
	// paused 17 <nil>
	// paused 81 <nil>
}

func ExampleRunner_RunSteps() {
	r := exampleBatch(enginetest.Script{}, 1000, 100)
	report, err := r.RunSteps(nil, engine.RunOptions{Policy: engine.PolicyTiled}, 70)
	fmt.Println(report.Status, report.LaunchesByK, report.ExactSteps, err)
	// Output: paused map[6:1 64:1] true <nil>
}

func ExampleRunner_Reset() {
	r := exampleBatch(enginetest.Script{}, 3, 2)
	_, _ = r.Run(nil, engine.RunOptions{MaxSteps: 10})
	fmt.Println(r.Mask)
	fmt.Println(r.Reset(), r.Mask, engine.View[int32](r.Planes, r.Planes.Index("k")))
	// Output:
	// [1 1 1]
	// <nil> [0 0 0] [2 2 2]
}

func ExampleRunner_LaunchPolicy() {
	// 4 lanes in one block; samples of 128 steps want looks at the batch every 128/16 = 8 steps.
	r := exampleBatch(enginetest.Script{Lanes: 4}, 1000, 128)
	fmt.Println("before: chunk", r.LaunchPolicy().Chunk)
	_, _ = r.Run(nil, engine.RunOptions{MaxSteps: 1000})
	p := r.LaunchPolicy()
	fmt.Println("after: block", p.Block, "grid", p.Grid, "chunk", p.Chunk, "fill", p.Fill, "k", p.K)
	// Output:
	// before: chunk 32
	// after: block 4 grid 1 chunk 8 fill 1 k 64
}

func ExampleRunner_RecordingHeader() {
	r := exampleBatch(enginetest.Script{}, 1000, 40)
	h := r.RecordingHeader(engine.RunOptions{MaxSteps: 100, Policy: engine.PolicyBand, R: 0.25})
	fmt.Println(h.N, h.Options.Kernel, h.Options.Policy, "R", h.Options.R)
	// Output: 1000 count band R 0.25
}

func ExampleJSONEvent() {
	e := engine.Launch{Number: 1, Word: 16, Live: 1000, Newly: 57, Done: 16, SampleSteps: 15_500}.Event()
	b, err := json.Marshal(engine.JSONEvent(e))
	fmt.Println(string(b), err)
	// Output:
	// {"kind":"launch","generation":0,"turn":0,"time_ns":0,"payload":{"Number":1,"Word":16,"Live":1000,"Newly":57,"Faulted":0,"Done":16,"SampleSteps":15500,"Wall":0}} <nil>
}

func ExampleSentence() {
	fmt.Println(engine.Sentence(engine.Compaction{Before: 10_000, After: 9_943, Groups: 313}.Event()))
	fmt.Println(engine.Sentence(engine.GapEvent(3)))
	// Output:
	// compaction: 10,000 to 9,943 live slots, in 313 groups of 32
	// 3 events were lost here: the reader was too slow for the ring
}

func ExampleRunner_Loop() {
	r := exampleBatch(enginetest.Script{}, 1000, 100)
	watch := engine.PartFunc(func(*engine.Stop) error {
		fmt.Println("after", r.Bound.StepsTaken()[0], "steps")
		return nil
	})
	run, err := r.Loop(engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25}, engine.Inside{Last: []engine.Part{watch}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Do(nil), run.Report().Status)
	// Output:
	// after 16 steps
	// after 80 steps
	// after 100 steps
	// <nil> finished
}

func ExampleTrace() {
	trace := engine.NewTrace(1 << 10)
	r := exampleBatch(enginetest.Script{}, 1000, 40)
	_, _ = r.Run(nil, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25, Trace: trace})
	buf := make([]engine.Event, 64)
	n, _ := trace.Read(0, buf)
	for _, e := range buf[:n] {
		if e.Kind != engine.EventRunEnd { // which tells the wall
			fmt.Println(engine.Sentence(e))
		}
	}
	// Output:
	// run: 1,000 samples, at most 1,000 steps, steps per launch by the band in 8..64 with R = 0.25, compacting
	// launch 1: 16 steps over 1,000 live samples, 0 finished
	// no compaction: nobody finished since the last one, the map keeps 1,000 slots
	// next 64 steps: nobody finished, so h = 0 and k* has no end, held at 64 in 8..64
	// launch 2: 64 steps over 1,000 live samples, 1,000 finished
	// compaction: 1,000 to 0 live slots, in 0 groups of 32
	// no launch follows: h = 1,000/(1,000*64) = 0.016, k* = sqrt(2*0.25/0.016) = 5.7, nearest power of two in 8..64 is 8
}

func ExampleRecorder() {
	var file bytes.Buffer
	trace := engine.NewTrace(1 << 10)
	r := exampleBatch(enginetest.Script{}, 1000, 40)
	o := engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyTiled, Trace: trace}
	rec, err := engine.NewRecorder(&file, r.RecordingHeader(o), trace)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = r.Run(nil, o)
	events, lost, err := rec.Close()
	fmt.Println(events, "events,", lost, "lost", err)

	reader, err := engine.OpenRecording(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reader.Header.N, reader.Header.Options.Kernel, reader.Header.Options.Policy)
	for {
		e, err := reader.Next()
		if err == io.EOF {
			break
		}
		if e.Kind == engine.EventLaunch {
			fmt.Println(engine.Sentence(e))
		}
	}
	// Output:
	// 4 events, 0 lost <nil>
	// 1000 count tiled
	// launch 1: 64 steps over 1,000 live samples, 1,000 finished
}

func ExamplePolicyNamed() {
	p, ok := engine.PolicyNamed("doubling")
	fmt.Println(p, ok, "of", engine.PolicyNames())
	// Output: doubling true of auto, tiled, band, measured or doubling
}
