package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/session"
)

func TestAFrozenViewStaysAndTheRunGoesOn(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 120, 40, GlyphsBraille).typed("f")
	before := m.screen().String(nil)
	if !strings.Contains(before, "view frozen") {
		t.Errorf("nothing says that the view is frozen:\n%s", before)
	}
	for range 20 {
		s.launch(0)
	}
	m.Update(frameMsg{})
	m.version++
	if got := m.screen().String(nil); got != before {
		t.Errorf("the frozen view has changed:\n%s\nwas\n%s", got, before)
	}
	if m.going.records.total != 61 || m.feed.records.total != 41 {
		t.Errorf("%d launches taken, %d shown", m.going.records.total, m.feed.records.total)
	}
	m.typed("f")
	if got := m.screen().String(nil); m.frozen || !strings.Contains(got, "launch 61") {
		t.Errorf("f does not jump to now:\n%s", got)
	}
}

func TestAnotherRunThawsTheView(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("f")
	s.change(func(x *session.State) { x.Generation += 2 })
	m.Update(frameMsg{})
	if m.frozen {
		t.Error("the view of a run that is gone is still frozen")
	}
}
