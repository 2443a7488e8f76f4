package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// explainer is a pane that can say what is under the cursor in sentences, without a final stop: the words of
// the log first, then what they mean.
type explainer interface {
	pane
	explain(s *scene) []string
}

// explainKeys open the card of words.
func explainKeys() []binding {
	return []binding{{
		name: "explain", keys: []string{"a"}, title: says("explain in words what is under the cursor"), brief: says("explain"),
		off: explainOff, do: (*model).explainNow,
	}}
}

func explainOff(m *model) string {
	if m.state.Kernel == nil {
		return "no kernel is loaded"
	}
	return ""
}

// explainNow opens the card, or closes it.
func (m *model) explainNow() tea.Cmd {
	if e, ok := m.top().(*explainCard); ok {
		m.drop(e)
		return nil
	}
	m.show(&explainCard{})
	return nil
}

// explainers are the panes that speak for what is shown: those of the group, the formula card for all others.
func (m *model) explainers() []explainer {
	var out []explainer
	for _, id := range m.onScreen() {
		if e, ok := m.panes[id].(explainer); ok && groupOf[id] == m.shown {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		if e, ok := m.panes[paneWhy].(explainer); ok {
			out = append(out, e)
		}
	}
	return out
}

// explainCard is a paragraph over the panes about what is under the cursor; it follows the cursor.
type explainCard struct{ top, height, rows int }

func (e *explainCard) title(m *model) string {
	all := m.explainers()
	if len(all) == 0 {
		return "Explain"
	}
	return "Explain: " + lowerFirst(all[0].title(&m.scene))
}

// lowerFirst is a title as the rest of one.
func lowerFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

func (e *explainCard) place(body rect) rect {
	w := min(max(body.w*3/5, 64), body.w)
	h := min(body.h, max(body.h/2, 12))
	return rect{body.x + (body.w-w)/2, body.y + (body.h-h)/3, w, h}
}

// through lets every other key work: the cursor moves under the card.
func (e *explainCard) through() bool { return true }

func (e *explainCard) press(m *model, msg tea.KeyPressMsg) (bool, tea.Cmd) {
	switch msg.String() {
	case "j", "down":
		e.scroll(1)
	case "k", "up":
		e.scroll(-1)
	case "enter":
		m.drop(e)
	default:
		return false, nil
	}
	return true, nil
}

// text is the paragraph.
func (e *explainCard) text(m *model) []string {
	var out []string
	for _, x := range m.explainers() {
		var b strings.Builder
		for _, sentence := range x.explain(&m.scene) {
			if sentence == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ToUpper(sentence[:1]) + sentence[1:] + ".")
		}
		out = append(out, b.String())
	}
	return out
}

func (e *explainCard) draw(c canvas, m *model) {
	var lines []string
	for i, paragraph := range e.text(m) {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, wrap(paragraph, c.w-2)...)
	}
	e.height, e.rows = c.h-1, len(lines)
	e.top = min(max(e.top, 0), max(e.rows-e.height, 0))
	for y, line := range lines[e.top:] {
		if y >= e.height {
			break
		}
		c.text(1, y, plain, line)
	}
	hint := "a or esc closes; the cursor moves on below"
	if e.rows > e.height {
		hint = "j k scroll, " + hint
	}
	c.text(1, c.h-1, quiet, cut(hint, c.w-2))
}

func (e *explainCard) scroll(by int) { e.top = min(max(e.top+by, 0), max(e.rows-e.height, 0)) }
