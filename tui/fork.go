package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// forkPane holds this run over another one that has something changed: both bands on one axis, the first
// decision that differs with what both had, and whether the results are the same bits.
type forkPane struct {
	fork *session.Fork
	feed *feed // of its events
	top  int
	rows int
	h    int
}

// of takes in the fork that the state shows.
func (p *forkPane) of(s *scene) bool {
	f := s.state.Fork
	if f == p.fork {
		return f != nil
	}
	p.fork, p.feed, p.top = f, nil, 0
	if f == nil {
		return false
	}
	p.feed = &feed{}
	p.feed.begin(1)
	for i := range f.Events {
		p.feed.take(&f.Events[i])
	}
	return true
}

func (p *forkPane) title(s *scene) string {
	if !p.of(s) {
		return "Fork: what if something were different"
	}
	own := "this run"
	if r := s.state.Report; r != nil {
		own = counted(r.Launches, "launch", "launches")
	}
	return fmt.Sprintf("Fork: %s: %s against %s", strings.Join(p.fork.Changes, ", "), counted(p.fork.Report.Launches, "launch", "launches"), own)
}

func (p *forkPane) draw(c canvas, s *scene) {
	if !p.of(s) {
		for i, line := range []string{
			"w asks what is to be different, and runs a twin of the batch from its start:", "",
			"R = 2      policy = tiled      entry = persistent, chunk = 16      order = stops      dt = 0.02",
		} {
			c.text(2, max(c.h/2-2, 0)+i, quiet, cut(line, c.w-3))
		}
		return
	}
	lines := p.lines(s, c.w)
	p.rows, p.h = len(lines), c.h
	plots := c.h - min(len(lines), max(c.h/3, 6))
	if plots < 10 {
		plots = 0
	}
	if plots > 0 {
		other := *s
		other.feed, other.cursor = p.feed, -1
		end := max(s.rightEdge(), float64(p.fork.Report.Steps))
		own := *s
		own.edge, other.edge = end, end
		p.plot(c.sub(rect{0, 0, c.w, plots / 2}), "A: this run", &own)
		p.plot(c.sub(rect{0, plots / 2, c.w, plots - plots/2}), "B: "+strings.Join(p.fork.Changes, ", "), &other)
	}
	room := c.h - plots
	p.top = min(max(p.top, 0), max(len(lines)-room, 0))
	for y, l := range lines[p.top:] {
		if y >= room {
			break
		}
		c.spans(1, plots+y, l...)
	}
}

// plot draws the steps per launch of one of the two.
func (p *forkPane) plot(c canvas, name string, s *scene) {
	c.text(gutterWidth, 0, strong, cut(name, c.w-gutterWidth-1))
	if s.feed.records.total == 0 {
		c.text(gutterWidth, min(2, c.h-1), quiet, "one launch, whose lanes take samples until none is left")
		return
	}
	bandPane{}.draw(c.sub(rect{0, 1, c.w, c.h - 1}), s)
}

// lines are what is said below the plots.
func (p *forkPane) lines(s *scene, w int) [][]span {
	var out [][]span
	say := func(name string, look style, text string) {
		for i, line := range wrap(text, max(w-14, 10)) {
			if i > 0 {
				name = ""
			}
			out = append(out, []span{{key, fmt.Sprintf("%-11s", name)}, {look, line}})
		}
	}
	say("decisions", plain, firstDifference(s.feed, p.feed))
	look := ends
	if !p.fork.Equal.Known || p.fork.Equal.Samples > 0 {
		look = waits
	}
	say("results", look, p.fork.Equal.Sentence())
	if a := s.state.Report; a != nil {
		b := &p.fork.Report
		out = append(out, []span{{quiet, fmt.Sprintf("%-11s%16s%16s", "", "A, this run", "B, the fork")}})
		for _, r := range []struct{ name, a, b string }{
			{"launches", engine.Grouped(a.Launches), engine.Grouped(b.Launches)},
			{"steps", engine.Grouped(a.Steps), engine.Grouped(b.Steps)},
			{"compacted", engine.Grouped(a.Compactions), engine.Grouped(b.Compactions)},
			{"finished", engine.Grouped(a.Finished), engine.Grouped(b.Finished)},
			{"entry", a.Entry, b.Entry},
			{"policy", a.Policy, b.Policy},
			{"R", figure(a.R), figure(b.R)},
			{"wall", elapsed(a.Wall), elapsed(b.Wall)},
		} {
			mark := plain
			if r.a != r.b {
				mark = strong
			}
			out = append(out, []span{{key, fmt.Sprintf("%-11s", r.name)}, {mark, fmt.Sprintf("%16s%16s", r.a, r.b)}})
		}
	}
	return out
}

