package jit

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// callWork is the number of instructions after which a call of the code ends: some 50 microseconds. A call
// cannot be preempted, so a collection of garbage and a stop wait for its end.
const callWork = 200_000

// lookWork is about the number of instructions between two looks for lanes that are done, when the work
// does not say.
const (
	lookWork = 4096
	mostLook = 16
)

// executor runs the code on a frame: natively, or in tests on a model of the machine.
type executor func(entry uintptr, frame unsafe.Pointer)

// Machine is the scratch of one worker. It belongs to one goroutine at a time; only Progress may be read
// from others. It allocates nothing once it is made.
type Machine struct {
	*text
	code  *Code // keeps the executable memory
	entry uintptr
	exec  executor
	block []uint64
	frame unsafe.Pointer

	// By group: lanes that hold a sample, and more about them. By lane, in the frame: the sample, and its steps when it
	// was taken up.
	held    [maxGroups]uint8
	fresh   [maxGroups]uint8  // held, and the head has not run
	swept   [maxGroups]bool   // held has changed, and the frame does not know
	row     [maxGroups]bool   // the lanes are a row of samples side by side
	rowEnds [maxGroups]uint64 // the trip at which all lanes of a row have taken their last step; never: not the same
	full    uint8             // all lanes of a group
	sample  []uint32
	took    []uint32

	carry           []cells // what a lane's end stores
	in8, in4, in1   []cells // what its start loads, by size
	trips           uint64  // in this run
	due             uint64  // trip at which the first lane reaches the last step, or earlier
	live            int     // lanes that hold a sample
	nextPos, endPos int
	later, laterEnd int    // positions after those, claimed as well
	taken           int    // samples taken up in this run
	log             []gone // see refill.go
	lined           bool   // the code may refill lanes
	stepper         *rowStepper
	bits            []uint64 // by scalar
	work            int      // instructions of a call, see callWork
	result          interp.Result

	finished, steps atomic.Uint64
}

// cells is a component of a plane, and where the lanes of every group have it in the frame.
type cells struct {
	plane, comp int
	typ         ir.Type
	at          unsafe.Pointer // the component in the planes of the run
	slots       [maxGroups]int32
}

// NewMachine makes the scratch of one worker.
func (c *Code) NewMachine() *Machine {
	m := c.text.newMachine(native)
	m.code, m.entry = c, c.entry
	m.addRowStepper(native, c.rowEntry)
	return m
}

func (t *text) newMachine(exec executor) *Machine {
	w := t.Width()
	m := &Machine{
		text: t, exec: exec, block: make([]uint64, t.frameSize/8+8),
		full: uint8(1<<t.isa.lanes - 1), log: make([]gone, lineUp*w),
		bits: make([]uint64, len(t.scalars)), work: callWork,
	}
	m.frame = unsafe.Pointer(&m.block[0])
	if rest := uintptr(m.frame) % 64; rest != 0 {
		m.frame = unsafe.Add(m.frame, 64-rest)
	}
	m.sample, m.took = unsafe.Slice(m.u32(t.groups[0].who), w), unsafe.Slice(m.u32(t.groups[0].took), w)
	for i, c := range t.kernel.Step.Carry {
		cell := t.cellsOf(c, func(g *group) int32 { return g.carry[i] })
		m.carry = append(m.carry, cell)
		m.addIn(cell)
	}
	for i, c := range t.loads {
		m.addIn(t.cellsOf(c, func(g *group) int32 { return g.load[i] }))
	}
	if t.iota != 0 {
		for l := range t.isa.lanes {
			*m.u64(t.iota + 8*int32(l)) = uint64(l)
		}
	}
	return m
}

func (m *Machine) addIn(c cells) {
	switch c.typ.Bytes() {
	case 8:
		m.in8 = append(m.in8, c)
	case 4:
		m.in4 = append(m.in4, c)
	default:
		m.in1 = append(m.in1, c)
	}
}

func (t *text) cellsOf(c ir.Cell, slot func(*group) int32) cells {
	out := cells{plane: c.Plane, comp: int(c.Comp), typ: t.kernel.Planes[c.Plane].Type}
	for g := range t.groups {
		out.slots[g] = slot(&t.groups[g])
	}
	return out
}

// Places of the frame.

