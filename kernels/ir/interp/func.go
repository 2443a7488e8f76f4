package interp

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Func is Init or an observable, compiled: it reads the cells of a sample and gives values. It is
// immutable, and safe for concurrent use.
type Func struct {
	f *ir.Func
	p *program
}

// CompileFunc makes a func over the planes of k executable; it need not be one of k's own. What is wrong
// in it panics.
func CompileFunc(k *ir.Kernel, f *ir.Func) *Func { return compileFunc(k, f, 0) }

func compileFunc(k *ir.Kernel, f *ir.Func, width int) *Func {
	live := newLifetimes(max(1, len(f.Types)))
	live.region(&f.Body)
	end := live.next()
	live.use(f.Body.Yield, end)

	c := newCompiler(k, &f.Values, live)
	c.trip = c.region(&f.Body, c.full, nil)
	for _, y := range f.Body.Yield {
		p := c.get(y)
		if p.step == 0 { // results are read lane by lane
			p = c.alloc(c.types[y])
			c.trip = append(c.trip, moveNode(p, c.get(y), c.types[y]))
		}
		c.yield = append(c.yield, p)
	}
	return &Func{f: f, p: c.finish(width)}
}

// Init is the kernel's Init, nil when it has none.
func (c *Code) Init() *Func { return c.init }

// Observable is the observable of number i.
func (c *Code) Observable(i int) *Func { return c.observables[i] }

// Faults says whether f holds a statement that may fault.
func (f *Func) Faults() bool { return len(f.p.sites) > 0 }

// NewMachine makes the scratch of one worker for f.
func (f *Func) NewMachine() *FuncMachine { return &FuncMachine{f: f, m: newMachine(f.p)} }

// FuncMachine runs a Func; it belongs to one goroutine at a time.
type FuncMachine struct {
	f      *Func
	m      *Machine
	faults FaultList
}

// Store runs f on the samples that next hands out, of planes of n samples, and stores its results where
// ir.Func.Stores says; a NaN is stored as the canonical one. A sample that faults stores nothing; faults
// are the first of them, with Step 0, valid until the next call. False: the stop was seen; some samples
// are as they were.
func (fm *FuncMachine) Store(planes [][]byte, n int, next *Cursor, stop Stopper) (faults []Fault, done bool) {
	m := fm.m
	fm.faults = FaultList{}
	m.begin(planes, n, stop)
	defer m.end()
	for {
		lo, hi := next.claim(m.width)
		if lo == hi {
			return fm.faults.All(), true
		}
		if !fm.strip(lo, hi) {
			return fm.faults.All(), false
		}
		m.list = m.list[:0]
		for l := range m.live {
			if at := m.site[l]; at != 0 {
				fm.faults.Add(Fault{Sample: m.sample[l], Kind: m.sites[at-1].kind, Pos: m.sites[at-1].pos})
				continue
			}
			m.list = append(m.list, int32(l))
		}
		for i, cell := range fm.f.f.Stores {
			scatter(m.whole(m.yield[i]), m.list, planes[cell.Plane], int(cell.Comp), n, fm.typ(i), m.sample[:m.live])
		}
	}
}

// Float64 evaluates result r of f on samples [lo, lo+len(out)) of planes of n samples as float64; integers
// beyond 2^53 are rounded, bools are 0 or 1, a sample that faults gives NaN. False: the stop was seen;
// the end of out is as it was.
func (fm *FuncMachine) Float64(r int, planes [][]byte, n, lo int, out []float64, stop Stopper) bool {
	m := fm.m
	t := fm.typ(r)
	return fm.each(planes, n, lo, lo+len(out), stop, func(from, count int) {
		value := m.whole(m.yield[r])
		for l := range count {
			if m.site[l] != 0 {
				out[from-lo+l] = math.NaN()
				continue
			}
			out[from-lo+l] = asFloat(laneBits(value, t, l), t)
		}
	})
}

// Bits evaluates result r of f on samples [lo, lo+len(out)) of planes of n samples, as the Imm of an
// OpConst; NaNs are canonical, and a sample that faults gives 0. False: the stop was seen; the end of out
// is as it was.
func (fm *FuncMachine) Bits(r int, planes [][]byte, n, lo int, out []uint64, stop Stopper) bool {
	m := fm.m
	t := fm.typ(r)
	return fm.each(planes, n, lo, lo+len(out), stop, func(from, count int) {
		value := m.whole(m.yield[r])
		for l := range count {
			out[from-lo+l] = 0
			if m.site[l] == 0 {
				out[from-lo+l] = laneBits(value, t, l)
			}
		}
	})
}

func (fm *FuncMachine) typ(r int) ir.Type { return fm.f.f.Type(fm.f.f.Body.Yield[r]) }

// each runs f on samples [lo, hi), and after every strip calls use with its first sample and its length.
func (fm *FuncMachine) each(planes [][]byte, n, lo, hi int, stop Stopper, use func(from, count int)) bool {
	m := fm.m
	m.begin(planes, n, stop)
	defer m.end()
	for from := lo; from < hi; from += m.width {
		count := min(m.width, hi-from)
		if !fm.strip(from, from+count) {
			return false
		}
		use(from, count)
	}
	return true
}

// strip runs f on samples [lo, hi), at most a strip's width. False: the stop was seen.
func (fm *FuncMachine) strip(lo, hi int) bool {
	m := fm.m
	if m.stopped() {
		return false
	}
	for l := range hi - lo {
		m.sample[l], m.site[l] = uint32(lo+l), 0
	}
	m.setLive(hi - lo)
	m.fresh, m.dense = 0, true
	m.lo, m.hi = 0, blocks(m.live)
	return m.exec(m.trip)
}
