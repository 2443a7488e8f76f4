package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/lessons"
	"github.com/eaglet-workbench/eaglet/session"
)

// reading is a workbench on a real session, without a terminal, in which a lesson is open.
type reading struct {
	t *testing.T
	m *model
}

// press gives keys, and carries out what they set off.
func (r *reading) press(keys ...string) {
	r.t.Helper()
	for _, k := range keys {
		_, cmd := r.m.Update(keyMsg(k))
		r.settle(cmd, 20)
	}
	_, cmd := r.m.Update(frameMsg{})
	r.settle(cmd, 20)
	r.m.View()
}

func (r *reading) settle(cmd tea.Cmd, depth int) {
	for _, msg := range messages(cmd) {
		switch msg.(type) {
		case lessonMsg, orderMsg, stopsMsg, answerMsg:
			_, next := r.m.Update(msg)
			if depth > 0 {
				r.settle(next, depth-1)
			}
		}
	}
}

func (r *reading) sees(want ...string) {
	r.t.Helper()
	r.m.version++
	text := r.m.screen().String(nil)
	for _, w := range want {
		if !strings.Contains(text, w) {
			r.t.Errorf("%q is not on screen:\n%s", w, text)
		}
	}
}

func (r *reading) seesNot(not ...string) {
	r.t.Helper()
	text := r.m.screen().String(nil)
	for _, w := range not {
		if strings.Contains(text, w) {
			r.t.Errorf("%q is on screen:\n%s", w, text)
		}
	}
}

// A lesson asks before it shows, hides what would tell, and says the answer with the run's own numbers.
func TestALessonAsksAndReveals(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		s := session.New([]engine.Engine{enginetest.NewScripted(enginetest.Script{Stops: []uint32{3, 40, 90, 200}})}, session.Options{Observe: true})
		t.Cleanup(func() { s.Close() })
		m := newModel(context.Background(), s, &Options{Glyphs: GlyphsBraille, Background: BackgroundDark, Env: []string{}})
		m.frame = time.Nanosecond
		r := &reading{t, m}
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		r.press("L")
		r.sees("Lessons: enter begins", "The band")
		r.press("3")
		r.sees("Lesson 3: The band, page 1 of 4", "Two prices")
		for range 4 { // a page that is longer than its room is turned first
			if !strings.Contains(m.screen().String(nil), "page 2 of 4") {
				r.press("enter")
			}
		}
		r.press("pgdown", "pgdown")
		r.sees("page 2 of 4", "guess: press 1 to 4")
		r.seesNot("nearest power of two (")
		r.press("enter") // nothing goes on without a guess
		r.sees("page 2 of 4")
		r.press("1")
		r.sees("enter goes on")
		r.seesNot("guess: press")
		r.press("enter")
		r.sees("page 3 of 4")
		r.press("backspace")
		r.sees("page 2 of 4")
		r.press("esc")
		r.seesNot("Lesson 3")
		if m.hidden {
			t.Error("what was hidden stays hidden after the lesson")
		}
	}
}

func TestARecordingHasNoLessons(t *testing.T) {
	var _ lessons.Session = (*session.Session)(nil)
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille).typed("L")
	if text := m.screen().String(nil); !strings.Contains(text, "L: lessons drive a session") {
		t.Errorf("got\n%s", text)
	}
}

// The pictures of a lesson: the list, a page, a question, and its answer.
func TestLessonScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		s := session.New([]engine.Engine{enginetest.NewScripted(enginetest.Script{Stops: []uint32{3, 40, 90, 200}})}, session.Options{Observe: true})
		t.Cleanup(func() { s.Close() })
		m := newModel(context.Background(), s, &Options{Glyphs: GlyphsBraille, Background: BackgroundDark, Env: []string{}})
		m.frame = time.Nanosecond
		r := &reading{t, m}
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, moment := range []struct{ name, key, until string }{
			{"list", "L", "Lessons: enter begins"}, {"page", "3", "page 1 of 4"}, {"question", "enter", "guess: press"}, {"answer", "2", "enter goes on"},
		} {
			for range 8 { // a page that is longer than its room is turned first
				r.press(moment.key)
				if m.version++; strings.Contains(m.screen().String(nil), moment.until) {
					break
				}
			}
			at := m.top().place(rect{0, 3, size[0], size[1] - 5})
			shown, whole := newSurface(at.w, at.h, false), m.screen()
			for y := range at.h {
				copy(shown.cells[y*at.w:(y+1)*at.w], whole.cells[(at.y+y)*whole.w+at.x:])
			}
			t.Run(fmt.Sprintf("%s %dx%d", moment.name, size[0], size[1]), func(t *testing.T) { golden.RequireEqual(t, shown.String(nil)) })
		}
	}
}
