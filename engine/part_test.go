package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// said is a part that writes a word into a list; it is stopped the first `stops` times.
func said(list *[]string, word string, stops int) engine.Part {
	return engine.PartFunc(func(*engine.Stop) error {
		if stops > 0 {
			stops--
			*list = append(*list, word+"...")
			return engine.ErrStopped
		}
		*list = append(*list, word)
		return nil
	})
}

func yes() bool { return true }

func TestRepeatWhileLooksAtTheGuardBeforeEachTurn(t *testing.T) {
	for _, c := range []struct {
		name     string
		turns    int // that the guard lets
		maxIters int
		want     string
	}{
		{"the guard ends it", 2, 9, "a b a b"},
		{"maxIters ends it", 9, 3, "a b a b a b"},
		{"no turn when the guard says no at once", 0, 9, ""},
		{"no turn with maxIters 0", 9, 0, ""},
	} {
		var list []string
		asked := 0
		loop, err := engine.NewRepeatWhile([]engine.Part{said(&list, "a", 0), said(&list, "b", 0)}, func() bool {
			asked++
			return asked <= c.turns
		}, c.maxIters)
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Do(nil); err != nil || strings.Join(list, " ") != c.want {
			t.Errorf("%s: %v, %v, want %s", c.name, list, err, c.want)
		}
		if loop.Ran() != 0 {
			t.Errorf("%s: a loop that is over stands at turn %d, not at its beginning", c.name, loop.Ran())
		}
	}
}

func TestALoopThatWasStoppedGoesOnWithThePartThatWas(t *testing.T) {
	var list []string
	loop, err := engine.NewRepeatWhile([]engine.Part{said(&list, "a", 0), said(&list, "b", 2), said(&list, "c", 0)}, yes, 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := loop.Do(nil); !errors.Is(err, engine.ErrStopped) {
			t.Fatalf("a stopped loop says %v", err)
		}
	}
	if err := loop.Do(nil); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(list, " "), "a b... b... b c a b c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var stop engine.Stop
	stop.Set()
	list = nil
	if err := loop.Do(&stop); !errors.Is(err, engine.ErrStopped) || len(list) != 0 {
		t.Errorf("a stop before the first turn: %v, %v", err, list)
	}
}

func TestSkippableIsAskedOncePerPart(t *testing.T) {
	var list []string
	ask := []bool{false, true, false}
	part := engine.Skippable(said(&list, "a", 1), func() bool {
		answer := ask[0]
		ask = ask[1:]
		return answer
	})
	for i, want := range []error{nil, engine.ErrStopped, nil, nil} { // skipped, stopped, the rest, skipped
		if err := part.Do(nil); !errors.Is(err, want) {
			t.Errorf("call %d says %v, want %v", i, err, want)
		}
	}
	if got := strings.Join(list, " "); got != "a... a" {
		t.Errorf("ran %s", got)
	}
}

func TestPipelinesRunInOrderAndGoOn(t *testing.T) {
	var list []string
	loop, _ := engine.NewRepeatWhile([]engine.Part{said(&list, "b", 1)}, yes, 2)
	again, _ := engine.NewRepeatWhile([]engine.Part{said(&list, "d", 0)}, yes, 2)
	inner, err := engine.NewGraphPipeline(loop, said(&list, "c", 0))
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := engine.NewGraphPipeline(said(&list, "a", 0), inner, again)
	if err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Do(nil); !errors.Is(err, engine.ErrStopped) {
		t.Fatalf("says %v", err)
	}
	if err := pipeline.Do(nil); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Do(nil); err != nil { // once more from its beginning
		t.Fatal(err)
	}
	if got, want := strings.Join(list, " "), "a b... b b c d d a b b c d d"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	broken := errors.New("the device fell off")
	pipeline, _ = engine.NewGraphPipeline(engine.PartFunc(func(*engine.Stop) error { return broken }), said(&list, "never", 0))
	if err := pipeline.Do(nil); !errors.Is(err, broken) || slices.Contains(list, "never") {
		t.Errorf("says %v", err)
	}
}

func TestNestedLoopsAreRefused(t *testing.T) {
	var list []string
	loop, err := engine.NewRepeatWhile([]engine.Part{said(&list, "a", 0)}, yes, 1)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, _ := engine.NewGraphPipeline(said(&list, "b", 0), loop)
	b := batch(t, enginetest.Script{}, 4)
	run, err := b.Loop(band, engine.Inside{})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]engine.Part{
		"a loop": loop, "a pipeline with a loop": pipeline, "a skippable one": engine.Skippable(loop, yes), "a runner's loop": run,
	} {
		_, err := engine.NewRepeatWhile([]engine.Part{said(&list, "a", 0), p}, yes, 1)
		const want = "part 2 of the body must be no loop, given a loop: run the inner kernel a fixed number of steps per turn, or put one loop after the other in a pipeline"
		if err == nil || err.Error() != want {
			t.Errorf("%s in a loop: %v", name, err)
		}
		_, err = b.Loop(band, engine.Inside{Last: []engine.Part{p}})
		if err == nil || err.Error() != "kernel count: part 1 inside must be no loop, given a loop: put one loop after the other in a pipeline" {
			t.Errorf("%s in a runner's loop: %v", name, err)
		}
	}
	_, err = engine.NewRepeatWhile([]engine.Part{nil}, nil, -1)
	if err == nil || !strings.HasPrefix(err.Error(), "3 problems\n") {
		t.Errorf("three problems: %v", err)
	}
	if _, err := engine.NewGraphPipeline(nil); err == nil || err.Error() != "part 1 must be a part, given nil: leave it out" {
		t.Errorf("no part: %v", err)
	}
	if _, err := b.Loop(engine.RunOptions{}, engine.Inside{First: []engine.Part{nil}}); err == nil || !strings.Contains(err.Error(), "2 problems") {
		t.Errorf("no budget and no part: %v", err)
	}
}

