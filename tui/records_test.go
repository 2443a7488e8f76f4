package tui

import (
	"math"
	"testing"
)

func TestRingKeepsTheLast(t *testing.T) {
	var r ring[int]
	const n = keptRecords + 1234
	for i := range n {
		*r.add(0) = i
	}
	if r.total != n || r.first() != n-keptRecords {
		t.Fatalf("total %d, first %d", r.total, r.first())
	}
	for i := r.first(); i < r.total; i++ {
		if *r.at(i) != i {
			t.Fatalf("item %d holds %d", i, *r.at(i))
		}
	}
	if r.has(r.first()-1) || r.has(r.total) || !r.has(r.total-1) {
		t.Error("has is wrong at an end")
	}
	if *r.last() != n-1 {
		t.Errorf("last is %d", *r.last())
	}
	r.reset()
	if r.total != 0 || r.last() != nil {
		t.Error("a reset ring is not empty")
	}
}

// word is any sequence that is neither constant nor periodic in a power of two.
func word(i int) float64 { return float64(8 + i*i%57) }

func TestPyramidIsTheWholeRun(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100, keptBuckets, keptBuckets + 1, 3*keptBuckets + 5, 100_003} {
		var p pyramid
		for i := range n {
			p.add(bucket{launches: 1, done: uint32(i + 1), word: only(word(i)), h: only(1), kStar: only(math.NaN())})
			p.amend(func(b *bucket) { b.kStar = only(word(i) / 2) }) // said after the launch, as a policy does
		}
		buckets, at := 0, 0
		p.each(func(b bucket) {
			buckets++
			want := bucket{kStar: only(math.NaN()), word: only(math.NaN())}
			for i := at; i < at+b.launches && i < n; i++ {
				want.word, want.kStar = want.word.join(only(word(i))), want.kStar.join(only(word(i)/2))
			}
			at += b.launches
			if b.done != uint32(at) {
				t.Fatalf("n %d: after %d launches done is %d", n, at, b.done)
			}
			if b.word != want.word || b.kStar != want.kStar {
				t.Fatalf("n %d, up to launch %d: got %v %v, want %v %v", n, at, b.word, b.kStar, want.word, want.kStar)
			}
		})
		if at != n {
			t.Errorf("n %d: the buckets hold %d launches", n, at)
		}
		if buckets > keptBuckets+64 {
			t.Errorf("n %d: %d buckets to draw", n, buckets)
		}
	}
}

func TestExtentsPassOverWhatIsNotKnown(t *testing.T) {
	unknown := only(math.NaN())
	if got := unknown.join(extent{1, 3, 2}); got != (extent{1, 3, 2}) {
		t.Errorf("unknown first: %v", got)
	}
	if got := (extent{1, 3, 2}).join(unknown); got != (extent{1, 3, 2}) {
		t.Errorf("unknown last: %v", got)
	}
	if got := (extent{1, 3, 2}).join(only(7)); got != (extent{1, 7, 7}) {
		t.Errorf("both known: %v", got)
	}
}
