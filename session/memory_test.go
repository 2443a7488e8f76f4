package session

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

func TestABatchThatDoesNotFit(t *testing.T) {
	// x f64, k, nstop, bad i32, and 9 bytes of mask, steps taken and map: 29 bytes a sample.
	s := start(t, enginetest.Script{}, Options{MemoryBytes: 29_000_000})
	do(t, s, SetBatch{N: 10}, LoadKernel{"count"})
	err := try(s, SetBatch{N: 1_000_001})
	m, ok := errors.AsType[*MemoryError](err)
	if !ok || *m != (MemoryError{N: 1_000_001, NeedBytes: 29_000_029, FreeBytes: 29_000_000}) {
		t.Fatalf("error %#v", err)
	}
	wantError(t, err, "a batch of 1,000,001 samples needs 29.0 MB of memory and 29.0 MB is free: take fewer samples, or run it in shards")
	if st := s.State(); st.N != 10 || st.Phase != Ready {
		t.Errorf("the batch before is gone: %+v", st)
	}
	do(t, s, SetBatch{N: 1_000_000})
	wantError(t, try(s, SetBatch{N: math.MaxInt32}),
		"a batch of 2,147,483,647 samples needs 62.3 GB of memory and 29.0 MB is free: take fewer samples, or run it in shards")
}

func TestPlan(t *testing.T) {
	spec := enginetest.CountKernel().Planes // 20 bytes a sample, 29 with what tracks them
	for name, tc := range map[string]struct {
		limit  int64
		mapped []int
		labels bool
		keep   bool
		fits   bool
	}{
		"a copy up to a quarter":                 {limit: 80_000, keep: true, fits: true},
		"no copy above a quarter":                {limit: 79_999, fits: true},
		"just the planes":                        {limit: 29_000, fits: true},
		"not even those":                         {limit: 28_999},
		"columns that must be kept count":        {limit: 36_999, mapped: []int{0}},
		"labels count":                           {limit: 68_999, labels: true},
		"labels and columns that fit":            {limit: 77_000, labels: true, mapped: []int{0}, fits: true},
		"a quarter, but not beside all the rest": {limit: 80_000, labels: true, fits: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory{limit: tc.limit}
			keep, err := m.plan(spec, 1000, tc.mapped, tc.labels)
			if keep != tc.keep || (err == nil) != tc.fits {
				t.Errorf("keep %v, %v", keep, err)
			}
		})
	}
}

func TestFreeMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meminfo")
	for text, want := range map[string]int64{
		"MemTotal:       24567890 kB\nMemFree:  1 kB\nMemAvailable:   12345678 kB\n": 12345678 << 10,
		"MemTotal:       24567890 kB\n":                                              math.MaxInt64,
		"MemAvailable:   lots\n":                                                     math.MaxInt64,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := memory{meminfo: file}
		if got := m.free(); got != want {
			t.Errorf("%q: %d free, want %d", text, got, want)
		}
	}
	if m := (memory{meminfo: file + " is not there"}); m.free() != math.MaxInt64 {
		t.Errorf("without a file: %d", m.free())
	}
	if m := (memory{meminfo: "/proc/meminfo"}); runtime.GOOS == "linux" && (m.free() < 1<<20 || m.free() > 1<<50) {
		t.Errorf("this machine: %d bytes free", m.free())
	}
}

func TestWordsForSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_951: "1.0 MB", 62_277_025_763: "62.3 GB", math.MaxInt64: "9.2 EB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if engine.Counted(1, "row") != "1 row" || engine.Counted(-1234567, "row") != "-1,234,567 rows" {
		t.Error(engine.Counted(1, "row"), engine.Counted(-1234567, "row"))
	}
}

func TestValuesOfEveryType(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, SetBatch{N: 2, Values: map[string]float64{"dt": 2, "w": math.NaN(), "on": 1, "u": 4294967295, "r": 0.1, "k": -2, "x": math.NaN()}}, LoadKernel{"typed"})
	p := results(t, s).Planes
	for name, want := range map[string]float64{"dt": 2, "on": 1, "u": 4294967295, "r": 0.1, "k": -2} {
		i := p.Index(name)
		for e := range p.Elements(i) {
			if got := p.Float(i, e); got != want {
				t.Errorf("%s[%d] = %v, want %v", name, e, got, want)
			}
		}
	}
	if got := math.Float32bits(engine.View[float32](p, p.Index("w"))[1]); got != 0x7FC00000 {
		t.Errorf("w = %08x, want the canonical NaN", got)
	}
	if got := math.Float64bits(engine.View[float64](p, 0)[1]); got != 0x7FF8000000000000 {
		t.Errorf("x = %016x, want the canonical NaN", got)
	}
}
