package tui

import (
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
)

// whyPane is the formula card: the policy's rule with the numbers of one launch filled in, and how far
// the decision was from being another one.
type whyPane struct{}

// reason is one line of the card: the letter of the formula and the sentence beside it.
type reason struct {
	name string
	text string
	look style
}

const reasonIndent = 6

func (whyPane) title(s *scene) string {
	r := s.selected()
	switch {
	case r == nil:
		return "Why: the first launch"
	case !r.hasPolicy:
		return "Why " + counted(r.launch.Word, "step", "steps") + " per launch"
	case r.policy.Next == 0 && r.after() == 0:
		return fmt.Sprintf("Why launch %s was the last: every sample is finished", engine.Grouped(r.launch.Number))
	case r.policy.Next == 0:
		return fmt.Sprintf("Why launch %s was the last: no steps are left", engine.Grouped(r.launch.Number))
	}
	return fmt.Sprintf("Why launch %s takes %s", engine.Grouped(r.launch.Number+1), counted(r.policy.Next, "step", "steps"))
}

func (whyPane) draw(c canvas, s *scene) {
	y := 0
	for _, r := range reasons(s) {
		c.text(1, y, strong, r.name)
		for _, line := range wrap(r.text, c.w-reasonIndent-1) {
			c.text(1+reasonIndent, y, r.look, line)
			y++
		}
		if y >= c.h {
			return
		}
	}
}

// reasons are the lines of the card.
func reasons(s *scene) []reason {
	r := s.selected()
	switch {
	case s.state.Kernel == nil:
		return []reason{{"", "nothing is loaded", quiet}}
	case r == nil:
		return beforeTheFirst(s)
	case !r.hasPolicy:
		return withoutDecision(s, r)
	case r.resident:
		return []reason{
			{"k", fmt.Sprintf("%d = steps_max: the batch fits one wave of the device, so ending a launch early frees nothing", r.policy.K), plain},
		}
	}
	return bandReasons(s, r)
}

// beforeTheFirst explains the launch that nothing is known for.
func beforeTheFirst(s *scene) []reason {
	k := s.state.Kernel.IR
	rs := []reason{{"word", firstWordInWords(s), plain}}
	if k.Finish == nil {
		return append(rs, reason{"", "the kernel declares no finish: n runs a number of steps", plain})
	}
	rs = append(rs, reason{"until", "a sample is finished when " + k.Finish.Text, plain})
	if k.Auto() && s.state.Policy == engine.PolicyBand {
		rs = append(rs,
			reason{"then", fmt.Sprintf("the band: k* = sqrt(2R/h), to a power of two in %d..%d", engine.AutoKMin, k.StepsMax), quiet},
			reason{"R", "what a compaction costs, in steps of the whole batch", quiet},
			reason{"h", "share of the batch that finishes per step: many, short launches", quiet})
	}
	return rs
}

// firstWordInWords says how many steps the first launch takes.
func firstWordInWords(s *scene) string {
	if s.state.Kernel == nil {
		return "no kernel"
	}
	k := s.state.Kernel.IR
	switch {
	case !k.Auto():
		return fmt.Sprintf("every launch takes %s: the kernel fixes it", counted(k.Steps, "step", "steps"))
	case s.state.Policy != engine.PolicyBand:
		return fmt.Sprintf("every launch takes %d steps, the last what is left; %s makes one pass", k.StepsMax, s.state.Policy)
	}
	return fmt.Sprintf("the first launch takes %d steps: nothing is known yet", min(engine.AutoK0, k.StepsMax, max(s.state.MaxSteps, 1)))
}

