package mathlib

import (
	"sync"
	"testing"
)

// Function is what the tests measured of a function for the documentation. Ulps is the largest error of the
// float64 function, Ulps32 of the float32 one; Whole says that the second is over all float32.
type Function struct {
	Ulps, Ulps32 float64
	Whole        bool
}

// Measured gives the functions that have a measured error, by name.
func Measured(t *testing.T) map[string]Function {
	found, _ := measuredOnce()
	found32 := measured32Once(t)
	out := make(map[string]Function)
	for name, w := range found32 {
		out[name] = Function{Ulps: found[name].ulps, Ulps32: w.ulps, Whole: *exhaustive}
	}
	for name, w := range found {
		if _, ok := out[name]; !ok {
			t.Errorf("%s has no float32 function with a measured error", name)
			out[name] = Function{Ulps: w.ulps}
		}
	}
	for _, c := range accuracy32two {
		f := out[c.name]
		f.Whole = false
		out[c.name] = f
	}
	return out
}

// Samples is the flag -samples.
func Samples() int { return *samples }

// What TestAccuracy, TestAccuracy32 and TestDocs share, measured by the first of them.
var measuredOnce = sync.OnceValues(func() (map[string]worst, map[string]int) { return measure(*samples) })

var measured32 map[string]worst

func measured32Once(t *testing.T) map[string]worst {
	if measured32 == nil {
		measured32 = measure32(t, *exhaustive)
	}
	return measured32
}
