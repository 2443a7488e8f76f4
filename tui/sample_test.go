package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
)

// sampled is a workbench on the host engine with samples shown.
func sampled(t *testing.T, g Glyphs, commands ...session.Command) *reading {
	t.Helper()
	r := browsingOn(t, host.New(), 120, 40, g, commands...)
	r.press("7")
	return r
}

func TestSampleScreens(t *testing.T) {
	r25, band := 0.25, engine.PolicyBand
	observed := []session.Command{session.Configure{R: &r25, Policy: &band}, session.RunSteps{N: 200}}
	for _, c := range []struct {
		name string
		keys []string
		set  []session.Command
	}{
		{name: "time", set: observed},
		{name: "phase", set: observed, keys: []string{"v"}},
		{name: "fan", set: observed, keys: []string{"v", "v"}},
		{name: "density", set: observed, keys: []string{"v", "v", "v"}},
		{name: "chosen", set: observed, keys: []string{"enter", "3", ",", "1", "7", "enter"}},
	} {
		for _, size := range [][2]int{{80, 18}, {120, 34}, {198, 52}} {
			for _, g := range []Glyphs{GlyphsBraille, GlyphsBlock, GlyphsASCII} {
				t.Run(fmt.Sprintf("%s %dx%d %s", c.name, size[0], size[1], g), func(t *testing.T) {
					r := sampled(t, g, c.set...)
					p := r.m.panes[paneSample]
					r.press(c.keys...)
					view(p, &r.m.scene, size[0], size[1])
					golden.RequireEqual(t, r.alone(p, size[0], size[1]))
				})
			}
		}
	}
}

// A story: samples are chosen, followed, and seen against another value.
func TestSamplesAreFollowed(t *testing.T) {
	r := sampled(t, GlyphsBraille, session.RunSteps{N: 100})
	r.sees("Sample: x of 4 samples, none is chosen", "a 0", "d 375")
	r.press("enter")
	r.typed("3, 17-18")
	r.press("enter")
	if !slices.Equal(r.m.chosen, []int{3, 17, 18}) {
		t.Fatalf("chosen %v", r.m.chosen)
	}
	p := r.m.panes[paneSample].(*samplePane)
	results, err := r.m.session.(*session.Session).Results()
	if err != nil {
		t.Fatal(err)
	}
	for k, sample := range r.m.chosen {
		last := len(p.path.Steps) - 1
		if got, want := p.path.Values[0][k][last], results.Planes.Float(results.Planes.Index("x"), sample); got != want {
			t.Errorf("sample %d ends at %v, want %v", sample, got, want)
		}
	}
	r.sees("Sample: x of 3 chosen samples", "a 3", "c 18")
	r.press(".")
	r.sees("Sample: v of 3 chosen samples", "v in m/s:")
	r.press("(")
	r.sees("time goes across here")
	r.press("v")
	r.sees("Sample: v against v of 3 chosen samples")
	r.press("(")
	r.sees("Sample: v against x of 3 chosen samples", "x (m)")
	r.press("v")
	r.sees("Sample: quantiles of v over the batch", "nine in ten")
	r.press("v")
	r.sees("Sample: where 500 samples lie, v against x")
	r.press("a")
	r.sees("Each cell is as dark as samples lie in it")
	r.press("a", "v", "a")
	r.sees("A is sample 3, which", "its v is")
}

func TestNumbersOfSamples(t *testing.T) {
	f := &session.FinishPicture{Proofs: []session.FinishProof{{Sample: 7}, {Sample: 2}}}
	for text, want := range map[string][]int{
		"": nil, "none": nil, "3": {3}, "3, 17,3": {3, 17}, "400-402": {400, 401, 402}, "worst": {7, 2}, "worst, 5": {7, 2, 5},
	} {
		if got, err := parseSamples(text, 500, f); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := parseSamples("random 4", 500, nil); err != nil || len(got) == 0 || len(got) > 4 {
		t.Errorf("random 4 gives %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"500": "there is no sample 500", "-1": "there is no sample -1", "x": `"x" is no sample's number`, "9-3": "is no range", "0-20": "at most 8 samples",
		"random 9": "random 1 to random 8", "random": "random 1 to random 8",
	} {
		if _, err := parseSamples(text, 500, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
	if _, err := parseSamples("worst", 500, nil); err == nil {
		t.Error("the worst of nothing")
	}
}

// Every mode stays inside, at any size, with values that are not finite among the others.
func TestSamplesStayInside(t *testing.T) {
	for _, commands := range [][]session.Command{{session.RunSteps{N: 50}}, {session.SetParam{Name: "dt", Value: 1e200}, session.RunSteps{N: 50}}, nil} {
		r := sampled(t, GlyphsBraille, commands...)
		p := r.m.panes[paneSample].(*samplePane)
		for range sampleModes {
			r.press("v")
		}
		rapid.Check(t, func(rt *rapid.T) {
			w, h := rapid.IntRange(0, 220).Draw(rt, "w"), rapid.IntRange(0, 70).Draw(rt, "h")
			p.mode = sampleMode(rapid.IntRange(0, int(sampleModes)-1).Draw(rt, "mode"))
			r.m.glyphs = &glyphSets[rapid.IntRange(1, 3).Draw(rt, "glyphs")]
			for _, line := range strings.Split(view(p, &r.m.scene, w, h), "\n") {
				if n := ansi.StringWidth(line); n > w {
					rt.Fatalf("%dx%d: a line of %d cells: %q", w, h, n, line)
				}
			}
		})
	}
}

// A picture that is older than the batch says of which step it is.
func TestAnOldPictureSaysItsAge(t *testing.T) {
	r := sampled(t, GlyphsBraille, session.RunSteps{N: 100})
	p := r.m.panes[paneSample].(*samplePane)
	if title := p.title(&r.m.scene); strings.Contains(title, "as it was") {
		t.Errorf("a new one: %s", title)
	}
	on := *r.m.state
	on.Phase = session.Running
	r.m.state = &on
	if title := p.title(&r.m.scene); !strings.HasSuffix(title, ", as it was at step 100") {
		t.Errorf("while a run is on: %s", title)
	}
}
