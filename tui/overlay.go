package tui

import tea "charm.land/bubbletea/v2"

// overlay is what lies over the panes and has the keys first: help, the palette, a prompt, a card. The
// newest is on top; esc takes it away unless it uses that key itself.
type overlay interface {
	title(m *model) string
	// place is its rectangle within the body of the screen.
	place(body rect) rect
	draw(c canvas, m *model)
	// press takes a key; taken false lets esc close it and every other key fall through to the table when
	// through says so.
	press(m *model, key tea.KeyPressMsg) (taken bool, cmd tea.Cmd)
	through() bool
}

// show puts an overlay on top.
func (m *model) show(o overlay) { m.overlays = append(m.overlays, o) }

// top is the overlay that has the keys, nil for none.
func (m *model) top() overlay {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1]
	}
	return nil
}

// drop takes an overlay away.
func (m *model) drop(o overlay) {
	for i := range m.overlays {
		if m.overlays[i] == o {
			m.overlays = append(m.overlays[:i:i], m.overlays[i+1:]...)
			return
		}
	}
}

// drawOverlays draws them in order, each cleared first, with a title line; one that is narrower than the body
// stands in a frame.
func (m *model) drawOverlays(c canvas, body rect) {
	for _, o := range m.overlays {
		r := o.place(body)
		on := c.sub(r)
		if on.w == 0 || on.h == 0 {
			continue // a prompt, which has the status line
		}
		on.clear()
		on.on.spots = append(on.on.spots, spot{rect: on.rect, over: true})
		m.drawTitle(on.sub(rect{0, 0, on.w, 1}), o.title(m), true)
		inside := rect{0, 1, on.w, on.h - 1}
		if r.w < body.w {
			inside = rect{2, 1, on.w - 4, on.h - 2}
			on.down(0, 1, on.h-2, focus, m.glyphs.bar)
			on.down(on.w-1, 1, on.h-2, focus, m.glyphs.bar)
			on.across(0, on.h-1, on.w, focus, m.glyphs.heavy)
		}
		o.draw(on.sub(inside), m)
	}
}

// clear makes every cell of c blank.
func (c canvas) clear() {
	for y := range c.h {
		for x := range c.w {
			c.set(x, y, plain, ' ')
		}
	}
}
