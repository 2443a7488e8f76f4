package tui

import (
	"context"
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// labPane is a batch that is only thought of: its stops are of a chosen shape, or those of the run, and what
// the policy would decide and pay, and what the order of the samples does, is counted at once. Up and down
// choose a parameter, left and right change it.
type labPane struct {
	set    bool // the figures of the batch have been taken
	want   labBatch
	row    int // of labKnobs: the chosen one
	first  int // in the first line
	answer *labAnswer
	why    string
}

// labBatch is all that the lab's answer depends on.
type labBatch struct {
	real     bool // the stops are those of the run
	shape    counting.Shaping
	policy   engine.Policy
	r        float64
	stepsMax uint32
	cap      uint32
	active   bool
	theta    float64 // 0: no reorder
}

// labAnswer is what was counted, made beside the screen.
type labAnswer struct {
	of      labBatch
	n       int
	weighed *counting.Weighed
	plot    pyramid
	orders  [counting.Arrangements]counting.Order
	longest uint32
}

// begin takes the figures of the batch that is loaded, once.
func (p *labPane) begin(s *scene) {
	if p.set {
		return
	}
	n, limit, stepsMax, active := 10_000, uint32(10_000), uint32(64), true
	r, _ := rOf(s)
	if k := s.state.Kernel; k != nil {
		p.set = true
		n, limit = min(max(s.state.N, 1), labMostSamples), uint32(max(s.state.MaxSteps, 1))
		active = k.IR.Guard == ir.GuardActiveSet
		if k.IR.StepsMax > 0 {
			stepsMax = uint32(k.IR.StepsMax)
		}
	}
	p.want = labBatch{
		shape:  counting.Shaping{Shape: counting.Spread, N: n, Shortest: max(limit/100, 1), Longest: max(limit*6/10, 1), Share: 0.01, Seed: 1},
		policy: engine.PolicyBand, r: r, stepsMax: stepsMax, cap: limit, active: active, theta: engine.ThetaDefault,
	}
}

// keys are those that hold while the lab is shown.
func (p *labPane) keys() []binding {
	return []binding{{
		name: "lab-batch", keys: []string{"i"}, title: says("lab: the figures of the batch that is loaded"), brief: says("as the batch"),
		off: func(m *model) string {
			if m.state.Kernel == nil {
				return "no kernel is loaded"
			}
			return ""
		},
		do: func(m *model) tea.Cmd {
			p.set = false
			p.begin(&m.scene)
			return nil
		},
	}}
}

// labMostSamples bounds a batch that is thought of: what a million costs is counted in a blink.
const labMostSamples = 1_000_000

// rule is the batch's rule.
func (b *labBatch) rule() counting.Rule {
	return counting.Rule{Policy: b.policy, R: b.r, StepsMax: b.stepsMax, Cap: b.cap, Active: b.active}
}

func (p *labPane) countsStops(*scene) bool { return p.want.real }

// wants asks for the count of what the parameters say.
func (p *labPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	p.begin(s)
	b := p.want
	key := fmt.Sprintf("%+v", b)
	var real *runStops
	if b.real {
		if real = s.currentStops(); real == nil {
			return "", nil
		}
		key += "/" + real.base
	}
	return key, func(ctx context.Context, _ Session) (any, error) {
		if real != nil {
			return b.count(ctx, real.at)
		}
		return b.count(ctx, b.shape.Stops())
	}
}

// count is the whole of an answer.
func (b *labBatch) count(ctx context.Context, stops []uint32) (*labAnswer, error) {
	a := &labAnswer{of: *b, n: len(stops)}
	rule := b.rule()
	profile := counting.NewProfile(stops)
	a.longest = profile.Longest(b.cap)
	w, err := counting.Weigh(profile, rule)
	if err != nil {
		return nil, err
	}
	a.weighed = w
	if _, err := counting.Count(profile, rule, func(l counting.Launch) {
		a.plot.add(bucket{
			launches: int(l.Times), done: l.Done, live: l.Live - l.Newly, word: only(float64(l.Word)), h: only(l.H), kStar: only(l.KStar),
		})
	}); err != nil {
		return nil, err
	}
	for order := range counting.Arrangements {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a.orders[order], err = counting.OrderOf(counting.Arrange(stops, order, b.shape.Seed), rule, b.theta); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (p *labPane) answered(_ string, answer any, err error) {
	switch a, ok := answer.(*labAnswer); {
	case err != nil:
		p.why = firstLine(err.Error())
	case ok:
		p.answer, p.why = a, ""
	}
}

// knob is one parameter: its name, its value in words, whether it counts now, and how it changes.
type knob struct {
	name  string
	value func(b *labBatch) string
	used  func(b *labBatch) bool
	turn  func(b *labBatch, by int)
}

func always(*labBatch) bool { return true }

// shaped is for parameters of stops that are thought of.
func shaped(b *labBatch) bool { return !b.real }

var labKnobs = []knob{
	{"stops", func(b *labBatch) string {
		if b.real {
			return "of this run"
		}
		return "thought of"
	}, always, func(b *labBatch, _ int) { b.real = !b.real }},
	{
		"shape", func(b *labBatch) string { return b.shape.Shape.String() }, shaped,
		func(b *labBatch, by int) {
			b.shape.Shape = counting.Shape((int(b.shape.Shape) + by + int(counting.Shapes)) % int(counting.Shapes))
		},
	},
	{
		"samples", func(b *labBatch) string { return engine.Grouped(b.shape.N) }, shaped,
		func(b *labBatch, by int) { b.shape.N = int(nice(float64(b.shape.N), by, 1, labMostSamples)) },
	},
	{
		"shortest", func(b *labBatch) string { return counted(b.shape.Shortest, "step", "steps") },
		func(b *labBatch) bool { uses, _ := b.shape.Shape.Uses(); return !b.real && uses },
		func(b *labBatch, by int) {
			b.shape.Shortest = uint32(nice(float64(b.shape.Shortest), by, 1, labMostSteps))
			b.shape.Longest = max(b.shape.Longest, b.shape.Shortest)
		},
	},
	{
		"longest", func(b *labBatch) string { return counted(b.shape.Longest, "step", "steps") }, shaped,
		func(b *labBatch, by int) {
			b.shape.Longest = uint32(nice(float64(b.shape.Longest), by, 1, labMostSteps))
			b.shape.Shortest = min(b.shape.Shortest, b.shape.Longest)
		},
	},
	{
		"share", func(b *labBatch) string { return figure(100*b.shape.Share) + " %" },
		func(b *labBatch) bool { _, uses := b.shape.Shape.Uses(); return !b.real && uses },
		func(b *labBatch, by int) { b.shape.Share = nice(b.shape.Share, by, 0.0001, 1) },
	},
	{
		"max_steps", func(b *labBatch) string { return engine.Grouped(b.cap) }, always,
		func(b *labBatch, by int) { b.cap = uint32(nice(float64(b.cap), by, 1, labMostSteps)) },
	},
	{
		"policy", func(b *labBatch) string { return b.policy.String() }, always,
		func(b *labBatch, by int) {
			if b.policy = engine.PolicyDoubling + engine.PolicyBand - b.policy; b.policy != engine.PolicyDoubling {
				b.policy = engine.PolicyBand
			}
		},
	},
	{
		"R", func(b *labBatch) string { return figure(b.r) + " steps" }, func(b *labBatch) bool { return b.active },
		func(b *labBatch, by int) {
			b.r = math.Exp2(min(max(math.Round(math.Log2(b.r))+float64(by), -10), 10))
		},
	},
	{
		"steps_max", func(b *labBatch) string { return fmt.Sprint(b.stepsMax) }, always,
		func(b *labBatch, by int) {
			b.stepsMax = uint32(min(max(math.Exp2(math.Round(math.Log2(float64(b.stepsMax)))+float64(by)), 1), 1024))
		},
	},
	{"active set", func(b *labBatch) string { return map[bool]string{true: "yes", false: "no"}[b.active] }, always, func(b *labBatch, _ int) { b.active = !b.active }},
	{"reorder", func(b *labBatch) string {
		if b.theta == 0 {
			return "no"
		}
		return fmt.Sprintf("theta %.2f", b.theta)
	}, func(b *labBatch) bool { return b.active }, func(b *labBatch, by int) { b.theta = nextTheta(b.theta, by) }},
	{"seed", func(b *labBatch) string { return fmt.Sprint(b.shape.Seed) }, shaped, func(b *labBatch, by int) { b.shape.Seed = uint64(max(int64(b.shape.Seed)+int64(by), 0)) }},
}

// labMostSteps bounds the steps of a batch that is thought of.
const labMostSteps = 1_000_000

// nextTheta goes through no reorder and the thetas that a run takes.
func nextTheta(theta float64, by int) float64 {
	const least, most, step = 0.25, 0.75, 0.05
	switch {
	case theta == 0 && by > 0:
		return least
	case theta == 0, by > 0 && theta > most-step/2:
		return theta
	case by < 0 && theta < least+step/2:
		return 0
	}
	return math.Round((theta+step*float64(by))/step) * step
}

// nice is the neighbour of v in 1, 2, 5, 10, ... times a power of ten, within least..most.
func nice(v float64, by int, least, most float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v*(1+1e-9))))
	series := []float64{0.5, 1, 2, 5, 10}
	if by > 0 {
		for _, m := range series {
			if m*p > v*(1+1e-9) {
				return min(m*p, most)
			}
		}
		return most
	}
	for i := len(series) - 1; i >= 0; i-- {
		if series[i]*p < v*(1-1e-9) {
			return max(series[i]*p, least)
		}
	}
	return least
}

