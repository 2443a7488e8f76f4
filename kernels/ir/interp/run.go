package interp

import (
	"math"
	"sync/atomic"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// MaxFaults is how many faulted samples are kept by name.
const MaxFaults = 16

// Work is a batch and how far to run it. Several machines may run one Work at a time: they share Next.
type Work struct {
	Planes [][]byte // in the kernel's order, component-major: element c*N+i; one element per component for a param
	N      int
	Mask   []byte   // by sample; non-zero: finished, not touched. Written: 1 finished, 2 faulted
	Taken  []uint32 // by sample: steps of the run so far. Written; nil: not kept, everybody unfinished has taken From
	From   uint32   // only looked at without Taken
	Map    []uint32 // position -> sample; nil: the sample is the position
	Next   *Cursor  // the positions to run
	Upto   uint32   // every sample runs until its Taken is this, or it finishes or faults
	Lanes  int      // samples that a machine takes up at a time; 0, or more than a strip has: a strip's
	Chunk  uint32   // trips between two looks for new samples; 0: a look as soon as enough lanes are free
	Stop   Stopper  // may be nil
}

// takenBy is the steps that a sample has taken.
func (w *Work) takenBy(sample uint32) uint32 {
	if w.Taken == nil {
		return w.From
	}
	return w.Taken[sample]
}

// setTaken keeps the steps that a sample has taken, if they are kept.
func (w *Work) setTaken(sample, steps uint32) {
	if w.Taken != nil {
		w.Taken[sample] = steps
	}
}

// width is how many lanes of m the work may use.
func (w *Work) width(m *Machine) int {
	if w.Lanes <= 0 {
		return m.width
	}
	return min(w.Lanes, m.width)
}

// Cursor hands out positions of a batch to the machines that run it.
type Cursor struct {
	next atomic.Int64
	end  int64
}

// NewCursor makes a cursor over positions [lo, hi).
func NewCursor(lo, hi int) *Cursor {
	c := new(Cursor)
	c.Reset(lo, hi)
	return c
}

// Reset sets the positions that are to be handed out. No machine may be running on c.
func (c *Cursor) Reset(lo, hi int) {
	c.next.Store(int64(lo))
	c.end = int64(hi)
}

// claim takes the next positions, at most most of them; none are left when lo == hi.
func (c *Cursor) claim(most int) (lo, hi int) {
	if c.next.Load() >= c.end {
		return 0, 0
	}
	end := c.next.Add(int64(most))
	return int(min(end-int64(most), c.end)), int(min(end, c.end))
}

// Result is what one call of Run did.
type Result struct {
	Newly       uint32 // samples that finished, faulted ones included
	Faulted     uint32
	SampleSteps uint64 // completed steps, summed over samples
	Longest     uint32 // most steps one sample took in this call
	LastStop    uint32 // most steps of the run among the samples that finished, 0 when none did
	LaneChunks  uint64 // chunks issued: lanes that hold a sample, at every look; 0 without Chunk
	Refills     uint64 // samples that a lane took up after its first one; 0 without Chunk
	Stopped     bool   // the stop was seen before all was done
	Faults      FaultList
}

// Fault is one faulted sample.
type Fault struct {
	Sample uint32
	Step   uint32 // steps taken before the step that faulted
	Kind   ir.FaultKind
	Pos    ir.Pos
}

// FaultList keeps the first MaxFaults faults by sample, whatever the order in which they are found.
type FaultList struct {
	list [MaxFaults]Fault
	n    int
}

// Add puts f into the list, if it is among the first.
func (l *FaultList) Add(f Fault) {
	i := l.n
	for i > 0 && l.list[i-1].Sample > f.Sample {
		i--
	}
	if i == MaxFaults {
		return
	}
	l.n = min(l.n+1, MaxFaults)
	copy(l.list[i+1:l.n], l.list[i:])
	l.list[i] = f
}

// All is the list, by sample; it is valid until the next Add.
func (l *FaultList) All() []Fault { return l.list[:l.n] }

// Merge adds what another machine found.
func (r *Result) Merge(o *Result) {
	r.Newly += o.Newly
	r.Faulted += o.Faulted
	r.SampleSteps += o.SampleSteps
	r.Longest = max(r.Longest, o.Longest)
	r.LastStop = max(r.LastStop, o.LastStop)
	r.LaneChunks += o.LaneChunks
	r.Refills += o.Refills
	r.Stopped = r.Stopped || o.Stopped
	for _, f := range o.Faults.All() {
		r.Faults.Add(f)
	}
}

// Mask bytes.
const (
	finishedByte = 1
	faultedByte  = 2
)

// Progress is the number of samples finished and of steps run in the call of Run that is going on, or in
// the last one. Any goroutine may ask.
func (m *Machine) Progress() (finished, steps uint64) { return m.finished.Load(), m.steps.Load() }

// Run runs positions of w.Next until none is left, or the stop is set. Every sample it takes up is at a
// step boundary when it returns: its carried cells, Taken and Mask are those after its last step, NaNs of
// float planes canonical. A sample that faults keeps the state it had before the step. The result is the
// machine's own; it is valid until its next call.
func (m *Machine) Run(w *Work) *Result {
	m.result = Result{}
	m.finished.Store(0)
	m.steps.Store(0)
	m.begin(w.Planes, w.N, w.Stop)
	defer m.end()
	m.due = math.MaxUint64
	m.setLive(0)
	m.nextPos, m.endPos = 0, 0
	taken, most := 0, 0
	for {
		before := m.live
		if !m.fill(w) {
			break
		}
		taken, most = taken+m.live-before, max(most, m.live)
		if w.Chunk > 0 {
			m.result.LaneChunks += uint64(m.live)
		}
		if !m.run(w) {
			m.result.Stopped = true
			break
		}
	}
	if w.Chunk > 0 {
		m.result.Refills = uint64(taken - most)
	}
	return &m.result
}

// refill is the share of a strip's lanes that must be free before new samples are taken up.
const refill = 8

// run makes trips until it is time to look for new samples, or no lane is left. False: the stop was seen;
// all lanes have been stored.
//
// With a chunk that time comes after so many trips, the same for all lanes: a lane whose sample is done
// earlier is closed like any other gap and costs nothing until then, but takes no new sample either.
func (m *Machine) run(w *Work) bool {
	m.lo, m.hi = 0, blocks(m.live)
	look := m.trips + uint64(w.Chunk)
	for m.live > 0 {
		if m.stopped() || !m.exec(m.trip) {
			m.stopLanes(w)
			return false
		}
		m.trips++
		m.commit()
		m.result.SampleSteps += uint64(m.live)
		gone := m.fault || m.trips >= m.due || m.exits()
		if gone {
			m.sweep(w)
			m.hi = blocks(m.live)
		}
		m.steps.Store(m.result.SampleSteps)
		if w.Chunk > 0 && m.trips == look || w.Chunk == 0 && gone && m.room(w) {
			break
		}
	}
	return true
}

// room says whether enough lanes are free to look for new samples, and there may be some.
func (m *Machine) room(w *Work) bool {
	width := w.width(m)
	return width-m.live >= width/refill && (m.nextPos < m.endPos || w.Next.next.Load() < w.Next.end)
}

// fill takes up unfinished samples until the lanes are full or none is left. False: there is no lane to
// run, or the stop was seen while looking.
func (m *Machine) fill(w *Work) bool {
	first := m.live
	n, dense, width := first, true, w.width(m)
	for n < width {
		if m.nextPos == m.endPos {
			if m.stopped() {
				m.result.Stopped = true
				break
			}
			most := width
			if w.Chunk > 0 { // no sample waits for a lane here while one is free elsewhere
				most -= n
			}
			if m.nextPos, m.endPos = w.Next.claim(most); m.nextPos == m.endPos {
				break
			}
		}
		s := uint32(m.nextPos)
		if w.Map != nil {
			s = w.Map[m.nextPos]
		}
		m.nextPos++
		if w.Mask[s] != 0 {
			continue
		}
		taken := w.takenBy(s)
		if taken >= w.Upto {
			continue
		}
		dense = dense && (n == first || s == m.sample[n-1]+1)
		m.sample[n], m.took[n], m.since[n], m.site[n] = s, taken, m.trips, 0
		m.due = min(m.due, m.trips+uint64(w.Upto-taken))
		n++
	}
	if n == first {
		return n > 0
	}
	m.setLive(n)
	m.fresh, m.dense = first, dense
	for _, c := range m.carry {
		gather(m.whole(c.param), first, w.Planes[c.cell.Plane], int(c.cell.Comp), w.N, c.typ, m.sample[first:n], dense)
	}
	m.lo, m.hi = first/lanes, blocks(n)
	if !m.exec(m.head) {
		m.stopLanes(w)
		m.result.Stopped = true
		return false
	}
	return true
}
