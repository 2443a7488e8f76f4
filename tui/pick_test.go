package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// picked makes a run with a pick of its own.
func (x *told) picked(generation uint32, p engine.Pick, wall time.Duration, work uint32, probe *engine.Probe) {
	x.feed.follow(generation)
	x.state.Generation, x.turn = generation, 0
	start := engine.RunStart{N: p.N, MaxSteps: 10_000, StepsMax: 64, Policy: engine.PolicyTiled, Entry: p.Entry, Chunk: p.Chunk}
	x.start(start)
	x.event(p.Event(), 0)
	x.turn = 1
	x.event(engine.Launch{Number: 1, Word: 64, Live: p.N, Newly: p.N, Done: 64, SampleSteps: uint64(work), Wall: wall}.Event(), engine.FlagDerived)
	if p.Entry == engine.EntryPersistent {
		x.event(engine.LaneRefill{Chunk: p.Chunk, Live: p.N, LaneChunks: uint64(work) / 15, Refills: 1976, SampleSteps: uint64(work)}.Event(), 0)
	}
	if probe != nil {
		x.event(probe.Event(), 0)
	}
	x.event(engine.RunEnd{Status: engine.StatusFinished, Finished: p.N, Steps: 64, Launches: 1, Wall: wall}.Event(), 0)
}

// threePicks is a batch between the size rules: run 1 persistent, run 2 the probe, run 3 settled.
func threePicks(otherWall time.Duration) *told {
	x := tell(3000)
	x.state.Kernel.IR.Name = "oscillator"
	x.state.Entries = []engine.EntryReport{
		{Entry: "fused", Code: "avx512", Registers: 17, TextBytes: 2032, Lanes: 8, Unroll: 4, Demand: 8},
		{Entry: "persistent", Code: "avx512", Registers: 17, TextBytes: 2032, Lanes: 8, Unroll: 4, Demand: 8},
	}
	bucket := engine.Bucket{Log2Longest: 8, FillTenths: 4}
	base := engine.Pick{Entry: engine.EntryPersistent, Reason: engine.PickFirst, Timed: true, N: 3000, Resident: 1024, Wave: 1024, Chunk: 16}
	x.picked(1, base, 40*time.Millisecond, 1_000_000, nil)
	probe := engine.Pick{Entry: engine.EntryFused, Reason: engine.PickProbe, Timed: true, N: 3000, Resident: 1024, Wave: 1024, Bucket: bucket}
	x.picked(2, probe, otherWall, 1_000_000, &engine.Probe{
		What: engine.ProbeEntry, Current: engine.EntryPersistent, Other: engine.EntryFused, Bucket: bucket, Changed: otherWall < 39200*time.Microsecond,
		CurrentWall: 40 * time.Millisecond, OtherWall: otherWall, CurrentWork: 1_000_000, OtherWork: 1_000_000,
	})
	settled := base
	settled.Reason, settled.Timed, settled.Bucket = engine.PickSettled, false, bucket
	if otherWall < 39200*time.Microsecond {
		settled.Entry, settled.Chunk = engine.EntryFused, 0
	}
	x.picked(3, settled, 40100*time.Microsecond, 1_000_000, nil)
	return x
}

func TestPickShowsWallsAndTheBand(t *testing.T) {
	p := &pickPane{}
	for _, c := range []struct {
		name  string
		wall  time.Duration
		title string
		says  []string
	}{
		{"above the band", 39500 * time.Microsecond, "Pick: persistent, the faster of both", []string{
			"0.988 times as long: not below 0.98, so persistent stays",
			"1 persistent", "2 fused", "[timed]", "[probe]", "40 ns/step", "39.5 ns/step",
			"39.2 ns to 40 ns: the other entry must end below it",
			"slot fill", "kept for the process under: host, 2 cores, interpreter, kernel oscillator 5c1d, f64, n 3,000; bucket longest in 256..511, fill 0.4",
			"fused and persistent: avx512, 8 lanes per worker, 4 interleaved groups of lanes, 17 registers, 0 spills, 2,032 bytes of code",
			"wave/4 = 256", "8x lanes = 8.19k", "n = 3k", "timed",
		}},
		{"below it", 39 * time.Millisecond, "Pick: fused, the faster of both", []string{"0.975 times as long: below 0.98, so fused it is from now on"}},
	} {
		x := threePicks(c.wall)
		if got := p.title(x.scene); got != c.title {
			t.Errorf("%s: title %q, want %q", c.name, got, c.title)
		}
		text := view(p, x.scene, 118, 30)
		for _, want := range c.says {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s: the pane does not say %q:\n%s", c.name, want, text)
			}
		}
	}
}

// On the scale a challenger that won stands before the band, one that did not in it or behind, and the current
// entry at its end.
func TestTheBandIsWhereTheHysteresisIs(t *testing.T) {
	g := &glyphSets[GlyphsASCII]
	for _, c := range []struct {
		wall   time.Duration
		before bool
	}{{39 * time.Millisecond, true}, {39500 * time.Microsecond, false}, {42 * time.Millisecond, false}} {
		x := threePicks(c.wall)
		runs := pickRuns(x.scene)
		scale := newWallScale(runs)
		draw := func(r *pastRun) string {
			var b strings.Builder
			for _, s := range scale.draw(r, 100, g) {
				b.WriteString(s.text)
			}
			return b.String()
		}
		current, other := draw(&runs[0]), draw(&runs[1])
		if len(current) != 100 || strings.Count(current, ":") != 10 || strings.Index(current, "p") != strings.LastIndex(current, ":")+1 {
			t.Errorf("the current wall is drawn as %q", current)
		}
		if got := strings.Index(other, "f") < strings.Index(other, ":"); got != c.before {
			t.Errorf("%s against 40 ms is drawn as %q", c.wall, other)
		}
	}
}

func TestPickSaysWhyThereIsNone(t *testing.T) {
	x := tell(1000)
	p := &pickPane{}
	if text := view(p, x.scene, 100, 10); !strings.Contains(text, "the runner picks an entry") {
		t.Errorf("before a run:\n%s", text)
	}
	x.start(banded)
	x.launch(16, 1000, 1000)
	x.end(engine.StatusFinished, time.Millisecond)
	if text := view(p, x.scene, 100, 10); !strings.Contains(text, "no pick: policy band is made of launches, and so it runs fused") {
		t.Errorf("under the band:\n%s", text)
	}
	for reason, want := range map[engine.PickReason]string{
		engine.PickAsked: "asked for", engine.PickLarge: "the batch is large", engine.PickSmall: "the batch is small",
		engine.PickCached: "from the cache", engine.PickReordering: "reorder needs boundaries", engine.PickReason(77): "reason 77",
	} {
		x.event(engine.Pick{Entry: engine.EntryFused, Reason: reason, N: 1000, Resident: 64}.Event(), 0)
		if got := p.title(x.scene); !strings.Contains(got, want) {
			t.Errorf("reason %d: title %q, want it to say %q", reason, got, want)
		}
	}
}