func (m *Machine) u8(at int32) *uint8   { return (*uint8)(unsafe.Add(m.frame, at)) }
func (m *Machine) u32(at int32) *uint32 { return (*uint32)(unsafe.Add(m.frame, at)) }
func (m *Machine) u64(at int32) *uint64 { return (*uint64)(unsafe.Add(m.frame, at)) }

// setMask makes the mask at a place hold lanes, a bit for each.
func (m *Machine) setMask(at int32, lanes uint8) {
	if m.isa.maskClass == mask {
		*m.u8(at) = lanes
		return
	}
	*(*[4]uint64)(unsafe.Add(m.frame, at)) = maskRows[lanes&15]
}

// maskRows are masks of four lanes, all bits of a lane alike.
var maskRows = func() (rows [16][4]uint64) {
	for lanes := range rows {
		for l := range rows[lanes] {
			rows[lanes][l] = -uint64(lanes >> l & 1)
		}
	}
	return rows
}()

// mask is the lanes of the mask at a place.
func (m *Machine) mask(at int32) uint8 {
	if m.isa.maskClass == mask {
		return *m.u8(at)
	}
	row := (*[32]uint8)(unsafe.Add(m.frame, at))
	return row[0]&1 | row[8]&2 | row[16]&4 | row[24]&8
}

// setScalar puts a value that is the same for all lanes into the frame.
func (m *Machine) setScalar(s *scalar, v uint64) {
	copies := 1
	if m.isa.spread {
		copies = m.isa.lanes
	}
	switch s.typ.Bytes() {
	case 1:
		m.setMask(s.slot, uint8(-v))
	case 4:
		for l := range copies {
			*m.u32(s.slot + 4*int32(l)) = uint32(v)
		}
	case 8:
		for l := range copies {
			*m.u64(s.slot + 8*int32(l)) = v
		}
	}
}

// Progress is the number of samples finished and of steps run in the call of Run that is going on, or in
// the last one. Any goroutine may ask.
func (m *Machine) Progress() (finished, steps uint64) { return m.finished.Load(), m.steps.Load() }

// Run runs positions of w.Next until none is left, or the stop is set. Its rules are those of
// [interp.Machine.Run].
func (m *Machine) Run(w *interp.Work) *interp.Result {
	m.result = interp.Result{}
	m.finished.Store(0)
	m.steps.Store(0)
	m.begin(w)
	most := 0
	for {
		if m.live == 0 && !m.stream(w) {
			m.retireAll(w)
			m.result.Stopped = true
			break
		}
		before := m.live
		m.fill(w)
		if m.live == 0 || m.result.Stopped {
			break
		}
		m.taken, most = m.taken+m.live-before, max(most, m.live)
		if w.Chunk > 0 {
			m.result.LaneChunks += uint64(m.live)
		}
		if m.stopped(w) || !m.run(w) {
			m.retireAll(w)
			m.result.Stopped = true
			break
		}
	}
	if w.Chunk > 0 {
		m.result.Refills = uint64(m.taken - most)
	}
	return &m.result
}

func (m *Machine) stopped(w *interp.Work) bool { return w.Stop != nil && w.Stop.IsSet() }

// begin binds the machine to a batch.
func (m *Machine) begin(w *interp.Work) {
	m.trips, m.due, m.live = 0, math.MaxUint64, 0
	m.nextPos, m.endPos, m.later, m.laterEnd, m.taken, m.lined = 0, 0, 0, 0, 0, false
	*m.u64(frameResume) = 0
	if m.stepper != nil {
		m.stepper.bound = false
	}
	for g := range m.groups {
		p := &m.groups[g]
		m.held[g], m.fresh[g], m.swept[g] = 0, 0, false
		m.setMask(p.live, 0)
		m.setMask(p.held, 0)
		m.setMask(p.fresh, 0)
		if p.sample != 0 { // lanes without one read a plane too
			for l := range m.isa.lanes {
				*m.u64(p.sample + 8*int32(l)) = 0
			}
		}
	}
	for _, list := range [...][]cells{m.carry, m.in8, m.in4, m.in1} {
		for i := range list {
			c := &list[i]
			c.at = m.component(w, c.plane, c.comp)
		}
	}
	for i := range m.rows {
		c := m.rowCell(i)
		*m.u64(m.rows[i].address) = uint64(uintptr(m.component(w, c.Plane, int(c.Comp))))
	}
	m.noRows()
	for i := range m.scalars {
		m.bits[i] = m.scalar(&m.scalars[i], w)
		m.setScalar(&m.scalars[i], m.bits[i])
	}
}

