package tui

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/session/playback"
)

var _ Recording = (*playback.Session)(nil)

// recorded is the script's whole run in a file, with the stops of its samples.
func recorded(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.eagrec")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := newScript(10_000)
	rec, err := engine.NewRecorder(f, engine.RecordingHeader{N: 10_000, Options: engine.RecordingOptions{
		Kernel: "oscillator", Engine: "host", Device: "2 cores, interpreter", MaxSteps: 10_000, Policy: "band", Entry: "auto",
	}}, s.trace)
	if err != nil {
		t.Fatal(err)
	}
	s.start(false)
	for s.launch(0) {
	}
	s.settle()
	answer, err := s.Look(t.Context(), session.StopsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	stops := answer.(*session.Stops)
	rec.Stops(1, stops.Taken, stops.Mask)
	if _, _, err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func replay(t *testing.T, path string) *playback.Session {
	t.Helper()
	s, err := playback.Open(path, playback.Options{Clock: func() time.Time { return scriptStart }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// drawn is what Draw gives.
func drawn(t *testing.T, path, name string, o ViewOptions) string {
	t.Helper()
	if o.Glyphs == GlyphsAuto {
		o.Glyphs = GlyphsBraille
	}
	o.Now = scriptStart
	var out bytes.Buffer
	if err := Draw(t.Context(), &out, name, replay(t, path), o); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out.String()
}

// A view of a recording is what the workbench shows of the run itself.
func TestAViewOfARecordingIsTheViewOfItsRun(t *testing.T) {
	path := recorded(t)
	m := newTestModel(over(), 100, 20, GlyphsBraille)
	for _, p := range []paneID{paneLive, paneBand, paneWhy, paneLog, paneCompact} {
		if m.panes[p] == nil {
			continue
		}
		m.shown, m.zoom = groupOf[p], true
		s := newSurface(100, 20, false)
		m.settleAsks([]paneID{p}, func() {
			s = newSurface(100, 20, false)
			m.drawPane(s.canvas(), placed{p, rect{0, 0, 100, 20}})
		})
		want := strings.Replace(s.String(nil), "s.T >= s.TEnd", "its condition holds (no source)", 1) + "\n"
		if got := drawn(t, path, paneNames[p], ViewOptions{Width: 100, Height: 20}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", paneNames[p], got, want)
		}
	}
}

func TestEveryPaneCanBeDrawnFromARecording(t *testing.T) {
	path := recorded(t)
	m := newTestModel(over(), 80, 24, GlyphsBraille)
	for _, size := range [][2]int{{1, 1}, {80, 24}, {120, 40}, {200, 60}} {
		for p := range paneCount {
			if m.panes[p] == nil {
				continue
			}
			for i, line := range strings.Split(drawn(t, path, paneNames[p], ViewOptions{Width: size[0], Height: size[1], At: 12}), "\n") {
				if n := ansi.StringWidth(line); n > size[0] || i > size[1] {
					t.Errorf("%s at %v: line %d has %d cells", paneNames[p], size, i, n)
				}
			}
		}
	}
}

func TestTheCursorOfAView(t *testing.T) {
	path := recorded(t)
	if text := drawn(t, path, "screen", ViewOptions{Width: 120, Height: 40, At: 37}); !strings.Contains(text, "after launch 37") || !strings.Contains(text, "Why launch 38 takes") {
		t.Errorf("the cursor is not at launch 37:\n%s", text)
	}
	if text := drawn(t, path, "band", ViewOptions{Axis: "launch"}); !strings.Contains(text, "launch 0") {
		t.Errorf("the axis does not count launches:\n%s", text)
	}
	text := drawn(t, path, "screen", ViewOptions{Colours: 16})
	if !strings.Contains(text, "\x1b[") || strings.Contains(text, "38;5;") {
		t.Error("16 colours are none, or more")
	}
}

func TestAViewAsAFile(t *testing.T) {
	path := recorded(t)
	out := filepath.Join(t.TempDir(), "band.png")
	if text := drawn(t, path, "band", ViewOptions{File: out}); text != "" {
		t.Error("it is written to standard output too")
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

func TestWhatAViewRefuses(t *testing.T) {
	path := recorded(t)
	for _, c := range []struct {
		name, pane, says string
		o                ViewOptions
	}{
		{"a pane that there is not", "bond", `no pane "bond"; there are screen, live`, ViewOptions{}},
		{"a launch that there is not", "band", "launch 100000 is not in the recording", ViewOptions{At: 100_000}},
		{"a form that there is not", "band", "says no form", ViewOptions{File: "band.gif"}},
	} {
		err := Draw(t.Context(), &bytes.Buffer{}, c.pane, replay(t, path), c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s gives %v, want %q", c.name, err, c.says)
		}
	}
}

// The workbench on a recording: it plays, pauses, goes one launch on, says what it cannot do.
func TestReplayInTheWorkbench(t *testing.T) {
	s := replay(t, recorded(t))
	m := newModel(t.Context(), s, &Options{Glyphs: GlyphsBraille, Background: BackgroundDark, Env: []string{}})
	m.clock = func() time.Time { return scriptStart }
	m.width, m.height = 120, 40
	sees := func(what string) {
		t.Helper()
		m.Update(frameMsg{})
		if text := m.View().Content; !strings.Contains(ansi.Strip(text), what) {
			t.Fatalf("%q is not on screen:\n%s", what, ansi.Strip(text))
		}
	}
	sees("replay: space plays it at 16 launches/s")
	m.typed("s", "s")
	sees("launch 2")
	sees("replay: paused; space plays on")
	m.typed("p")
	sees("p: this is a recording, no engine is behind it")
	m.typed(">")
	sees("replay at 32 launches/s")
	m.typed("R")
	sees("READY")
	for range 12 {
		m.typed(">")
	}
	m.typed("space")
	for deadline := time.Now().Add(patience); s.State().Phase != session.Ended; time.Sleep(time.Millisecond) {
		m.Update(frameMsg{})
		if time.Now().After(deadline) {
			t.Fatal("the replay does not end")
		}
	}
	sees("every sample is finished after")
	m.env = []string{"XDG_CACHE_HOME=" + t.TempDir()}
	m.typed("h")
	if messages := m.pressed("Y"); !strings.Contains(fmt.Sprint(messages), "eaglet replay "+s.Path()+" --at ") {
		t.Errorf("Y copies %v", messages)
	}
	m.typed("G")
	sees("replay: at the end of the recording")
	if m.feed.lost > 0 || m.feed.records.total != m.feed.launches() {
		t.Errorf("%d events were lost, %d of %d launches seen", m.feed.lost, m.feed.records.total, m.feed.launches())
	}
}
