package tui

import (
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
)

// axisUnit is what the shared axis counts.
type axisUnit uint8

const (
	axisStep axisUnit = iota
	axisLaunch
	axisWall
	axisUnits
)

// String is the unit in the words of an axis.
func (u axisUnit) String() string { return [...]string{"step", "launch", "wall"}[u] }

// timeline is the axis that every pane over time shares, with the cursor of the scene: what is moved in one
// moves in all. zoom 0 shows the whole run; each further one half of it around the cursor.
type timeline struct {
	unit axisUnit
	zoom int
}

const mostZoom = 24

// span is the part of the axis that is shown: from <= x < to, in the unit of the axis.
type stretch struct {
	unit     axisUnit
	from, to float64
}

// shows is the part of the run that is on screen.
func (s *scene) shows() stretch {
	whole := stretch{unit: s.axis.unit, to: s.rightEdge()}
	switch s.axis.unit {
	case axisLaunch:
		whole.to = max(float64(s.feed.launches()), 1)
	case axisWall:
		whole.to = max(s.feed.wall.Seconds(), 1e-9)
	}
	if s.axis.zoom == 0 {
		return whole
	}
	width := max(whole.to/math.Exp2(float64(s.axis.zoom)), whole.least())
	at := whole.to
	if r := s.selected(); r != nil {
		at = s.place(r)
	}
	from := min(max(at-width/2, 0), max(whole.to-width, 0))
	return stretch{whole.unit, from, from + width}
}

// least is the narrowest part that makes sense to show.
func (v stretch) least() float64 {
	if v.unit == axisWall {
		return 1e-6
	}
	return 8
}

// at is x as a share of what is shown: 0 at its left end, 1 at its right one.
func (v stretch) at(x float64) float64 {
	if v.to <= v.from {
		return 0
	}
	return (x - v.from) / (v.to - v.from)
}

// place is where the middle of a launch lies on the axis.
func (s *scene) place(r *record) float64 {
	switch s.axis.unit {
	case axisLaunch:
		return float64(r.launch.Number) - 0.5
	case axisWall:
		return (r.began + r.launch.Wall/2).Seconds()
	}
	return middle(r)
}

// end is where a launch, or some launches in short, end on the axis, given that they came after before.
func (v stretch) end(b *bucket, before float64) float64 {
	switch v.unit {
	case axisLaunch:
		return before + float64(b.launches)
	case axisWall:
		return before + b.wall.Seconds()
	}
	return float64(b.done)
}

// write writes a place on the axis with as many digits as its ticks need.
func (v stretch) write(x float64) string {
	if v.unit == axisWall {
		return elapsed(time.Duration(x * 1e9))
	}
	return engine.Grouped(int64(math.Round(x)))
}

// timelineKeys move the cursor, the zoom and the unit of the axis.
func timelineKeys() []binding {
	return []binding{
		{name: "cursor-before", keys: []string{"h", "left"}, title: slideOr("less of the parameter", "cursor to the launch before"), brief: slideOr("less", "earlier"), off: slideOff, do: moveCursor(-1)},
		{name: "cursor-after", keys: []string{"l", "right"}, title: slideOr("more of the parameter", "cursor to the launch after"), off: slideOff, do: moveCursor(+1)},
		{name: "change-before", keys: []string{"["}, title: says("cursor to the change of steps per launch before"), off: cursorOff, do: moveToChange(-1)},
		{name: "change-after", keys: []string{"]"}, title: says("cursor to the change of steps per launch after"), off: cursorOff, do: moveToChange(+1)},
		{name: "first", keys: []string{"g", "home"}, title: says("cursor to the first launch kept"), off: cursorOff, do: (*model).cursorToFirst},
		{name: "newest", keys: []string{"G", "end"}, title: says("follow the newest launch"), off: cursorOff, do: (*model).followNewest},
		{name: "zoom-in", keys: []string{"+"}, title: says("zoom the time axis in, around the cursor"), off: zoomInOff, do: zoomAxis(+1)},
		{name: "zoom-out", keys: []string{"-"}, title: says("zoom the time axis out"), off: zoomOutOff, do: zoomAxis(-1)},
		{name: "zoom-fit", keys: []string{"0"}, title: says("time axis: the whole run"), off: zoomOutOff, do: zoomAxis(-mostZoom)},
		{name: "axis", keys: []string{"x"}, title: axisTitle, do: nextAxis},
	}
}

// slider is a pane of parameters: left and right change the one that is chosen, and no cursor is moved.
type slider interface{ slide(s *scene, by int) }

// slider is the pane with the focus that has parameters, nil for none.
func (m *model) slider() slider {
	for _, p := range m.focused() {
		if s, ok := m.panes[p.pane].(slider); ok {
			return s
		}
	}
	return nil
}

func slideOr(slides, moves string) func(*model) string {
	return func(m *model) string {
		if m.slider() != nil {
			return slides
		}
		return moves
	}
}

func slideOff(m *model) string {
	if m.slider() != nil {
		return ""
	}
	return cursorOff(m)
}

func zoomInOff(m *model) string {
	v := m.shows()
	switch {
	case m.feed.records.total == 0:
		return "there is no launch yet"
	case m.axis.zoom >= mostZoom || m.axis.zoom > 0 && v.to-v.from <= v.least():
		return "the axis shows as little as it can"
	}
	return ""
}

func zoomOutOff(m *model) string {
	if m.axis.zoom == 0 {
		return "the axis shows the whole run"
	}
	return ""
}

func zoomAxis(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.axis.zoom = min(max(m.axis.zoom+by, 0), mostZoom)
		return nil
	}
}

func axisTitle(m *model) string {
	return "time axis in steps, launches or wall; now: " + m.axis.unit.String()
}

func nextAxis(m *model) tea.Cmd {
	m.axis.unit = (m.axis.unit + 1) % axisUnits
	return nil
}

func cursorOff(m *model) string {
	if m.feed.records.total == 0 {
		return "there is no launch yet"
	}
	return ""
}

func moveCursor(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if p := m.slider(); p != nil {
			p.slide(&m.scene, by)
			return nil
		}
		r := &m.feed.records
		at := m.cursor
		if at < 0 {
			at = r.total - 1
		}
		m.setCursor(at + by)
		return nil
	}
}

func moveToChange(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := &m.feed.records
		at := m.cursor
		if at < 0 {
			at = r.total - 1
		}
		word := r.at(at).launch.Word
		for r.has(at+by) && r.at(at).launch.Word == word {
			at += by
		}
		m.setCursor(at)
		return nil
	}
}

func (m *model) cursorToFirst() tea.Cmd {
	m.setCursor(m.feed.records.first())
	return nil
}

func (m *model) followNewest() tea.Cmd {
	m.cursor, m.logs.back = -1, 0
	return nil
}

// setCursor selects a launch; beyond the newest it follows.
func (m *model) setCursor(at int) {
	r := &m.feed.records
	m.cursor, m.logs.back = max(at, r.first()), 0
	if at >= r.total {
		m.cursor = -1
	}
}