func (p *forkPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-1, 0)) }
func (p *forkPane) page() int     { return max(p.h/2, 1) }

// firstDifference says at which launch two runs part, and from what inputs.
func firstDifference(a, b *feed) string {
	if a.records.total == 0 || b.records.total == 0 {
		return "one of the two made a single pass, without launches to compare"
	}
	first := max(a.records.first(), b.records.first())
	for i := first; i < min(a.records.total, b.records.total); i++ {
		x, y := a.records.at(i), b.records.at(i)
		if x.launch.Word == y.launch.Word {
			continue
		}
		text := fmt.Sprintf("part at launch %s: ", engine.Grouped(x.launch.Number))
		if i == first {
			return text + fmt.Sprintf("%s against %s", counted(x.launch.Word, "step", "steps"), counted(y.launch.Word, "step", "steps"))
		}
		p, q := a.records.at(i-1), b.records.at(i-1)
		if !p.hasPolicy || !q.hasPolicy {
			return text + fmt.Sprintf("%d against %s", x.launch.Word, counted(y.launch.Word, "step", "steps"))
		}
		return text + fmt.Sprintf("%s, %s -> %d against %s",
			against("h", p.policy.H, q.policy.H), against("R", p.policy.R, q.policy.R), x.launch.Word, counted(y.launch.Word, "step", "steps"))
	}
	if a.records.total != b.records.total {
		return fmt.Sprintf("the same for %s, then one of the two goes on", counted(min(a.records.total, b.records.total), "launch", "launches"))
	}
	return "the same in every launch"
}

// against writes one input of two runs.
func against(name string, x, y float64) string {
	if x == y {
		return fmt.Sprintf("%s %s in both", name, figure(x))
	}
	return fmt.Sprintf("%s %s against %s", name, apart(x, y), apart(y, x))
}

func forkOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	if !m.declaresFinish() {
		return m.state.Kernel.IR.Name + " declares no finish, so there is no run to hold another one against"
	}
	return ""
}

// askFork asks what is to be different.
func askFork(m *model) tea.Cmd {
	m.ask("fork", prompt{
		label: "what if", hint: "R = 2, policy = tiled, order = stops, dt = 0.02; enter runs a twin",
		enter: func(m *model, text string) (tea.Cmd, error) {
			c, err := forkCommand(text)
			if err != nil {
				return nil, err
			}
			m.shown = groupFork
			return m.order(c), nil
		},
	})
	return nil
}

// forkCommand is the command that a text asks for: NAME = VALUE, several with commas.
func forkCommand(text string) (session.ForkRun, error) {
	c := session.ForkRun{Values: map[string]float64{}}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return c, errors.New("give NAME = VALUE, several with commas: R = 2, policy = tiled")
		}
		number, err := strconv.ParseFloat(value, 64)
		whole := int(number)
		bad := func(want string) error { return fmt.Errorf("%s is %s, not %s", name, want, value) }
		switch strings.ToLower(name) {
		case "policy":
			p, ok := engine.PolicyNamed(value)
			if !ok {
				return c, bad(engine.PolicyNames())
			}
			c.Policy = &p
			continue
		case "entry":
			e, ok := engine.EntryNamed(value)
			if !ok {
				return c, bad("auto, fused or persistent")
			}
			c.Entry = &e
			continue
		case "order":
			if c.Order, err = session.ArrangeNamed(value); err != nil {
				return c, err
			}
			continue
		case "guard":
			c.Compile.Guard = value
			continue
		case "fma":
			c.Compile.FMA = value
			continue
		case "precision":
			c.Compile.Precision = value
			continue
		case "steps":
			c.Compile.StepsPerLaunch = value
			continue
		}
		if err != nil {
			return c, bad("a number")
		}
		switch strings.ToLower(name) {
		case "r":
			c.R = &number
		case "chunk":
			c.Chunk = &whole
		case "every":
			c.Every = &whole
		case "reorder":
			c.Reorder = &number
		case "max-steps", "max_steps":
			c.MaxSteps = &whole
		default:
			c.Values[name] = number
		}
	}
	return c, nil
}

// forkKeys are the keys of what-if.
func forkKeys() []binding {
	return []binding{
		{name: "what-if", keys: []string{"w"}, title: says("what if: run a twin with something changed, and compare"), brief: says("what if"), off: forkOff, do: askFork},
	}
}
