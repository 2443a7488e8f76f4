package host

import (
	"math"
	"time"
)

// Whether a call is worth more than one worker. Starting another one costs its waking, some microseconds
// until it runs; a call that is over by then is better made alone. How long a call takes nobody knows, since
// samples stop by themselves: the last call on the batch says what a step costs and how many a sample takes.

// cost is what the last call on a batch says about the next one.
type cost struct {
	perStep time.Duration // a worker's time for 1024 steps of a sample; 0: nothing is known
	mean    uint32        // most that a sample is thought to take, rounded up: what it took in a call that ran all to their end
}

// serialBelow is the time from which on a second worker is worth waking: about twice what it takes until a sleeping
// thread runs. BenchmarkTeamOfTwo shows where two become faster than one.
var serialBelow = 12 * time.Microsecond

// alone says whether a call of so many samples and at most so many steps of each is over before another
// worker would run.
func (c *cost) alone(samples int, steps uint32) bool {
	if c.perStep == 0 {
		return false
	}
	all := time.Duration(samples) * time.Duration(min(steps, c.mean))
	return all < 1<<32 && all*c.perStep/1024 < serialBelow
}

// learn takes in a call; whole says that all its samples have come to their own end in it.
func (c *cost) learn(wall time.Duration, workers, samples int, steps uint64, whole bool) {
	if steps == 0 || samples == 0 {
		return
	}
	c.perStep = max(1, time.Duration(float64(wall)*float64(workers)*1024/float64(steps)))
	c.mean = math.MaxUint32
	if whole {
		c.mean = uint32(min((steps+uint64(samples)-1)/uint64(samples), math.MaxUint32))
	}
}
