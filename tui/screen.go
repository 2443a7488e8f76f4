package tui

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"

	tea "charm.land/bubbletea/v2"
)

// View draws the screen, unless nothing has changed since the last time.
func (m *model) View() (v tea.View) {
	defer m.crash.guard()
	v.AltScreen = true
	if m.mouse.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.cached.version != m.version {
		start := m.clock()
		m.drawn = m.screen()
		m.cached.content = m.drawn.String(m.theme)
		m.cached.version, m.drawnAt = m.version, start
		m.cost = m.clock().Sub(start)
		m.meter.spent(m.cost)
		if m.film != nil {
			m.film.shoot(m.drawn)
		}
	}
	v.Content = m.cached.content
	v.WindowTitle = "eaglet"
	if k := m.state.Kernel; k != nil {
		v.WindowTitle = "eaglet: " + safe(k.IR.Name)
	}
	return v
}

// safe is text without anything that a terminal could obey.
func safe(text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		r, _ := printable(r, false)
		out = append(out, r)
	}
	return string(out)
}

// screen draws everything at the terminal's size.
func (m *model) screen() *surface {
	on := newSurface(m.width, m.height, m.glyphs.kind == GlyphsASCII)
	c := on.canvas()
	l := m.layout()
	if l.tooSmall {
		m.drawTooSmall(c)
		return on
	}
	drawIdentity(c.sub(l.identity), &m.scene)
	drawState(c.sub(l.state), &m.scene)
	drawStatus(c.sub(l.status), m)
	drawFooter(c.sub(l.footer), m)
	if l.strip.h > 0 {
		m.drawMaskLine(c.sub(l.strip))
	}
	m.drawTabs(c.sub(l.tabs))
	for _, p := range l.panes {
		m.drawPane(c, p)
	}
	for _, b := range l.bars {
		c.sub(b).down(0, 0, b.h, quiet, m.glyphs.bar)
	}
	m.drawOverlays(c, rect{0, l.tabs.y + 1, m.width, l.status.y - l.tabs.y - 1})
	return on
}

// drawTooSmall writes one line: the size that is needed, and the state of the run.
func (m *model) drawTooSmall(c canvas) {
	shape, word, _ := m.phase()
	c.text(0, 0, plain, fmt.Sprintf("need %dx%d, have %dx%d", leastWidth, leastHeight, m.width, m.height))
	text := shape + " " + word
	if m.state.Kernel != nil {
		text += fmt.Sprintf(" launch %s, step %s, live %s", engine.Grouped(m.feed.launches()), engine.Grouped(m.done()), share(m.live(), m.n()))
	}
	if c.h > 1 {
		c.text(0, 1, plain, text)
		return
	}
	c.text(28, 0, plain, text)
}

// drawTabs writes the groups, the one shown marked by brackets and reverse video.
func (m *model) drawTabs(c canvas) {
	x, gap := 0, " "
	if c.w < 90 {
		gap = ""
	}
	for g := range groupCount {
		if !m.hasPanes(g) {
			continue
		}
		text, look := " "+groupKeys[g]+gap+groupNames[g]+" ", quiet
		if g == m.shown {
			text, look = "["+text[1:len(text)-1]+"]", selected
		}
		on := rect{c.x + x, c.y, width(text), 1}
		if x = c.text(x, 0, look, text); x >= on.x-c.x+on.w {
			c.on.spots = append(c.on.spots, spot{rect: on, press: showGroup(g)})
		}
		if g != m.shown {
			x-- // the blank behind is the one before the next
		}
	}
	for _, text := range []string{"full screen, z goes back", "full screen", "z"} {
		if m.zoom && x+2+len(text) < c.w {
			c.right(c.w-1, 0, quiet, text)
			break
		}
	}
}

// hasPanes says whether there is something to show in a group.
func (m *model) hasPanes(g group) bool {
	for p, of := range groupOf {
		if of == g && m.panes[p] != nil {
			return true
		}
	}
	return false
}

// drawPane draws a pane with its title line; that of a pane of the group shown is a heavy line.
func (m *model) drawPane(c canvas, p placed) {
	if m.panes[p.pane] == nil {
		return
	}
	if m.hiddenPane(p.pane) {
		m.drawTitle(c.sub(rect{p.x, p.y, p.w, 1}), "hidden until you have guessed", false)
		return
	}
	m.panes[p.pane].draw(c.sub(rect{p.x, p.y + 1, p.w, p.h - 1}), &m.scene) // first: titles tell what is in view
	m.drawTitle(c.sub(rect{p.x, p.y, p.w, 1}), m.panes[p.pane].title(&m.scene), m.hasFocus(p.pane))
}

// drawTitle writes a title into a line.
func (m *model) drawTitle(c canvas, text string, focused bool) {
	line, look, title := m.glyphs.rule, quiet, strong
	if focused {
		line, look, title = m.glyphs.heavy, focus, focus
	}
	c.across(0, 0, c.w, look, line)
	c.text(1, 0, title, " "+cut(text, c.w-4)+" ")
}
