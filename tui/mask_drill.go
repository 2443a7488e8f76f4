package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
)

// A bar goes through the rows of the mask's picture; enter shows the samples of its row as a table.

// scroll moves the bar; the first press shows it.
func (p *maskPane) scroll(by int) {
	if p.rows > 0 {
		p.at = min(max(p.at+by, 1), p.rows)
	}
}

func (p *maskPane) page() int { return max(p.rows/2, 1) }

// leave takes the bar away.
func (p *maskPane) leave() bool {
	was := p.at > 0
	p.at = 0
	return was
}

// click puts the bar on a row of the picture.
func (p *maskPane) click(_ *scene, _, y int) {
	if y < p.rows {
		p.at = y + 1
	}
}

// samplesOf are the first and the last sample of a row, of rows over n samples.
func samplesOf(row, rows, n int) (first, last int) {
	first = row * n / rows
	last = max((row+1)*n/rows-1, first)
	return first, min(last, n-1)
}

// drawBar marks the row under the bar, and says whose it is.
func (p *maskPane) drawBar(a axes, s *scene) {
	if p.at == 0 || p.rows == 0 {
		return
	}
	p.at = min(p.at, p.rows)
	first, last := samplesOf(p.at-1, p.rows, int(s.n()))
	a.outside.set(a.gutter-1, p.at-1, strong, s.glyphs.mark)
	text := fmt.Sprintf(" samples %s to %s ", engine.Grouped(first), engine.Grouped(last))
	if x := a.area.w - width(text); x > 0 {
		a.area.text(x, p.at-1, selected, text)
	}
}

func (p *maskPane) keys() []binding {
	return []binding{{
		name: "samples-of-row", keys: []string{"enter"}, title: says("the samples of the row under the bar, as a table"), brief: says("samples"), off: p.rowOff, do: p.drill,
	}}
}

func (p *maskPane) rowOff(m *model) string {
	switch {
	case p.current(&m.scene) == nil:
		return "it is not known yet who is live"
	case p.at == 0 || p.rows == 0:
		return "j and k put a bar on a row of the picture first"
	}
	return ""
}

// drill shows the samples of the row.
func (p *maskPane) drill(m *model) tea.Cmd {
	table, ok := m.panes[panePlanes].(*planesPane)
	if !ok {
		return nil
	}
	first, last := samplesOf(p.at-1, p.rows, int(m.n()))
	table.filter, table.row, table.top = fmt.Sprintf("sample %d-%d", first, last), 0, 0
	m.shown = groupPlanes
	return nil
}
