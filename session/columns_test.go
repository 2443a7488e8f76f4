package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// columns asks for a page.
func columns(t interface {
	Helper()
	Fatal(...any)
}, s *Session, q ColumnsQuery,
) *Columns {
	t.Helper()
	answer, err := s.Look(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer.(*Columns)
}

// restated makes a page from the results in the plainest way.
func restated(r *Results, x, sort string, down bool, keep func(sample int) bool) []int {
	var out []int
	for i := range r.Mask {
		if keep(i) {
			out = append(out, i)
		}
	}
	value := func(sample int) float64 { return r.Planes.Float(r.Planes.Index(sort), sample) }
	slices.SortStableFunc(out, func(a, b int) int {
		va, vb := value(a), value(b)
		if va != va || vb != vb {
			switch {
			case va == va:
				return -1
			case vb == vb:
				return 1
			}
			return 0
		}
		if down {
			va, vb = vb, va
		}
		switch {
		case va < vb:
			return -1
		case va > vb:
			return 1
		}
		return 0
	})
	return out
}

// Pages are those of a plain filter and a stable sort over the results, with NaN, infinities, zeros of both signs and
// the smallest numbers among the values.
func TestColumnsAreTheBatchAsATable(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 300, Seed: 3}, LoadKernel{"oscillator"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -1e308, 0.25, 0.25}
	do(t, s, RunSteps{N: 40})
	for i, v := range special {
		do(t, s, SetCell{"x", 7 * i, v})
	}
	r := results(t, s)
	x := r.Planes.Index("x")
	rapid.Check(t, func(rt *rapid.T) {
		q := ColumnsQuery{
			Names: []string{"x", "v", TakenColumn}, Sort: rapid.SampledFrom([]string{"x", "v", "omega"}).Draw(rt, "sort"), Down: rapid.Bool().Draw(rt, "down"),
			From: rapid.IntRange(0, 310).Draw(rt, "from"), Rows: rapid.IntRange(0, 40).Draw(rt, "rows"),
		}
		limit := rapid.Float64Range(-1, 1).Draw(rt, "limit")
		keep := func(int) bool { return true }
		switch rapid.IntRange(0, 3).Draw(rt, "filter") {
		case 1:
			q.Filter, keep = "live", func(i int) bool { return r.Mask[i] == 0 }
		case 2:
			q.Filter = fmt.Sprintf("x > %v and not finished", limit)
			keep = func(i int) bool { return r.Planes.Float(x, i) > limit && r.Mask[i] == 0 }
		case 3:
			q.Filter = "nan or sample 3-9"
			keep = func(i int) bool { v := r.Planes.Float(x, i); return v-v != 0 || i >= 3 && i <= 9 }
		}
		want := restated(r, "x", q.Sort, q.Down, keep)
		for range 2 { // the second one knows the order
			page := columns(rt, s, q)
			if page.Matching != len(want) {
				rt.Fatalf("%q leaves %d samples, want %d", q.Filter, page.Matching, len(want))
			}
			from := min(q.From, len(want))
			cut := want[from:min(from+q.Rows, len(want))]
			if len(page.Rows) != len(cut) {
				rt.Fatalf("%d rows, want %d", len(page.Rows), len(cut))
			}
			for i, row := range page.Rows {
				got, bits := row.Cells[0].Value, r.Planes.Float(x, cut[i])
				if row.Sample != cut[i] || math.Float64bits(got) != math.Float64bits(bits) || row.Mask != r.Mask[cut[i]] || row.Taken != r.StepsTaken[cut[i]] {
					rt.Fatalf("row %d: sample %d with %v, want sample %d with %v", i, row.Sample, got, cut[i], bits)
				}
				if row.Cells[2].Text != fmt.Sprint(row.Taken) {
					rt.Fatalf("row %d: %s steps, want %d", i, row.Cells[2].Text, row.Taken)
				}
			}
			q.Known = page.Order
		}
	})
}

