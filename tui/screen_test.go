package tui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// newTestModel is a model on a script, with a clock that stands still 1.5 s after the script's start.
func newTestModel(s *script, w, h int, g Glyphs) *model {
	m := newModel(context.Background(), s, &Options{Glyphs: g, Background: BackgroundDark, Env: []string{}})
	m.clock = func() time.Time { return scriptStart.Add(1500 * time.Millisecond) }
	m.notes, m.frame = s.notes, time.Nanosecond
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	for range 2 { // what panes ask depends on how they were drawn
		_, cmd := m.Update(frameMsg{})
		m.takes(cmd, 8)
		m.View()
	}
	return m
}

// typed presses keys one after the other and lets commands take effect.
func (m *model) typed(keys ...string) *model {
	for _, name := range keys {
		_, cmd := m.Update(keyMsg(name))
		m.takes(cmd, 8)
		m.Update(frameMsg{})
		m.View()
	}
	return m
}

// takes carries out a command and those that its answers give rise to, to some depth.
func (m *model) takes(cmd tea.Cmd, depth int) {
	for _, msg := range messages(cmd) {
		switch msg.(type) {
		case orderMsg, stopsMsg, answerMsg:
			if _, next := m.Update(msg); depth > 0 {
				m.takes(next, depth-1)
			}
		}
	}
}