// component is where the elements of a plane's component begin.
func (m *Machine) component(w *interp.Work, plane, comp int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(w.Planes[plane][comp*w.N*m.kernel.Planes[plane].Type.Bytes():]))
}

// nothing is what an empty plane's address is.
var nothing [8]uint64

// scalar is a value that is the same for all lanes.
func (m *Machine) scalar(s *scalar, w *interp.Work) uint64 {
	switch s.kind {
	case scalarParam:
		plane := unsafe.Pointer(unsafe.SliceData(w.Planes[s.plane]))
		switch s.typ.Bytes() {
		case 1:
			if *(*uint8)(unsafe.Add(plane, s.comp)) != 0 {
				return 1
			}
			return 0
		case 4:
			return uint64(*(*uint32)(unsafe.Add(plane, 4*s.comp)))
		}
		return *(*uint64)(unsafe.Add(plane, 8*s.comp))
	case scalarLen:
		return uint64(len(w.Planes[s.plane]) / m.kernel.Planes[s.plane].Type.Bytes())
	case scalarSamples:
		return uint64(w.N)
	case scalarAddress:
		if len(w.Planes[s.plane]) == 0 {
			return uint64(uintptr(unsafe.Pointer(&nothing)))
		}
		return uint64(uintptr(unsafe.Pointer(&w.Planes[s.plane][0])))
	case scalarTable:
		return uint64(uintptr(unsafe.Pointer(&m.tables[s.plane][0])))
	case scalarOp:
		var args [3]uint64
		for i, a := range s.args {
			args[i] = m.bits[a]
		}
		return interp.Eval(s.instr.Op, s.instr.Type, s.instr.From, args[:len(s.args)]...)
	}
	return s.bits
}

// run makes one call of the code, and retires the lanes that are done. False: the stop was seen inside a
// loop of the kernel; the lanes hold the state at the last step boundary.
func (m *Machine) run(w *interp.Work) bool {
	left := m.due - m.trips
	chunk := uint64(w.Chunk)
	if chunk == 0 {
		chunk = uint64(min(max(lookWork/m.weight, 1), mostLook))
	}
	chunk = min(chunk, left)
	chunks := min(max(uint64(m.work)/(chunk*uint64(m.weight)), 1), left/chunk)
	m.line(w, left)
	if chunk*chunks == left && !m.lined {
		m.storeRowsAtEnd()
	}
	*m.u32(frameChunk), *m.u32(frameChunks), *m.u32(frameDone) = uint32(chunk), uint32(chunks), 0
	*m.u32(frameMost) = uint32(chunks)
	*m.u32(frameBudget) = uint32(m.work)
	for m.call(); *m.u64(frameResume) != 0; m.call() {
		if m.stopped(w) {
			m.takeLog(w)
			m.abandon()
			return false
		}
		*m.u32(frameBudget) = uint32(m.work)
	}
	runtime.KeepAlive(w)
	refilled := m.takeLog(w)
	done := uint64(*m.u32(frameDone))
	m.trips += chunk * done
	if w.Chunk > 0 {
		m.result.LaneChunks += uint64(m.live) * (done - 1)
	}
	m.sweep(w)
	m.noRows()
	steps := m.result.SampleSteps
	if refilled == 0 {
		steps += uint64(m.live) * chunk * done
	}
	m.steps.Store(steps)
	return true
}

func (m *Machine) call() {
	m.exec(m.entry, m.frame)
	*m.u32(frameLoad) = 0
	runtime.KeepAlive(m)
}

// abandon gives up the steps in progress: what the frame holds between calls is taken from the saved
// registers. Nothing of a step changes it before the step's end.
func (m *Machine) abandon() {
	p := m.resume[uintptr(*m.u64(frameResume))-m.entry]
	*m.u64(frameResume) = 0
	for _, s := range m.states {
		r := p.where[s.v]
		if r == none {
			continue
		}
		from := m.isa.savedAt(s.class, r)
		if s.class == mask {
			*m.u8(s.slot) = *m.u8(from)
			continue
		}
		for i := range int32(s.size) * int32(m.isa.lanes) / 8 {
			*m.u64(s.slot + 8*i) = *m.u64(from + 8*i)
		}
	}
}
