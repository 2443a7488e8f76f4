package counting

import (
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
)

// everyConstant is up to where each whole number is tried as a constant word; beyond, powers of two.
const everyConstant = 64

// Constant is a run whose launches all take K steps, the last cut by the cap.
type Constant struct {
	K uint32
	Run
}

// Constants counts every constant word from 1 to the rule's most steps per launch (beyond 64 the powers of
// two, and the most itself), with a compaction offered behind every launch, whatever the rule's policy.
func Constants(p *Profile, r Rule) ([]Constant, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	var out []Constant
	longest := r.longest()
	for k := uint32(1); k <= longest; {
		c := Constant{K: k}
		var err error
		if c.Run, err = Count(p, r.constant(k), nil); err != nil {
			return nil, err
		}
		out = append(out, c)
		switch {
		case k < everyConstant:
			k++
		case k < longest:
			k = uint32(min(2*uint64(k), uint64(longest)))
		default:
			return out, nil
		}
	}
	return out, nil
}

// constant is the rule with a word of k: tiled with k as the most steps is just that, with the last launch cut.
func (r *Rule) constant(k uint32) Rule {
	c := *r
	c.Resident = r.resident()
	c.Active = r.frees()
	c.Policy, c.StepsMax = engine.PolicyTiled, k
	return c
}

// Best is the index of the cheapest constant, of equal ones the longest; -1 for none.
func Best(of []Constant) int {
	best := -1
	for i := range of {
		if best < 0 || of[i].Cost <= of[best].Cost {
			best = i
		}
	}
	return best
}

// Oracle is the cheapest run there is whose launches take at most as many steps as the rule may ask for, for
// somebody who knows every stop: the exact minimum, by dynamic programming. each, if not nil, is called with
// its launches in order.
//
// Only boundaries at a stop need to be looked at, and there only the compactions: a boundary between two
// stops frees nobody, so it is worth no R, and moving one that does free somebody back to the last stop
// before it frees the same samples earlier. From stop i on, the next compaction may lie at any stop j which a
// launch reaches that begins before stop i+1:
//
//	f(i) = min over j > i, at[j] - (at[i+1]-1) <= longest, of (at[j]-at[i])*live(i)/n + R + f(j)
//
// which is at most longest terms for each stop. Where no boundary frees a lane every sequence costs the same.
func Oracle(p *Profile, r Rule, each func(Launch)) (Run, error) {
	if err := r.Check(); err != nil {
		return Run{}, err
	}
	if !r.frees() {
		return Count(p, r.constant(r.longest()), each)
	}
	o := newOracle(p, &r)
	o.solve()
	return o.tell(each), nil
}

// oracle is the table of the dynamic program. State 0 is the start of the run, state i the boundary at the
// i-th stop after it.
type oracle struct {
	p       *Profile
	r       *Rule
	at      []uint32 // at[0] = 0
	live    []uint32
	cost    []float64 // from here to the end
	next    []int32   // state of the next compaction, 0: none follows
	longest uint32
	marked  bool // samples were finished before the run: the first boundary compacts in any case
	direct  int32
}

func newOracle(p *Profile, r *Rule) *oracle {
	from, to := p.samples.index(0), p.samples.index(r.Cap)
	m := to - from + 1
	o := &oracle{p: p, r: r, at: make([]uint32, m), live: make([]uint32, m), cost: make([]float64, m), next: make([]int32, m), longest: r.longest(), marked: from > 0}
	for i := range m {
		if i > 0 {
			o.at[i] = p.samples.at[from+i-1]
		}
		o.live[i] = uint32(p.n) - uint32(p.samples.gone(from+i))
	}
	return o
}

// solve fills the table from its end.
func (o *oracle) solve() {
	m, n := len(o.at), float64(max(o.p.n, 1))
	last := m - 1
	o.cost[last] = float64(o.r.Cap-o.at[last]) * float64(o.live[last]) / n
	for i := last - 1; i >= 0; i-- {
		o.cost[i] = math.Inf(1)
		perStep := float64(o.live[i]) / n
		reach := uint64(o.at[i+1]) - 1 + uint64(o.longest)
		for j := i + 1; j < m && uint64(o.at[j]) <= reach; j++ {
			c := float64(o.at[j]-o.at[i])*perStep + o.r.R + o.cost[j]
			if c < o.cost[i] {
				o.cost[i], o.next[i] = c, int32(j)
			}
		}
	}
	if !o.marked || o.live[0] == 0 {
		return
	}
	// The first boundary costs R wherever it lies: either one launch reaches the first compaction that frees
	// somebody, or R is paid for nothing.
	best := o.cost[0] + o.r.R
	for j := 1; j < m && o.at[j] <= o.longest; j++ {
		if c := float64(o.at[j])*float64(o.live[0])/n + o.r.R + o.cost[j]; c <= best {
			best, o.direct = c, int32(j)
		}
	}
}

// tell goes through the table and counts the run.
func (o *oracle) tell(each func(Launch)) Run {
	run := Run{ByWord: map[uint32]int{}}
	done := uint32(0)
	launch := func(i int, word, times uint32, newly uint32, compacted bool) {
		if times == 0 || word == 0 {
			return
		}
		done += word * times
		run.Launches += int(times)
		run.ByWord[word] += int(times)
		run.Paid += uint64(word) * uint64(times) * uint64(o.live[i])
		if compacted {
			run.Compactions++
		}
		if each != nil {
			h := engine.FinishShare(newly, uint32(o.p.n), word)
			each(Launch{Word: word, Times: times, Live: o.live[i], Lanes: o.live[i], Newly: newly, Done: done, Compacted: compacted, H: h, KStar: engine.KStar(o.r.R, h)})
		}
	}
	free := func(i int, to uint32) { // launches in which nobody finishes
		steps := to - done
		if o.marked && i == 0 && done == 0 && steps > 0 {
			word := min(steps, o.longest)
			launch(0, word, 1, 0, true)
			steps -= word
		}
		launch(i, o.longest, steps/o.longest, 0, false)
		launch(i, steps%o.longest, 1, 0, false)
	}
	i := 0
	for i < len(o.at)-1 {
		j := int(o.next[i])
		if i == 0 && o.direct > 0 {
			j = int(o.direct)
		} else {
			if first := max(o.at[j], o.longest) - o.longest; first > done {
				free(i, first)
			}
		}
		launch(i, o.at[j]-done, 1, o.live[i]-o.live[j], true)
		i = j
	}
	if o.live[i] > 0 {
		free(i, o.r.Cap)
	}
	run.Steps, run.Finished = done, uint32(o.p.n)-o.live[i]
	run.Useful = o.p.Useful(done)
	run.settle(o.p, o.r.R)
	return run
}

// Weighed is a run beside what else could have been.
type Weighed struct {
	Rule      Rule
	Run       Run
	Constants []Constant
	Best      int // of Constants
	Oracle    Run
}

// Weigh counts a rule, every constant, and the oracle.
func Weigh(p *Profile, r Rule) (*Weighed, error) {
	w := &Weighed{Rule: r}
	var err error
	if w.Run, err = Count(p, r, nil); err != nil {
		return nil, err
	}
	if w.Constants, err = Constants(p, r); err != nil {
		return nil, err
	}
	w.Best = Best(w.Constants)
	w.Oracle, err = Oracle(p, r, nil)
	return w, err
}

// Against is cost over another cost, 1 where nothing is to be done at all.
func (r *Run) Against(best *Run) float64 {
	if best.Cost == 0 {
		if r.Cost == 0 {
			return 1
		}
		return math.Inf(1)
	}
	return r.Cost / best.Cost
}
