package tui

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/session"
)

// browsing is a workbench on a real session with the planes shown.
func browsing(t *testing.T, w, h int, g Glyphs, commands ...session.Command) *reading {
	t.Helper()
	r := browsingOn(t, scriptedStops(), w, h, g, commands...)
	r.press("6")
	return r
}

// scriptedStops is an engine on which the samples stop one after the other.
func scriptedStops() engine.Engine {
	stops := make([]uint32, 500)
	for i := range stops {
		stops[i] = uint32(1 + i%90)
	}
	return enginetest.NewScripted(enginetest.Script{Stops: stops})
}

// browsingOn is a workbench on a real session with 500 samples.
func browsingOn(t *testing.T, e engine.Engine, w, h int, g Glyphs, commands ...session.Command) *reading {
	t.Helper()
	s := session.New([]engine.Engine{e}, session.Options{Observe: true})
	t.Cleanup(func() { s.Close() })
	for _, c := range append([]session.Command{session.SetBatch{N: 500, Seed: 1}, session.LoadKernel{Path: "oscillator"}}, commands...) {
		if err := s.Do(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	m := newModel(context.Background(), s, &Options{Glyphs: g, Background: BackgroundDark, Env: []string{}})
	m.frame = time.Nanosecond
	r := &reading{t, m}
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// alone is the pane without the rest of the screen, whose walls are not the same twice.
func (r *reading) alone(p pane, w, h int) string {
	return p.title(&r.m.scene) + "\n" + view(p, &r.m.scene, w, h)
}

// press gives keys and waits for what they change in the session.
func (r *reading) orders(keys ...string) {
	r.t.Helper()
	for _, k := range keys {
		r.press(k)
		if err := r.m.session.(*session.Session).Wait(context.Background()); err != nil {
			r.t.Fatal(err)
		}
		_, cmd := r.m.Update(frameMsg{})
		r.settle(cmd, 20)
	}
}

func TestPlanesScreens(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		set  []session.Command
	}{
		{name: "at the start"},
		{name: "sorted", keys: []string{".", "v", "v", "enter", "j", "j", "enter"}, set: []session.Command{session.RunSteps{N: 40}}},
		{name: "not finite", keys: []string{".", ".", ".", ".", "j"}, set: []session.Command{
			session.RunSteps{N: 3}, session.SetCell{Name: "x", Sample: 1, Value: math.NaN()}, session.SetCell{Name: "x", Sample: 2, Value: math.Inf(1)},
		}},
	} {
		for _, size := range [][2]int{{80, 18}, {120, 34}, {198, 52}, {60, 7}} {
			for _, g := range []Glyphs{GlyphsBraille, GlyphsASCII} {
				t.Run(fmt.Sprintf("%s %dx%d %s", c.name, size[0], size[1], g), func(t *testing.T) {
					r := browsing(t, 120, 40, g, c.set...)
					p := r.m.panes[panePlanes]
					view(p, &r.m.scene, size[0], size[1])
					r.press(c.keys...)
					view(p, &r.m.scene, size[0], size[1])
					r.press()
					golden.RequireEqual(t, r.alone(p, size[0], size[1]))
				})
			}
		}
	}
}

// A story: sort, filter, choose, change, take back.
func TestPlanesAreBrowsedAndChanged(t *testing.T) {
	r := browsing(t, 120, 40, GlyphsBraille)
	r.sees("Planes: 500 samples", "omega (rad/s): 500 values, all finite", "sample state")
	p := r.m.panes[panePlanes].(*planesPane)
	r.press(".", "v")
	r.sees(", by zeta up", "zeta ^")
	least := p.data.Rows[0].Sample
	r.press("v")
	if p.data.Rows[0].Sample == least {
		t.Error("down is as up")
	}
	r.press("enter", "j", "enter")
	if len(r.m.chosen) != 2 || r.m.chosen[0] != p.data.Rows[0].Sample {
		t.Errorf("chosen %v", r.m.chosen)
	}
	r.press("enter")
	if len(r.m.chosen) != 1 {
		t.Errorf("chosen %v", r.m.chosen)
	}
	r.press("F")
	r.typed("x > 9")
	r.press("enter")
	r.sees("Planes: 0 of 500 samples with x > 9", "no sample is left by the filter")
	r.press("F")
	r.typed(" or")
	r.press("enter")
	r.sees("the filter ends where")
	r.press("esc", "esc")
	r.sees("Planes: 500 samples, by zeta down")
	r.press("esc")
	r.sees("Planes: 500 samples ━")
	r.press(".", ".") // x
	sample := p.under().Sample
	r.press("E", "ctrl+u")
	r.typed("12.5")
	r.orders("enter")
	r.sees("12.5")
	if results, err := r.m.session.(*session.Session).Results(); err != nil || results.Planes.Float(results.Planes.Index("x"), sample) != 12.5 {
		t.Error("x is not what was set")
	}
	r.orders("U")
	r.sees("done")
	r.orders("U")
	r.press("V")
	r.sees("now dt = 0.01")
	r.typed("dt = 0.02")
	r.orders("enter")
	if r.m.state.Params[0].Value != 0.02 {
		t.Errorf("dt is %v", r.m.state.Params[0].Value)
	}
	r.press("X", "ctrl+u")
	r.typed("7")
	r.orders("enter")
	r.seesNot("12.5")
	r.press("a")
	r.sees("Sample 0 is live after 0 steps", "half of 500 samples lie between")
}

// typed types text into the prompt.
func (r *reading) typed(text string) {
	r.t.Helper()
	for _, c := range text {
		key := string(c)
		if c == ' ' {
			key = "space"
		}
		r.press(key)
	}
}

// Clicks sort and put the cursor; the pane stays inside every rectangle.
func TestPlanesAreClickedAtAnySize(t *testing.T) {
	r := browsing(t, 120, 40, GlyphsBraille, session.RunSteps{N: 30})
	p := r.m.panes[panePlanes].(*planesPane)
	view(p, &r.m.scene, 100, 20)
	p.click(&r.m.scene, p.first+columnWidth+2, 0)
	if p.sort != p.columns[p.left+1].Name {
		t.Errorf("sorted by %q", p.sort)
	}
	p.click(&r.m.scene, p.first+2, 3)
	if p.row != 2 || p.at != p.left {
		t.Errorf("row %d, column %d", p.row, p.at)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(0, 220).Draw(rt, "w"), rapid.IntRange(0, 70).Draw(rt, "h")
		p.row, p.at = rapid.IntRange(0, 600).Draw(rt, "row"), rapid.IntRange(0, len(p.columns)-1).Draw(rt, "at")
		p.log = rapid.Bool().Draw(rt, "log")
		for _, line := range strings.Split(view(p, &r.m.scene, w, h), "\n") {
			if n := ansi.StringWidth(line); n > w {
				rt.Fatalf("%dx%d: a line of %d cells: %q", w, h, n, line)
			}
		}
		p.click(&r.m.scene, rapid.IntRange(0, 220).Draw(rt, "x"), rapid.IntRange(0, 70).Draw(rt, "y"))
	})
}

// On its way a batch keeps what it is made of: the keys that make planes anew say what to do first.
func TestPlanesAreMadeAnewAtTheStartOnly(t *testing.T) {
	r := browsing(t, 120, 40, GlyphsBraille, session.RunSteps{N: 3})
	for _, key := range []string{"X", "O"} {
		r.press(key)
		r.sees("planes are made anew at the start of a batch: R first")
	}
	r.orders("R")
	r.press("X")
	r.sees("make omega anew with seed")
}

// A whole number that a float64 cannot tell from its neighbour is refused, not rounded.
func TestAWholeNumberIsNotRounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counter.go")
	text := "package counter\n\n//eaglet:kernel\ntype Counter struct {\n\tCount int64 `init:\"index()\"`\n}\n\nfunc (s *Counter) Step() (terminated bool) {\n\ts.Count++\n\tterminated = s.Count > 9\n\treturn\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := browsing(t, 120, 40, GlyphsBraille, session.LoadKernel{Path: path})
	r.press("E", "ctrl+u")
	r.typed("9007199254740993")
	r.press("enter")
	r.sees("count is int64: whole numbers are set up to 2^53-1 in size")
	r.press("ctrl+u")
	r.typed("9007199254740991")
	r.orders("enter")
	if results, err := r.m.session.(*session.Session).Results(); err != nil || results.Planes.Float(0, 0) != 1<<53-1 {
		t.Error("count is not what was set")
	}
}

func TestARecordingHasNoPlanes(t *testing.T) {
	text := drawn(t, recorded(t), "planes", ViewOptions{Width: 90, Height: 20})
	if !strings.Contains(text, "a recording holds decisions and stops, no planes") {
		t.Errorf("got\n%s", text)
	}
}
