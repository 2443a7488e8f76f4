package kernels

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// interval is a range of values, both ends included, far from where int64 wraps around.
type interval struct{ lo, hi int64 }

// How far intervals look.
const (
	maxRange      = 1 << 31 // ends of an interval are within +-maxRange
	maxRangeDepth = 8       // instructions that one is derived through
)

func (r interval) valid() bool { return -maxRange <= r.lo && r.lo <= r.hi && r.hi <= maxRange }

// interval is what the instructions that make an integer prove of it: masks, remainders, shifts, and small
// sums of those. It spares the guards of indexes and shift counts that cannot be out of range.
func (l *lowering) interval(x scalar, depth int) (interval, bool) {
	if x.constant() {
		n := int64(x.bits)
		if x.typ == ir.I32 {
			n = int64(int32(x.bits))
		}
		r := interval{n, n}
		return r, r.valid() && (x.typ != ir.U64 || n >= 0)
	}
	if r, ok := l.ranges[x.val]; ok {
		return r, true // the counter of a loop
	}
	d := l.def(x.val)
	if d == nil || !d.Type.Integer() || depth > maxRangeDepth {
		return interval{}, false
	}
	arg := func(i int) (interval, bool) {
		v := d.Args[i]
		s, ok := l.values[v]
		if !ok {
			s = scalar{typ: l.vals.Type(v), val: v}
		}
		return l.interval(s, depth+1)
	}
	r, ok := intervalOf(d, arg)
	if d.Type.Signed() && (d.Op == ir.OpMin || d.Op == ir.OpMax) {
		var hasLow, hasHigh bool
		r.lo, hasLow = l.bound(x, depth, ir.OpMax)
		r.hi, hasHigh = l.bound(x, depth, ir.OpMin)
		ok = hasLow && hasHigh
	}
	if ok && !d.Type.Signed() && r.lo < 0 {
		return interval{}, false // it wrapped around
	}
	return r, ok && r.valid()
}

// bound is a lower bound of an integer (side OpMax) or an upper one (side OpMin): max(x, 0) is known from
// below whatever x is.
func (l *lowering) bound(x scalar, depth int, side ir.Op) (int64, bool) {
	d := l.def(x.val)
	if x.constant() || d == nil || d.Op != ir.OpMin && d.Op != ir.OpMax || depth > maxRangeDepth || !d.Type.Signed() {
		r, ok := l.interval(x, depth)
		if side == ir.OpMax {
			return r.lo, ok
		}
		return r.hi, ok
	}
	var ends [2]int64
	var known [2]bool
	for i, v := range d.Args {
		s, ok := l.values[v]
		if !ok {
			s = scalar{typ: l.vals.Type(v), val: v}
		}
		ends[i], known[i] = l.bound(s, depth+1, side)
	}
	switch {
	case known[0] && known[1] && d.Op == ir.OpMin:
		return min(ends[0], ends[1]), true
	case known[0] && known[1]:
		return max(ends[0], ends[1]), true
	case d.Op != side: // one end of two says nothing about the worse one
		return 0, false
	case known[0]:
		return ends[0], true
	}
	return ends[1], known[1]
}

// intervalOf derives the interval of one instruction from those of its arguments.
func intervalOf(d *ir.Instr, arg func(i int) (interval, bool)) (interval, bool) {
	switch d.Op {
	case ir.OpAnd:
		// With one side known not to be negative, the result lies between 0 and it.
		out, known := interval{}, false
		for i := range 2 {
			if r, ok := arg(i); ok && r.lo >= 0 && (!known || r.hi < out.hi) {
				out.hi, known = r.hi, true
			}
		}
		return out, known
	case ir.OpRem:
		y, ok := arg(1)
		if !ok || y.lo <= 0 {
			return interval{}, false
		}
		r := interval{1 - y.hi, y.hi - 1}
		if x, ok := arg(0); !d.Type.Signed() || ok && x.lo >= 0 {
			r.lo = 0
		}
		return r, true
	case ir.OpShr:
		k, ok := arg(1)
		if ok && !d.Type.Signed() && k.lo == k.hi && k.lo >= 0 && k.lo < 64 {
			return interval{0, int64(d.Type.Mask() >> k.lo)}, d.Type.Mask()>>k.lo <= maxRange
		}
	case ir.OpConvert:
		if d.From.Integer() {
			r, ok := arg(0)
			return r, ok && r.lo >= 0 && (d.Type != ir.I32 || r.hi < maxRange)
		}
	case ir.OpAdd, ir.OpSub:
		x, okX := arg(0)
		y, okY := arg(1)
		if d.Op == ir.OpSub {
			y.lo, y.hi = -y.hi, -y.lo
		}
		r := interval{x.lo + y.lo, x.hi + y.hi}
		return r, okX && okY && (d.Type.Bytes() == 8 || -maxRange < r.lo && r.hi < maxRange)
	case ir.OpMul:
		x, okX := arg(0)
		y, okY := arg(1)
		if !okX || !okY {
			return interval{}, false
		}
		r := interval{math.MaxInt64, math.MinInt64}
		for _, a := range []int64{x.lo, x.hi} { // both within 2^31
			for _, b := range []int64{y.lo, y.hi} {
				r.lo, r.hi = min(r.lo, a*b), max(r.hi, a*b)
			}
		}
		return r, d.Type.Bytes() == 8 || -maxRange < r.lo && r.hi < maxRange
	case ir.OpSelect:
		x, okX := arg(1)
		y, okY := arg(2)
		return interval{min(x.lo, y.lo), max(x.hi, y.hi)}, okX && okY
	}
	return interval{}, false
}