// keyMsg is the message for a key by Bubble Tea's name of it.
func keyMsg(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"space": {Code: tea.KeySpace, Text: " "}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "backspace": {Code: tea.KeyBackspace},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// after is a script that runs and has made some launches.
func after(launches int) *script {
	s := newScript(10_000)
	s.start(false)
	s.change(func(x *session.State) { x.Phase, x.Activity = session.Running, "running" })
	for range launches {
		s.launch(0)
	}
	return s
}

// over is a script whose run has come to its end.
func over() *script {
	s := after(0)
	for s.launch(0) {
	}
	s.settle()
	return s
}

// broken is a script with a load that failed while the kernel before it runs.
func broken() *script {
	s := after(12)
	s.change(func(x *session.State) {
		_, x.Diagnostics = kernels.LoadSource([]kernels.SourceFile{{Name: "oscillator.go", Text: []byte(
			strings.Replace(scriptSource, "s.X += s.Dt * s.V", "for s.X > 0 { s.X-- }", 1))}}, "oscillator.go")
	})
	return s
}

// passing is a script in the middle of a pass without launch boundaries.
func passing() *script {
	s := newScript(10_000)
	s.looks = func(session.Query) (any, error) { return nil, session.ErrOnePass }
	s.change(func(x *session.State) { x.Phase, x.Activity, x.Policy = session.Running, "running", engine.PolicyAuto })
	s.emit(0, engine.RunStart{N: 10_000, MaxSteps: 10_000, StepsMax: 64, Policy: engine.PolicyTiled, Active: true}.Event(), 0)
	s.emit(0, engine.Progress{Finished: 4212, SampleSteps: 7_300_000}.Event(), 0)
	return s
}

// faulted is a script whose run ended with faults.
func faulted() *script {
	s := over()
	s.change(func(x *session.State) {
		r := *x.Report
		r.Faulted, r.NonFinite = 2, 1
		r.Faults = []engine.ReportFault{
			{Sample: 17, Step: 214, Cause: "integer division by zero", Where: "oscillator.go:19:9"},
			{Sample: 8812, Step: 5, Cause: "index out of range", Where: "oscillator.go:20:9"},
		}
		x.Report = &r
	})
	return s
}

// stuckPicture is what live samples say of which some will never finish.
func stuckPicture() *session.FinishPicture {
	return &session.FinishPicture{
		Live: 2483, Looked: 512, Steps: 32, Soon: 31,
		Comparisons: []kernels.Comparison{{LHS: "s.T", RHS: "s.TEnd", Op: ir.OpGe}},
		Count:       [session.LintNone + 1]int{session.LintNaN: 1, session.LintAway: 12, session.LintLate: 40, session.LintNone: 459},
		Proofs: []session.FinishProof{
			{Sample: 8812, Label: "100P/Hartley 1", Lint: session.LintNaN, LHS: math.NaN(), RHS: 3.5},
			{Sample: 17, Lint: session.LintAway, LHS: 1.25, RHS: 3.5, Margin: -2.25, Rate: -0.125},
			{Sample: 91, Lint: session.LintLate, LHS: 1.25, RHS: 1e6, Margin: -999998.75, Rate: 0.01, Left: 99999875},
		},
	}
}

// stuckRunning is a script that runs, with such samples.
func stuckRunning() *script {
	s := after(41)
	s.live = stuckPicture()
	s.live.Done = int(s.done)
	return s
}

// stuck is a script that is paused, with live samples of which some will never finish.
func stuck() *script {
	s := after(20)
	s.change(func(x *session.State) {
		x.Phase, x.Activity = session.Paused, ""
		x.Finish = stuckPicture()
	})
	return s
}

// story is a script with keys, whose picture is kept under testdata.
type story struct {
	name  string
	make  func() *script
	w, h  int
	g     Glyphs // auto: braille
	keys  []string
	color bool
}

// picture compares the story's screen with the one that is kept.
func (c *story) picture(t *testing.T) {
	m := newTestModel(c.make(), c.w, c.h, max(c.g, GlyphsBraille)).typed(c.keys...)
	content := m.View().Content
	text := m.screen().String(nil)
	if ansi.Strip(content) != text {
		t.Errorf("without its colours the screen is another one:\n%s", ansi.Strip(content))
	}
	if c.color {
		text = content
	}
	golden.RequireEqual(t, text)
}

// screens are the stories of the workbench as a whole.
var screens = []story{
	{name: "ready", make: func() *script { return newScript(10_000) }, w: 80, h: 24},
	{name: "ready", make: func() *script { return newScript(10_000) }, w: 120, h: 40},
	{name: "one launch", make: func() *script { return newScript(10_000) }, w: 80, h: 24, keys: []string{"s"}},
	{name: "running", make: func() *script { return after(41) }, w: 80, h: 24},
	{name: "running", make: func() *script { return after(41) }, w: 120, h: 40},
	{name: "running", make: func() *script { return after(80) }, w: 200, h: 60},
	{name: "running in colour", make: func() *script { return after(41) }, w: 80, h: 24, color: true},
	{name: "running in colour", make: func() *script { return after(41) }, w: 120, h: 40, color: true},
	{name: "running in ASCII", make: func() *script { return after(41) }, w: 80, h: 24, g: GlyphsASCII},
	{name: "running in blocks", make: func() *script { return after(41) }, w: 80, h: 24, g: GlyphsBlock},
	{name: "done", make: over, w: 120, h: 40},
	{name: "cursor at a change", make: over, w: 120, h: 40, keys: []string{"[", "["}},
	{name: "source", make: func() *script { return after(41) }, w: 80, h: 24, keys: []string{"5"}},
	{name: "log", make: func() *script { return after(41) }, w: 80, h: 24, keys: []string{"8"}},
	{name: "report of a run with faults", make: faulted, w: 80, h: 24, keys: []string{"9"}},
	{name: "finish", make: stuck, w: 80, h: 24, keys: []string{"4"}},
	{name: "finish", make: stuck, w: 120, h: 40, keys: []string{"4"}},
	{name: "finish while running", make: stuckRunning, w: 80, h: 24, keys: []string{"4"}},
	{name: "help", make: func() *script { return after(41) }, w: 80, h: 24, keys: []string{"?"}},
	{name: "a key that is off", make: func() *script { return after(41) }, w: 80, h: 24, keys: []string{"s"}},
	{name: "prompt", make: func() *script { return newScript(10_000) }, w: 80, h: 24, keys: []string{"u", "+", "2", "5"}},
	{name: "failed load", make: broken, w: 80, h: 24, keys: []string{"5"}},
	{name: "failed load", make: broken, w: 120, h: 40},
	{name: "one pass", make: passing, w: 80, h: 24},
	{name: "zoom", make: over, w: 120, h: 40, keys: []string{"z"}},
	{name: "in the past", make: over, w: 80, h: 24, keys: []string{"h", "h", "m", "G", "b", "b", "b", "ctrl+b"}},
	{name: "in the past with marks", make: over, w: 120, h: 40, keys: []string{"[", "m", "[", "m", "h", "h", "'", "a"}},
	{name: "where to go", make: over, w: 80, h: 24, keys: []string{"[", "m", "[", "m", "h", "h", "'"}},
	{name: "too small", make: func() *script { return after(41) }, w: 59, h: 20},
}

func TestScreens(t *testing.T) {
	for _, c := range screens {
		t.Run(fmt.Sprintf("%s %dx%d", c.name, c.w, c.h), c.picture)
	}
}

// Whatever happens and whatever its size, the workbench draws, and within the screen.
func TestAnySizeStaysInside(t *testing.T) {
	stories := []func() *script{
		func() *script { return newScript(10_000) }, func() *script { return newScript(1) },
		func() *script { return after(1) }, func() *script { return after(90) },
		over, broken, passing, faulted,
		func() *script {
			s := newScript(5)
			s.state = &session.State{Generation: 1, Phase: session.Empty}
			return s
		},
	}
	models := make([]*model, len(stories))
	for i, story := range stories {
		models[i] = newTestModel(story(), 80, 24, GlyphsBraille)
	}
	check := func(t interface{ Fatalf(string, ...any) }, m *model, w, h int) {
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		lines := strings.Split(m.View().Content, "\n")
		if err := m.crash.error(); err != nil {
			t.Fatalf("%dx%d: %v\n%s", w, h, err, m.crash.err.Stack)
		}
		if len(lines) > h {
			t.Fatalf("%dx%d: %d lines", w, h, len(lines))
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > w {
				t.Fatalf("%dx%d: a line of %d cells: %q", w, h, n, line)
			}
		}
	}
	for _, m := range models[3:6] { // the edges of every form of the layout
		for _, w := range []int{1, 2, 20, 59, 60, 75, 80, 109, 110, 120, 169, 170, 200} {
			for _, h := range []int{1, 2, 3, 15, 16, 17, 24, 31, 32, 44, 45, 60} {
				check(t, m, w, h)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := models[rapid.IntRange(0, len(models)-1).Draw(t, "story")]
		m.glyphs = &glyphSets[rapid.IntRange(1, 3).Draw(t, "glyphs")]
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{
			"1", "2", "3", "4", "5", "6", "7", "8", "9", "d", "B", "+", "-", "0", "z", "?", "j", "k", "h", "l", "[", "]", "g", "G", "tab", "esc", "pgup", "pgdown", "n", "enter", "x",
		}), 0, 6).Draw(t, "keys")
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 60).Draw(t, "h")
		check(t, m, w, h)
		for _, k := range keys {
			m.Update(keyMsg(k))
			check(t, m, w, h)
		}
	})
}

