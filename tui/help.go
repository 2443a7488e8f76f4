package tui

import (
	"fmt"
	"strings"
)

// helpPane lists every key of the table, with why it is off now.
type helpPane struct {
	open   bool
	top    int
	height int
	rows   int
}

func (p *helpPane) title(*model) string { return "Help: every key, and why it is off now" }

func (p *helpPane) draw(c canvas, m *model) {
	type line struct {
		keys, text string
		off        bool
	}
	var lines []line
	const indent = 18
	for i := range m.keys {
		b := &m.keys[i]
		l := line{keys: b.shownKeys(), text: b.title(m)}
		if b.off != nil {
			if why := b.off(m); why != "" {
				l.text, l.off = l.text+"  (off: "+why+")", true
			}
		}
		for j, text := range wrap(l.text, c.w-indent-1) {
			if j > 0 {
				l.keys = ""
			}
			lines = append(lines, line{l.keys, text, l.off})
		}
	}
	p.height, p.rows = c.h, len(lines)
	p.top = min(max(p.top, 0), max(p.rows-p.height, 0))
	for y, l := range lines[p.top:] {
		if y >= c.h {
			break
		}
		look := plain
		if l.off {
			look = quiet
		}
		c.text(2, y, key, l.keys)
		c.text(indent, y, look, l.text)
	}
	if below := p.rows - p.top - c.h; below > 0 {
		text := fmt.Sprintf(" %d more below, j scrolls ", below)
		c.right(c.w-1, c.h-1, strong, text)
	}
}

func (p *helpPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *helpPane) page() int     { return max(p.height-1, 1) }

// drawFooter writes the keys that are on, as many as fit; help and quit keep their place on the right.
func drawFooter(c canvas, m *model) {
	fixed := map[string]bool{"?": true, "q": true}
	right := c.w - 1
	for i := len(m.keys) - 1; i >= 0; i-- {
		if b := &m.keys[i]; fixed[b.keys[0]] {
			right -= len(b.keys[0]) + 1 + len(b.brief(m))
			x := c.text(right, 0, key, b.keys[0])
			c.text(x+1, 0, plain, b.brief(m))
			right -= 2
		}
	}
	x := 1
	for i := range m.keys {
		b := &m.keys[i]
		if b.brief == nil || fixed[b.keys[0]] || (b.off != nil && b.off(m) != "") {
			continue
		}
		name, text := b.keys[0], b.brief(m)
		if x+len(name)+1+width(text) > right {
			return
		}
		x = c.text(x, 0, key, name)
		x = c.text(x+1, 0, plain, text) + 2
	}
}

// prompt asks for a number of steps.
type prompt struct {
	open bool
	text string
}

const promptDigits = 10

// press edits the number; done is whether enter or esc ended it.
func (p *prompt) press(name string) (done, entered bool) {
	switch {
	case name == "enter":
		return true, p.text != ""
	case name == "esc":
		return true, false
	case name == "backspace" && p.text != "":
		p.text = p.text[:len(p.text)-1]
	case len(name) == 1 && strings.Contains("0123456789", name) && len(p.text) < promptDigits:
		p.text += name
	}
	return false, false
}
