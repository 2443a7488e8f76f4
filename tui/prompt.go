package tui

import (
	tea "charm.land/bubbletea/v2"
)

// prompt asks for one line of text, in the place of the status line. Everything that is typed into the
// workbench goes through one: a filter, a place to run to, a file's name, a value.
type prompt struct {
	label string
	hint  string // what may be typed, and what enter does
	input input
	why   string // why the last enter was refused

	// enter takes the text. An error is shown in the place of the hint, and the prompt stays.
	enter func(m *model, text string) (tea.Cmd, error)
	// change is told of every change; nil for none. leave is told of esc.
	change func(m *model, text string)
	leave  func(m *model)
}

// ask opens a prompt. Prompts of one kind share what was entered before.
func (m *model) ask(kind string, p prompt) *prompt {
	if m.histories == nil {
		m.histories = map[string]*history{}
	}
	if m.histories[kind] == nil {
		m.histories[kind] = &history{}
	}
	p.input.history = m.histories[kind]
	m.show(&p)
	return &p
}

func (p *prompt) title(*model) string { return p.label }
func (p *prompt) place(rect) rect     { return rect{} }
func (p *prompt) draw(canvas, *model) {}
func (p *prompt) through() bool       { return false }
func (p *prompt) paste(m *model, text string) {
	p.input.insert(text)
	p.changed(m)
}

func (p *prompt) press(m *model, msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch msg.String() {
	case "enter":
		text := oneLineOf(p.input.text())
		cmd, err := p.enter(m, text)
		if err != nil {
			p.why = firstLine(err.Error())
			return true, nil
		}
		p.input.history.add(text)
		m.drop(p)
		return true, cmd
	case "esc":
		if p.leave != nil {
			p.leave(m)
		}
		return false, nil
	}
	before := p.input.text()
	p.input.press(msg)
	if p.input.text() != before {
		p.changed(m)
	}
	return true, nil
}

func (p *prompt) changed(m *model) {
	p.why = ""
	if p.change != nil {
		p.change(m, p.input.text())
	}
}

// drawLine writes the prompt into the status line: label, text, and what to do.
func (p *prompt) drawLine(c canvas) {
	x := c.text(1, 0, strong, p.label+" ")
	hint, look := p.hint, quiet
	if p.why != "" {
		hint, look = p.why, waits
	}
	room := c.w - x - 2
	if n := width(hint); n > 0 && room-n >= max(12, width(p.input.text())+3) {
		c.right(c.w-1, 0, look, hint)
		room -= n + 1
	} else if p.why != "" { // more than the text
		room = max(room/4, 8)
		end := p.input.draw(c.sub(rect{0, 0, x + room, 1}), x)
		c.text(end+2, 0, look, cut(hint, c.w-end-3))
		return
	}
	p.input.draw(c.sub(rect{0, 0, x + room, 1}), x)
}

// paster is an overlay that takes pasted text.
type paster interface{ paste(m *model, text string) }

// pasted gives pasted text to what is on top, if that takes any.
func (m *model) pasted(text string) {
	if p, ok := m.top().(paster); ok {
		p.paste(m, text)
		return
	}
	m.say(waits, "there is nothing to paste into: / : u and o open a line that takes text")
}