// scroll chooses a parameter.
func (p *labPane) scroll(by int) { p.row = min(max(p.row+by, 0), len(labKnobs)-1) }
func (p *labPane) page() int     { return len(labKnobs) }

// slide changes the parameter that is chosen.
func (p *labPane) slide(s *scene, by int) {
	p.begin(s)
	labKnobs[p.row].turn(&p.want, by)
}

func (p *labPane) title(s *scene) string {
	p.begin(s)
	a := p.answer
	if a == nil {
		return "Lab: a batch that is only thought of"
	}
	text := fmt.Sprintf("Lab: %s, %s", counted(a.n, "sample", "samples"), a.of.inWords())
	if a.weighed.Rule.Active {
		text += fmt.Sprintf(": the %s costs %s the oracle", a.of.policy, factor(a.weighed.Run.Against(&a.weighed.Oracle)))
	}
	return text
}

// inWords is where the stops come from.
func (b *labBatch) inWords() string {
	if b.real {
		return "stops of this run"
	}
	if b.shape.Shape == counting.Equal {
		return fmt.Sprintf("all at %s", counted(b.shape.Longest, "step", "steps"))
	}
	return fmt.Sprintf("%s %s..%s steps", b.shape.Shape, engine.Grouped(b.shape.Shortest), engine.Grouped(b.shape.Longest))
}

