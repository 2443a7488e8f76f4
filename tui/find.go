package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// filterable is a pane of rows that a text narrows to those that hold it, or whatever the pane makes of it.
type filterable interface {
	pane
	// filter keeps the rows that text asks for, all of them for ""; the error is one clause on what can be
	// asked for.
	filter(s *scene, text string) error
}

// seekable is a pane that can go from one row that holds a text to the next.
type seekable interface {
	pane
	// seek moves to the next such row below what is in view, above for by < 0, from there itself for by 0 and
	// then upwards. more says that it has not looked everywhere: it looks at a bounded number of rows.
	seek(s *scene, text string, by int) (found, more bool)
}

// finding is what was looked for last.
type finding struct {
	pane paneID
	text string
}

// findKeys are the keys of filters.
func findKeys() []binding {
	return []binding{
		{name: "filter", keys: []string{"/"}, title: says("filter the rows of the pane, or find text in it"), brief: says("find"), off: findOff, do: (*model).askFind},
		{name: "next-match", keys: []string{"n"}, title: says("next row that holds the text"), off: matchOff, do: seekBy(+1)},
		{name: "match-before", keys: []string{"N"}, title: says("row before that holds the text"), off: matchOff, do: seekBy(-1)},
	}
}

// finder is the first pane with the focus that can be filtered or searched.
func (m *model) finder() (paneID, bool) {
	for _, p := range m.focused() {
		switch m.panes[p.pane].(type) {
		case filterable, seekable:
			return p.pane, true
		}
	}
	return 0, false
}

func findOff(m *model) string {
	if _, ok := m.finder(); !ok {
		return "there are no rows to filter in " + groupNames[m.focusGroup()] + "; in " + groupNames[groupLog] + " and " + groupNames[groupSource] + " there are"
	}
	return ""
}

func matchOff(m *model) string {
	p, ok := m.finder()
	if _, seeks := m.panes[p].(seekable); !ok || !seeks {
		return "nothing to look for here"
	}
	if m.found.text == "" || m.found.pane != p {
		return "no text to look for: / asks for one"
	}
	return ""
}

func (m *model) askFind() tea.Cmd {
	p, _ := m.finder()
	narrows, filters := m.panes[p].(filterable)
	look := func(m *model, text string) error {
		m.found = finding{p, text}
		if filters {
			return narrows.filter(&m.scene, text)
		}
		return nil
	}
	ask := prompt{
		label: "/", hint: "enter keeps it, esc shows all again",
		enter: func(m *model, text string) (tea.Cmd, error) {
			if err := look(m, text); err != nil {
				return nil, err
			}
			if !filters && text != "" {
				m.seek(0)
			}
			return nil, nil
		},
		leave: func(m *model) { _ = look(m, "") }, // no text asks for nothing wrong
	}
	if filters {
		ask.change = func(m *model, text string) { _ = look(m, text) } // half a filter may be none yet
	} else {
		ask.hint = "text; enter goes there, then n and N to further ones"
	}
	m.ask("find "+paneNames[p], ask)
	return nil
}

func seekBy(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.seek(by)
		return nil
	}
}

// seek goes to the next match and says so when there is none.
func (m *model) seek(by int) {
	p, ok := m.panes[m.found.pane].(seekable)
	if !ok {
		return
	}
	found, more := p.seek(&m.scene, m.found.text, by)
	where := map[int]string{-1: " above", 0: "", 1: " below"}[by]
	switch {
	case found:
		m.say(plain, fmt.Sprintf("%q: n goes down, N up", m.found.text))
	case more:
		m.say(waits, fmt.Sprintf("%q is not among the %s rows looked at%s: again looks further", m.found.text, engine.Grouped(lookedAt), where))
	default:
		m.say(waits, fmt.Sprintf("%q: no match%s", m.found.text, where))
	}
}

// lookedAt is how many sentences one search makes, so that a long log does not hold up the screen.
const lookedAt = 4096

// seek finds a sentence of the log and puts it into the last row.
func (p *logPane) seek(s *scene, text string, by int) (found, more bool) {
	log := &s.feed.log
	var kernel *ir.Kernel
	if s.state.Kernel != nil {
		kernel = s.state.Kernel.IR
	}
	at := log.total - 1 - p.bottom(s)
	step := by
	if by == 0 {
		step = -1
	} else {
		at += by
	}
	for n := 0; log.has(at); at, n = at+step, n+1 {
		if n == lookedAt {
			p.back = log.total - 1 - at
			return false, true
		}
		if holds(engine.SentenceOf(*log.at(at), kernel), text) {
			p.back = log.total - 1 - at
			return true, false
		}
	}
	return false, false
}

// click selects the launch that a sentence of the log is about.
func (p *logPane) click(s *scene, _, y int) {
	log := &s.feed.log
	if y < 0 || y >= len(p.rows) || !log.has(p.rows[y]) {
		return
	}
	turn := log.at(p.rows[y]).Turn
	r := &s.feed.records
	for i := r.total - 1; i >= r.first() && turn > 0; i-- {
		if r.at(i).turn == turn {
			s.cursor = i
			return
		}
		if r.at(i).turn < turn {
			return
		}
	}
}

// seek finds a line of the source and puts it in the middle.
func (p *sourcePane) seek(_ *scene, text string, by int) (found, more bool) {
	step, at := by, p.mark-1+by
	if by == 0 {
		step, at = 1, 0
	}
	for ; at >= 0 && at < len(p.lines); at += step {
		var line strings.Builder
		for _, piece := range p.lines[at].pieces {
			line.WriteString(piece.text)
		}
		if holds(line.String(), text) {
			p.top, p.placed = at-p.height/2, true
			p.mark = at + 1
			return true, false
		}
	}
	return false, false
}
