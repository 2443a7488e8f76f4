package tui

import (
	"bytes"
	"image/gif"
	"io"
	"strings"
	"testing"
	"time"
)

// A film shows what keys do: the screen before and after each of them, for as long as it stood.
func TestAFilmShowsWhatKeysDo(t *testing.T) {
	var out bytes.Buffer
	script := "# a launch\nsay one launch\nuntil READY\npress s\nuntil launch 1 \nsay over\nwait 100ms\n"
	if err := Film(t.Context(), &out, newScript(10), script, FilmOptions{Width: 80, Height: 24}); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	if w, h := 80*cellWidth+2*margin, 26*cellHeight+2*margin; g.Config.Width != w || g.Config.Height != h {
		t.Errorf("%d x %d pixels, want %d x %d", g.Config.Width, g.Config.Height, w, h)
	}
	if len(g.Image) < 2 {
		t.Fatalf("%d frames", len(g.Image))
	}
	for i, f := range g.Image[1:] {
		if f.Rect.Empty() || !f.Rect.In(g.Image[0].Rect) {
			t.Errorf("frame %d is %v of %v", i+1, f.Rect, g.Image[0].Rect)
		}
	}
}

func TestAFilmSaysWhatItsScriptCannot(t *testing.T) {
	for script, want := range map[string]string{
		"\ndance":             `script line 2: there is no command "dance"`,
		"press F13":           `script line 1: there is no key "F13"`,
		"wait long":           "script line 1: time: invalid duration",
		"until READY\nwait 3": "script line 2: time: missing unit",
	} {
		if err := Film(t.Context(), io.Discard, newScript(10), script, FilmOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", script, err, want)
		}
	}
	if err := paintGIF(io.Discard, nil, BackgroundDark); err == nil {
		t.Error("a film of nothing")
	}
}

// What stood for less than a frame is left out, and its time goes to the one before.
func TestFramesThatStoodTooShortAreLeftOut(t *testing.T) {
	s := newSurface(4, 2, true)
	began := time.Now().Add(-time.Second)
	f := &filming{}
	for _, ms := range []int{0, 200, 210, 400} {
		f.shots = append(f.shots, shot{began.Add(time.Duration(ms) * time.Millisecond), s, ""})
	}
	frames := f.frames()
	if len(frames) != 3 || frames[0].stand != 210*time.Millisecond || frames[1].stand != 190*time.Millisecond {
		t.Errorf("%v", frames)
	}
}
