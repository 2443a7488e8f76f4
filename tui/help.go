package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// helpPane lists every key of the table, with why it is off now: those of the pane with the focus first,
// then those of everywhere, then those of the other panes. A text narrows it to the lines that hold it.
type helpPane struct {
	top    int
	height int
	rows   int
	only   string // "" for all
}

// helpLine is one line; a heading has a text and no keys.
type helpLine struct {
	keys, text string
	look       style
}

func toggleHelp(m *model) tea.Cmd {
	m.show(&helpPane{})
	return nil
}

func (p *helpPane) title(m *model) string {
	if p.only != "" {
		return fmt.Sprintf("Help: what holds %q; / another, esc all", p.only)
	}
	return "Help: the keys of " + groupNames[m.focusGroup()] + " first, and why a key is off now"
}

func (p *helpPane) place(body rect) rect { return body }
func (p *helpPane) through() bool        { return false }

func (p *helpPane) press(m *model, msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch name := msg.String(); name {
	case "j", "down":
		p.scroll(1)
	case "k", "up":
		p.scroll(-1)
	case "pgdown", "ctrl+d", "space":
		p.scroll(p.page())
	case "pgup", "ctrl+u":
		p.scroll(-p.page())
	case "g", "home":
		p.top = 0
	case "G", "end":
		p.scroll(p.rows)
	case "/":
		m.ask("help", prompt{
			label: "help about", hint: "a word; enter keeps it, esc leaves",
			enter:  func(m *model, text string) (tea.Cmd, error) { p.only = text; return nil, nil },
			change: func(m *model, text string) { p.only, p.top = text, 0 },
			leave:  func(m *model) { p.only = "" },
		})
	case "?", "q":
		m.drop(p)
	case ":", "ctrl+p":
		m.drop(p)
		return true, openPalette(m)
	case "esc":
		if p.only == "" {
			return false, nil
		}
		p.only, p.top = "", 0
	default:
		m.say(waits, "help is open: esc closes it, / narrows it, j and k scroll")
	}
	return true, nil
}

// lines are all lines, in the order of what matters now.
func (p *helpPane) lines(m *model) []helpLine {
	var out []helpLine
	section := func(heading string, in func(b *binding) bool) {
		begun := false
		for i := range m.keys {
			b := &m.keys[i]
			if !in(b) {
				continue
			}
			l := helpLine{keys: b.shownKeys(), text: b.title(m)}
			if b.off != nil {
				if why := b.off(m); why != "" {
					l.text, l.look = l.text+"  (off: "+why+")", quiet
				}
			}
			if p.only != "" && !holds(l.keys+" "+l.text, p.only) {
				continue
			}
			if !begun {
				begun, out = true, append(out, helpLine{text: heading, look: strong})
			}
			out = append(out, l)
		}
	}
	here := m.focusGroup()
	section("in "+groupNames[here], func(b *binding) bool { return b.local && b.where == here })
	section("everywhere", func(b *binding) bool { return !b.local })
	for g := range groupCount {
		if g != here {
			section("in "+groupNames[g], func(b *binding) bool { return b.local && b.where == g })
		}
	}
	return out
}

// holds says whether text holds part, whatever the case.
func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

const helpIndent = 18

func (p *helpPane) draw(c canvas, m *model) {
	var lines []helpLine
	for _, l := range p.lines(m) {
		if l.keys == "" {
			lines = append(lines, l)
			continue
		}
		for j, text := range wrap(l.text, c.w-helpIndent-1) {
			if j > 0 {
				l.keys = ""
			}
			lines = append(lines, helpLine{l.keys, " " + text, l.look}) // the blank tells it from a heading
		}
	}
	p.height, p.rows = c.h, len(lines)
	p.top = min(max(p.top, 0), max(p.rows-p.height, 0))
	if len(lines) == 0 {
		c.text(2, 0, quiet, "no key's text holds that")
	}
	for y, l := range lines[p.top:] {
		if y >= c.h {
			break
		}
		if !strings.HasPrefix(l.text, " ") {
			c.text(2, y, l.look, l.text)
			continue
		}
		c.text(2, y, key, l.keys)
		c.text(helpIndent, y, l.look, l.text[1:])
	}
	if below := p.rows - p.top - c.h; below > 0 {
		text := fmt.Sprintf(" %d more below, j scrolls ", below)
		c.right(c.w-1, c.h-1, strong, text)
	}
}

func (p *helpPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *helpPane) page() int     { return max(p.height-1, 1) }

// drawFooter writes the keys that are on, those of the pane with the focus first after the run keys, as many as
// fit; help and quit keep their place on the right. A click on one presses it.
func drawFooter(c canvas, m *model) {
	write := func(x int, b *binding) int {
		on := rect{c.x + x, c.y, len(b.keys[0]) + 1 + width(b.brief(m)), 1}
		c.on.spots = append(c.on.spots, spot{rect: on, press: func(m *model) tea.Cmd { return m.do(b) }})
		x = c.text(x, 0, key, b.keys[0])
		return c.text(x+1, 0, plain, b.brief(m)) + 2
	}
	fixed := func(b *binding) bool { return b.name == "help" || b.name == "quit" }
	right := c.w - 1
	for i := len(m.keys) - 1; i >= 0; i-- {
		if b := &m.keys[i]; fixed(b) {
			right -= len(b.keys[0]) + 1 + width(b.brief(m))
			write(right, b)
			right -= 2
		}
	}
	x := 1
	put := func(b *binding) (fits bool) {
		if b.brief == nil || fixed(b) || (b.off != nil && b.off(m) != "") {
			return true
		}
		if x+len(b.keys[0])+1+width(b.brief(m)) > right {
			return false
		}
		x = write(x, b)
		return true
	}
	here := m.focusGroup()
	first := 0
	for i := range m.keys { // run or pause is always the first
		if b := &m.keys[i]; b.name == "run" {
			put(b)
			first = i
		}
	}
	for i := range m.keys {
		if b := &m.keys[i]; b.local && b.where == here && !put(b) {
			return
		}
	}
	for i := range m.keys {
		if b := &m.keys[i]; !b.local && i != first && !put(b) {
			return
		}
	}
}
