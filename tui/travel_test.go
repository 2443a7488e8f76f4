package tui

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

func TestTravelKeysGiveSeeks(t *testing.T) {
	s := over()
	m := newTestModel(s, 80, 24, GlyphsBraille)
	r := &m.feed.records
	last, before := *r.at(r.total - 1), *r.at(r.total - 2)
	m.typed("b", "ctrl+b", "b", "h", "h", "'", "'")
	third := m.selected().launch.Done
	start := last.launch.Done - last.launch.Word
	var want []session.Command
	for _, step := range []uint32{start, start - 1, start - before.launch.Word, third} {
		want = append(want, session.Seek{Step: int(step)})
	}
	if !reflect.DeepEqual(s.commands, want) {
		t.Errorf("the session was given %v, want %v", s.commands, want)
	}
	for key, why := range map[string]string{"b": "b: the batch is at its start", "'": "': there is no mark (m) and no cursor (h)", "m": "m: the run is at its start"} {
		m := newTestModel(newScript(10), 100, 24, GlyphsBraille).typed(key)
		if text := m.screen().String(nil); !strings.Contains(text, why) {
			t.Errorf("%s does not say %q:\n%s", key, why, text)
		}
	}
}

// In the past the batch stands where it was taken; the run's picture goes on to where it was.
func TestThePastIsNotTheEnd(t *testing.T) {
	s := over()
	m := newTestModel(s, 200, 60, GlyphsBraille)
	end, edge, launches := m.done(), m.rightEdge(), m.feed.launches()
	m.typed("b", "b", "b", "ctrl+b")
	at := m.done()
	if at >= end || m.made() != end || m.rightEdge() != edge || m.feed.launches() != launches {
		t.Errorf("step %d of %d made, the axis ends at %v, %d launches", at, m.made(), m.rightEdge(), m.feed.launches())
	}
	if r := m.selected(); r == nil || r.launch.Done < at || r.launch.Done-r.launch.Word > at {
		t.Errorf("the launch shown is %+v", r)
	}
	if p := m.panes[paneMask].(*maskPane).picture; p.step != at || p.stops.done != end {
		t.Errorf("the mask is of step %d, of stops up to %d", p.step, p.stops.done)
	}
	text := m.screen().String(nil)
	for _, want := range []string{"PAUSED, in the past", "in the past: step " + engine.Grouped(at) + " of " + engine.Grouped(end) + " made", "Report: at step "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on screen:\n%s", want, text)
		}
	}
	s.change(func(x *session.State) { x.StepsDone = int(end) })
	m.Update(frameMsg{})
	if m.past() || m.done() != end {
		t.Error("back at the end it is still the past")
	}
}

// A mark is set and taken away by the same key, gone to by its letter, and stands on the axis in every unit.
func TestMarks(t *testing.T) {
	s := over()
	m := newTestModel(s, 120, 40, GlyphsBraille).typed("[", "m", "[", "m")
	if len(m.marks) != 2 || m.marks[0].name != 'b' || m.marks[1].name != 'a' || m.marks[0].step >= m.marks[1].step {
		t.Fatalf("marks %+v", m.marks)
	}
	a := m.marks[1].step
	m.typed("'", "a")
	if got := s.commands[len(s.commands)-1]; got != (session.Seek{Step: int(a)}) {
		t.Errorf("the session was given %v", got)
	}
	m.typed("G")
	for range axisUnits {
		c := newSurface(100, 12, false)
		m.panes[paneLive].draw(c.canvas(), &m.scene)
		lines := strings.Split(c.String(nil), "\n")
		if foot := lines[len(lines)-1]; !strings.Contains(foot, "b") || !strings.ContainsAny(foot, "a@") {
			t.Errorf("axis in %s: %q", m.axis.unit, foot)
		}
		m.typed("x")
	}
	m.typed("m") // where the batch stands: mark a
	if len(m.marks) != 1 || m.marks[0].name != 'b' {
		t.Errorf("marks %+v", m.marks)
	}
	m.typed("h", "m")
	if len(m.marks) != 2 || m.marks[1].name != 'a' && m.marks[0].name != 'a' {
		t.Errorf("the free letter is not used again: %+v", m.marks)
	}
	s.change(func(x *session.State) { x.N++; x.Generation++ })
	m.Update(frameMsg{})
	if m.marks != nil {
		t.Errorf("of another batch: %+v", m.marks)
	}
}

func TestUntilTakesStepsPlacesAndConditions(t *testing.T) {
	condition, err := session.ParseCondition("live < 10%")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]session.Command{
		"+100": session.RunSteps{N: 100}, "2,500": session.RunSteps{N: 2500}, "step 40": session.Seek{Step: 40}, "live < 10%": session.RunUntil{Until: condition},
	} {
		if got, err := untilCommand(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"0": "1 or more", "-3": "1 or more", "step x": "step 500", "soon": "run until: live < 500"} {
		if _, err := untilCommand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v", text, err)
		}
	}
}
