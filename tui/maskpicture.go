package tui

import (
	"context"
	"math"
	"slices"
	"sort"
)

// groupLanes is how many lanes share their fate: the threads of a warp. The host's tiles are wider; the
// workbench shows warps everywhere, for they are what compaction and reorder are about.
const groupLanes = 32

// maskQuestion is what is to be drawn of the mask, without anything of the panes.
type maskQuestion struct {
	stops  *runStops
	step   uint32 // of the run, at the cursor
	cells  int    // of a strip
	rows   int    // of the raster, 0: none
	shown  stretch
	ends   []float64 // on the axis, of consecutive launches in short
	dones  []uint32  // steps of the run at those ends
	fired  []uint32  // steps of the run at which reorders fired, ascending
	active bool      // launches go through a map of live slots
}

// maskPicture is the mask at one step of the run, and over all of it, counted from the stops.
type maskPicture struct {
	stops   *runStops
	step    uint32
	shown   stretch // of the raster
	live    int
	samples []float64   // share live of each cell, in sample order
	slots   []float64   // the same in slot order: after reorders, or through the map
	raster  [][]float64 // by row of samples and column of time; NaN where the run has not been
	plain   laneFill    // groups of 32 in slot order
	mapped  laneFill    // groups of 32 of the map of live slots
}

// laneFill is how groups of lanes are filled at one moment.
type laneFill struct {
	groups int // with a live lane
	live   int
	count  [groupLanes + 1]int // groups by live lanes, [0] those without
}

func (f *laneFill) add(live int) {
	f.count[live]++
	f.live += live
	if live > 0 {
		f.groups++
	}
}

// picture answers a question.
func (q *maskQuestion) picture(ctx context.Context) (*maskPicture, error) {
	stops := q.stops
	p := &maskPicture{stops: stops, step: q.step, shown: q.shown}
	n := len(stops.at)
	order := slotOrder(stops.at, q.fired, q.step)
	liveAt := func(slot int) bool {
		if order != nil {
			slot = int(order[slot])
		}
		return stops.at[slot] > q.step
	}
	for _, stop := range stops.at {
		if stop > q.step {
			p.live++
		}
	}
	p.samples = cellShares(n, q.cells, func(i int) bool { return stops.at[i] > q.step })
	switch {
	case order != nil:
		p.slots = cellShares(n, q.cells, liveAt)
	case q.active:
		p.slots = cellShares(n, q.cells, func(slot int) bool { return slot < p.live })
	}
	for first := 0; first < n; first += groupLanes {
		live := 0
		for slot := first; slot < min(first+groupLanes, n); slot++ {
			if liveAt(slot) {
				live++
			}
		}
		p.plain.add(live)
	}
	for left := p.live; left > 0; left -= groupLanes {
		p.mapped.add(min(left, groupLanes))
	}
	if q.rows > 0 {
		p.raster = q.rasterOf(stops)
	}
	return p, ctx.Err()
}

// firstOf is the first of n samples in part p of parts equal ones: those i with i*parts/n = p.
func firstOf(p, parts, n int) int { return int((int64(p)*int64(n) + int64(parts) - 1) / int64(parts)) }

// cellShares is the share of live ones in each of cells equal parts of n.
func cellShares(n, cells int, live func(i int) bool) []float64 {
	if cells < 1 || n == 0 {
		return nil
	}
	out := make([]float64, cells)
	for c := range out {
		from, upto := firstOf(c, cells, n), firstOf(c+1, cells, n)
		in := 0
		for i := from; i < upto; i++ {
			if live(i) {
				in++
			}
		}
		if from < upto {
			out[c] = float64(in) / float64(upto-from)
		} else {
			out[c] = out[max(c-1, 0)] // fewer samples than cells: one sample takes several
		}
	}
	return out
}

// slotOrder is which sample lies in which slot after the reorders that fired up to a step: each is a stable
// partition, live samples first. nil: nothing was moved.
func slotOrder(stops []uint32, fired []uint32, upto uint32) []uint32 {
	var order []uint32
	for _, at := range fired {
		if at > upto {
			break
		}
		if order == nil {
			order = make([]uint32, len(stops))
			for i := range order {
				order[i] = uint32(i)
			}
		}
		moved := make([]uint32, 0, len(order))
		for _, live := range []bool{true, false} {
			for _, sample := range order {
				if (stops[sample] > at) == live {
					moved = append(moved, sample)
				}
			}
		}
		order = moved
	}
	return order
}

// rasterOf counts who is live by rows of consecutive samples and columns of time.
func (q *maskQuestion) rasterOf(s *runStops) [][]float64 {
	n := len(s.at)
	steps := make([]uint32, q.cells) // of the run, in the middle of each column
	for c := range steps {
		steps[c] = q.stepAt(q.shown.from + (float64(c)+0.5)/float64(q.cells)*(q.shown.to-q.shown.from))
	}
	rows := min(q.rows, max(n, 1))
	raster, size := make([][]float64, rows), make([]int, rows)
	for r := range raster {
		raster[r] = make([]float64, q.cells+1)
		from, upto := firstOf(r, rows, n), firstOf(r+1, rows, n)
		size[r] = upto - from
		for _, stop := range s.at[from:upto] {
			at, _ := slices.BinarySearch(steps, stop) // the first column that is not before the stop
			raster[r][at]++
		}
	}
	for r := range raster {
		left := float64(size[r])
		for c := range q.cells {
			left -= raster[r][c] // those that stopped before the first column, then before each further one
			raster[r][c] = left / float64(max(size[r], 1))
			if steps[c] > s.done {
				raster[r][c] = math.NaN()
			}
		}
		raster[r] = raster[r][:q.cells]
	}
	return raster
}

// stepAt is the step of the run at a place of the axis.
func (q *maskQuestion) stepAt(x float64) uint32 {
	if q.shown.unit == axisStep {
		return uint32(max(x, 0))
	}
	i := sort.SearchFloat64s(q.ends, x)
	switch {
	case i >= len(q.ends):
		return math.MaxUint32
	case i == 0:
		return uint32(float64(q.dones[0]) * x / max(q.ends[0], 1e-300))
	}
	part := (x - q.ends[i-1]) / max(q.ends[i]-q.ends[i-1], 1e-300)
	return q.dones[i-1] + uint32(part*float64(q.dones[i]-q.dones[i-1]))
}