// An order that is known is used while it fits, and only then.
func TestAnOrderIsKnownAsLongAsTheBatchStandsStill(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 100, Seed: 3}, LoadKernel{"oscillator"}, RunSteps{N: 20})
	q := ColumnsQuery{Names: []string{"x"}, Sort: "x", Rows: 5, Focus: "x"}
	first := columns(t, s, q)
	q.Known, q.From = first.Order, 50
	if second := columns(t, s, q); second.Order != first.Order {
		t.Error("the order is made again")
	}
	do(t, s, SetCell{"x", first.Rows[0].Sample, 1e9})
	q.From = 0
	after := columns(t, s, q)
	if after.Order == first.Order || after.Rows[0].Sample != first.Rows[1].Sample || after.Focus.Max != 1e9 {
		t.Errorf("after an edit the first is sample %d, the greatest %v", after.Rows[0].Sample, after.Focus.Max)
	}
	q.Down = true
	q.Known = after.Order
	if down := columns(t, s, q); down.Rows[0].Cells[0].Value != 1e9 {
		t.Errorf("the greatest first: %v", down.Rows[0].Cells[0].Value)
	}
}

func TestStatisticsOfAColumn(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 9, Seed: 3}, LoadKernel{"oscillator"}, RunSteps{N: 1})
	for i, v := range []float64{4, 1, 3, 2, 5, math.NaN(), math.Inf(1), math.Inf(-1), 0} {
		do(t, s, SetCell{"x", i, v})
	}
	f := columns(t, s, ColumnsQuery{Names: []string{}, Focus: "x", Bins: 5}).Focus
	if f.Count != 9 || f.NaN != 1 || f.Inf != 2 || f.Min != 0 || f.Max != 5 || f.Mean != 2.5 || f.Quartiles != [3]float64{1.25, 2.5, 3.75} {
		t.Errorf("%+v", f)
	}
	if !slices.Equal(f.Bins, []int{1, 1, 1, 1, 2}) || f.From != 0 || f.To != 5 {
		t.Errorf("bins %v from %v to %v", f.Bins, f.From, f.To)
	}
	f = columns(t, s, ColumnsQuery{Names: []string{}, Focus: "x", Bins: 2, Log: true, Filter: "x < 4"}).Focus
	if !slices.Equal(f.Bins, []int{1, 2}) || f.Left != 1 || f.Inf != 1 || f.Count != 5 {
		t.Errorf("log bins %v, %d left of %d", f.Bins, f.Left, f.Count)
	}
	wide := describe(&reader{name: "x"}, []float64{-math.MaxFloat64, math.MaxFloat64, 0}, nil, 3, false)
	if wide.Mean != 0 || !slices.Equal(wide.Bins, []int{1, 1, 1}) {
		t.Errorf("the widest range: mean %v, bins %v", wide.Mean, wide.Bins)
	}
	none := describe(&reader{name: "x"}, []float64{math.NaN()}, nil, 3, false)
	if none.Min == none.Min || none.Bins != nil {
		t.Errorf("nothing finite: %+v", none)
	}
}

// A kernel of one plane, without a finish declaration or observables, is a table too.
func TestColumnsOfTheSmallestKernel(t *testing.T) {
	for name, text := range map[string]string{
		"without a finish": "package count\n\n//eaglet:kernel\ntype Count struct {\n\tN int64 `init:\"index()\"`\n}\n\nfunc (s *Count) Step() { s.N++ }\n",
		"with a finish":    "package count\n\n//eaglet:kernel\ntype Count struct {\n\tN int64 `init:\"index()\"`\n}\n\nfunc (s *Count) Step() (terminated bool) {\n\ts.N++\n\tterminated = s.N > 8\n\treturn\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/count.go"
			writeFile(t, path, text)
			s := onHost(t, Options{}, SetBatch{N: 10, Seed: 3}, LoadKernel{path}, RunSteps{N: 2})
			q := ColumnsQuery{Sort: "n", Down: true, Focus: TakenColumn, Bins: 3, Rows: 3}
			for range 2 { // the second one knows the order
				page := columns(t, s, q)
				if !slices.Equal(page.Names, []string{"n", TakenColumn}) || len(page.Rows) != 3 || page.Focus.Count != 10 {
					t.Fatalf("%+v", page)
				}
				r := results(t, s)
				for _, row := range page.Rows {
					if row.Cells[0].Value != r.Planes.Float(0, row.Sample) {
						t.Errorf("sample %d: %v", row.Sample, row.Cells)
					}
					if r.StepsTaken != nil && row.Cells[1].Value != float64(r.StepsTaken[row.Sample]) {
						t.Errorf("sample %d took %v steps, want %d", row.Sample, row.Cells[1], r.StepsTaken[row.Sample])
					}
				}
				q.Known = page.Order
			}
		})
	}
}

