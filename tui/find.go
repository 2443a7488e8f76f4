package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
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
	// seek moves to the next such row below the last one found, above for by < 0; for by 0 to the first.
	seek(s *scene, text string, by int) (found bool)
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
	if !ok {
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

// seek goes to the next match and says so when there is none. Where a filter holds every row that is shown is
// a match.
func (m *model) seek(by int) {
	switch p := m.panes[m.found.pane].(type) {
	case filterable:
		if rows, ok := p.(scroller); ok {
			rows.scroll(by)
		}
	case seekable:
		if p.seek(&m.scene, m.found.text, by) {
			m.say(plain, fmt.Sprintf("%q: n goes down, N up", m.found.text))
			return
		}
		where := map[int]string{-1: " above", 0: "", 1: " below"}[by]
		m.say(waits, fmt.Sprintf("%q: no match%s", m.found.text, where))
	}
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

// seek finds a line of the source, the first one first, and puts it in the middle.
func (p *sourcePane) seek(s *scene, text string, by int) (found bool) {
	if p.coded(s) {
		return p.code.seek(text, by, p.mode)
	}
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
			return true
		}
	}
	return false
}
