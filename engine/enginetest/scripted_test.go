package enginetest_test

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestCountKernelVerifies(t *testing.T) {
	for name, k := range map[string]*ir.Kernel{
		"as it is":       enginetest.CountKernel(),
		"without finish": enginetest.CountKernel(enginetest.WithoutFinish),
		"fixed K":        enginetest.CountKernel(enginetest.WithMask, enginetest.WithSteps(4)),
	} {
		if err := ir.Verify(k); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStopsInTheMiddleOfASample stops at sample-steps drawn by chance, so that a launch or pass leaves one
// sample in the middle of its steps, and others before theirs.
func TestStopsInTheMiddleOfASample(t *testing.T) {
	for _, passes := range []bool{false, true} {
		script := enginetest.Script{Passes: passes, Reorders: true, Lanes: 5}
		cut := func(_ engine.Engine, cuts []float64, stop *engine.Stop) engine.Engine {
			at := uint64(0)
			script := script
			script.Poll = func(steps uint64) {
				if len(cuts) > 0 && steps >= at {
					at = steps + 1 + uint64(1000*max(cuts[0], 0))
					cuts = cuts[1:]
					stop.Set()
				}
			}
			return enginetest.NewScripted(script)
		}
		e := enginetest.NewScripted(script)
		if err := enginetest.PiecesExamples(e, enginetest.CountWorkload(), 300, cut); err != nil {
			t.Errorf("passes = %v: %v", passes, err)
		}
	}
}

func TestScriptedMeetsTheOracles(t *testing.T) {
	for name, script := range map[string]enginetest.Script{
		"launch by launch": {},
		"in passes":        {Passes: true},
		"with all offers":  {Passes: true, Reorders: true, Lanes: 7},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.RunWorkloads(t, func(*testing.T) engine.Engine { return enginetest.NewScripted(script) },
				enginetest.CountWorkload())
		})
	}
}