// explain is the paragraph about the batch that is thought of.
func (p *labPane) explain(s *scene) []string {
	a := p.answer
	if a == nil {
		return []string{"a batch that is only thought of: up and down choose a parameter, left and right change it"}
	}
	out := []string{a.decisions()}
	if !a.of.real {
		out = append(out, a.of.shape.Shape.Says())
	}
	out = append(out, a.weight()...)
	asIs, sorted := &a.orders[counting.AsIs], &a.orders[counting.Sorted]
	out = append(out, fmt.Sprintf("where 32 neighbours leave together, lanes are used to %s as the samples lie and to %s when they are sorted by their stops", percent(asIs.Fill()), percent(sorted.Fill())))
	if a.of.active && a.of.theta > 0 {
		out = append(out, fmt.Sprintf("with an active set %s of the slots of touched groups hold a live sample; a run that may reorder does so %s and touches %s fewer", percent(asIs.TouchedFill()), counted(asIs.Reorders, "time", "times"), factor(asIs.Gain())))
	}
	return out
}

// decisions are the launches in a clause.
func (a *labAnswer) decisions() string {
	run := &a.weighed.Run
	text := fmt.Sprintf("%s: %s", a.of.policy, counted(run.Launches, "launch", "launches"))
	if words := wordsInShort(run.ByWord); words != "" {
		text += ", " + words
	}
	return text + fmt.Sprintf("; %s", counted(run.Compactions, "compaction", "compactions"))
}

// weight is the cost against the best there is.
func (a *labAnswer) weight() []string {
	w := a.weighed
	run := &w.Run
	text := fmt.Sprintf("cost %s steps of the whole batch, %s lane-steps paid per useful one", stepsOf(run.Cost), figure(run.PaidPerUseful()))
	if !w.Rule.Active {
		return []string{text, "without an active set words make no difference, the order does"}
	}
	best := &w.Constants[w.Best]
	return []string{text, fmt.Sprintf("%s the oracle, %s the best constant (%d)", factor(run.Against(&w.Oracle)), factor(run.Against(&best.Run)), best.K)}
}

// wordsInShort writes launches by word: "24x16 46x32".
func wordsInShort(by map[uint32]int) string {
	const most = 8
	words := sortedWords(by)
	parts := make([]string, 0, len(words))
	for i, w := range words {
		if i == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%sx%d", engine.Grouped(by[w]), w))
	}
	return strings.Join(parts, " ")
}

func percent(x float64) string { return share(int64(math.Round(1e6*x)), 1_000_000) }
