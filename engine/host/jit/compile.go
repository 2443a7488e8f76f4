package jit

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Code is a kernel's step in executable memory. It is immutable, and safe for concurrent use.
type Code struct {
	*text
	entry    uintptr
	rowEntry uintptr // of row1
}

// text is what the code generator makes of a kernel.
type text struct {
	kernel    *ir.Kernel
	target    Target
	isa       *isa
	bytes     []byte
	frameSize int32
	groups    []group
	states    []state
	scalars   []scalar
	sites     []site
	loads     []ir.Cell
	rows      []rowCell
	resume    map[uintptr]yieldPoint
	tables    [][]byte // by table of the kernel; nil: not used
	iota      int32    // where the frame holds the numbers of the lanes, 0: nowhere
	weight    int      // instructions of a trip of all groups
	latency   int      // cycles of the longest chain of a group's trip

	registers, spills int
	refilling         bool   // see refill.go
	row1              *text  // one step of row after row, see lower_row.go; nil: there is none
	marks             []mark // see listing.go
}

// state is a value that the frame holds between calls.
type state struct {
	v     value
	class class
	size  uint8
	slot  int32
}

// maxGroups is how many groups are interleaved at most, on any target.
const maxGroups = 4

// Compile makes executable code of a verified kernel's step. An error that wraps ErrUnsupported says why
// this machine runs no code of the target, another what in the kernel has no code.
func Compile(k *ir.Kernel, target Target) (*Code, error) {
	if err := Supported(target); err != nil {
		return nil, err
	}
	t, err := makeText(k, target)
	if err != nil {
		return nil, err
	}
	return t.load()
}

// load puts the code into executable memory. It goes when the last Code and Machine that need it are gone.
func (t *text) load() (*Code, error) {
	all := t.bytes
	if t.row1 != nil {
		all = slices.Concat(all, make([]byte, -len(all)&63), t.row1.bytes)
	}
	page, err := makeExecutable(all)
	if err != nil {
		return nil, fmt.Errorf("%w: executable memory: %w", ErrUnsupported, err)
	}
	c := &Code{text: t, entry: pageAddress(page)}
	if t.row1 != nil {
		c.rowEntry = c.entry + uintptr(len(all)-len(t.row1.bytes))
	}
	runtime.AddCleanup(c, freeExecutable, page)
	return c, nil
}

// makeText makes code for as many groups as hide the latency of a step and fit the registers.
func makeText(k *ir.Kernel, target Target) (*text, error) {
	sh := &target.isa().shape
	best, err := generateGroups(k, target, 1)
	if err != nil {
		return nil, err
	}
	for n := 2; n <= sh.mostGroups; n++ {
		if one := best.weight / len(best.groups); one > sh.longTrip || best.weight > sh.issue*best.latency {
			break
		}
		t, err := generateGroups(k, target, n)
		if err != nil {
			return nil, err
		}
		if n > 2 && t.spills*sh.spillShare > t.weight {
			break
		}
		best = t
	}
	best.addRowStep()
	return best, nil
}

// addRowStep makes the code of one step of row after row, where the kernel allows.
func (t *text) addRowStep() {
	if l := lowerRow(t.kernel, t.isa); l != nil {
		t.row1 = assemble(l, t.target)
	}
}

func generateGroups(k *ir.Kernel, target Target, groups int) (*text, error) {
	sh := &target.isa().shape
	return generateShape(k, target, shape{groups, sh.together, sh.block})
}

func generateShape(k *ir.Kernel, target Target, sh shape) (*text, error) {
	l, err := lower(k, target.isa(), sh)
	if err != nil {
		return nil, err
	}
	return assemble(l, target), nil
}

// assemble makes code of what was lowered.
func assemble(l *lowering, target Target) *text {
	k, a := l.k, allocate(l)
	t := &text{
		kernel: k, target: target, isa: target.isa(), bytes: a.asm.code, frameSize: a.frame.end, groups: l.groups, scalars: l.scalars, sites: l.sites,
		loads: l.loads, rows: l.cellRows, resume: map[uintptr]yieldPoint{}, iota: l.iotaAt, weight: len(l.code), latency: l.latency,
		tables: make([][]byte, len(k.Tables)), registers: a.most, spills: a.spills, refilling: a.refills(), marks: a.marks,
	}
	for _, p := range a.resume {
		t.resume[uintptr(p.offset)] = p
	}
	for v, i := range l.infos {
		if i.resident && i.variable {
			t.states = append(t.states, state{value(v), i.class, i.size, i.slot})
		}
	}
	for _, s := range l.scalars {
		if s.kind == scalarTable {
			t.tables[s.plane] = tableBytes(&k.Tables[s.plane])
		}
	}
	return t
}

// tableBytes are the cells of a table as the code reads them: bools as 32-bit masks, at least one cell.
func tableBytes(t *ir.Table) []byte {
	size := max(t.Type.Bytes(), 4)
	out := make([]byte, size*max(len(t.Bits), 1))
	for i, b := range t.Bits {
		if t.Type == ir.Bool {
			b = -b
		}
		for j := range size {
			out[i*size+j] = byte(b >> (8 * j))
		}
	}
	return out
}

// Kernel is what was compiled.
func (t *text) Kernel() *ir.Kernel { return t.kernel }

// Target is what the code is made for.
func (t *text) Target() Target { return t.target }

// Width is the number of lanes that a machine advances.
func (t *text) Width() int { return len(t.groups) * t.isa.lanes }

// Unroll is the number of groups of lanes.
func (t *text) Unroll() int { return len(t.groups) }

// Registers is the most vector registers in use at a time.
func (t *text) Registers() int { return t.registers }

// Spills is the number of instructions that store a value for which there was no register.
func (t *text) Spills() int { return t.spills }

// Bytes is the machine code. It must not be changed.
func (t *text) Bytes() []byte { return t.bytes }

// FrameBytes is the memory of one machine.
func (t *text) FrameBytes() int { return int(t.frameSize) }
