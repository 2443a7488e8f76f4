package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

func TestLogShowsOneKind(t *testing.T) {
	m := newTestModel(over(), 100, 30, GlyphsASCII).typed("8", "t", "t")
	text := view(&m.logs, &m.scene, 100, 20)
	if strings.Contains(text, "next ") || strings.Count(text, "compaction:") != 20 {
		t.Errorf("compactions only:\n%s", text)
	}
	if got := m.logs.title(&m.scene); !strings.Contains(got, "compactions only") {
		t.Errorf("title %q", got)
	}
	for range len(logKinds) - 2 {
		m.typed("t")
	}
	if m.logs.kind != 0 {
		t.Errorf("after all kinds the log shows kind %d", m.logs.kind)
	}
	m.typed("t", "t", "t")
	if text := view(&m.logs, &m.scene, 100, 20); !strings.Contains(text, "no sentence of this kind; t shows another kind, now reorders") {
		t.Errorf("no reorder was offered:\n%s", text)
	}
	seen := map[engine.EventKind]string{}
	for _, k := range logKinds[1:] {
		for _, kind := range k.kinds {
			if other := seen[kind]; other != "" {
				t.Errorf("kind %d is in %s and %s", kind, other, k.name)
			}
			seen[kind] = k.name
		}
	}
	for kind := engine.EventRunStart; kind <= engine.EventNonFinite; kind++ {
		if kind != engine.EventProgress && seen[kind] == "" {
			t.Errorf("kind %d is in no class", kind)
		}
	}
}

func TestLogHoldsWhatIsLookedFor(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 100, 30, GlyphsASCII).typed("8")
	if err := m.logs.filter(&m.scene, "next 16 steps"); err != nil {
		t.Fatal(err)
	}
	if got := m.logs.title(&m.scene); !strings.Contains(got, `looking for "next 16 steps"`) {
		t.Errorf("before the answer: %q", got)
	}
	asked(t, &m.logs, &m.scene, s)
	want := 0
	for i := range m.feed.log.total {
		if strings.Contains(engine.Sentence(*m.feed.log.at(i)), "next 16 steps") {
			want++
		}
	}
	if want == 0 || len(m.logs.held.hits) != want {
		t.Errorf("%d hits, want %d", len(m.logs.held.hits), want)
	}
	lines := strings.Split(strings.TrimSpace(view(&m.logs, &m.scene, 150, 60)), "\n")
	if len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, strings.Join(lines, "\n"))
	}
	for s.launch(0) { // what comes later is looked through as it comes
	}
	m.Update(frameMsg{})
	m.logs.filter(&m.scene, "next 64 steps")
	key, _ := m.logs.wants(&m.scene)
	asked(t, &m.logs, &m.scene, s)
	if again, ask := m.logs.wants(&m.scene); again != key || ask != nil {
		t.Error("the same is asked twice")
	}
	m.typed("home")
	view(&m.logs, &m.scene, 100, 5)
	top := m.logs.upper[0]
	m.logs.scroll(+2)
	view(&m.logs, &m.scene, 100, 5)
	if m.logs.back > 0 && m.logs.upper[0] <= top {
		t.Errorf("scrolled down from sentence %d to %d", top, m.logs.upper[0])
	}
	m.logs.filter(&m.scene, "no such text")
	asked(t, &m.logs, &m.scene, s)
	if text := view(&m.logs, &m.scene, 100, 5); !strings.Contains(text, `no sentence with "no such text"`) {
		t.Errorf("nothing found:\n%s", text)
	}
	m.logs.filter(&m.scene, "")
	if key, _ := m.logs.wants(&m.scene); key != "" {
		t.Error("without a text something is asked")
	}
}

func TestLogJumpsToTheSameKind(t *testing.T) {
	m := newTestModel(over(), 100, 30, GlyphsASCII).typed("8", "t", "t", "{")
	at := m.cursor
	if at < 0 || !m.feed.records.at(at).compacted {
		t.Fatalf("{ moves the cursor to %d", at)
	}
	m.typed("{", "{")
	if m.cursor >= at || !m.feed.records.at(m.cursor).compacted {
		t.Errorf("{ moves the cursor from %d to %d", at, m.cursor)
	}
	m.typed("}", "}")
	if m.cursor != at {
		t.Errorf("} moves the cursor back to %d, want %d", m.cursor, at)
	}
	for range 3 {
		m.typed("}")
	}
	if text := m.screen().String(nil); !strings.Contains(text, "no such decision further that way") {
		t.Errorf("at the end nothing is said:\n%s", text)
	}
}
