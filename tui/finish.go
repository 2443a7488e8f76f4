package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// question is the place in a session's life at which the finish condition was looked at.
type question struct {
	generation uint32
	phase      session.Phase
	steps      int
	report     *engine.Report
}

// askFinish has the session look at the live samples, once for each place, while the pane is shown.
func (m *model) askFinish() tea.Cmd {
	s := m.state
	if m.shown != groupFinish || s.Finish != nil || !m.declaresFinish() {
		return nil
	}
	if s.Phase != session.Ready && s.Phase != session.Paused && s.Phase != session.Ended {
		return nil
	}
	q := question{s.Generation, s.Phase, s.StepsDone, s.Report}
	if q == m.asked {
		return nil
	}
	m.asked = q
	return m.order(session.Diagnose{})
}

// finishPane says why live samples are not finished: how many of them are called what, and for each a few
// samples with the operands of their condition. The picture is of a copy that makes a few steps more; the
// model asks the session for it while the pane is shown and no run is on. A sample can be gone into: its
// margin from the start on, step by step.
type finishPane struct {
	top, height, rows int
	at                int // the proof under the bar
	lines             []proofLine
	into              *followed // nil: the list
	during            finishMoment
}

// finishMoment is a picture of the live samples while a run is on.
type finishMoment struct {
	generation uint32
	picture    *session.FinishPicture // nil: none yet
}

func (f finishMoment) cost() time.Duration { return f.picture.Took }

// picture is the newest of the batch that is shown, nil while there is none.
func (p *finishPane) picture(s *scene) *session.FinishPicture {
	if f := s.state.Finish; f != nil {
		return f
	}
	on := s.state.Phase == session.Running || s.state.Phase == session.Working
	if p.during.picture != nil && p.during.generation == s.state.Generation && on {
		return p.during.picture
	}
	return nil
}

// proofLine is where the lines of a proof lie among the rows.
type proofLine struct{ first, count int }

func (p *finishPane) title(s *scene) string {
	k, f := s.state.Kernel, p.picture(s)
	switch {
	case p.into != nil:
		return p.into.title()
	case k == nil:
		return "Finish: no kernel"
	case k.IR.Finish == nil:
		return "Finish: " + k.IR.Name + " declares none"
	case f == nil:
		return "Finish: " + counted(s.live(), "live sample", "live samples") + ", " + oneLine(k.IR.Finish.Text)
	case f.Live == 0:
		return "Finish: every sample is finished"
	}
	if bad := suspects(f); bad > 0 {
		return fmt.Sprintf("Finish: %s of %s will not get there", engine.Grouped(bad), counted(f.Looked, "live sample", "live samples"))
	}
	return "Finish: " + counted(f.Looked, "live sample is", "live samples are") + " on the way"
}

// suspects are the samples with a lint, of those that were looked at.
func suspects(f *session.FinishPicture) int { return f.Looked - f.Count[session.LintNone] }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p *finishPane) draw(c canvas, s *scene) {
	if p.into != nil {
		p.into.draw(c, s)
		return
	}
	var lines []row
	p.lines = p.lines[:0]
	for _, r := range p.finishRows(s) {
		indent := 0
		if r.name != "" {
			indent = finishIndent
		}
		first := len(lines)
		for i, text := range wrap(r.value, max(c.w-indent-2, 8)) {
			name := r.name
			if i > 0 && name != "" {
				name = " "
			}
			lines = append(lines, row{name, text, r.look})
		}
		if r.name == proofMark {
			p.lines = append(p.lines, proofLine{first, len(lines) - first})
		}
	}
	p.height, p.rows = c.h, len(lines)
	p.at = min(max(p.at, 0), max(len(p.lines)-1, 0))
	p.keepInView()
	for y, r := range lines[p.top:] {
		if y >= c.h {
			break
		}
		x := 1
		switch r.name {
		case "":
		case proofMark, " ":
			x = finishIndent
		default:
			c.right(finishIndent-1, y, strong, r.name)
			x = finishIndent
		}
		c.text(x, y, r.look, r.value)
	}
	if p.at < len(p.lines) && s.shown == groupFinish {
		l := p.lines[p.at]
		c.set(finishIndent-2, l.first-p.top, strong, s.glyphs.mark)
		for y := range l.count {
			c.restyle(finishIndent, l.first+y-p.top, width(lines[l.first+y].value), selected)
		}
	}
	if p.top+c.h < p.rows {
		c.right(c.w-1, c.h-1, quiet, fmt.Sprintf(" %d more below", p.rows-p.top-c.h))
	}
}

// keepInView scrolls so that the proof under the bar is seen, and with the first one what stands above it.
func (p *finishPane) keepInView() {
	if p.at < len(p.lines) {
		l := p.lines[p.at]
		if p.at == 0 {
			p.top = max(l.first+l.count-p.height, 0)
		}
		p.top = max(min(p.top, l.first), l.first+l.count-p.height)
	}
	p.top = min(max(p.top, 0), max(p.rows-p.height, 0))
}

// proofMark is the name of a row that is a proof.
const proofMark = "proof"

const finishIndent = 9

