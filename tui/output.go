package tui

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
)

// While the workbench is up, whatever the process writes to its standard output and error would land in the
// middle of the screen: drivers, libraries, a forgotten print. It goes to a log instead, which a key shows.

// keptOutput is how many lines of it are kept, and how long one may be.
const (
	keptOutput  = 1000
	longestLine = 500
)

// output is the lines that were written. Any goroutine may add to it.
type output struct {
	mu    sync.Mutex
	lines []outputLine
	total int
	part  []byte // of a line that has no end yet
	now   func() time.Time
	news  chan struct{} // holds one: there is a new line
}

type outputLine struct {
	at   time.Time
	text string
}

func newOutput(now func() time.Time) *output { return &output{now: now, news: make(chan struct{}, 1)} }

// Write takes bytes as they were written.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	before := o.total
	o.part = append(o.part, p...)
	for {
		line, rest, found := bytes.Cut(o.part, []byte("\n"))
		if !found {
			break
		}
		o.add(line)
		o.part = rest
	}
	if len(o.part) > longestLine {
		o.add(o.part)
		o.part = nil
	}
	news := o.total > before
	o.mu.Unlock()
	if news {
		select {
		case o.news <- struct{}{}:
		default: // there is one already
		}
	}
	return len(p), nil
}

// add keeps a line; o.mu is held.
func (o *output) add(line []byte) {
	text := strings.TrimRight(string(line[:min(len(line), longestLine)]), "\r ")
	o.total++
	o.lines = append(o.lines, outputLine{o.now(), text})
	if len(o.lines) > keptOutput {
		o.lines = append(o.lines[:0:0], o.lines[len(o.lines)-keptOutput:]...)
	}
}

// kept copies what is kept, and says how many lines there ever were.
func (o *output) kept() ([]outputLine, int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]outputLine(nil), o.lines...), o.total
}

// outputMsg says that a line was written.
type outputMsg struct{}

// hear waits for a line, outside of Update.
func (m *model) hear() tea.Cmd {
	return func() tea.Msg {
		select {
		case <-m.output.news:
			return outputMsg{}
		case <-m.ctx.Done():
			return nil
		}
	}
}

// outputPane shows the lines, the newest at the bottom.
type outputPane struct {
	back, height, rows int
}

func showOutput(m *model) tea.Cmd {
	m.outputSeen = m.outputTotal()
	m.show(&outputPane{})
	return nil
}

func (m *model) outputTotal() int {
	_, n := m.output.kept()
	return n
}

// outputNews says that something was written that has not been looked at, "" when not.
func (m *model) outputNews() string {
	if n := m.outputTotal() - m.outputSeen; n > 0 {
		return counted(n, "line was", "lines were") + " written to standard output or error: ! shows"
	}
	return ""
}

func (p *outputPane) title(m *model) string {
	_, n := m.output.kept()
	if n == 0 {
		return "Output: nothing was written to standard output or error"
	}
	text := "Output: " + counted(n, "line", "lines") + " to standard output or error"
	if n > keptOutput {
		text += ", the last " + engine.Grouped(keptOutput) + " kept"
	}
	return text
}

func (p *outputPane) place(body rect) rect { return body }
func (p *outputPane) through() bool        { return false }

func (p *outputPane) press(m *model, msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch msg.String() {
	case "j", "down":
		p.scroll(1)
	case "k", "up":
		p.scroll(-1)
	case "pgdown", "ctrl+d":
		p.scroll(p.page())
	case "pgup", "ctrl+u":
		p.scroll(-p.page())
	case "y":
		lines, _ := m.output.kept()
		var text strings.Builder
		for _, l := range lines {
			text.WriteString(l.text + "\n")
		}
		return true, m.copyText(text.String(), counted(len(lines), "line of output", "lines of output"))
	case "!", "q":
		m.drop(p)
	case "esc":
		return false, nil
	}
	return true, nil
}

func (p *outputPane) draw(c canvas, m *model) {
	lines, total := m.output.kept()
	m.outputSeen = total
	p.height, p.rows = c.h, len(lines)
	p.back = min(max(p.back, 0), max(len(lines)-c.h, 0))
	if len(lines) == 0 {
		c.text(2, 1, quiet, cut("what drivers and libraries print while the workbench is up is kept here, not on the screen", c.w-3))
	}
	first := max(len(lines)-p.back-c.h, 0)
	for y := range c.h {
		if first+y >= len(lines) {
			break
		}
		l := lines[first+y]
		x := c.text(1, y, quiet, l.at.Format("15:04:05"))
		c.text(x+2, y, plain, cut(l.text, c.w-x-3))
	}
	if p.back > 0 {
		c.right(c.w-1, c.h-1, strong, fmt.Sprintf(" %d newer below ", p.back))
	}
}

func (p *outputPane) scroll(by int) { p.back = min(max(p.back-by, 0), max(p.rows-p.height, 0)) }
func (p *outputPane) page() int     { return max(p.height-1, 1) }
