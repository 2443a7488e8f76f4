package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// books is what the views of costs keep of the events: what compactions cost and brought, who was offered a
// reorder, which entry runs took and how long. Settlements are of the run that is on; runs are kept over
// runs, for a pick compares them.
type books struct {
	settled  ring[settlement]
	reorders ring[offer]
	probes   ring[trial] // of the policy measured
	totals   totals
	short    pyramid // of settlements that are over: word is gain over cost, h 1 where it paid and 0 where not
	drawnTo  settlement

	pick     engine.Pick
	picked   bool
	refill   engine.LaneRefill
	refilled bool

	runs    []pastRun // the oldest first, at most keptRuns
	count   int       // runs ever
	open    bool      // the last of runs has not ended
	batches []batchSince
}

// keptRuns is how many runs are kept to be compared.
const keptRuns = 64

// settlement is one compaction with what came of it until the next one.
type settlement struct {
	number   uint32 // of the launch before it
	done     uint32 // steps then
	at       time.Duration
	before   uint32 // slots of the map
	freed    uint32
	cost     float64 // in steps of a full-live launch: R, or measured where no R is known
	wall     time.Duration
	launches int     // since
	steps    uint64  // since
	paidAt   int     // launches until the gain had reached the cost, 0: not yet
	gain     float64 // freed lanes times steps since, over n: steps of a full-live launch
	over     bool    // another compaction has come, or the run's end
}

// ratio is the gain in units of the cost.
func (x *settlement) ratio() float64 {
	if x.cost <= 0 {
		return 0
	}
	return x.gain / x.cost
}

// totals sums settlements up.
type totals struct {
	cost, gain   float64
	paid, unpaid int     // of those that are over
	least, most  float64 // gain over cost, of those that are over and gained anything
	held         float64 // lane-steps that launches held, over n
	wall         time.Duration
	fired        int
}

// offer is one offer of a reorder.
type offer struct {
	engine.Reorder
	fired  bool
	number uint32 // of the launch before it
	done   uint32
	at     time.Duration
	turn   uint64
}

// trial is one try of the policy measured, with the turn that it came in.
type trial struct {
	engine.Probe
	turn uint64
}

// pastRun is one run of the session.
type pastRun struct {
	serial     int // 1 is the first of the session
	generation uint32
	batch      string // see batchSince
	start      engine.RunStart
	pick       engine.Pick
	picked     bool
	end        engine.RunEnd
	ended      bool
	work       uint64  // sample-steps
	slotFill   float64 // persistent
	probe      engine.Probe
	probed     bool    // it completed the comparison of the two entries
	r          float64 // 0: not known
}

// entry is what the run took; recordings of before there were two know one only.
func (r *pastRun) entry() engine.Entry {
	if r.start.Entry == engine.EntryPersistent {
		return engine.EntryPersistent
	}
	return engine.EntryFused
}

// perStep is the wall of a sample-step in nanoseconds, 0 when it is not known.
func (r *pastRun) perStep() float64 {
	if r.work == 0 || r.end.Wall <= 0 {
		return 0
	}
	return float64(r.end.Wall) / float64(r.work)
}

// batchSince says which kernel and batch the generations from one on are of.
type batchSince struct {
	generation uint32
	batch      string
}

// begin forgets the run that was on, not the runs before it.
func (b *books) begin() {
	b.settled.reset()
	b.reorders.reset()
	b.probes.reset()
	b.totals = totals{}
	b.short.reset()
	b.drawnTo = settlement{}
	b.pick, b.picked = engine.Pick{}, false
	b.refill, b.refilled = engine.LaneRefill{}, false
	b.open = false
}

// belongs says that events of generation, and of those after it, are of a kernel and batch.
func (b *books) belongs(generation uint32, batch string) {
	if k := len(b.batches); k > 0 && b.batches[k-1].batch == batch {
		return
	}
	b.batches = append(b.batches, batchSince{generation, batch})
	if len(b.batches) > keptRuns {
		b.batches = b.batches[1:]
	}
}

// batchOf is the kernel and batch of a generation.
func (b *books) batchOf(generation uint32) string {
	for i := len(b.batches) - 1; i >= 0; i-- {
		if !newer(b.batches[i].generation, generation) {
			return b.batches[i].batch
		}
	}
	return ""
}

// knownR is what the newest run of a batch said of R, 0 when none did.
func (b *books) knownR(batch string) float64 {
	for i := len(b.runs) - 1; i >= 0; i-- {
		if r := &b.runs[i]; r.batch == batch && r.r > 0 {
			return r.r
		}
	}
	return 0
}

