package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// outcome is one run of an arm, timed and checked.
type outcome struct {
	wall        time.Duration
	cpu         time.Duration // of all threads; 0: not known
	useful      float64       // sample-steps
	stepsDiffer int           // samples with another number of steps than they should have, or unfinished
	bitsDiffer  int           // samples that differ from the reference; -1: not compared
	note        string        // eaglet: the entry that was taken, and its chunk
}

// arm is one way to run a cell. turn restores the initial state, runs once, and times the run alone.
type arm struct {
	name string
	warm int // turns before any counts, at least 1
	turn func() (outcome, error)
}

// result is what the turns of an arm came to.
type result struct {
	arm   string
	walls []time.Duration // by round; 0: left out of it
	cpus  []time.Duration // likewise
	last  outcome
}

// report is a measured cell.
type report struct {
	cell    cell
	fma     string
	results []*result
}

const (
	leastRounds = 3
	// An arm this much slower than the fastest of its kind takes no part after the first rounds.
	hopeless       = 1.6
	hopelessRounds = 2
)

// measure lets the arms take turns, in an order that rotates, until the rounds or the time are used up. So a spell
// in which the machine is busy falls on all of them.
func measure(c *config, cl cell, fma string, arms []arm) (*report, error) {
	r := &report{cell: cl, fma: fma}
	for i := range arms {
		a := &arms[i]
		res := &result{arm: a.name}
		for range max(a.warm, 1) {
			o, err := a.turn()
			if err != nil {
				return nil, err
			}
			res.last = o
			if o.wall > time.Second {
				break // a second warm-up would show nothing new
			}
		}
		r.results = append(r.results, res)
	}
	out := make([]bool, len(arms))
	start := time.Now()
	for round := range c.rounds {
		if round >= leastRounds && time.Since(start) > c.budget {
			break
		}
		for j := range arms {
			i := (j + round) % len(arms)
			res := r.results[i]
			if out[i] {
				res.walls, res.cpus = append(res.walls, 0), append(res.cpus, 0)
				continue
			}
			o, err := arms[i].turn()
			if err != nil {
				return nil, err
			}
			if o.stepsDiffer != 0 {
				return nil, fmt.Errorf("%s, fma=%s, %s: %d samples took other steps than they should", cl, fma, res.arm, o.stepsDiffer)
			}
			res.walls, res.cpus = append(res.walls, o.wall), append(res.cpus, o.cpu)
			res.last = o
		}
		if round+1 == hopelessRounds {
			best := r.best(isPeer)
			for i, res := range r.results {
				out[i] = isPeer(res.arm) && best != nil && float64(res.least()) > hopeless*float64(best.least())
			}
		}
	}
	return r, nil
}

func isPeer(arm string) bool   { return strings.HasPrefix(arm, "c-") }
func isEaglet(arm string) bool { return strings.HasPrefix(arm, "eaglet") }

// best is the arm with the smallest median of those that match, among those that took every turn.
func (r *report) best(match func(string) bool) *result {
	var best *result
	for _, res := range r.results {
		if match(res.arm) && !slices.Contains(res.walls, 0) && (best == nil || res.median() < best.median()) {
			best = res
		}
	}
	return best
}

func (r *report) named(arm string) *result {
	for _, res := range r.results {
		if res.arm == arm {
			return res
		}
	}
	return nil
}

// turns are the walls of the rounds in which the arm took part, ascending.
func (r *result) turns() []time.Duration {
	w := slices.DeleteFunc(slices.Clone(r.walls), func(d time.Duration) bool { return d == 0 })
	slices.Sort(w)
	return w
}

func (r *result) median() time.Duration {
	w := r.turns()
	return w[len(w)/2]
}

func (r *result) least() time.Duration { return r.turns()[0] }

// ratio compares two arms.
type ratio struct {
	median    float64 // of the rounds' own ratios
	low, high float64 // their quartiles
	least     float64 // of the fastest turns: what the machine allowed each at its quietest
	cpu       float64 // median, of processor time; 0: not known. Other processes on the machine do not count in it
}

// over is how much longer r took than other, round by round.
func (r *result) over(other *result) ratio {
	q := quotients(r.walls, other.walls)
	x := ratio{median: q[len(q)/2], low: q[len(q)/4], high: q[len(q)*3/4], least: float64(r.least()) / float64(other.least())}
	if c := quotients(r.cpus, other.cpus); len(c) > 0 {
		x.cpu = c[len(c)/2]
	}
	return x
}

// quotients are a over b where both are known, ascending.
func quotients(a, b []time.Duration) []float64 {
	var q []float64
	for i := range min(len(a), len(b)) {
		if a[i] > 0 && b[i] > 0 {
			q = append(q, float64(a[i])/float64(b[i]))
		}
	}
	slices.Sort(q)
	return q
}
