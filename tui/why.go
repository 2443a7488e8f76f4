package tui

import (
	"fmt"
	"math"
	"sort"

	"github.com/eaglet-workbench/eaglet/engine"
)

// whyPane is the formula card: the policy's rule with the numbers of one launch filled in, how far the
// decision was from being another one, and, where there is room, the curve whose bottom the rule looks for.
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
	if r := s.selected(); r != nil && bandDecided(r) && c.h-y > curveLeast {
		drawCost(c.sub(rect{0, y + 1, c.w, min(c.h-y-1, 14)}), s.glyphs, &r.policy)
	}
}

// bandDecided says whether the band chose what follows a launch.
func bandDecided(r *record) bool {
	return r.hasPolicy && r.policy.Rule != engine.PolicyDoubling && !r.resident && r.policy.R > 0
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
	case r.policy.Rule == engine.PolicyDoubling:
		return doublingReasons(s, r)
	}
	return bandReasons(s, r)
}

// beforeTheFirst explains the launch that nothing is known for.
func beforeTheFirst(s *scene) []reason {
	k := s.state.Kernel.IR
	rs := []reason{{"word", firstWordInWords(s), plain}}
	if k.Finish == nil {
		return append(rs, reason{"", "the kernel declares no finish: u runs a number of steps", plain})
	}
	rs = append(rs, reason{"until", "a sample is finished when " + k.Finish.Text, plain})
	if !k.Auto() {
		return rs
	}
	switch s.state.Policy {
	case engine.PolicyBand:
		rs = append(rs,
			reason{"then", fmt.Sprintf("the band: k* = sqrt(2R/h), to a power of two in %d..%d", engine.AutoKMin, k.StepsMax), quiet},
			reason{"R", "what a compaction costs, in steps of the whole batch", quiet},
			reason{"h", "share of the batch that finishes per step: many, short launches", quiet})
	case engine.PolicyDoubling:
		rs = append(rs, reason{"then", fmt.Sprintf("doubled when fewer than 1 live sample in 16 finished in a launch, halved when more than 1 in 4 did, in %d..%d", engine.AutoKMin, k.StepsMax), quiet})
	case engine.PolicyMeasured:
		rs = append(rs, reason{"then", "each time the live samples have halved, a launch of 8 steps is timed against one of 1; once it costs less per step, the band goes on", quiet})
	}
	return rs
}

// firstWordInWords says how many steps the first launch takes.
func firstWordInWords(s *scene) string {
	if s.state.Kernel == nil {
		return "no kernel"
	}
	k := s.state.Kernel.IR
	first := min(engine.AutoK0, k.StepsMax, max(s.state.MaxSteps, 1))
	switch {
	case !k.Auto():
		return fmt.Sprintf("every launch takes %s: the kernel fixes it", counted(k.Steps, "step", "steps"))
	case s.state.Policy == engine.PolicyBand:
		return fmt.Sprintf("the first launch takes %d steps: nothing is known yet", first)
	case s.state.Policy == engine.PolicyDoubling:
		return fmt.Sprintf("the first launch takes %d steps, where doubling begins", first)
	case s.state.Policy == engine.PolicyMeasured:
		return "the first launch takes 1 step, to have its time"
	}
	return fmt.Sprintf("every launch takes %d steps, the last what is left; %s makes one pass", k.StepsMax, s.state.Policy)
}

