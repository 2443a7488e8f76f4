package engine

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBand(t *testing.T) {
	for _, c := range []struct {
		name           string
		newly, n, word uint32
		r              float64
		stepsMax       uint32
		want           uint32
	}{
		{"nobody finished: the longest launch", 0, 10000, 16, 0.25, 64, 64},
		{"nobody finished in a batch of nobody", 0, 0, 16, 0.25, 64, 64},
		{"the example of the package comment, k* = 37.5", 57, 10000, 16, 0.25, 64, 32},
		{"k* = sqrt(2)*8 exactly goes up: 2R/h = 128", 1, 64, 1, 1, 64, 16},
		{"just below it stays: R/h < 64", 1, 63, 1, 1, 64, 8},
		{"k* = sqrt(2)*16 exactly goes up", 1, 256, 1, 1, 64, 32},
		{"just below that stays", 1, 255, 1, 1, 64, 16},
		{"k* = sqrt(2)*32 exactly goes up", 1, 1024, 1, 1, 64, 64},
		{"just below that stays", 1, 1023, 1, 1, 64, 32},
		{"k* far beyond is held at steps_max", 1, 1 << 31, 64, 1024, 64, 64},
		{"everybody finished in one step: the shortest", 10000, 10000, 1, 0.25, 64, 8},
		{"a free compaction: the shortest", 1, 10000, 16, 0x1p-20, 64, 8},
		{"a dear compaction: the longest", 10000, 10000, 16, 0x1p20, 64, 64},
		{"steps_max 8 leaves no choice", 1, 10000, 16, 1, 8, 8},
		{"steps_max below 8 is the only word", 1, 10000, 16, 1, 4, 4},
		{"steps_max 1 too", 9999, 10000, 16, 0.001, 1, 1},
		{"a steps_max that is no power of two is the last choice", 1, 10000, 16, 1, 48, 48},
		{"and below it are powers of two", 57, 10000, 16, 0.25, 48, 32},
		{"a larger steps_max opens larger words, k* = 1131", 1, 10000, 64, 1, 4096, 1024},
		{"n*word beyond 32 bits", 1 << 20, 1 << 31, 1 << 20, 0.25, 64, 64},
		{"n*word at the end of 64 bits", math.MaxUint32, math.MaxUint32, math.MaxUint32, 0x1p-26, 64, 8},
		{"steps_max at the end of 32 bits does not loop for ever", 0, 10, 1, 1, math.MaxUint32, math.MaxUint32},
		{"nor with a finisher and an R without end", 1, math.MaxUint32, math.MaxUint32, math.MaxFloat64, math.MaxUint32, math.MaxUint32},
	} {
		if got := Band(c.newly, c.n, c.word, c.r, c.stepsMax); got != c.want {
			t.Errorf("%s: Band(%d, %d, %d, %g, %d) = %d, want %d", c.name, c.newly, c.n, c.word, c.r, c.stepsMax, got, c.want)
		}
	}
}

// TestBandIsTheNearestPower says the rule again with a logarithm, away from the ties where that rounds.
func TestBandIsTheNearestPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 1<<24).Draw(t, "n")
		newly := rapid.Uint32Range(1, n).Draw(t, "newly")
		word := rapid.Uint32Range(1, 64).Draw(t, "word")
		r := math.Exp2(float64(rapid.IntRange(-20, 20).Draw(t, "log2 R")))
		at := math.Log2(KStar(r, FinishShare(newly, n, word)))
		if math.Abs(at-math.Floor(at)-0.5) < 1e-9 {
			return
		}
		want := uint32(min(max(math.Exp2(math.Round(at)), autoKMin), 64))
		if got := Band(newly, n, word, r, 64); got != want {
			t.Fatalf("got %d, want %d: k* = %g", got, want, math.Exp2(at))
		}
	})
}

// TestBandCostsLeast compares the choice with every other power of two in the band by the cost it stands
// for; the nearest power on the logarithmic scale is the cheapest one.
func TestBandCostsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 1<<24).Draw(t, "n")
		newly := rapid.Uint32Range(1, n).Draw(t, "newly")
		r := math.Exp2(float64(rapid.IntRange(-20, 20).Draw(t, "log2 R")))
		h := FinishShare(newly, n, 16)
		cost := func(k uint32) float64 { return r/float64(k) + h*float64(k)/2 }
		got := Band(newly, n, 16, r, 64)
		for k := uint32(8); k <= 64; k *= 2 {
			if cost(k) < cost(got)*(1-1e-12) {
				t.Fatalf("%d costs %g, %d only %g", got, cost(got), k, cost(k))
			}
		}
	})
}

// TestFlipPoints: at each flip the other answer comes, and just before it does not. R is moved exactly; h
// by moving n, which is what h is made of.
func TestFlipPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 1<<24).Draw(t, "n")
		newly := rapid.Uint32Range(0, n).Draw(t, "newly")
		word := rapid.SampledFrom([]uint32{1, 8, 16, 64}).Draw(t, "word")
		stepsMax := rapid.SampledFrom([]uint32{4, 8, 48, 64, 256}).Draw(t, "steps_max")
		r := math.Exp2(float64(rapid.IntRange(-20, 20).Draw(t, "log2 R")))
		f := FlipPoints(newly, n, word, r, stepsMax)
		band := func(r float64) uint32 { return Band(newly, n, word, r, stepsMax) }
		if f.K != band(r) {
			t.Fatalf("K = %d, the band says %d", f.K, band(r))
		}
		const near = 1e-9 // relative: h is rounded, R*n*word in Band as well
		if f.Up != 0 && newly > 0 {
			if got := band(f.UpR * (1 + near)); got < f.Up {
				t.Fatalf("R = %g gives %d, want %d", f.UpR, got, f.Up)
			}
			if got := band(f.UpR * (1 - near)); got > f.K {
				t.Fatalf("just below R = %g gives %d, want at most %d", f.UpR, got, f.K)
			}
			if h := FinishShare(newly, n, word); h < f.UpH*(1-near) {
				t.Fatalf("h = %g is below UpH = %g, but the answer is %d", h, f.UpH, f.K)
			}
		}
		if f.Up == 0 && f.K != stepsMax {
			t.Fatalf("no way up from %d of %d", f.K, stepsMax)
		}
		if f.Down != 0 && newly > 0 {
			if got := band(f.DownR * (1 - near)); got > f.Down {
				t.Fatalf("just below R = %g gives %d, want %d", f.DownR, got, f.Down)
			}
			if got := band(f.DownR * (1 + near)); got < f.K {
				t.Fatalf("just above R = %g gives %d, want %d", f.DownR, got, f.K)
			}
			if h := FinishShare(newly, n, word); h > f.DownH*(1+near) {
				t.Fatalf("h = %g is above DownH = %g, but the answer is %d", h, f.DownH, f.K)
			}
		}
	})
}

func ExampleBand() {
	const newly, n, word, r = 57, 10_000, 16, 0.25
	h := FinishShare(newly, n, word)
	fmt.Printf("h = %.2g, k* = %.1f, k = %d\n", h, KStar(r, h), Band(newly, n, word, r, 64))
	f := FlipPoints(newly, n, word, r, 64)
	fmt.Printf("%d from R = %.3f or down to h = %.2g\n", f.Up, f.UpR, f.UpH)
	fmt.Printf("%d below R = %.3f or above h = %.2g\n", f.Down, f.DownR, f.DownH)
	// Output:
	// h = 0.00036, k* = 37.5, k = 32
	// 64 from R = 0.365 or down to h = 0.00024
	// 16 below R = 0.091 or above h = 0.00098
}
