package interp

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Stopper says whether a call should return soon. It is asked at every trip and every turn of a loop.
type Stopper interface{ IsSet() bool }

// Machine is the scratch of one worker: the memory of a strip, and what is known about its lanes. It
// belongs to one goroutine at a time; only Progress may be read from others. It allocates nothing once it
// is made.
type Machine struct {
	*program
	memory []uint64
	slots  []unsafe.Pointer // by slot

	// Where nodes work: blocks [lo, hi) of the rows.
	lo, hi int
	stop   Stopper
	planes [][]byte
	n      int // of the batch

	// Lanes [0, live) carry a sample. By lane:
	live   int
	fresh  int  // lanes [fresh, live) were taken up last
	dense  bool // their samples follow each other
	sample []uint32
	took   []uint32 // steps taken when it was loaded
	since  []uint64 // trip in which it was loaded
	site   []uint32 // where it faulted in this trip, 0: nowhere
	fault  bool     // some lane has a site

	trips           uint64  // in this call
	due             uint64  // trip at which the first lane reaches the last step
	list            []int32 // lanes to retire, descending
	to, from        []int32 // moves of lanes
	nextPos, endPos int     // positions claimed and not yet taken up
	result          Result

	finished, steps atomic.Uint64 // see Progress
}

// NewMachine makes the scratch of one worker for the step.
func (c *Code) NewMachine() *Machine { return newMachine(c.step) }

func newMachine(p *program) *Machine {
	const blockWords, pad = lanes, lanes
	w := blocks(p.width) * lanes
	pitch := w + pad // keeps rows from lying a power of two apart
	m := &Machine{
		program: p,
		memory:  make([]uint64, p.strips*pitch+(len(p.uniform)-p.strips)*blockWords+pad),
		slots:   make([]unsafe.Pointer, len(p.uniform)),
		sample:  make([]uint32, w),
		took:    make([]uint32, w),
		since:   make([]uint64, w),
		site:    make([]uint32, w),
		list:    make([]int32, 0, w),
		to:      make([]int32, 0, w),
		from:    make([]int32, 0, w),
	}
	base := 0
	if rest := int(uintptr(unsafe.Pointer(&m.memory[0])) % 64); rest != 0 {
		base = (64 - rest) / 8
	}
	for i, uniform := range p.uniform {
		m.slots[i] = unsafe.Pointer(&m.memory[base])
		if uniform {
			base += blockWords
		} else {
			base += pitch
		}
	}
	for _, c := range p.constants {
		broadcast(m.slots[c.at.slot], c.typ, c.bits)
	}
	return m
}

// row is where p lies, from block lo on.
func (m *Machine) row(p place) row {
	step := uintptr(p.step)
	return row{unsafe.Add(m.slots[p.slot], uintptr(m.lo)*step), step}
}

// whole is where p lies, from lane 0 on.
func (m *Machine) whole(p place) row { return row{m.slots[p.slot], uintptr(p.step)} }

// begin binds the machine to planes of n samples and computes the uniform values.
func (m *Machine) begin(planes [][]byte, n int, stop Stopper) {
	m.planes, m.n, m.stop = planes, n, stop
	m.live, m.trips = 0, 0
	m.lo, m.hi = 0, 1
	for i := range m.once {
		in := &m.once[i]
		switch in.do {
		case doLoad:
			t := m.kernel.Planes[in.plane].Type
			broadcast(m.slots[in.r.slot], t, cellBits(planes[in.plane], in.comp, t))
			continue
		case doLookup:
			broadcast(m.slots[in.r.slot], in.typ, tableBits(planes[in.plane], *(*int64)(m.slots[in.x.slot]), in.typ))
			continue
		case doLen:
			t := m.kernel.Planes[in.plane].Type
			broadcast(m.slots[in.r.slot], ir.I64, uint64(len(planes[in.plane])/t.Bytes()))
			continue
		}
		in.run(1, m.whole(in.r), m.whole(in.x), m.whole(in.y), m.whole(in.z))
	}
}

// end lets go of the planes.
func (m *Machine) end() { m.planes, m.stop = nil, nil }

func (m *Machine) stopped() bool { return m.stop != nil && m.stop.IsSet() }

// exec runs code on blocks [lo, hi). False: the stop was seen inside a loop, and the lanes hold nothing
// that may be kept.
func (m *Machine) exec(code []node) bool {
	for i := range code {
		in := &code[i]
		switch in.do {
		case doStrip:
			in.run(m.hi-m.lo, m.row(in.r), m.row(in.x), m.row(in.y), m.row(in.z))
		case doLoad:
			m.load(in)
		case doIf:
			if !m.branch(in) {
				return false
			}
		case doLoop:
			if !m.loop(in) {
				return false
			}
		case doFault:
			m.mark(in)
		case doLookup:
			m.lookup(in)
		case doArray:
			m.fillArray(in)
		case doGet:
			m.getCells(in)
		case doPut:
			m.putCells(in)
		}
	}
	return true
}

// load reads a cell for the live lanes of [lo, hi): the new ones, and those before them in their block.
func (m *Machine) load(in *node) {
	first := m.lo * lanes
	r, plane := m.whole(in.r), m.planes[in.plane]
	gather(r, first, plane, in.comp, m.n, in.typ, m.sample[first:m.fresh], false)
	gather(r, m.fresh, plane, in.comp, m.n, in.typ, m.sample[m.fresh:m.live], m.dense)
}

// branch runs each side of an if that a lane of the mask takes, under the mask of those lanes.
func (m *Machine) branch(in *node) bool {
	mask, cond, then, orelse := m.row(in.r), m.row(in.x), m.row(in.y), m.row(in.z)
	var some, others uint64
	for i := range m.hi - m.lo {
		a, c := *word(mask, i), *word(cond, i)
		*word(then, i), *word(orelse, i) = a&c, a&^c
		some |= a & c
		others |= a &^ c
	}
	return (some == 0 || m.exec(in.body)) && (others == 0 || m.exec(in.orelse))
}

// loop runs the body while a lane of the mask is in the loop. Lanes that have left keep their values.
func (m *Machine) loop(in *node) bool {
	mask, inside, more := m.row(in.r), m.row(in.y), m.row(in.x)
	move[uint8](m.hi-m.lo, inside, mask, row{}, row{})
	for turn := uint64(0); turn < in.turns; turn++ {
		if m.stopped() || !m.exec(in.body) {
			return false
		}
		var some uint64
		for i := range m.hi - m.lo {
			w := *word(inside, i) & *word(more, i)
			*word(inside, i) = w
			some |= w
		}
		if some == 0 {
			break
		}
	}
	return true
}

// mark notes a fault of the lanes of the mask whose condition holds; a lane's first fault wins.
func (m *Machine) mark(in *node) {
	cond, mask := m.row(in.x), m.row(in.y)
	for i := range m.hi - m.lo {
		for w := *word(cond, i) & *word(mask, i); w != 0; w &= w - 1 {
			l := (m.lo+i)*lanes + bits.TrailingZeros64(w)/8
			if m.site[l] == 0 {
				m.site[l] = in.site
			}
			m.fault = true
		}
	}
}

// setLive sets the number of live lanes and their mask.
func (m *Machine) setLive(n int) {
	m.live = n
	full := m.whole(m.full)
	for i := range blocks(m.width) {
		w := uint64(allTrue)
		if rest := n - i*lanes; rest <= 0 {
			w = 0
		} else if rest < lanes {
			w >>= 8 * (lanes - rest)
		}
		*word(full, i) = w
	}
}

// blocks is the number of blocks that n lanes take.
func blocks(n int) int { return (n + lanes - 1) / lanes }