// withoutDecision explains launches whose words no formula chose.
func withoutDecision(s *scene, r *record) []reason {
	k := s.state.Kernel.IR
	h := engine.FinishShare(r.launch.Newly, s.n(), r.launch.Word)
	rs := []reason{{"h", fmt.Sprintf("%s of %s finished in launch %s: %s per step",
		engine.Grouped(r.launch.Newly), engine.Grouped(s.n()), engine.Grouped(r.launch.Number), figure(h)), plain}}
	switch {
	case s.feed.start.Entry == engine.EntryPersistent:
		rs = append(rs,
			reason{"k", fmt.Sprintf("%d = the longest sample: one launch, whose lanes take sample after sample", r.launch.Word), plain},
			reason{"chunk", fmt.Sprintf("a lane looks for a new sample every %s; Costs shows what that left unused", counted(s.feed.start.Chunk, "step", "steps")), quiet})
	case !k.Auto():
		rs = append(rs, reason{"k", fmt.Sprintf("%d: the kernel's directive fixes it, whatever h is", k.Steps), plain})
		rs = append(rs, everyReason(s)...)
	case r.flags&engine.FlagDerived != 0:
		rs = append(rs,
			reason{"k", fmt.Sprintf("%d = steps_max: the batch was run in one pass, sample by sample to its end", k.StepsMax), plain},
			reason{"", "these launches were rebuilt from the steps of each sample, they were not decided one by one", quiet},
			reason{"", "p switches to observe, where every launch is a decision", quiet})
	case r.flags&engine.FlagStepped != 0:
		rs = append(rs, reason{"k", "a key asked for this launch", plain})
	case s.feed.start.Policy == engine.PolicyMeasured:
		rs = append(rs, measuredReasons(s, r)...)
	default:
		rs = append(rs, reason{"k", fmt.Sprintf("%d steps: policy %s gives every launch as many", r.launch.Word, s.feed.start.Policy), plain})
	}
	if r.flags&engine.FlagCut != 0 {
		rs = append(rs, reason{"cap", fmt.Sprintf("cut to %s by max_steps", counted(r.launch.Word, "step", "steps")), plain})
	}
	return append(rs, bandWouldSay(s, r)...)
}

// everyReason says how often a kernel of fixed steps compacts.
func everyReason(s *scene) []reason {
	if !s.feed.start.Active {
		return nil
	}
	every, k := s.state.Launching.Every, max(s.state.Kernel.IR.Steps, 1)
	if every == 0 {
		every = k * ((16 + k - 1) / k) // runner.md, section 2
	}
	return []reason{{"every", fmt.Sprintf("%s: compacted, and looked whether all are finished, behind %s", counted(every, "step", "steps"), counted(max(every/k, 1), "launch", "launches")), plain}}
}

// bandWouldSay is what the band would choose after a launch that something else decides about.
func bandWouldSay(s *scene, r *record) []reason {
	if s.feed.start.Entry == engine.EntryPersistent || s.feed.start.StepsMax < 2*engine.AutoKMin {
		return nil
	}
	known, assumed := rOf(s)
	if assumed || !s.feed.start.Active {
		return nil
	}
	h := engine.FinishShare(r.launch.Newly, s.n(), r.launch.Word)
	k := engine.Band(r.launch.Newly, s.n(), r.launch.Word, known, s.feed.start.StepsMax)
	return []reason{{"band", fmt.Sprintf("would take %d next: k* = sqrt(2R/h) = %s with R = %s", k, figure(engine.KStar(known, h)), figure(known)), quiet}}
}

// measuredReasons explain the policy that times: the last try until the launch, and when the next one comes.
func measuredReasons(s *scene, r *record) []reason {
	all := &s.feed.books.probes
	first := all.first()
	i := sort.Search(len(all.items), func(i int) bool { return all.at(first+i).turn > r.turn })
	if i == 0 {
		return []reason{
			{"k", fmt.Sprintf("%s: one step per launch, until half of the samples that were live at the start are finished", counted(r.launch.Word, "step", "steps")), plain},
			{"then", "a launch of 8 steps is timed against one of 1; once it costs less per step, the band goes on", quiet},
		}
	}
	try := all.at(first + i - 1)
	rs := []reason{{"k", engine.Sentence(try.Event()), plain}}
	if !try.Changed {
		rs = append(rs, reason{"next", "tried again once the live samples have halved since that try", quiet})
	}
	return rs
}

// doublingReasons fill in the older rule.
func doublingReasons(s *scene, r *record) []reason {
	p := &r.policy
	live := r.after()
	rs := []reason{
		{"share", fmt.Sprintf("%s finished, %s live: %s", engine.Grouped(p.Newly), engine.Grouped(live), share(p.Newly, live)), plain},
		{"k", doublingRule(p, live) + capWords(s, r), plain},
	}
	// Of all that were live before: newly*16 < all-newly, and newly*4 > all-newly.
	if all := live + p.Newly; all > 0 {
		rs = append(rs,
			reason{"up", fmt.Sprintf("doubled if fewer than %s of the %s finish", engine.Grouped((all+16)/17), engine.Grouped(all)), quiet},
			reason{"down", fmt.Sprintf("halved if %s or more of the %s finish", engine.Grouped(all/5+1), engine.Grouped(all)), quiet})
	}
	rs = append(rs, reason{"", "it looks at the share of the live samples and knows no price of a boundary", quiet})
	return append(rs, bandWouldSay(s, r)...)
}