// finishRows are the pane's lines: counts by lint, then samples that prove them.
func (p *finishPane) finishRows(s *scene) []row {
	k, f := s.state.Kernel, p.picture(s)
	switch {
	case k == nil:
		return nil
	case k.IR.Finish == nil:
		return []row{{"", "a batch of this kernel runs a number of steps (u), never until done; name the result of Step and set it: func (s *T) Step() (terminated bool)", quiet}}
	case f == nil && s.state.Phase == session.Running && s.feed.passing:
		return []row{{"", "a sample is finished when " + oneLine(k.IR.Finish.Text), plain}, {"", "one pass over the batch: pause (space) to look at the samples that are live", quiet}}
	case f == nil:
		return []row{{"", "a sample is finished when " + oneLine(k.IR.Finish.Text), plain}}
	case f.Live == 0:
		rows := []row{{"", "no sample is live: there is nothing to look at", quiet}}
		if text := f.AtOnceSentence(); text != "" {
			rows = append(rows, row{"", text, waits})
		}
		return rows
	}
	rows := []row{{"", fmt.Sprintf("finished when %s; %s of %s made %d steps on a copy", oneLine(k.IR.Finish.Text),
		engine.Grouped(f.Looked), counted(f.Live, "live sample", "live samples"), f.Steps), quiet}}
	if s.state.Phase == session.Running {
		rows[0].value += ", from step " + engine.Grouped(f.Done)
	}
	if len(f.Comparisons) == 0 {
		rows = append(rows, row{"", "the condition holds no comparison that could be taken apart", waits})
	} else if f.Opaque {
		rows = append(rows, row{"", "part of the condition could not be taken apart: what follows is of its comparisons only", waits})
	}
	for l, n := range f.Count {
		if n == 0 {
			continue
		}
		lint, look := session.Lint(l), wrong
		text := lint.String()
		switch lint {
		case session.LintNone:
			look = ends
			text += fmt.Sprintf(", %s within %d steps", engine.Grouped(f.Soon), f.Steps)
		case session.LintLate:
			look = waits
		}
		rows = append(rows, row{engine.Grouped(n), text, look})
	}
	if text := f.AtOnceSentence(); text != "" {
		rows = append(rows, row{"", text, waits})
	}
	for i := range f.Proofs {
		rows = append(rows, row{proofMark, f.Proofs[i].Sentence(f), plain})
	}
	return rows
}

// scroll moves the bar by proofs; within a sample, by steps.
func (p *finishPane) scroll(by int) {
	if p.into != nil {
		p.into.move(by)
		return
	}
	if len(p.lines) == 0 {
		p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0))
		return
	}
	p.at = min(max(p.at+by, 0), len(p.lines)-1)
}

func (p *finishPane) page() int {
	if p.into != nil {
		return 10
	}
	return max(p.height/2, 1)
}

// leave goes from a sample back to the list.
func (p *finishPane) leave() bool {
	was := p.into != nil
	p.into = nil
	return was
}

func (p *finishPane) keys() []binding {
	return []binding{
		{name: "follow", keys: []string{"enter"}, title: says("follow the marked sample from the start, step by step"), brief: says("follow"), off: p.followOff, do: p.follow},
		{name: "origin", keys: []string{"i"}, title: says("where the sample's first NaN or infinity came from, to the expression"), brief: says("NaN origin"), off: p.intoOff, do: p.askOrigin},
		{name: "reproduce", keys: []string{"P"}, title: says("write a reproduction: the kernel with this one sample"), brief: says("reproduce"), off: p.intoOff, do: p.askReproduction},
	}
}

func (p *finishPane) followOff(m *model) string {
	switch f := p.picture(&m.scene); {
	case p.into != nil:
		return "a sample is being followed, esc goes back"
	case f == nil || len(f.Proofs) == 0:
		return "there is no live sample to follow"
	}
	return busy(m)
}

func (p *finishPane) intoOff(m *model) string {
	if p.into == nil {
		return "follow a sample first: enter"
	}
	return busy(m)
}

func (p *finishPane) follow(m *model) tea.Cmd {
	f := p.picture(&m.scene)
	proof := f.Proofs[min(p.at, len(f.Proofs)-1)]
	p.into = newFollowed(proof.Sample, proof.Label, proof.Comparison, m.state)
	m.chosen = []int{proof.Sample}
	return nil
}

func (p *finishPane) askOrigin(*model) tea.Cmd {
	p.into.wantOrigin = true
	return nil
}

func (p *finishPane) askReproduction(*model) tea.Cmd {
	p.into.wantFiles = true
	return nil
}

// wants asks for what is still missing about the followed sample; for the live samples, as often as a run that is
// on allows.
func (p *finishPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	if p.into != nil {
		return p.into.wants()
	}
	k := s.state.Kernel
	if s.shown != groupFinish || k == nil || k.IR.Finish == nil || s.state.Phase != session.Running || s.frozen {
		return "", nil
	}
	generation := s.state.Generation
	return fmt.Sprintf("live %d/%d", generation, s.done()), func(ctx context.Context, from Session) (any, error) {
		answer, err := from.Look(ctx, session.FinishQuery{})
		pic, ok := answer.(*session.FinishPicture)
		if err != nil || !ok {
			return nil, err
		}
		return finishMoment{generation, pic}, nil
	}
}

func (p *finishPane) answered(key string, answer any, err error) {
	if on, ok := answer.(finishMoment); ok {
		p.during = on
		return
	}
	if p.into != nil {
		p.into.answered(key, answer, err)
	}
}
