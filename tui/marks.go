package tui

import (
	"fmt"
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// stepMark is a step of the run that the user wants to find again. Marks stand on the axis of every plot over time,
// as long as the batch is the same one, also over its next runs.
type stepMark struct {
	name rune // 'a' to 'z'
	step uint32
}

// mostMarks is one for each letter.
const mostMarks = 26

func marksTitle(m *model) string {
	if at := m.markAt(m.stepAtCursor()); at >= 0 {
		return fmt.Sprintf("take away the mark %c, of step %s", m.marks[at].name, engine.Grouped(m.marks[at].step))
	}
	return "mark the step under the cursor"
}

func marksOff(m *model) string {
	switch {
	case m.state.Kernel == nil:
		return "no kernel is loaded"
	case m.stepAtCursor() == 0:
		return "the run is at its start, R goes there"
	case len(m.marks) == mostMarks && m.markAt(m.stepAtCursor()) < 0:
		return "there are 26 marks, m on one of them takes it away"
	}
	return ""
}

// markAt is the mark of a step, -1 when it has none.
func (s *scene) markAt(step uint32) int {
	return slices.IndexFunc(s.marks, func(x stepMark) bool { return x.step == step })
}

// toggleMark marks the step under the cursor, or takes its mark away.
func toggleMark(m *model) tea.Cmd {
	step := m.stepAtCursor()
	if at := m.markAt(step); at >= 0 {
		m.say(ends, fmt.Sprintf("mark %c is gone", m.marks[at].name))
		m.marks = slices.Delete(slices.Clone(m.marks), at, at+1)
		return nil
	}
	name := 'a'
	for slices.ContainsFunc(m.marks, func(x stepMark) bool { return x.name == name }) {
		name++
	}
	m.marks = append(slices.Clone(m.marks), stepMark{name, step})
	sort.Slice(m.marks, func(i, j int) bool { return m.marks[i].step < m.marks[j].step })
	m.say(ends, fmt.Sprintf("step %s is mark %c, ' goes there", engine.Grouped(step), name))
	return nil
}

// keepMarks forgets marks of another batch.
func (m *model) keepMarks() {
	if name := batchName(m.state); name != m.marksOf {
		m.marks, m.marksOf = nil, name
	}
}

// places are where the batch can be taken: to the marks, to the launch under the cursor, back to where the run was.
func (m *model) places() (list []goal) {
	for _, x := range m.marks {
		list = append(list, goal{string(x.name), "mark, step " + engine.Grouped(x.step), x.step})
	}
	if r := m.selected(); r != nil && m.cursor >= 0 {
		list = append(list, goal{"'", fmt.Sprintf("the launch under the cursor, step %s", engine.Grouped(r.launch.Done)), r.launch.Done})
	}
	if m.past() {
		step := uint32(m.state.Furthest)
		list = append(list, goal{"G", "where the run was, step " + engine.Grouped(step), step})
	}
	return list
}

// goal is a step that the batch can be taken to, and the key that does it.
type goal struct {
	key, what string
	step      uint32
}

func goOff(m *model) string {
	switch why := busy(m); {
	case why != "":
		return why
	case len(m.places()) == 0:
		return "there is no mark (m) and no cursor (h) to go to"
	}
	return ""
}

// goTo takes the batch to the only place there is, or asks which.
func goTo(m *model) tea.Cmd {
	list := m.places()
	if len(list) == 1 {
		return m.takeTo(list[0].step)
	}
	m.show(&goals{list: list})
	return nil
}

func (m *model) takeTo(step uint32) tea.Cmd { return m.order(session.Seek{Step: int(step)}) }

// goals is the list of places, over the panes.
type goals struct {
	list []goal
	at   int
}

func (g *goals) title(*model) string { return "Go to" }
func (g *goals) through() bool       { return false }

func (g *goals) place(body rect) rect {
	w, h := min(body.w, 56), min(body.h, len(g.list)+4)
	return rect{body.x + (body.w-w)/2, body.y + (body.h-h)/3, w, h}
}

func (g *goals) press(m *model, msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch name := msg.String(); name {
	case "esc":
		return false, nil
	case "up", "k":
		g.at = max(g.at-1, 0)
	case "down", "j":
		g.at = min(g.at+1, len(g.list)-1)
	case "enter":
		return true, g.choose(m, g.at)
	default:
		for i := range g.list {
			if g.list[i].key == name {
				return true, g.choose(m, i)
			}
		}
	}
	return true, nil
}

func (g *goals) choose(m *model, i int) tea.Cmd {
	m.drop(g)
	return m.takeTo(g.list[i].step)
}

func (g *goals) draw(c canvas, m *model) {
	rows := max(c.h-1, 0)
	top := max(g.at-rows+1, 0)
	for y := range min(rows, len(g.list)-top) {
		i := top + y
		line := c.sub(rect{0, y, c.w, 1})
		line.text(2, 0, strong, g.list[i].key)
		line.text(5, 0, plain, cut(g.list[i].what, c.w-5))
		if i == g.at {
			line.set(0, 0, strong, m.glyphs.mark)
			line.restyle(1, 0, line.w-1, selected)
		}
		c.on.spots = append(c.on.spots, spot{rect: line.rect, press: func(m *model) tea.Cmd { return g.choose(m, i) }})
	}
	c.text(0, c.h-1, quiet, cut("its key or enter goes there, esc leaves", c.w))
}

// here is the character that stands where the batch is, when that is in the past of its run.
const here = '@'

// axes draws the frame of a plot over the run, with the marks below it and the place of a batch that has gone back.
func (s *scene) axes(c canvas) axes {
	a := newAxes(c, s.glyphs, s.shows())
	if a.area.w == 0 {
		return a
	}
	put := func(step uint32, r rune, look style) {
		at := a.shown.at(s.placeOfStep(step))
		if at >= 0 && at <= 1 {
			a.outside.set(a.gutter+min(int(at*float64(a.area.w)), a.area.w-1), a.outside.h-1, look, r)
		}
	}
	for _, x := range s.marks {
		put(x.step, x.name, strong)
	}
	if s.past() {
		put(s.done(), here, selected)
	}
	return a
}

// placeOfStep is where a step of the run lies on the axis; within a launch its share of it.
func (s *scene) placeOfStep(step uint32) float64 {
	if s.axis.unit == axisStep {
		return float64(step)
	}
	r := s.recordAt(step)
	if r == nil {
		return -1
	}
	left := 0.0
	if r.launch.Word > 0 {
		left = float64(r.launch.Done-min(step, r.launch.Done)) / float64(r.launch.Word)
	}
	if s.axis.unit == axisLaunch {
		return float64(r.launch.Number) - left
	}
	return (r.began + r.launch.Wall).Seconds() - left*r.launch.Wall.Seconds()
}

// recordAt is the launch that made a step, nil when it is not kept.
func (s *scene) recordAt(step uint32) *record {
	r := &s.feed.records
	first := r.first()
	i := first + sort.Search(r.total-first, func(i int) bool { return r.at(first+i).launch.Done >= step })
	if !r.has(i) {
		return nil
	}
	return r.at(i)
}
