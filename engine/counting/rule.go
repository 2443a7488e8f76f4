package counting

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Rule is how a run chooses its words, and the figures that it needs for it.
type Rule struct {
	Policy   engine.Policy // band, doubling, tiled or fixed: those that decide by counters
	R        float64       // cost of a compaction in steps of a full-live launch
	K        uint32        // fixed: steps per launch
	Every    uint32        // fixed, with an active set: steps between compactions; 0: K*ceil(16/K)
	StepsMax uint32        // of the kernel: the most steps of a launch; of no use to fixed
	Cap      uint32        // max_steps of the run
	Active   bool          // the kernel compacts
	Resident bool          // the batch fits one wave of the device: the band leaves compaction out
}

// Check says what cannot be counted, and why.
func (r *Rule) Check() error {
	switch {
	case r.Policy == engine.PolicyMeasured || r.Policy == engine.PolicyAuto:
		return fmt.Errorf("counting: policy %s decides by the clock, which stops cannot tell; count band, doubling, tiled or a fixed number of steps instead", r.Policy)
	case r.Policy > engine.PolicyFixed:
		return fmt.Errorf("counting: no such policy: %d", r.Policy)
	case r.Policy == engine.PolicyFixed && r.K == 0:
		return fmt.Errorf("counting: a launch of fixed steps takes 1 or more, not 0")
	case r.Policy == engine.PolicyFixed && r.Every%r.K != 0:
		return fmt.Errorf("counting: %d steps between compactions are not a multiple of %d steps per launch", r.Every, r.K)
	case r.Policy != engine.PolicyFixed && r.StepsMax == 0:
		return fmt.Errorf("counting: steps_max is 1 or more, not 0")
	case r.Cap == 0:
		return fmt.Errorf("counting: max_steps is 1 or more, not 0")
	case r.frees() && !(r.R >= 0):
		return fmt.Errorf("counting: R is a number of steps, 0 or more, not %v", r.R)
	}
	return nil
}

// frees says whether a boundary hands lanes back.
func (r *Rule) frees() bool { return r.Active && !r.resident() }

func (r *Rule) resident() bool { return r.Resident && r.Policy == engine.PolicyBand }

// everyDefault is that of engine: fixed-K kernels compact about every 16 steps.
const everyDefault = 16

// perTurn is how many launches are made between two looks at who is finished.
func (r *Rule) perTurn() uint32 {
	switch {
	case r.Policy != engine.PolicyFixed || !r.Active:
		return 1
	case r.Every == 0:
		return (everyDefault + r.K - 1) / r.K
	}
	return r.Every / r.K
}

// longest is the most steps between two compactions that the rule could ask for: what the oracle may use too.
func (r *Rule) longest() uint32 {
	if r.Policy == engine.PolicyFixed {
		return max(r.StepsMax, r.K*r.perTurn())
	}
	return r.StepsMax
}

// chooser is a rule at work.
type chooser struct {
	*Rule
	n    uint32
	word uint32
}

func (r *Rule) chooser(n uint32) chooser {
	c := chooser{Rule: r, n: n}
	switch r.Policy {
	case engine.PolicyFixed:
		c.word = r.K
	case engine.PolicyTiled:
		c.word = r.StepsMax
	default:
		c.word = min(engine.AutoK0, r.StepsMax)
		if r.resident() {
			c.word = r.StepsMax
		}
	}
	return c
}

// decide chooses the next word after a launch of word steps, in which newly finished and after which live
// are left.
func (c *chooser) decide(newly, word, live uint32) {
	switch c.Policy {
	case engine.PolicyDoubling:
		c.word = engine.Doubling(newly, live, c.word, c.StepsMax)
	case engine.PolicyBand:
		if !c.resident() {
			c.word = engine.Band(newly, c.n, word, c.R, c.StepsMax)
		}
	}
}

// settled says whether the word stays as it is while nobody finishes.
func (c *chooser) settled() bool {
	return c.Policy == engine.PolicyFixed || c.word == c.StepsMax
}
