package session

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

type (
	// FanQuery asks how a value went over the whole batch: *Fan. A twin of the batch makes the steps again from its start,
	// on the same engine; a batch that was changed on its way is refused.
	FanQuery struct {
		Name   string // a plane, a component of one, an observable, TakenColumn
		To     int    // the last step; 0: where the batch stands
		Points int    // steps that are looked at, evenly spread, the first and the last always; from 2 to 1000
	}

	// Fan is the distribution of a value at some steps. A sample that has stopped counts with what it stopped with.
	Fan struct {
		Name, Unit string
		Steps      []int
		Levels     [7][]float64 // at every step: least, 5 %, 25 %, 50 %, 75 %, 95 %, greatest of the finite values; NaN without any
		NonFinite  []int        // values that were not, at every step
		Live       []int        // samples that had not stopped
		Of, N      int          // values that were ranked, of samples: every (N/Of)th where there are more than MostRanked
	}

	// DensityQuery asks where the batch lies in the plane of two values: *Density. Also during a run.
	DensityQuery struct {
		X, Y          string
		Width, Height int   // cells; at most 1000 each
		Marked        []int // samples whose places are wanted
	}

	// Density is how many samples lie in each cell of a grid over the finite values of two columns.
	Density struct {
		X, Y         Column
		MinX, MaxX   float64 // edges of the grid
		MinY, MaxY   float64
		Cells        [][]int // by row from the least y, then by column
		NonFinite    int     // samples that have no place
		Of           int
		Marked       []int
		AtX, AtY     []float64 // of the marked samples
		Generation   uint32
		Done         int
		MarkedLabels []string
	}
)

// MostRanked is how many values a quantile is taken of.
const MostRanked = 100_000

// fanLevels are the shares of a Fan.
var fanLevels = [7]float64{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1}

func (FanQuery) isQuery()     {}
func (DensityQuery) isQuery() {}

// fan makes the steps of the batch again on a twin.
func (m *maker) fan(b *batch, q FanQuery, way way, options engine.RunOptions, stop *engine.Stop) (*Fan, error) {
	if q.Points < 2 || q.Points > 1000 {
		return nil, errors.New("a fan has from 2 to 1,000 points")
	}
	if err := way.whole(); err != nil {
		return nil, err
	}
	rs, err := readers(b.kernel.IR, []string{q.Name})
	if err != nil {
		return nil, err
	}
	to := q.To
	if to == 0 {
		to = way.steps
	}
	if to < 0 || to > maxN {
		return nil, fmt.Errorf("there is no step %s", engine.Grouped(to))
	}
	t, err := m.twin(b, &ForkRun{}, stop)
	if err != nil {
		return nil, err
	}
	defer t.close()
	options.Trace, options.Onlooker, options.MaxSteps = nil, nil, max(to, 1)
	f := &Fan{Name: rs[0].name, Unit: rs[0].unit, Steps: evenly(0, to, q.Points), N: b.n, Of: b.n}
	stride := 1
	if b.n > MostRanked {
		stride = (b.n + MostRanked - 1) / MostRanked
		f.Of = (b.n + stride - 1) / stride
	}
	follower := kernels.NewFollower(t.kernel)
	values, ranked := make([]float64, b.n), make([]float64, 0, f.Of)
	at, over := 0, false
	for _, step := range f.Steps {
		if step > at && !over {
			if over, err = t.step(stop, options, step-at); err != nil {
				return nil, err
			}
		}
		at = step
		if stop.IsSet() {
			return nil, ErrCancelled
		}
		live := 0
		for _, m := range t.mask {
			if m == 0 {
				live++
			}
		}
		if rs[0].taken {
			for i, taken := range t.bound.StepsTaken() {
				values[i] = float64(taken)
			}
		} else {
			rs[0].read(follower, t.planes, values)
		}
		ranked = ranked[:0]
		for i := 0; i < b.n; i += stride {
			if v := values[i]; v-v == 0 {
				ranked = append(ranked, v)
			}
		}
		slices.Sort(ranked)
		for l, q := range fanLevels {
			v := math.NaN()
			if len(ranked) > 0 {
				v = quantile(ranked, q)
			}
			f.Levels[l] = append(f.Levels[l], v)
		}
		f.NonFinite, f.Live = append(f.NonFinite, f.Of-len(ranked)), append(f.Live, live)
	}
	return f, nil
}