// A pane can be drawn alone, at any size, down to nothing.
func TestPanesAlone(t *testing.T) {
	for _, make := range []func() *script{func() *script { return newScript(10) }, func() *script { return after(41) }, over, broken, passing} {
		m := newTestModel(make(), 80, 24, GlyphsBraille)
		for id, p := range m.panes {
			if p == nil {
				continue
			}
			for w := 0; w < 90; w += 3 {
				for h := 0; h < 12; h++ {
					for _, line := range strings.Split(view(p, &m.scene, w, h), "\n") {
						if n := ansi.StringWidth(line); n > w {
							t.Fatalf("pane %d at %dx%d: a line of %d cells", id, w, h, n)
						}
					}
				}
			}
			if p.title(&m.scene) == "" {
				t.Errorf("pane %d has no title", id)
			}
		}
	}
	m := newTestModel(after(41), 80, 24, GlyphsASCII)
	if text := view(m.panes[paneWhy], &m.scene, 78, 5); !strings.Contains(text, "h     newly/(n*word) = 80/(10,000*32)") {
		t.Errorf("the card alone:\n%s", text)
	}
}

// Without colours every phase still has a word of its own, and so does what happened to the samples.
func TestEveryPhaseReadsWithoutColour(t *testing.T) {
	seen := map[string]session.Phase{}
	for _, p := range []session.Phase{session.Empty, session.Working, session.Ready, session.Running, session.Paused, session.Ended} {
		s := newScript(10)
		s.state.Phase = p
		m := newTestModel(s, 80, 24, GlyphsASCII)
		_, word, _ := m.phase()
		if other, ok := seen[word]; ok {
			t.Errorf("%s and %s are both %q", p, other, word)
		}
		seen[word] = p
		if text := m.screen().String(nil); !strings.Contains(text, word) {
			t.Errorf("%s: %q is not on screen:\n%s", p, word, text)
		}
	}
}

