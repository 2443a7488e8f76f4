package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// spelled types every letter of text.
func (m *model) spelled(text string) *model {
	for _, r := range text {
		k := string(r)
		if r == ' ' {
			k = "space"
		}
		m.typed(k)
	}
	return m
}

func withKernels(s *script, names ...string) *model {
	m := newTestModel(s, 120, 40, GlyphsBraille)
	m.bundled = names
	return m
}

func TestThePaletteFindsAndDoes(t *testing.T) {
	band := engine.PolicyBand
	for _, c := range []struct {
		name   string
		make   func() *script
		typed  string
		wants  func(m *model, s *script) bool
		enters int
	}{
		{"a key by its sentence", func() *script { return newScript(10) }, "one step", func(_ *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.Step{Word: 1}
		}, 1},
		{"a pane", func() *script { return newScript(10) }, "pane source", func(m *model, _ *script) bool { return m.shown == groupSource }, 1},
		{"a pane of a group of several gets the focus", func() *script { return newScript(10) }, "pane band", func(m *model, _ *script) bool {
			return m.shown == groupRun && m.hasFocus(paneBand) && !m.hasFocus(paneLive)
		}, 1},
		{"a policy", func() *script { return newScript(10) }, "policy band", func(_ *model, s *script) bool {
			c, ok := s.commands[0].(session.Configure)
			return ok && *c.Policy == band
		}, 1},
		{"a theme", func() *script { return newScript(10) }, "theme light", func(m *model, _ *script) bool { return m.theme == themes[BackgroundLight] }, 1},
		{"glyphs", func() *script { return newScript(10) }, "glyphs ascii", func(m *model, _ *script) bool { return m.glyphs.kind == GlyphsASCII }, 1},
		{"a kernel", func() *script { return newScript(10) }, "load kepler", func(_ *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.LoadKernel{Path: "kepler"}
		}, 1},
		{"a recording, whose file is asked for", func() *script { return after(3) }, "record", func(_ *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.Record{Path: "oscillator.eagrec"}
		}, 2},
		{"the end of a recording", func() *script {
			s := newScript(10)
			s.state.Recording = "run.eagrec"
			return s
		}, "stop rec", func(m *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.StopRecording{} && strings.Contains(m.screen().String(nil), "REC run.eagrec")
		}, 1},
		{"planes to a file", func() *script { return newScript(10) }, "write the planes", func(_ *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.Export{Path: "oscillator.npz"}
		}, 2},
		{"a param, whose value is asked for and begins with the one that holds", func() *script { return newScript(10) }, "set dt", func(_ *model, s *script) bool {
			return len(s.commands) == 1 && s.commands[0] == session.SetParam{Name: "dt", Value: 1e-3}
		}, 2},
	} {
		s := c.make()
		m := withKernels(s, "kepler", "lorenz").typed(":").spelled(c.typed)
		for range c.enters {
			m.typed("enter")
		}
		if m.top() != nil || !c.wants(m, s) {
			t.Errorf("%s: %q does something else: commands %v\n%s", c.name, c.typed, s.commands, m.screen().String(nil))
		}
	}
}

func TestThePaletteSaysWhyAThingIsOff(t *testing.T) {
	s := after(3)
	m := withKernels(s, "kepler").typed("ctrl+p").spelled("load kepler")
	if text := m.screen().String(nil); !strings.Contains(text, "off: a run is on") {
		t.Errorf("it is not said why:\n%s", text)
	}
	if m.typed("enter"); m.top() == nil || len(s.commands) != 0 {
		t.Error("what is off was done, or the palette is gone")
	}
	if m.typed("esc"); m.top() != nil {
		t.Error("esc does not leave")
	}
}

func TestThePaletteListsEveryAction(t *testing.T) {
	m := withKernels(newScript(10))
	all := map[string]bool{}
	for _, d := range m.deeds() {
		if all[d.name] {
			t.Errorf("%q is there twice", d.name)
		}
		all[d.name] = true
	}
	for i := range m.keys {
		b := &m.keys[i]
		name := b.title(m)
		if b.local {
			name = groupNames[b.where] + ": " + name
		}
		if !all[name] && b.name != "palette" && b.name != "back" && (!b.local || m.hasPanes(b.where)) {
			t.Errorf("%q is not in the palette", name)
		}
	}
}

// What was done last is the first the next time.
func TestThePaletteRemembers(t *testing.T) {
	m := withKernels(newScript(10)).typed(":").spelled("theme dark").typed("enter", ":")
	p := m.top().(*palette)
	if name := p.all[p.found[0].Index].name; name != "theme dark" {
		t.Errorf("the first is %q", name)
	}
	m.typed("down", "down", "up")
	if p.at != 1 {
		t.Errorf("the line chosen is %d", p.at)
	}
	m.spelled("zzqqxx")
	if text := m.screen().String(nil); !strings.Contains(text, "nothing is called that") {
		t.Errorf("it is not said that nothing is found:\n%s", text)
	}
	m.typed("enter", "up", "down", "pgdown")
}

// What begins with the letters comes before what has them in one piece, and that before what has them apart.
func TestThePaletteRanks(t *testing.T) {
	p := &palette{}
	for _, name := range []string{"take him east", "now the end", "theme dark", "other"} {
		p.all = append(p.all, deed{name: name})
	}
	p.input.insert("the")
	p.search()
	var got []string
	for _, m := range p.found {
		got = append(got, m.Str)
	}
	if got[0] != "theme dark" || got[len(got)-1] != "take him east" || len(got) != 4 {
		t.Errorf("found %q", got)
	}
}
