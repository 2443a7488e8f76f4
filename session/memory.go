package session

import (
	"bufio"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Bytes per sample beside the planes: the mask, steps_taken and the active map.
const trackBytes = 1 + 4 + 4

// labelBytes is what a label takes, header and a short name.
const labelBytes = 40

// memory says how much a batch may take.
type memory struct {
	limit   int64  // Options.MemoryBytes; 0: what the system says
	meminfo string // "/proc/meminfo"
}

// free is the memory that a batch may take, in bytes; no limit is known where there is no /proc/meminfo.
func (m *memory) free() int64 {
	if m.limit > 0 {
		return m.limit
	}
	if free, ok := available(m.meminfo); ok {
		return free
	}
	return math.MaxInt64
}

// available reads MemAvailable of /proc/meminfo: what can be had without swapping (man 5 proc).
func available(file string) (int64, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		text, ok := strings.CutPrefix(s.Text(), "MemAvailable:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
		return kib << 10, err == nil && kib >= 0
	}
	return 0, false
}

// plan decides before anything is allocated: keep says whether a copy of the start is kept for Rewind,
// which it is unless it is larger than a quarter of the free memory or does not fit beside the rest.
// mapped are the planes whose columns must be kept as they came, labels says that there are some.
func (m *memory) plan(spec []ir.Plane, n int, mapped []int, labels bool) (keep bool, err error) {
	planes := engine.PlanesBytes(spec, n)
	need := planes + int64(n)*trackBytes
	for _, i := range mapped {
		need += engine.PlanesBytes(spec[i:i+1], n)
	}
	if labels {
		need += int64(n) * labelBytes
	}
	free := m.free()
	if need > free && m.limit == 0 {
		debug.FreeOSMemory() // what batches before this one took may not be given back yet
		free = m.free()
	}
	if need > free {
		return false, &MemoryError{N: n, NeedBytes: need, FreeBytes: free}
	}
	return planes <= free/4 && planes <= free-need, nil
}