// withoutDecision explains launches whose words no formula chose.
func withoutDecision(s *scene, r *record) []reason {
	k := s.state.Kernel.IR
	h := engine.FinishShare(r.launch.Newly, s.n(), r.launch.Word)
	rs := []reason{{"h", fmt.Sprintf("%s of %s finished in launch %s: %s per step",
		engine.Grouped(r.launch.Newly), engine.Grouped(s.n()), engine.Grouped(r.launch.Number), figure(h)), plain}}
	switch {
	case !k.Auto():
		rs = append(rs, reason{"k", fmt.Sprintf("%d: the kernel's directive fixes it, whatever h is", k.Steps), plain})
	case r.flags&engine.FlagDerived != 0:
		rs = append(rs,
			reason{"k", fmt.Sprintf("%d = steps_max: the batch was run in one pass, sample by sample to its end", k.StepsMax), plain},
			reason{"", "these launches were rebuilt from the steps of each sample, they were not decided one by one", quiet},
			reason{"", "p switches to observe, where every launch is a decision", quiet})
	case r.flags&engine.FlagStepped != 0:
		rs = append(rs, reason{"k", "a key asked for this launch", plain})
	default:
		rs = append(rs, reason{"k", fmt.Sprintf("%d steps: policy %s gives every launch as many", r.launch.Word, s.feed.start.Policy), plain})
	}
	if r.flags&engine.FlagCut != 0 {
		rs = append(rs, reason{"cap", fmt.Sprintf("cut to %s by max_steps", counted(r.launch.Word, "step", "steps")), plain})
	}
	return rs
}

// bandReasons fills in the band's formula.
func bandReasons(s *scene, r *record) []reason {
	p := &r.policy
	rs := make([]reason, 0, 7)
	rs = append(rs, reason{"h", fmt.Sprintf("newly/(n*word) = %s/(%s*%d) = %s of the batch per step",
		engine.Grouped(p.Newly), engine.Grouped(p.N), p.Word, figure(p.H)), plain})
	if p.Newly == 0 {
		rs = append(rs,
			reason{"k*", "sqrt(2R/h) has no bound: nobody finished, so no lane would be freed", plain},
			reason{"k", fmt.Sprintf("%d = steps_max, the longest launch%s", p.K, capWords(s, r)), plain})
	} else {
		rs = append(rs,
			reason{"k*", fmt.Sprintf("sqrt(2R/h) = sqrt(2*%s/%s) = %s; R: cost of a compaction",
				figure(p.R), figure(p.H), figure(p.KStar)), plain},
			reason{"k", rounding(p) + capWords(s, r), plain})
	}
	f := engine.FlipPoints(p.Newly, p.N, p.Word, p.R, p.StepsMax)
	scale := float64(p.N) * float64(p.Word)
	if f.Up != 0 {
		rs = append(rs, reason{"up", fmt.Sprintf("%d if h <= %s (at most %s finish) or R >= %s",
			f.Up, apart(f.UpH, p.H), engine.Grouped(uint64(f.UpH*scale)), apart(f.UpR, p.R)), quiet})
	}
	if f.Down != 0 {
		text := fmt.Sprintf("%d if h > %s (%s or more finish)", f.Down, apart(f.DownH, p.H), engine.Grouped(uint64(f.DownH*scale)+1))
		if f.DownR > 0 {
			text += " or R < " + apart(f.DownR, p.R)
		}
		rs = append(rs, reason{"down", text, quiet})
	}
	if r.compacted {
		c := &r.compaction
		rs = append(rs, reason{"map", fmt.Sprintf("compacted to the live: %s slots, were %s, in %s",
			engine.Grouped(c.After), engine.Grouped(c.Before), elapsed(c.Wall)), quiet})
	}
	return rs
}

// rounding says how k* became k.
func rounding(p *engine.PolicyDecision) string {
	k := float64(p.K)
	switch {
	case p.KStar < engine.AutoKMin/math.Sqrt2:
		return fmt.Sprintf("%d, raised to the least of %d..%d", p.K, engine.AutoKMin, p.StepsMax)
	case p.KStar > float64(p.StepsMax)*math.Sqrt2:
		return fmt.Sprintf("%d, held at the most of %d..%d", p.K, engine.AutoKMin, p.StepsMax)
	}
	return fmt.Sprintf("%d, nearest power of two (%s to %s) in %d..%d",
		p.K, figure(k/math.Sqrt2), figure(k*math.Sqrt2), engine.AutoKMin, p.StepsMax)
}

// capWords says whether max_steps cut the word.
func capWords(s *scene, r *record) string {
	left := s.feed.start.MaxSteps - min(r.launch.Done, s.feed.start.MaxSteps)
	switch {
	case r.policy.Next == 0:
		return ""
	case r.nextCut || r.policy.Next < r.policy.K:
		return fmt.Sprintf("; cut to the %d left", r.policy.Next)
	}
	return "; not cut, " + engine.Grouped(left) + " left"
}
