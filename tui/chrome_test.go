package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// click writes what a terminal sends for a click at a cell, in the SGR form.
func (x *terminal) click(column, row int) {
	x.types(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", column+1, row+1, column+1, row+1))
}

func TestProgramWithMousePasteAndPalette(t *testing.T) {
	x := open(t, t.Context(), over(), 120, 40)
	x.sees("DONE")
	row, column := 0, -1
	for y, line := range strings.Split(x.screen(), "\n") {
		if before, _, ok := strings.Cut(line, "5 Source"); ok && column < 0 {
			row, column = y, width(before)
		}
	}
	x.click(column+2, row)
	x.sees("terminated = s.T >= s.TEnd")
	x.types(":")
	x.sees("Palette: ")
	x.types("\x1b[200~go to pane log\x1b[201~")
	x.sees("go to pane log")
	x.types("\r")
	x.sees("[8 Log]")
	x.types("M")
	x.sees("text can be selected")
	x.types("q")
	if err := x.end(); err != nil {
		t.Errorf("quitting gives %v", err)
	}
	x.restored()
}

// While a run is on the screen stays within its budget of bytes, so that a slow line keeps up.
func TestARunWritesWithinItsBudget(t *testing.T) {
	const budget = 64_000 // bytes a second at 120x40
	s := newScript(10_000)
	s.pace = 8 * time.Millisecond
	x := open(t, t.Context(), s, 120, 40)
	x.sees("READY")
	began, before := time.Now(), x.bytes()
	x.types(" ")
	x.sees("every sample is finished")
	seconds := max(time.Since(began).Seconds(), 1)
	rate := float64(x.bytes()-before) / seconds
	t.Logf("%.0f bytes a second over %.1f s", rate, seconds)
	if rate > budget {
		t.Errorf("%.0f bytes a second, the budget is %d", rate, budget)
	}
	x.types("q")
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// However often and to whatever the window is resized while a run is on, the screen fits it.
func TestResizeAtAnyMoment(t *testing.T) {
	s := newScript(10_000)
	s.start(false)
	s.change(func(x *session.State) { x.Phase, x.Activity = session.Running, "running" })
	m := newTestModel(s, 120, 40, GlyphsBraille)
	sizes := [][2]int{{80, 24}, {59, 15}, {200, 60}, {1, 1}, {60, 16}, {300, 100}, {20, 60}, {170, 45}, {110, 32}, {0, 0}}
	keys := []string{":", "esc", "?", "esc", "z", "5", "/", "esc", "8", "!", "esc", "u", "esc", "1"}
	for i := 0; s.launch(0); i++ {
		size := sizes[i%len(sizes)]
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		m.typed(keys[i%len(keys)])
		lines := strings.Split(m.View().Content, "\n")
		if err := m.crash.error(); err != nil {
			t.Fatalf("%v: %v\n%s", size, err, m.crash.err.Stack)
		}
		if len(lines) > max(size[1], 1) {
			t.Fatalf("%v: %d lines", size, len(lines))
		}
		if size[0] < leastWidth && size[0] > 30 && size[1] > 1 && !strings.Contains(lines[0], "need 60x16") {
			t.Errorf("%v: it is not said that it is too small: %q", size, lines[0])
		}
	}
}

// Overlays stand within the body at every size, and what they cover cannot be clicked.
func TestOverlaysAtAnySize(t *testing.T) {
	for _, key := range []string{":", "?", "!"} {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 40}, {200, 60}} {
			m := newTestModel(after(41), size[0], size[1], GlyphsBraille).typed(key)
			body := rect{0, 3, size[0], size[1] - 5}
			r := m.top().place(body)
			if r.x < 0 || r.y < body.y || r.x+r.w > body.w || r.y+r.h > body.y+body.h || r.w < 20 || r.h < 5 {
				t.Errorf("%v: %s stands at %v in %v", size, key, r, body)
			}
			m.clicks(r.x+r.w-2, r.y) // its title: nothing happens
			if m.cursor >= 0 || m.top() == nil {
				t.Errorf("%v: a click through %s", size, key)
			}
		}
	}
}

// Thousands of keys, pastes and clicks in any order: nothing breaks, and every screen fits.
func TestRandomKeys(t *testing.T) {
	events := 4000
	if testing.Short() {
		events = 500
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, make := range []func() *script{func() *script { return newScript(1000) }, func() *script { return after(41) }, over, stuck, broken, passing} {
		m := newTestModel(make(), 120, 40, GlyphsBraille)
		var keys []string
		for i := range m.keys {
			keys = append(keys, m.keys[i].keys...)
		}
		keys = append(keys, "enter", "backspace", "up", "x", "1", "界", "delete", "ctrl+w")
		last := ""
		for i := range events / 6 {
			switch random.IntN(20) {
			case 0:
				m.Update(tea.WindowSizeMsg{Width: 1 + random.IntN(220), Height: 1 + random.IntN(64)})
			case 1:
				m.Update(tea.PasteMsg{Content: "live < 3\n"})
			case 2:
				m.Update(tea.MouseClickMsg{X: random.IntN(m.width + 1), Y: random.IntN(m.height + 1), Button: tea.MouseLeft})
			default:
				last = keys[random.IntN(len(keys))]
				m.Update(keyMsg(last))
			}
			lines := strings.Split(m.View().Content, "\n")
			if err := m.crash.error(); err != nil {
				t.Fatalf("event %d, %q: %v\n%s", i, last, err, m.crash.err.Stack)
			}
			if len(lines) > m.height {
				t.Fatalf("event %d, %q: %d lines on a screen of %d", i, last, len(lines), m.height)
			}
		}
	}
}
