package engine

import (
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func decide(newly, n, word uint32, r float64, left uint32) (Event, EventFlags) {
	h := FinishShare(newly, n, word)
	p := PolicyDecision{N: n, Newly: newly, Word: word, R: r, H: h, KStar: KStar(r, h), K: Band(newly, n, word, r, 64), StepsMax: 64}
	p.Next = min(p.K, left)
	if p.Next < p.K {
		return p.Event(), FlagCut
	}
	return p.Event(), 0
}

func TestSentence(t *testing.T) {
	flagged := func(e Event, f EventFlags) Event {
		e.Flags = f
		return e
	}
	for _, c := range []struct {
		e    Event
		want string
	}{
		{
			Launch{Number: 12, Word: 16, Live: 8812, Newly: 57}.Event(),
			"launch 12: 16 steps over 8,812 live samples, 57 finished",
		},
		{
			flagged(Launch{Number: 1234, Word: 1, Live: 1, Newly: 1, Faulted: 1}.Event(), FlagStepped),
			"launch 1,234: 1 step over 1 live sample, 1 finished, 1 of them by a fault, word asked for",
		},
		{
			flagged(Launch{Number: 3, Word: 22, Live: 200}.Event(), FlagDerived|FlagCut),
			"launch 3: 22 steps over 200 live samples, 0 finished, cut to the steps that were left (derived: one pass ran them all)",
		},
		{
			flagged(decide(57, 10000, 16, 0.25, 9999)),
			"next 32 steps: h = 57/(10,000*16) = 3.6e-4, k* = sqrt(2*0.25/3.6e-4) = 37.5, nearest power of two in 8..64",
		},
		{
			flagged(decide(57, 10000, 16, 0.25, 4)),
			"next 4 steps, cut from 32 to what is left: h = 57/(10,000*16) = 3.6e-4, k* = sqrt(2*0.25/3.6e-4) = 37.5, nearest power of two in 8..64 is 32",
		},
		{
			flagged(decide(9000, 10000, 16, 0.25, 9999)),
			"next 8 steps: h = 9,000/(10,000*16) = 0.056, k* = sqrt(2*0.25/0.056) = 3.0, held at 8 in 8..64",
		},
		{
			flagged(decide(1, 1000000, 64, 16, 9999)),
			"next 64 steps: h = 1/(1,000,000*64) = 1.6e-8, k* = sqrt(2*16/1.6e-8) = 45254.8, held at 64 in 8..64",
		},
		{
			flagged(decide(0, 10000, 16, 0.25, 9999)),
			"next 64 steps: nobody finished, so h = 0 and k* has no end, held at 64 in 8..64",
		},
		{
			flagged(decide(57, 10000, 16, 0.25, 0)),
			"no launch follows: h = 57/(10,000*16) = 3.6e-4, k* = sqrt(2*0.25/3.6e-4) = 37.5, nearest power of two in 8..64 is 32",
		},
		{
			flagged(PolicyDecision{N: 100, Word: 64, K: 64, Next: 64, StepsMax: 64}.Event(), FlagResident),
			"next 64 steps: the batch fits one wave of the device, where a boundary frees nothing",
		},
		{
			Compaction{Before: 10000, After: 9943, Groups: 313}.Event(),
			"compaction: 10,000 to 9,943 live slots, in 313 groups of 32",
		},
		{
			flagged(Compaction{Before: 10000, After: 10000}.Event(), FlagSkipped),
			"no compaction: nobody finished since the last one, the map keeps 10,000 slots",
		},
		{
			RunStart{N: 10000, MaxSteps: 10000, StepsMax: 64, Policy: PolicyBand, R: 0.25, Active: true}.Event(),
			"run: 10,000 samples, at most 10,000 steps, steps per launch by the band in 8..64 with R = 0.25, compacting",
		},
		{
			RunStart{N: 10, Finished: 3, MaxSteps: 1, StepsMax: 64, Policy: PolicyTiled, Resumed: true}.Event(),
			"goes on: 10 samples, 3 finished already, at most 1 step, policy tiled, 64 steps per launch",
		},
		{
			RunStart{N: 10, MaxSteps: 50, Policy: PolicyFixed, Fixed: 4}.Event(),
			"run: 10 samples, at most 50 steps, 4 steps per launch as the kernel says",
		},
		{
			RunEnd{Status: StatusFinished, Finished: 10000, Faulted: 2, Steps: 432, Launches: 21, Wall: 12345678}.Event(),
			"every sample is finished after 432 steps in 21 launches and 12.35ms, 10,000 finished, 2 of them by a fault",
		},
		{
			RunEnd{Status: StatusMaxSteps, Finished: 9, Steps: 1, Launches: 1, Wall: 1500}.Event(),
			"the cap on steps ended the run after 1 step in 1 launch and 1.5µs, 9 finished",
		},
		{
			Cancel{Finished: 1200, Steps: 96, Word: 32}.Event(),
			"stopped with 1,200 finished after 96 steps, in the middle of a launch of 32: Continue finishes it first",
		},
		{Cancel{Steps: 96}.Event(), "stopped with 0 finished after 96 steps"},
		{Progress{Finished: 8000, SampleSteps: 1234567}.Event(), "8,000 finished so far, 1,234,567 sample-steps in this pass"},
		{GapEvent(1), "1 event was lost here: the reader was too slow for the ring"},
		{GapEvent(4711), "4,711 events were lost here: the reader was too slow for the ring"},
		{
			CalibrateEvent(250*time.Nanosecond, 1234567*time.Nanosecond, 0x1p-12),
			"calibrated: a compaction takes 250ns, one step of the whole batch 1.23ms, so R = 2.4e-4 steps",
		},
		{
			Fault{Sample: 17, Step: 1233, Kind: ir.FaultDivide, Pos: ir.Pos{Line: 7, Col: 2}}.Event(),
			"sample 17 faulted in step 1,234: integer division by zero at line 7",
		},
		{
			RunStart{N: 10, MaxSteps: 50, StepsMax: 64, Policy: PolicyMeasured}.Event(),
			"run: 10 samples, at most 50 steps, one step per launch until a timed launch of several is cheaper",
		},
		{
			RunStart{N: 10, MaxSteps: 50, StepsMax: 64, Policy: PolicyDoubling, Active: true}.Event(),
			"run: 10 samples, at most 50 steps, steps per launch doubled or halved in 8..64, compacting",
		},
		{
			RunStart{N: 10, MaxSteps: 50, StepsMax: 64, Entry: EntryPersistent, Chunk: 8}.Event(),
			"run: 10 samples, at most 50 steps, in one persistent launch",
		},
		{
			flagged(Reorder{Count: 50, Live32: 3, Span: 6000, Theta: 0.5}.Event(), FlagSkipped),
			"no reorder: live samples fill 0.52 of their groups, theta is 0.5",
		},
		{
			flagged(Reorder{Count: 50, Live32: 50, Span: 4095, Theta: 0.5}.Event(), FlagSkipped),
			"no reorder: live samples lie within 4,095 slots, and below 4,096 order does not matter",
		},
		{
			flagged(Reorder{Count: 5000, Live32: 157, Span: 5000, Theta: 0.5}.Event(), FlagSkipped),
			"no reorder: every slot is live",
		},
		{
			Pick{Entry: EntryPersistent, Reason: PickLarge, N: 100000, Resident: 1024, Chunk: 16}.Event(),
			"entry persistent: 100,000 samples are at least 8 times the 1,024 resident lanes, lanes look for new samples every 16 steps",
		},
		{
			Pick{Entry: EntryFused, Reason: PickSmall, N: 100, Wave: 2048}.Event(),
			"entry fused: 100 samples are at most a quarter of a wave of 2,048",
		},
		{
			Pick{Entry: EntryFused, Reason: PickCached, Bucket: Bucket{5, 4}}.Event(),
			"entry fused: the faster one when another batch like this was timed (longest in 32..63, fill 0.4)",
		},
		{Pick{Entry: EntryFused, Reason: PickReordering}.Event(), "entry fused: a run that may reorder needs boundaries"},
		{Pick{Entry: EntryPersistent, Reason: PickAsked}.Event(), "entry persistent: asked for"},
		{Pick{Entry: EntryFused, Reason: 99}.Event(), "entry fused: reason 99"},
		{
			Probe{Current: EntryFused, Bucket: Bucket{5, 4}, CurrentWall: 1e6, CurrentWork: 1000, OtherWall: 981e3, OtherWork: 1000}.Event(),
			"pick: persistent took 981µs, fused 1ms, 0.981 times as long: not below 0.98, so fused stays (longest in 32..63, fill 0.4)",
		},
		{
			Probe{What: ProbeFused, CurrentWall: 1000, CurrentWork: 1, OtherWall: 8000, OtherWork: 8}.Event(),
			"measured: a launch of 8 steps takes 8µs, 1µs a step, one step alone 1µs: stays with one step per launch",
		},
		{
			LaneRefill{Chunk: 16, LaneChunks: 10, Refills: 3, SampleSteps: 120}.Event(),
			"lanes: 10 chunks issued in chunks of 16 steps, 3 refills, 0.75 of the slots' steps used",
		},
		{
			PolicyDecision{Rule: PolicyDoubling, Newly: 5, Live: 40, K: 32, Next: 32, StepsMax: 64}.Event(),
			"next 32 steps: 5 finished, 40 live, from 1 in 16 to 1 in 4: kept",
		},
		{Event{Kind: 999}, "event of kind 999"},
	} {
		if got := Sentence(c.e); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	k := &ir.Kernel{Files: []string{"a/b.go"}}
	e := Fault{Sample: 17, Kind: ir.FaultCap, Pos: ir.Pos{Line: 7, Col: 2}}.Event()
	if got, want := SentenceOf(e, k), "sample 17 faulted in step 1: loop cap exhausted at b.go:7:2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