// The chrome is made of characters on whose width terminals agree: ASCII, neutral symbols, braille, and
// of the ambiguous ones only lines and blocks.
func TestChromeHasNoAmbiguousWidth(t *testing.T) {
	allowed := "◦▸▮✓✗◌▴"
	for _, c := range screens {
		g := max(c.g, GlyphsBraille)
		text := newTestModel(c.make(), c.w, c.h, g).typed(c.keys...).screen().String(nil)
		for _, r := range text {
			switch {
			case r == '\n', r >= 0x20 && r < 0x7f, strings.ContainsRune(allowed, r):
			case g == GlyphsASCII:
				t.Errorf("%s: %q is not ASCII", c.name, r)
			case r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff:
			default:
				t.Errorf("%s: %q (%U) is not a character of the chrome", c.name, r, r)
			}
		}
	}
}

func TestViewIsCachedUntilSomethingChanges(t *testing.T) {
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	m.View()
	drawn := m.cached.version
	m.cached.content = "as it was"
	if m.View().Content != "as it was" || m.cached.version != drawn {
		t.Error("the screen was drawn again without a change")
	}
	m.typed("h")
	if m.View().Content == "as it was" {
		t.Error("a key did not draw the screen again")
	}
}

func TestTheClockParksWhenNothingMoves(t *testing.T) {
	s := newScript(1000)
	m := newTestModel(s, 80, 24, GlyphsBraille)
	m.ticking = true
	frames := 0
	for ; m.ticking && frames < 10; frames++ {
		m.nextFrame()
	}
	if m.ticking || frames > 3 {
		t.Errorf("after %d frames without news the clock is ticking: %v", frames, m.ticking)
	}
	version := m.version
	if m.wake() == nil || m.wake() != nil {
		t.Error("a wake starts one chain, not two")
	}
	s.change(func(x *session.State) { x.Phase = session.Running })
	for range 5 {
		if m.nextFrame() == nil {
			t.Error("the clock parks while a run is on")
		}
	}
	if m.version == version {
		t.Error("a new state is not drawn")
	}
}

func TestOverSSHThereAreFewerFrames(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want time.Duration
	}{{nil, time.Second / 30}, {[]string{"SSH_TTY=/dev/pts/3"}, time.Second / 10}} {
		if m := newModel(t.Context(), newScript(10), &Options{Env: c.env}); m.frame != c.want {
			t.Errorf("with %v a frame takes %v, want %v", c.env, m.frame, c.want)
		}
	}
}

