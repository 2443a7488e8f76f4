package session

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

// A fan is the quantiles of what each sample, followed alone, has at those steps.
func TestAFanIsWhatEverySampleDoes(t *testing.T) {
	for _, policy := range []engine.Policy{engine.PolicyBand, engine.PolicyTiled} {
		s := onHost(t, Options{}, SetBatch{N: 101, Seed: 4}, LoadKernel{"oscillator"}, Configure{Policy: &policy, R: ptr(0.25)}, Run{})
		all := make([]int, 101)
		for i := range all {
			all[i] = i
		}
		for _, name := range []string{"x", "energy", TakenColumn} {
			f := ask[*Fan](t, s, FanQuery{Name: name, Points: 7})
			way := ask[*Trajectory](t, s, FollowQuery{Samples: all, Names: []string{name, TakenColumn}, Points: 7})
			if !slices.Equal(f.Steps, way.Steps) || f.Of != 101 {
				t.Fatalf("steps %v, want %v", f.Steps, way.Steps)
			}
			for j, step := range f.Steps {
				values, live := []float64{}, 0
				for i := range all {
					values = append(values, way.Values[0][i][j])
					if stop := way.Stop[i]; stop < 0 || stop > step {
						live++
					}
				}
				slices.Sort(values)
				for l, rank := range []int{0, 5, 25, 50, 75, 95, 100} { // of 101 values these are the shares themselves
					if f.Levels[l][j] != values[rank] {
						t.Errorf("%s at step %d: level %d is %v, want %v", name, step, l, f.Levels[l][j], values[rank])
					}
				}
				if f.Live[j] != live || f.NonFinite[j] != 0 {
					t.Errorf("%s at step %d: %d live, want %d", name, step, f.Live[j], live)
				}
			}
		}
		// The batch itself is as it was.
		if st := s.State(); st.Phase != Ended || st.Finished != 101 {
			t.Errorf("%v, %d finished", st.Phase, st.Finished)
		}
	}
}

// Values that are not finite are counted apart, and the others ranked without them.
func TestAFanCountsWhatIsNotFinite(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 101, Seed: 4}, LoadKernel{"oscillator"}, SetParam{"dt", 2e38}, RunSteps{N: 12})
	all := make([]int, 101)
	for i := range all {
		all[i] = i
	}
	f := ask[*Fan](t, s, FanQuery{Name: "x", Points: 13})
	way := ask[*Trajectory](t, s, FollowQuery{Samples: all, Names: []string{"x"}, Points: 13})
	some := false
	for j, step := range f.Steps {
		var finite []float64
		for i := range all {
			if v := way.Values[0][i][j]; v-v == 0 {
				finite = append(finite, v)
			}
		}
		bad := 101 - len(finite)
		some = some || bad > 0 && bad < 101
		if f.NonFinite[j] != bad {
			t.Errorf("step %d: %d values are not finite, want %d", step, f.NonFinite[j], bad)
		}
		least, most := math.NaN(), math.NaN()
		if len(finite) > 0 {
			least, most = slices.Min(finite), slices.Max(finite)
		}
		if got := [2]float64{f.Levels[0][j], f.Levels[6][j]}; math.Float64bits(got[0]) != math.Float64bits(least) || math.Float64bits(got[1]) != math.Float64bits(most) {
			t.Errorf("step %d: from %v to %v, want %v to %v", step, got[0], got[1], least, most)
		}
	}
	if !some {
		t.Error("no step has both kinds of values: nothing was tested")
	}
}

// Of more than MostRanked samples every second, third ... is ranked, and the fan says of how many.
func TestAFanOfManySamplesRanksSome(t *testing.T) {
	const n = 2*MostRanked + 1
	s := onHost(t, Options{}, SetBatch{N: n, Seed: 4}, LoadKernel{"oscillator"}, RunSteps{N: 1})
	f := ask[*Fan](t, s, FanQuery{Name: "x", Points: 2})
	r := results(t, s)
	x := r.Planes.Index("x")
	var values []float64
	for i := 0; i < n; i += 3 {
		values = append(values, r.Planes.Float(x, i))
	}
	slices.Sort(values)
	if f.N != n || f.Of != len(values) || f.Levels[0][1] != values[0] || f.Levels[6][1] != values[len(values)-1] || f.Live[1] != n {
		t.Errorf("%d of %d ranked, %v to %v, %d live; want %d of %d, %v to %v", f.Of, f.N, f.Levels[0][1], f.Levels[6][1], f.Live[1], len(values), n, values[0], values[len(values)-1])
	}
}

func TestADensityCountsEverySample(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 500, Seed: 4}, LoadKernel{"oscillator"}, RunSteps{N: 30}, SetCell{"x", 7, math.NaN()}, SetCell{"v", 8, math.Inf(1)})
	d := ask[*Density](t, s, DensityQuery{X: "x", Y: "v", Width: 9, Height: 5, Marked: []int{3, 7}})
	r := results(t, s)
	x, v := r.Planes.Index("x"), r.Planes.Index("v")
	want := make([][]int, 5)
	for i := range want {
		want[i] = make([]int, 9)
	}
	for i := range 500 {
		a, b := r.Planes.Float(x, i), r.Planes.Float(v, i)
		if a-a != 0 || b-b != 0 {
			continue
		}
		if a < d.MinX || a > d.MaxX || b < d.MinY || b > d.MaxY {
			t.Fatalf("sample %d lies outside", i)
		}
		want[min(int((b-d.MinY)/(d.MaxY-d.MinY)*5), 4)][min(int((a-d.MinX)/(d.MaxX-d.MinX)*9), 8)]++
	}
	sum := 0
	for i := range want {
		for j := range want[i] {
			sum += d.Cells[i][j]
			if diff := d.Cells[i][j] - want[i][j]; diff < -1 || diff > 1 { // a value on an edge may fall to either side
				t.Errorf("cell %d,%d holds %d, want %d", i, j, d.Cells[i][j], want[i][j])
			}
		}
	}
	if sum != 498 || d.NonFinite != 2 || d.AtX[0] != r.Planes.Float(x, 3) || d.AtX[1] == d.AtX[1] || d.X.Unit != "m" {
		t.Errorf("%d samples have a place, %d none; marked at %v", sum, d.NonFinite, d.AtX)
	}
}

func TestFansThatCannotBeHad(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 10, Seed: 3}, LoadKernel{"oscillator"}, RunSteps{N: 4})
	for want, q := range map[string]Query{
		`nothing called "z"`:            FanQuery{Name: "z", Points: 3},
		"from 2 to 1,000 points":        FanQuery{Name: "x", Points: 1},
		"there is no step -1":           FanQuery{Name: "x", Points: 3, To: -1},
		"from 1 to 1,000 cells":         DensityQuery{X: "x", Y: "v"},
		"there is no sample 10":         DensityQuery{X: "x", Y: "v", Width: 1, Height: 1, Marked: []int{10}},
		`kernel oscillator has nothing`: DensityQuery{X: "x", Y: "w", Width: 1, Height: 1},
	} {
		if _, err := s.Look(ctx, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", q, err, want)
		}
	}
	do(t, s, SetParam{"dt", 0.5})
	if _, err := s.Look(ctx, FanQuery{Name: "x", Points: 3}); err == nil {
		t.Error("a batch that was changed on its way has a fan")
	}
}
