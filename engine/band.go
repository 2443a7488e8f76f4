package engine

import "math"

// Constants of the automatic steps per launch (runner.md, section 4).
const (
	autoKMin = 8  // the band's lower clamp
	autoK0   = 16 // the first word of a run, before anything is known
)

// AutoKMin is the least number of steps that the band gives a launch, for display: "in 8..64".
const AutoKMin = autoKMin

// AutoK0 is the first word of a run under the band, for display.
const AutoK0 = autoK0

// Band returns how many steps the next launch should take (runner.md, section 4); the caller cuts it to
// the steps that are left.
//
// newly of n samples finished during a launch of word steps; r is the cost of one compaction in steps of
// a full-live launch, > 0. The result is the power of two nearest to k* on the logarithmic scale, clamped
// to [autoKMin, stepsMax] (a stepsMax that is no power of two is itself the last choice, one below
// autoKMin the only one); newly == 0 gives stepsMax.
//
// It minimises r/k + h*k/2 over k, where h = newly/(n*word) is the share of the batch that finishes per
// step: k* = sqrt(2r/h), see [KStar] and the package comment. k* is at least sqrt(2)*k, halfway from k to
// 2k on the logarithmic scale, exactly when r*n*word >= k*k*newly; so neither a root nor a logarithm is
// taken and every engine, devices included, decides alike. n*word and k*k are products of 64-bit unsigned
// integers made of 32-bit factors and cannot overflow. Pure; the one copy in Go.
func Band(newly, n, word uint32, r float64, stepsMax uint32) uint32 {
	gain := r * float64(uint64(n)*uint64(word))
	k := uint64(autoKMin)
	for k < uint64(stepsMax) && gain >= float64(k*k)*float64(newly) {
		k *= 2
	}
	return uint32(min(k, uint64(stepsMax)))
}

// FinishShare is h: the share of the whole batch that finishes per step, newly/(n*word), measured over
// the last launch. 0 when n or word is 0.
func FinishShare(newly, n, word uint32) float64 {
	if n == 0 || word == 0 {
		return 0
	}
	return float64(newly) / float64(uint64(n)*uint64(word))
}

// KStar is the best number of steps per launch before it is rounded to a power of two and clamped:
// sqrt(2r/h), +Inf when h is 0. For display only; [Band] decides without it.
func KStar(r, h float64) float64 {
	if h == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(2 * r / h)
}

// Flips are the values at which [Band] changes its answer, the other input held: Up is the next larger
// answer and comes when R >= UpR, or when H <= UpH; Down the next smaller one, when R < DownR, or when
// H > DownH. At the upper clamp Up is 0, UpR +Inf and UpH 0; at the lower one Down is 0, DownR 0 and
// DownH +Inf. Newly 0 is the upper clamp held by no R: DownR is 0.
type Flips struct {
	K, Up, Down  uint32 // K is the answer itself
	UpR, UpH     float64
	DownR, DownH float64
}

// FlipPoints says how far the decision of [Band] was from being another one. It follows from the test in
// Band: k steps or more are chosen when R >= (k/2)*(k/2)*h.
func FlipPoints(newly, n, word uint32, r float64, stepsMax uint32) Flips {
	k := Band(newly, n, word, r, stepsMax)
	h := FinishShare(newly, n, word)
	f := Flips{K: k, UpR: math.Inf(1), DownH: math.Inf(1)}
	if k < stepsMax {
		kk := float64(k) * float64(k)
		f.Up, f.UpR, f.UpH = uint32(min(2*uint64(k), uint64(stepsMax))), kk*h, r/kk
	}
	if below := powerBelow(k); below >= autoKMin {
		bb := float64(below) * float64(below)
		f.Down, f.DownR, f.DownH = below, bb*h, r/bb
	}
	return f
}

// powerBelow is the largest power of two below k, 0 when k is 0 or 1.
func powerBelow(k uint32) uint32 {
	p := uint32(0)
	for q := uint64(1); q < uint64(k); q *= 2 {
		p = uint32(q)
	}
	return p
}

// bandPolicy is the band as a policy. A batch that fits one resident wave of a device frees nothing by
// ending a launch early: resident runs every launch at stepsMax and skips compaction.
type bandPolicy struct {
	n, stepsMax uint32
	r           float64
	resident    bool
}

func (b *bandPolicy) first() uint32 {
	if b.resident {
		return b.stepsMax
	}
	return min(autoK0, b.stepsMax)
}

func (b *bandPolicy) next(l *Launch, _ uint32) uint32 {
	if b.resident {
		return b.stepsMax
	}
	return Band(l.Newly, b.n, l.Word, b.r, b.stepsMax)
}

func (b *bandPolicy) clone() policy { c := *b; return &c }