// TestTheExplicitLoopIsTheRunners: the loop of the package comment, written out by hand.
func TestTheExplicitLoopIsTheRunners(t *testing.T) {
	want := batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64)
	o := band
	o.R = 1
	rep := must(t)(want.Run(nil, o))

	b := batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64)
	words := map[int]int{}
	loop, err := byHand(b.Bound, 64, 1, words)
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Do(nil); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(words, rep.LaunchesByK) {
		t.Errorf("by hand %v, the runner %v", words, rep.LaunchesByK)
	}
	for i := range b.Planes.Spec {
		if !slices.Equal(b.Planes.Bytes(i), want.Planes.Bytes(i)) {
			t.Errorf("plane %s differs", b.Planes.Spec[i].Name)
		}
	}
}

// byHand is a run under the band without a Runner.
func byHand(b engine.Bound, n uint32, r float64, words map[int]int) (*engine.RepeatWhile, error) {
	if _, err := b.Begin(false); err != nil {
		return nil, err
	}
	word, newly := uint32(engine.AutoK0), uint32(0)
	launch := engine.Launching(b, func() uint32 { return word }, func(s engine.LaunchStats) { newly = s.Newly })
	policy := engine.PartFunc(func(*engine.Stop) error {
		words[int(word)]++
		word = engine.Band(newly, n, word, r, 64)
		return nil
	})
	unfinished := func() bool { return b.Counters().Finished != n }
	return engine.NewRepeatWhile([]engine.Part{launch, engine.Compacting(b), policy}, unfinished, 1000)
}

func TestALoopRunsPartsInsideItsTurns(t *testing.T) {
	var list []string
	b := batch(t, enginetest.Script{Passes: true, Lanes: 4, Stops: []uint32{10, 100}}, 64)
	loop, err := b.Loop(engine.RunOptions{MaxSteps: 1000}, engine.Inside{
		First: []engine.Part{said(&list, "before", 0)}, Last: []engine.Part{said(&list, "after", 1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	pipeline, _ := engine.NewGraphPipeline(said(&list, "first", 0), loop, said(&list, "last", 0))
	if err := pipeline.Do(nil); !errors.Is(err, engine.ErrStopped) {
		t.Fatalf("says %v", err)
	}
	if rep := loop.Report(); rep.Status != "cancelled" || rep.Steps != 64 {
		t.Errorf("stopped in the first turn: %+v", rep)
	}
	if err := pipeline.Do(nil); err != nil {
		t.Fatal(err)
	}
	if rep := loop.Report(); !rep.Done || !maps.Equal(rep.LaunchesByK, map[int]int{64: 2}) || rep.Entry != "fused" {
		t.Errorf("at the end: %+v", rep)
	}
	if got, want := strings.Join(list, " "), "first before after... after before after last"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err = b.Loop(engine.RunOptions{MaxSteps: 10, Entry: engine.EntryPersistent}, engine.Inside{First: []engine.Part{said(&list, "", 0)}})
	if err == nil || !strings.Contains(err.Error(), "one persistent launch has no turns") {
		t.Errorf("a persistent launch with parts inside: %v", err)
	}
}

func ExampleRepeatWhile() {
	// Without a Runner: launches of 16 steps and a compaction, until nobody is left, at most 10 turns.
	b, err := enginetest.CountWorkload().NewBatch(enginetest.NewScripted(enginetest.Script{}), 1000, enginetest.Uniform, 40, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	bound := b.Bound
	if _, err := bound.Begin(false); err != nil {
		fmt.Println(err)
		return
	}
	launch := engine.Launching(bound, func() uint32 { return 16 }, func(s engine.LaunchStats) {
		fmt.Println(s.SampleSteps, "sample-steps,", s.Newly, "finished")
	})
	loop, err := engine.NewRepeatWhile([]engine.Part{launch, engine.Compacting(bound)},
		func() bool { return bound.Counters().Finished != 1000 }, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loop.Do(new(engine.Stop)))
	// Output:
	// 16000 sample-steps, 0 finished
	// 16000 sample-steps, 0 finished
	// 8000 sample-steps, 1000 finished
	// <nil>
}

func ExampleSkippable() {
	turn := 0
	count := engine.PartFunc(func(*engine.Stop) error { turn++; return nil })
	every3 := engine.Skippable(engine.PartFunc(func(*engine.Stop) error {
		fmt.Println("after turn", turn)
		return nil
	}), func() bool { return turn%3 == 0 })
	loop, _ := engine.NewRepeatWhile([]engine.Part{count, every3}, func() bool { return true }, 7)
	fmt.Println(loop.Do(nil))
	// Output:
	// after turn 3
	// after turn 6
	// <nil>
}

func ExampleGraphPipeline() {
	b, err := enginetest.CountWorkload().NewBatch(enginetest.NewScripted(enginetest.Script{}), 1000, enginetest.Uniform, 40, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := b.Loop(engine.RunOptions{MaxSteps: 100, Policy: engine.PolicyBand, R: 0.25}, engine.Inside{})
	if err != nil {
		fmt.Println(err)
		return
	}
	before := engine.PartFunc(func(*engine.Stop) error { fmt.Println("prepare"); return nil })
	after := engine.PartFunc(func(*engine.Stop) error { fmt.Println("evaluate"); return nil })
	pipeline, err := engine.NewGraphPipeline(before, run, after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pipeline.Do(new(engine.Stop)))
	fmt.Println(run.Report().Status, run.Report().LaunchesByK)
	// Output:
	// prepare
	// evaluate
	// <nil>
	// finished map[16:1 64:1]
}