// doublingRule says which branch of the rule holds.
func doublingRule(p *engine.PolicyDecision, live uint32) string {
	switch {
	case uint64(p.Newly)*16 < uint64(live):
		return fmt.Sprintf("%d, doubled in %d..%d: fewer than 1 in 16", p.K, engine.AutoKMin, p.StepsMax)
	case uint64(p.Newly)*4 > uint64(live):
		return fmt.Sprintf("%d, halved in %d..%d: more than 1 in 4", p.K, engine.AutoKMin, p.StepsMax)
	}
	return fmt.Sprintf("%d, kept: from 1 in 16 to 1 in 4", p.K)
}

// bandReasons fills in the band's formula.
func bandReasons(s *scene, r *record) []reason {
	p := &r.policy
	rs := make([]reason, 0, 9)
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
	if s.feed.started && !s.feed.start.Active {
		rs = append(rs, reason{"but", "the kernel has no active set: a boundary frees no lane, 32 neighbours leave together; longer launches cost nothing here, the pick of the entry is what helps", waits})
	}
	rs = append(rs, flipReasons(p)...)
	rs = append(rs, reason{"R", measuredR(s, p.R), quiet})
	if r.compacted {
		c := &r.compaction
		rs = append(rs, reason{"map", fmt.Sprintf("compacted to the live: %s slots, were %s, in %s",
			engine.Grouped(c.After), engine.Grouped(c.Before), elapsed(c.Wall)), quiet})
	}
	return append(rs, reason{"cost", costInWords(p), quiet})
}

// flipReasons say what would have made the decision another one.
func flipReasons(p *engine.PolicyDecision) (rs []reason) {
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
	return rs
}

// measuredR says where R comes from.
func measuredR(s *scene, r float64) string {
	f := s.feed
	text := figure(r) + " steps"
	switch {
	case f.measured && f.measuredAt[1] > 0:
		return fmt.Sprintf("%s: a compaction took %s, a step of the whole batch %s, rounded to a power of two", text, elapsed(f.measuredAt[0]), elapsed(f.measuredAt[1]))
	case s.state.R == r && r > 0:
		return text + ", pinned"
	}
	return text + ", measured once in this process for this kernel, device and n, and kept"
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

// explain is the paragraph about a launch and what was decided after it: the log's own sentences, then what
// they mean.
func (whyPane) explain(s *scene) []string {
	r := s.selected()
	if r == nil {
		return []string{firstWordInWords(s)}
	}
	l := r.launch.Event()
	l.Flags = r.flags
	out := []string{engine.Sentence(l)}
	if r.compacted {
		out = append(out, engine.Sentence(r.compaction.Event()))
	}
	if o := offerAt(s); o != nil && o.turn == r.turn {
		out = append(out, o.words())
	}
	if !r.hasPolicy {
		for _, x := range withoutDecision(s, r) {
			out = append(out, x.text)
		}
		return out
	}
	p := r.policy.Event()
	if r.resident {
		p.Flags |= engine.FlagResident
	}
	if r.nextCut {
		p.Flags |= engine.FlagCut
	}
	out = append(out, engine.Sentence(p))
	if !bandDecided(r) {
		return out
	}
	if s.feed.started && !s.feed.start.Active {
		out = append(out, "the kernel has no active set, so a boundary frees no lane and longer launches cost nothing")
	}
	for _, x := range flipReasons(&r.policy) {
		out = append(out, "it would be "+x.text)
	}
	return append(out, "in steps of the whole batch, a step costs "+costInWords(&r.policy)+": short launches pay for compactions, long ones for lanes that idle until the boundary", "R is "+measuredR(s, r.policy.R))
}
