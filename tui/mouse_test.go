package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/session"
)

// clicks presses and releases the left button.
func (m *model) clicks(x, y int) *model {
	_, cmd := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	if cmd != nil {
		if msg, ok := cmd().(orderMsg); ok {
			m.Update(msg)
		}
	}
	m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	m.View()
	return m
}

// find is where a text stands on screen.
func (m *model) find(t *testing.T, text string) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(m.screen().String(nil), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return width(before), y
		}
	}
	t.Fatalf("%q is not on screen:\n%s", text, m.screen().String(nil))
	return 0, 0
}

func TestAClickOnATabShowsIt(t *testing.T) {
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	x, y := m.find(t, "5 Source")
	if m.clicks(x+1, y); m.shown != groupSource {
		t.Errorf("shown is %s", groupNames[m.shown])
	}
}

func TestAClickOnAKeyOfTheFooterPressesIt(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 120, 40, GlyphsBraille)
	x, y := m.find(t, "space pause")
	m.clicks(x+2, y)
	if len(s.commands) != 1 || s.commands[0] != (session.Cancel{}) {
		t.Errorf("the session was given %v", s.commands)
	}
	x, y = m.find(t, "? help")
	m.clicks(x, y)
	if _, ok := m.top().(*helpPane); !ok {
		t.Error("help is not open")
	}
}

func TestAClickOnThePlotPutsTheCursor(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille)
	for _, u := range []axisUnit{axisStep, axisLaunch, axisWall} {
		m.axis.unit = u
		m.version++
		m.View()
		var on spot
		for _, s := range m.drawn.spots {
			if s.axis.to > 0 && on.w == 0 {
				on = s
			}
		}
		for _, share := range []float64{0.02, 0.3, 0.8} {
			x := on.x + int(share*float64(on.w))
			m.clicks(x, on.y+1)
			if m.cursor < 0 {
				t.Fatalf("%s: a click at %g of the axis puts no cursor", u, share)
			}
			v := m.shows()
			want := v.from + (float64(x-on.x)+0.5)/float64(on.w)*(v.to-v.from)
			r := &m.feed.records
			gap := func(i int) float64 {
				d := m.place(r.at(i)) - want
				return max(d, -d)
			}
			for i := r.first(); i < r.total; i++ {
				if gap(i) < gap(m.cursor) {
					t.Errorf("%s: launch %d is nearer to the click than %d", u, i+1, m.cursor+1)
				}
			}
		}
	}
}

func TestAClickGivesAPaneTheFocus(t *testing.T) {
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	x, y := m.find(t, "Report so far")
	if m.clicks(x, y); !m.hasFocus(paneReport) || m.hasFocus(paneLive) || m.shown != groupRun {
		t.Error("the report has not got the focus, or something else is shown")
	}
	m.typed("j")
	if m.report.top == 0 {
		t.Error("scroll keys do not go to the pane that was clicked")
	}
	if m.typed("esc"); m.hasFocus(paneReport) || !m.hasFocus(paneLive) {
		t.Error("esc does not give the focus back")
	}
	x, y = m.find(t, "Band: ")
	m.clicks(x, y)
	if s, name := m.picture(); name != "band" || !strings.Contains(s.String(nil), "Band:") || strings.Contains(s.String(nil), "Live:") {
		t.Errorf("what is copied is %s", name)
	}
	m.typed("5", "1")
	if m.hasFocus(paneReport) {
		t.Error("another group does not take the focus")
	}
}

func TestAClickOnASentenceSelectsItsLaunch(t *testing.T) {
	m := newTestModel(after(41), 80, 24, GlyphsBraille).typed("8")
	x, y := m.find(t, " next 32 steps")
	row := y - m.layout().panes[0].y - 1
	turn := m.feed.log.at(m.logs.rows[row]).Turn
	m.clicks(x+3, y)
	if m.cursor < 0 || m.feed.records.at(m.cursor).turn != turn {
		t.Errorf("the sentence of turn %d selects launch %d", turn, m.cursor+1)
	}
}