func TestTheTerminalSaysItsBackground(t *testing.T) {
	m := newModel(t.Context(), newScript(10), &Options{})
	if m.theme != themes[BackgroundUnknown] {
		t.Error("dark or light is assumed before the terminal has answered")
	}
	m.Update(tea.BackgroundColorMsg{Color: color.White})
	if m.theme != themes[BackgroundLight] {
		t.Error("a white background is not light")
	}
	m.Update(tea.BackgroundColorMsg{Color: color.Black})
	if m.theme != themes[BackgroundDark] {
		t.Error("a black background is not dark")
	}
	m = newModel(t.Context(), newScript(10), &Options{Background: BackgroundDark})
	m.Update(tea.BackgroundColorMsg{Color: color.White})
	if m.theme != themes[BackgroundDark] {
		t.Error("the user's choice is not final")
	}
}

func TestAFrameOfAnOldRunIsDropped(t *testing.T) {
	s := after(20)
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("h", "h")
	old := s.State().Generation
	s.change(func(x *session.State) { x.Generation, x.Phase = x.Generation+1, session.Ready })
	emit(s.trace, old, 21, 0, engine.Launch{Number: 21, Word: 64, Done: 999}.Event())
	m.Update(frameMsg{})
	if m.feed.records.total != 0 || m.cursor != -1 {
		t.Errorf("%d launches of the old run are shown, cursor %d", m.feed.records.total, m.cursor)
	}
}

func TestRefusalsAreSaid(t *testing.T) {
	s := newScript(10)
	m := newTestModel(s, 80, 24, GlyphsBraille)
	s.refuse = errors.New("host: 12.0 GB needed, 3.2 GB free: use a smaller n\nand more")
	m.typed("space")
	if !strings.Contains(m.screen().String(nil), "host: 12.0 GB needed, 3.2 GB free: use a smaller n") {
		t.Error("the reason of a refusal is not on screen")
	}
	s.refuse = fmt.Errorf("step: %w", engine.ErrBusy)
	m.typed("space")
	if !strings.Contains(m.screen().String(nil), "a run is on, space pauses it") {
		t.Error("busy is not explained")
	}
	m.noted([]session.Notification{session.Failed{Command: session.Export{}, Err: errors.New("out.npz: disk full")}})
	if !strings.Contains(m.screen().String(nil), "out.npz: disk full") {
		t.Error("a failure is not on screen")
	}
}

// A story: load, one launch, run, pause, go on, to the end, rewind.
func TestAStory(t *testing.T) {
	s := newScript(10_000)
	m := newTestModel(s, 80, 24, GlyphsBraille)
	sees := func(what string) {
		t.Helper()
		if text := m.screen().String(nil); !strings.Contains(text, what) {
			t.Fatalf("%q is not on screen:\n%s", what, text)
		}
	}
	sees("READY")
	m.typed("s")
	sees("PAUSED")
	sees("Why launch 2 takes 64 steps")
	m.typed("S")
	sees("Band: 1 step per launch, launch 2 of 2, asked for by a key")
	m.typed("space")
	sees("RUN")
	s.launch(0)
	m.typed("space")
	sees("PAUSED")
	m.typed("space")
	for s.launch(0) {
	}
	s.settle()
	m.Update(frameMsg{})
	sees("DONE")
	sees("every sample is finished")
	m.typed("space")
	sees("space: every sample is finished, R rewinds")
	m.typed("R")
	sees("READY")
	sees("no launch yet")
	m.typed("p")
	sees("auto (fastest)")
	m.typed("p", "u", "4", "2", "enter")
	want := []session.Command{
		session.Step{},
		session.Step{Word: 1},
		session.Continue{},
		session.Cancel{},
		session.Continue{},
		session.Rewind{},
		nil, nil,
		session.RunSteps{N: 42},
	}
	if len(s.commands) != len(want) {
		t.Fatalf("commands %v", s.commands)
	}
	for i, c := range want {
		if c != nil && s.commands[i] != c {
			t.Errorf("command %d is %#v, want %#v", i, s.commands[i], c)
		}
	}
}
