package tui

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/session"
)

func TestTravelKeysGiveSeeks(t *testing.T) {
	s := over()
	m := newTestModel(s, 80, 24, GlyphsBraille)
	last := *m.feed.records.last()
	m.typed("b", "ctrl+b", "h", "h", "'")
	third := m.selected().launch.Done
	want := []session.Command{
		session.Seek{Step: int(last.launch.Done - last.launch.Word)}, session.Seek{Step: int(last.launch.Done) - 1}, session.Seek{Step: int(third)},
	}
	if !reflect.DeepEqual(s.commands, want) {
		t.Errorf("the session was given %v, want %v", s.commands, want)
	}
	for key, why := range map[string]string{"b": "b: the batch is at its start", "'": "': the cursor follows the newest launch"} {
		m := newTestModel(newScript(10), 100, 24, GlyphsBraille).typed(key)
		if text := m.screen().String(nil); !strings.Contains(text, why) {
			t.Errorf("%s does not say %q:\n%s", key, why, text)
		}
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
