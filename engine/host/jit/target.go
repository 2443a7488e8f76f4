package jit

import (
	"errors"
	"fmt"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Target is a set of instructions that code is made for.
type Target uint8

// The targets.
const (
	AVX512 Target = 1 + iota // F, DQ and VL
	AVX2                     // and FMA
)

// Targets are all targets, the fastest first.
var Targets = []Target{AVX512, AVX2}

func (t Target) String() string {
	if t != AVX512 && t != AVX2 {
		return fmt.Sprintf("target(%d)", uint8(t))
	}
	return t.isa().name
}

// ErrUnsupported is what Supported's errors wrap: this processor, or its system, runs no code of the
// target. Compile gives it too; its other errors say what in the kernel has no code.
var ErrUnsupported = errors.New("no machine code here")

// isa is what the code generator knows about a target. Lowering, allocation and encoding are the same for
// all; what differs is in this table, in the table of instructions and in the selector.
type isa struct {
	name      string
	lanes     int   // samples side by side: 64-bit elements of a vector register
	row       int32 // bytes of a vector register, and of its place in the frame
	registers [2]struct{ first, end int8 }
	insns     *[firstMask]insn
	encode    func(a *assembler, o op, reg, v uint8, rm operand, mask uint8, zero bool, imm uint8)
	selector

	// maskClass is where masks of lanes are: in registers of their own, or in vector registers, all bits of
	// a lane alike.
	maskClass class
	// merging says that a masked instruction may leave lanes of its result as they are.
	merging bool
	// spread says that memory operands are whole vectors only, so that the frame holds a value that is the
	// same for all lanes once per lane.
	spread bool

	shape shaping
}

// shaping is how groups of lanes are interleaved best on a target.
//
// Measured with the oscillator kernel (RK4, all samples run as long), best of 40 to 60 runs of 1000 samples,
// ns per sample-step, in December 2026. AVX-512 on an Intel Xeon (family 6, model 207), by groups, groups that
// take turns and instructions of a turn: 2/2/4 1.60, 3/3/4 1.25, 4/2/4 1.23, 4/2/12 1.07, 4/4/2 1.11; gcc's
// explicit AVX-512 1.04 to 1.36 there. AVX2 on an AMD EPYC (Zen 3): 2/2/4 2.46, 3/3/4 1.95, 4/1/8 1.99, 4/2/2
// 1.81, 4/2/6 1.76, 4/4/2 1.83; gcc's explicit AVX2 1.61 to 1.67. Spills cost less than latency that nothing
// hides.
type shaping struct {
	together   int // groups that take turns
	block      int // instructions of a turn
	mostGroups int
	longTrip   int // instructions of one group's trip from which a second group gains nothing
	issue      int // instructions of a cycle: a trip of more than the latency of its longest chain keeps the processor busy
	spillShare int // instructions of a trip per spill that more groups may cost at most
}

func (t Target) isa() *isa {
	if t == AVX512 {
		return &avx512
	}
	return &avx2
}

// selector chooses instructions where the targets differ. Masks are values of the isa's own kind.
type selector interface {
	// logic is a o b on masks; o is one of kandb, kandnb (not a, and b), korb, kxorb, kxnorb.
	logic(l *lowering, o op, a, b value) value
	not(l *lowering, a value) value
	// fit is mask x in the form that v has.
	fit(l *lowering, x, v value) value
	// chooseMask is c ? x : y on masks.
	chooseMask(l *lowering, c, x, y value) value

	floats(l *lowering, t ir.Type, x, y value, predicate uint8) value // a mask
	integers(l *lowering, o ir.Op, t ir.Type, x, y value) value       // a mask
	nonZero(l *lowering, size uint8, x value) value                   // a mask

	merge(l *lowering, size uint8, x, y, on value) value // x, and y in the lanes of on
	keep(l *lowering, size uint8, x, on value) value     // x in the lanes of on, elsewhere 0
	assign(l *lowering, v, x, on value)                  // the lanes of on of v become those of x
	count(l *lowering, v, on value)                      // v, of 64-bit integers, becomes v+1 in the lanes of on
	store(l *lowering, size uint8, x, on value, disp int32)
	storeMask(l *lowering, x, on value, disp int32)

	cellOf(l *lowering, x value) value   // mask x as 32-bit elements, not 0 where it has a lane
	fromCell(l *lowering, x value) value // the other way round
	gather(l *lowering, size uint8, index value, base, disp int32, on value) value
	scatter(l *lowering, size uint8, x, index, on value, disp int32)

	multiply64(l *lowering, x, y value) value
	shift(l *lowering, t ir.Type, left bool, x, y value) value
	extreme(l *lowering, isMin bool, t ir.Type, x, y value) value
	convert(l *lowering, t, from ir.Type, x value) value
	divide32(l *lowering, rest bool, t ir.Type, x, y value) value
	sign(l *lowering, t ir.Type, y value) value // the sign bit of float y, 0 for a NaN
}