// step makes a number of steps of every sample that has not stopped, and says whether there is nothing left to make.
func (b *batch) step(stop *engine.Stop, o engine.RunOptions, steps int) (over bool, err error) {
	report, err := b.runner.Launch(stop, o, steps)
	return report.Status == engine.StatusFinished.String(), err
}

// glance copies what a density needs; the counting is left to whoever asked.
func (q DensityQuery) glance(s *still) (rest, error) {
	if s.bound == nil {
		return nil, spoiled(s.batch)
	}
	if q.Width < 1 || q.Height < 1 || q.Width > 1000 || q.Height > 1000 {
		return nil, errors.New("a density has from 1 to 1,000 cells each way")
	}
	rs, err := readers(s.kernel.IR, []string{q.X, q.Y})
	if err != nil {
		return nil, err
	}
	for _, sample := range q.Marked {
		if err := s.hasSample(sample); err != nil {
			return nil, err
		}
	}
	d := &Density{Generation: s.generation, Done: s.done, Of: s.n, Marked: slices.Clone(q.Marked)}
	for _, c := range ColumnsOf(s.kernel.IR) {
		if c.Name == q.X {
			d.X = c
		}
		if c.Name == q.Y {
			d.Y = c
		}
	}
	if s.labels != nil {
		for _, sample := range q.Marked {
			d.MarkedLabels = append(d.MarkedLabels, s.labels[sample])
		}
	}
	planes, taken, kernel := s.copyPlanes(), s.copyTaken(), s.kernel
	return func(stop *engine.Stop) (any, error) {
		follower := kernels.NewFollower(kernel)
		var columns [2][]float64
		for k := range rs {
			columns[k] = make([]float64, planes.N)
			if rs[k].taken {
				for i, v := range taken {
					columns[k][i] = float64(v)
				}
			} else {
				rs[k].read(follower, planes, columns[k])
			}
			if stop.IsSet() {
				return nil, ErrCancelled
			}
		}
		d.count(columns[0], columns[1], q.Width, q.Height)
		return d, nil
	}, nil
}

// count fills the grid.
func (d *Density) count(x, y []float64, width, height int) {
	d.MinX, d.MinY, d.MaxX, d.MaxY = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	placed := func(i int) bool { return x[i]-x[i] == 0 && y[i]-y[i] == 0 }
	for i := range x {
		if !placed(i) {
			d.NonFinite++
			continue
		}
		d.MinX, d.MaxX = min(d.MinX, x[i]), max(d.MaxX, x[i])
		d.MinY, d.MaxY = min(d.MinY, y[i]), max(d.MaxY, y[i])
	}
	d.Cells = make([][]int, height)
	for r := range d.Cells {
		d.Cells[r] = make([]int, width)
	}
	for i := range x {
		if placed(i) {
			d.Cells[cellOf(y[i], d.MinY, d.MaxY, height)][cellOf(x[i], d.MinX, d.MaxX, width)]++
		}
	}
	for _, sample := range d.Marked {
		d.AtX, d.AtY = append(d.AtX, x[sample]), append(d.AtY, y[sample])
	}
}

// cellOf is the cell of v among n from least to most.
func cellOf(v, least, most float64, n int) int {
	if most == least {
		return n / 2
	}
	share := (v/2 - least/2) / (most/2 - least/2) // halves: the difference of the ends may overflow
	return min(max(int(share*float64(n)), 0), n-1)
}
