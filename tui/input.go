package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// longestInput bounds a line of text, so that nothing pasted can grow without end.
const longestInput = 1024

// input is one editable line of text, the same wherever something is typed. Positions are in runes.
type input struct {
	runes   []rune
	at      int      // of the cursor: 0 before the first rune
	history *history // nil for none
	back    int      // how far up the history the text was taken from; 0: it was typed
	typed   string   // what was typed before the way up
}

// history is what was entered before, the newest last.
type history struct{ lines []string }

// longestHistory is how many lines are kept.
const longestHistory = 100

// add keeps a line, once.
func (h *history) add(line string) {
	if line == "" {
		return
	}
	h.lines = slices.DeleteFunc(h.lines, func(s string) bool { return s == line })
	h.lines = append(h.lines, line)
	if len(h.lines) > longestHistory {
		h.lines = h.lines[1:]
	}
}

func (e *input) text() string { return string(e.runes) }

// set replaces the text, with the cursor at its end.
func (e *input) set(text string) {
	e.runes = []rune(text)
	e.at = len(e.runes)
}

// insert puts text at the cursor: line ends and tabs as blanks, what cannot be shown not at all.
func (e *input) insert(text string) {
	var in []rune
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			r = ' '
		case !unicode.IsPrint(r):
			continue
		}
		in = append(in, r)
	}
	in = in[:min(len(in), max(longestInput-len(e.runes), 0))]
	e.runes = slices.Insert(e.runes, e.at, in...)
	e.at += len(in)
	e.back = 0
}

// press takes a key that edits; false for every other one.
func (e *input) press(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "left", "ctrl+b":
		e.at = max(e.at-1, 0)
	case "right", "ctrl+f":
		e.at = min(e.at+1, len(e.runes))
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.runes)
	case "backspace":
		e.remove(e.at-1, e.at)
	case "delete", "ctrl+d":
		e.remove(e.at, e.at+1)
	case "ctrl+w":
		e.remove(e.wordStart(), e.at)
	case "ctrl+u":
		e.remove(0, e.at)
	case "ctrl+k":
		e.remove(e.at, len(e.runes))
	case "up":
		e.recall(+1)
	case "down":
		e.recall(-1)
	default:
		if msg.Text == "" || msg.Mod&^tea.ModShift != 0 {
			return false
		}
		e.insert(msg.Text)
	}
	return true
}

func (e *input) remove(from, to int) {
	from, to = max(from, 0), min(to, len(e.runes))
	if from >= to {
		return
	}
	e.runes = slices.Delete(e.runes, from, to)
	e.at, e.back = from, 0
}

// wordStart is where the word before the cursor begins.
func (e *input) wordStart() int {
	i := e.at
	for i > 0 && e.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && e.runes[i-1] != ' ' {
		i--
	}
	return i
}

// recall goes through the history, up for by > 0; below its newest line is what was typed.
func (e *input) recall(by int) {
	if e.history == nil {
		return
	}
	lines := e.history.lines
	to := min(max(e.back+by, 0), len(lines))
	if to == e.back {
		return
	}
	if e.back == 0 {
		e.typed = e.text()
	}
	if to == 0 {
		e.set(e.typed)
	} else {
		e.set(lines[len(lines)-to])
	}
	e.back = to
}

// draw writes the text into c's first line, from x on, with the cursor; a text that is too long shows the
// part around the cursor. It returns the column behind.
func (e *input) draw(c canvas, x int) int {
	room := c.w - x - 1 // the cursor may stand behind the text
	if room < 1 {
		return x
	}
	first := 0
	for first < e.at && width(string(e.runes[first:e.at])) > room-1 {
		first++
	}
	shown := prefix(string(e.runes[first:]), room)
	end := c.text(x, 0, plain, shown)
	under := x + width(string(e.runes[first:e.at]))
	n := 1
	if e.at < len(e.runes) {
		_, n = printable(e.runes[e.at], c.on.ascii)
	}
	c.restyle(under, 0, n, selected)
	return max(end, under+n)
}

// oneLineOf is text for a prompt: without line ends.
func oneLineOf(text string) string { return strings.Join(strings.Fields(text), " ") }