func TestTextOfACellReadsBack(t *testing.T) {
	p := engine.NewPlanes([]ir.Plane{
		{Name: "i", Type: ir.I64, Role: ir.RoleState}, {Name: "u", Type: ir.U64, Role: ir.RoleState}, {Name: "f", Type: ir.F32, Role: ir.RoleState},
	}, 1)
	engine.View[int64](p, 0)[0] = math.MinInt64 + 1
	engine.View[uint64](p, 1)[0] = math.MaxUint64
	engine.View[float32](p, 2)[0] = 0.1
	for i, want := range []string{"-9223372036854775807", "18446744073709551615", "0.1"} {
		r := reader{plane: i}
		if got := r.text(p, 0, p.Float(i, 0)); got != want {
			t.Errorf("plane %d: %s, want %s", i, got, want)
		}
	}
}

func TestFiltersThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"x >":                             "the filter ends where a value or a number is expected",
		"x 3":                             `"3" stands where a comparison`,
		"y > 3":                           `the kernel has nothing called "y"; it has x, v`,
		"(live":                           "the filter ends where a closing bracket is expected",
		"live live":                       `"live" stands where and, or is expected`,
		"sample many":                     `"many" stands where a sample's number`,
		"label":                           "the filter ends where a part of the label is expected",
		"x > > 3":                         `">" stands where a value or a number`,
		"not":                             "the filter ends where",
		strings.Repeat("(", 100) + "live": "the brackets of the filter are too deep",
	} {
		if _, err := ParseFilter(text, []string{"x", "v"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
}

// Not, and, or bind in this order; brackets change it.
func TestFiltersBindAsInOtherLanguages(t *testing.T) {
	row := func(x float64, mask byte) *filterRow {
		return &filterRow{values: []float64{x}, mask: mask, finite: true, sample: 4, label: "1 Ceres"}
	}
	for _, c := range []struct {
		text string
		row  *filterRow
		want bool
	}{
		{"x > 1 or x < 0 and live", row(2, 1), true},
		{"(x > 1 or x < 0) and live", row(2, 1), false},
		{"not live or x = 2", row(2, 0), true},
		{"not (live or x = 2)", row(2, 1), false},
		{"!live && x != 2 || faulted", row(2, 2), true},
		{"x = x", row(math.NaN(), 0), false},
		{"x != x", row(math.NaN(), 0), true},
		{"nan", row(math.NaN(), 0), false},
		{"1 < x", row(2, 0), true},
		{"sample 4", row(0, 0), true},
		{"sample 5-9 or label ceres", row(0, 0), true},
		{`label "pallas"`, row(0, 0), false},
		{"finished", row(0, 2), true},
	} {
		f, err := ParseFilter(c.text, []string{"x"})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := f.root.holds(c.row); got != c.want {
			t.Errorf("%q of %+v is %t", c.text, *c.row, got)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{"", "x > 0.5 and not (live or sample 3-9)", "label \"a b\" || nan", "((((", "x<>1", "\"", "sample"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ParseFilter(text, []string{"x", "sample", "live"})
		if err == nil && filter.root != nil {
			filter.root.holds(&filterRow{values: make([]float64, len(filter.names))})
		}
	})
}

func TestColumnsThatCannotBeHad(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 10, Seed: 3}, LoadKernel{"oscillator"})
	for want, q := range map[string]ColumnsQuery{
		`nothing called "zz"`:           {Names: []string{"zz"}},
		"a page has at most 1,000 rows": {Rows: 2000},
		"stands where":                  {Filter: "x x"},
		`nothing called "sort"`:         {Sort: "sort"},
	} {
		if _, err := s.Look(context.Background(), q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", q, err, want)
		}
	}
}

func BenchmarkColumns(b *testing.B) {
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("n=1e6/known=%t", known), func(b *testing.B) {
			s := onHost(b, Options{}, SetBatch{N: 1_000_000, Seed: 3}, LoadKernel{"oscillator"})
			q := ColumnsQuery{Sort: "x", Focus: "x", Bins: 60, Rows: 50, From: 500_000}
			first := columns(b, s, q)
			for b.Loop() {
				if known {
					q.Known = first.Order
				}
				columns(b, s, q)
			}
		})
	}
}