func TestTheWheelScrollsWhatIsUnderIt(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille)
	x, y := m.find(t, "Log: ")
	m.Update(tea.MouseWheelMsg{X: x, Y: y + 2, Button: tea.MouseWheelUp})
	if m.logs.back != wheelRows {
		t.Errorf("the log is %d back", m.logs.back)
	}
	x, y = m.find(t, "Live: ")
	m.Update(tea.MouseWheelMsg{X: x + 20, Y: y + 3, Button: tea.MouseWheelUp})
	if m.cursor != m.feed.records.total-2 {
		t.Errorf("over a time axis the cursor is at %d of %d", m.cursor, m.feed.records.total)
	}
}

func TestTheBarBetweenColumnsIsDragged(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		m := newTestModel(after(41), size[0], size[1], GlyphsBraille)
		for i := range m.layout().bars {
			for _, by := range []int{-7, 5, -300, 300, 11} {
				from := m.layout().bars[i]
				m.Update(tea.MouseClickMsg{X: from.x, Y: from.y + 2, Button: tea.MouseLeft})
				m.Update(tea.MouseMotionMsg{X: from.x + by, Y: from.y + 2, Button: tea.MouseLeft})
				m.Update(tea.MouseReleaseMsg{X: from.x + by, Y: from.y + 2})
				to := m.layout().bars[i].x
				if by > -20 && by < 20 && i == 0 && size[0] == 120 && to != from.x+by && to != from.x {
					if d := to - from.x; d*by <= 0 {
						t.Errorf("%v: bar %d dragged by %d went by %d", size, i, by, d)
					}
				}
				l := m.layout()
				checkRects(t, size[0], size[1], m.shown, &l)
				m.Update(tea.MouseMotionMsg{X: 3, Y: 3, Button: tea.MouseLeft})
				if m.layout().bars[i].x != to {
					t.Fatalf("%v: the bar moves after it was let go", size)
				}
			}
		}
	}
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	bar := m.layout().bars[0]
	m.Update(tea.MouseClickMsg{X: bar.x, Y: bar.y, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: bar.x - 6, Y: bar.y, Button: tea.MouseLeft})
	if got := m.layout().bars[0].x; got != bar.x-6 {
		t.Errorf("dragged by -6 the bar went by %d", got-bar.x)
	}
}

func TestTheMouseCanBeGivenBack(t *testing.T) {
	m := newTestModel(newScript(10), 120, 40, GlyphsBraille)
	if m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is not taken at first")
	}
	if m.typed("M"); m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is not given back")
	}
	if !strings.Contains(m.screen().String(nil), "text can be selected") {
		t.Error("it is not said that text can be selected now")
	}
}

// Whatever the mouse does, and wherever, nothing breaks.
func TestAnyMouse(t *testing.T) {
	models := []*model{}
	for _, s := range []*script{newScript(10), after(41), over(), broken(), passing()} {
		models = append(models, newTestModel(s, 80, 24, GlyphsBraille))
	}
	rapid.Check(t, func(t *rapid.T) {
		m := models[rapid.IntRange(0, len(models)-1).Draw(t, "story")]
		w, h := rapid.IntRange(1, 210).Draw(t, "w"), rapid.IntRange(1, 62).Draw(t, "h")
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		m.View()
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			x, y := rapid.IntRange(-1, w+1).Draw(t, "x"), rapid.IntRange(-1, h+1).Draw(t, "y")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			case 2:
				m.Update(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
			case 3:
				m.Update(tea.MouseReleaseMsg{X: x, Y: y})
			case 4:
				m.Update(tea.MouseWheelMsg{X: x, Y: y, Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}).Draw(t, "wheel")})
			default:
				m.Update(keyMsg(rapid.SampledFrom([]string{":", "?", "esc", "/", "u", "!", "z", "5", "8", "1"}).Draw(t, "key")))
			}
			m.View()
			if err := m.crash.error(); err != nil {
				t.Fatalf("%v\n%s", err, m.crash.err.Stack)
			}
		}
	})
}