// note enters an event that f has taken.
func (b *books) note(e *engine.Event, f *feed) {
	switch e.Kind {
	case engine.EventRunStart:
		b.runStart(e)
	case engine.EventLaunch:
		l := e.Launch()
		b.launch(&l, f)
	case engine.EventCompaction:
		if e.Flags&engine.FlagSkipped == 0 {
			c := e.Compaction()
			b.compaction(&c, f)
		}
	case engine.EventReorder:
		o := offer{Reorder: e.Reorder(), fired: e.Flags&engine.FlagSkipped == 0, at: f.wall, turn: e.Turn}
		if r := f.records.last(); r != nil {
			o.number, o.done = r.launch.Number, r.launch.Done
		}
		if o.fired {
			b.totals.fired++
		}
		b.reorders.add(o)
	case engine.EventPick:
		b.pick, b.picked = e.Pick(), true
		if r := b.current(); r != nil {
			r.pick, r.picked = b.pick, true
		}
	case engine.EventProbe:
		p := e.Probe()
		if p.What == engine.ProbeFused {
			b.probes.add(trial{p, e.Turn})
		} else if r := b.current(); r != nil {
			r.probe, r.probed = p, true
		}
	case engine.EventLaneRefill:
		b.refill, b.refilled = e.LaneRefill(), true
	case engine.EventRunEnd:
		b.runEnd(e, f)
	}
	if r := b.current(); r != nil && f.r > 0 {
		r.r = f.r
	}
}

// current is the run that is on, nil for none.
func (b *books) current() *pastRun {
	if !b.open {
		return nil
	}
	return &b.runs[len(b.runs)-1]
}

func (b *books) runStart(e *engine.Event) {
	s := e.RunStart()
	if k := len(b.runs); s.Resumed && k > 0 && b.runs[k-1].generation == e.Generation {
		b.open = true
		return
	}
	b.count++
	b.runs = append(b.runs, pastRun{serial: b.count, generation: e.Generation, batch: b.batchOf(e.Generation), start: s})
	if len(b.runs) > keptRuns {
		b.runs = b.runs[1:]
	}
	b.open = true
}

func (b *books) runEnd(e *engine.Event, f *feed) {
	if x := b.settled.last(); x != nil && !x.over && e.RunEnd().Status <= engine.StatusMaxSteps {
		b.settle(x)
	}
	r := b.current()
	if r == nil {
		return
	}
	r.end, r.ended, r.work = e.RunEnd(), true, f.sampleSteps
	if b.refilled {
		r.slotFill = b.refill.SlotFill()
	}
	b.open = false
}

// launch credits the last compaction with the lanes that it freed.
func (b *books) launch(l *engine.Launch, f *feed) {
	n := float64(max(f.start.N, 1))
	b.totals.held += float64(l.Word) * float64(l.Live) / n
	x := b.settled.last()
	if x == nil || x.over {
		return
	}
	x.launches++
	x.steps += uint64(l.Word)
	gain := float64(l.Word) * float64(x.freed) / n
	x.gain += gain
	b.totals.gain += gain
	if x.paidAt == 0 && x.gain >= x.cost {
		x.paidAt = x.launches
	}
}

// compaction closes the account of the one before and opens the next.
func (b *books) compaction(c *engine.Compaction, f *feed) {
	if x := b.settled.last(); x != nil && !x.over {
		b.settle(x)
	}
	x := settlement{before: c.Before, freed: c.Before - min(c.After, c.Before), wall: c.Wall, at: f.wall, cost: f.r}
	if r := f.records.last(); r != nil {
		x.number, x.done = r.launch.Number, r.launch.Done
		if x.cost == 0 && r.launch.Wall > 0 && r.launch.SampleSteps > 0 {
			full := float64(r.launch.Wall) / float64(r.launch.SampleSteps) * float64(f.start.N)
			x.cost = float64(c.Wall) / full
		}
	}
	b.totals.cost += x.cost
	b.totals.wall += c.Wall
	b.settled.add(x)
}

func (b *books) settle(x *settlement) {
	x.over = true
	if y, t := x.ratio(), &b.totals; y > 0 {
		if t.least == 0 {
			t.least = y
		}
		t.least, t.most = min(t.least, y), max(t.most, y)
	}
	paid, ratio := 0.0, x.ratio()
	if x.paidAt > 0 {
		paid = 1
		b.totals.paid++
	} else {
		b.totals.unpaid++
	}
	if ratio == 0 {
		ratio = math.NaN()
	}
	b.short.add(bucket{
		launches: int(x.number - b.drawnTo.number), done: x.done, wall: x.at - b.drawnTo.at, word: only(ratio), h: only(paid), kStar: only(math.NaN()),
	})
	b.drawnTo = *x
}

// batchName tells batches apart whose runs cannot be compared.
func batchName(s *session.State) string {
	if s.Kernel == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s, %s, n %s", s.Engine, s.Device, s.Kernel.IR.Name, engine.Grouped(s.N)) + "\x00" + s.Kernel.Digest
}
