package tui

import (
	"sort"

	tea "charm.land/bubbletea/v2"
)

// spot is a rectangle of the drawn screen that a mouse can do something with. Who draws it adds it; the one
// that was added last lies on top.
type spot struct {
	rect                                   // of the surface
	press func(m *model) tea.Cmd           // what a click does
	axis  stretch                          // a part of the time axis: a click puts the cursor there
	click func(m *model, x, y int) tea.Cmd // a click at x, y from the spot's corner
	over  bool                             // an overlay: hides what lies below
}

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// mouse is what the model keeps of it.
type mouse struct {
	on      bool
	bar     int // 1 + index of the column bar that is being dragged, 0 for none
	pointed struct {
		on   bool
		pane paneID
		in   group // that was shown then: another one drops it
	}
}

// clickable is a pane whose rows can be clicked; x and y are from the corner below its title.
type clickable interface {
	pane
	click(s *scene, x, y int)
}

// layout is where everything is now.
func (m *model) layout() layout {
	return arrangeColumns(m.width, m.height, m.shown, m.zoom, m.columns)
}

// pointedPane is the pane beside the group shown that the user has pointed at.
func (m *model) pointedPane() (paneID, bool) {
	p := &m.mouse.pointed
	if !p.on || p.in != m.shown {
		return 0, false
	}
	for _, on := range m.onScreen() {
		if on == p.pane {
			return p.pane, true
		}
	}
	return 0, false
}

// point gives a pane the focus without changing what is shown.
func (m *model) point(p paneID) {
	m.mouse.pointed.on, m.mouse.pointed.pane, m.mouse.pointed.in = true, p, m.shown
}

// unpoint gives the focus back to the group shown; false: it has it.
func (m *model) unpoint() bool {
	_, was := m.pointedPane()
	m.mouse.pointed.on = false
	return was
}

// hasFocus says whether keys go to a pane, and copies are of it: the one pointed at, else the group shown.
func (m *model) hasFocus(p paneID) bool {
	if at, ok := m.pointedPane(); ok {
		return p == at
	}
	return groupOf[p] == m.shown
}

// focusGroup is the group whose local keys hold.
func (m *model) focusGroup() group {
	if at, ok := m.pointedPane(); ok {
		return groupOf[at]
	}
	return m.shown
}

// focused are the panes with the focus, as they are placed.
func (m *model) focused() []placed {
	var out []placed
	for _, p := range m.layout().panes {
		if m.panes[p.pane] != nil && m.hasFocus(p.pane) {
			out = append(out, p)
		}
	}
	return out
}

// mouseEvent takes what the mouse did. What it does can be done by keys too.
func (m *model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		m.note.text = ""
		if at.Button == tea.MouseLeft {
			return m.clicked(at.X, at.Y)
		}
	case tea.MouseWheelMsg:
		return m.wheeled(at)
	case tea.MouseMotionMsg:
		m.dragged(at.X)
	case tea.MouseReleaseMsg:
		m.mouse.bar = 0
	}
	return nil
}

// under lists the spots under x, y, the topmost first, down to an overlay.
func (m *model) under(x, y int) (spots []spot, covered bool) {
	if m.drawn == nil {
		return nil, false
	}
	for i := len(m.drawn.spots) - 1; i >= 0; i-- {
		s := m.drawn.spots[i]
		if !s.holds(x, y) {
			continue
		}
		if s.over {
			return spots, true
		}
		spots = append(spots, s)
	}
	return spots, false
}

func (m *model) clicked(x, y int) tea.Cmd {
	spots, covered := m.under(x, y)
	for _, s := range spots {
		switch {
		case s.press != nil:
			return s.press(m)
		case s.click != nil:
			return s.click(m, x-s.x, y-s.y)
		}
	}
	if covered {
		return nil
	}
	l := m.layout()
	for i, b := range l.bars {
		if b.holds(x, y) {
			m.mouse.bar = i + 1
			return nil
		}
	}
	for _, p := range l.panes {
		if !p.holds(x, y) || m.panes[p.pane] == nil {
			continue
		}
		if groupOf[p.pane] == m.shown {
			m.unpoint()
		}
		if groupOf[p.pane] != m.shown || len(m.focused()) > 1 {
			m.point(p.pane)
		}
		for _, s := range spots {
			if s.axis.to > s.axis.from {
				share := (float64(x-s.x) + 0.5) / float64(s.w)
				m.cursorTo(s.axis.from + share*(s.axis.to-s.axis.from))
			}
		}
		if c, ok := m.panes[p.pane].(clickable); ok && y > p.y {
			c.click(&m.scene, x-p.x, y-p.y-1)
		}
	}
	return nil
}

// cursorTo selects the launch that lies nearest to a place on the axis.
func (m *model) cursorTo(v float64) {
	r := &m.feed.records
	if r.total == 0 {
		return
	}
	first := r.first()
	i := first + sort.Search(len(r.items), func(i int) bool { return m.place(r.at(first+i)) >= v })
	if i > first && (i == r.total || v-m.place(r.at(i-1)) < m.place(r.at(i))-v) {
		i--
	}
	m.setCursor(i)
}

// wheelRows is how far a notch of the wheel scrolls.
const wheelRows = 3

// wheeled scrolls what is under the mouse; over a time axis it moves the cursor.
func (m *model) wheeled(at tea.Mouse) tea.Cmd {
	by := 0
	switch at.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
		by = 1
	default:
		return nil
	}
	if s, ok := m.top().(scroller); ok {
		s.scroll(by * wheelRows)
		return nil
	}
	spots, covered := m.under(at.X, at.Y)
	if covered {
		return nil
	}
	for _, p := range m.layout().panes {
		if !p.holds(at.X, at.Y) {
			continue
		}
		if s, ok := m.panes[p.pane].(scroller); ok {
			s.scroll(by * wheelRows)
			return nil
		}
	}
	for _, s := range spots {
		if s.axis.to > s.axis.from && m.feed.records.total > 0 {
			return moveCursor(by)(m)
		}
	}
	return nil
}

// dragged moves the column bar that is held.
func (m *model) dragged(x int) {
	if m.mouse.bar == 0 {
		return
	}
	l := m.layout()
	if i := m.mouse.bar - 1; i >= len(l.bars) {
		m.mouse.bar = 0
	} else if by := x - l.bars[i].x; i == 0 {
		m.columns.card -= by
	} else {
		m.columns.source += by
	}
	// What could not be had is not kept, or the way back would be longer than the way there.
	if after := m.layout(); m.mouse.bar > 0 && len(after.bars) >= m.mouse.bar {
		if short := x - after.bars[m.mouse.bar-1].x; m.mouse.bar == 1 {
			m.columns.card += short
		} else {
			m.columns.source -= short
		}
	}
}

// toggleMouse gives the mouse to the terminal, or takes it back.
func toggleMouse(m *model) tea.Cmd {
	m.mouse.on = !m.mouse.on
	if m.mouse.on {
		m.say(ends, "the mouse is the workbench's: click panes, tabs, keys, the time axis; drag the bar between columns")
	} else {
		m.say(ends, "the mouse is the terminal's: text can be selected with it; M gives it back to the workbench")
	}
	return nil
}
