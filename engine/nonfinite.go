package engine

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Every report counts the samples whose state holds a NaN or an infinity, the report of a stopped run too,
// which somebody waits for. So the look at all state is made to run at the speed of memory: blocks of a row
// are tested with one branch each, by as many goroutines as there are cores.

const (
	finiteBlock    = 1024    // elements that are tested together
	finiteParallel = 1 << 17 // elements that are worth a goroutine
)

// nonFinite counts the samples whose state holds a NaN or an infinity, and names the first, in the first
// plane where it does.
func nonFinite(p *Planes) NonFinite {
	rows := 0
	for i := range p.Spec {
		if isFloatState(&p.Spec[i]) {
			rows += p.Spec[i].Width()
		}
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), rows*p.N/finiteParallel))
	share := (p.N/workers + 64) / 64 * 64 // a word of marks belongs to one worker
	found := make([]NonFinite, workers)
	var wait sync.WaitGroup
	for w := range workers {
		from, to := min(w*share, p.N), min((w+1)*share, p.N)
		if w == workers-1 {
			found[w] = nonFiniteIn(p, from, to)
		} else {
			wait.Go(func() { found[w] = nonFiniteIn(p, from, to) })
		}
	}
	wait.Wait()
	var sum NonFinite
	for _, f := range found { // by sample: the first one that found something has the first
		if sum.Count == 0 {
			sum.Sample, sum.Plane = f.Sample, f.Plane
		}
		sum.Count += f.Count
	}
	return sum
}

func isFloatState(s *ir.Plane) bool { return s.Role == ir.RoleState && s.Type.Float() }

// nonFiniteIn is nonFinite for samples [from, to).
func nonFiniteIn(p *Planes, from, to int) (f NonFinite) {
	var marked []uint64 // a bit per sample from from on, once one is found
	mark := func(plane, sample int) {
		if marked == nil {
			marked = make([]uint64, (to-from+63)/64)
			f.Sample, f.Plane = uint32(sample), uint32(plane)
		}
		if uint32(sample) < f.Sample {
			f.Sample, f.Plane = uint32(sample), uint32(plane)
		}
		marked[(sample-from)/64] |= 1 << ((sample - from) % 64)
	}
	for i := range p.Spec {
		if !isFloatState(&p.Spec[i]) {
			continue
		}
		for c := range p.Spec[i].Width() {
			if p.Spec[i].Type == ir.F32 {
				eachNonFinite(View[uint32](p, i)[c*p.N+from:c*p.N+to], 0xFF<<23, 1<<23, func(at int) { mark(i, from+at) })
			} else {
				eachNonFinite(View[uint64](p, i)[c*p.N+from:c*p.N+to], 0x7FF<<52, 1<<52, func(at int) { mark(i, from+at) })
			}
		}
	}
	for _, w := range marked {
		f.Count += uint32(bits.OnesCount64(w))
	}
	return f
}

// eachNonFinite calls found with the place of every element of row whose exponent is all ones: NaN or
// infinity. Adding unit to such an exponent carries into the sign, which the mask has cleared.
func eachNonFinite[T uint32 | uint64](row []T, exponent, unit T, found func(at int)) {
	sign := exponent + unit
	for first := 0; first < len(row); first += finiteBlock {
		block := row[first:min(first+finiteBlock, len(row))]
		var any T
		for _, x := range block {
			any |= x&exponent + unit
		}
		if any&sign == 0 {
			continue
		}
		for at, x := range block {
			if x&exponent == exponent {
				found(first + at)
			}
		}
	}
}
