package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// listed is a script with a kernel of the library, whose engine shows code: three instructions of each of the lines 47
// to 50, and a jump.
func listed() *script {
	s := newScript(10_000)
	k, ds := kernels.Load("oscillator")
	if ds.Errors() {
		panic(ds)
	}
	s.state.Kernel = k
	s.looks = func(q session.Query) (any, error) {
		if _, ok := q.(session.ListingQuery); !ok {
			return nil, fmt.Errorf("not asked for: %T", q)
		}
		l := &engine.Listing{Target: "avx2", About: "8 lanes in groups of 4, 14 registers, 0 spills, 84 bytes of code"}
		for i := range 12 {
			l.Lines = append(l.Lines, engine.ListingLine{
				Offset: 7 * i, Text: fmt.Sprintf("vmulpd ymm%d, ymm%d, ymm1", i, i+1), Result: ir.Value(i + 5), Op: "mul.f64",
				Pos: ir.Pos{Line: int32(47 + i/3), Col: 2, End: 5},
			})
		}
		l.Lines = append(l.Lines, engine.ListingLine{Offset: 84, Text: "jmp 0x0", Group: -1})
		return l, nil
	}
	return s
}

func TestCodeScreens(t *testing.T) {
	for _, c := range []struct {
		w, h int
		g    Glyphs
		keys string
	}{
		{80, 24, GlyphsBraille, "5v"},
		{80, 24, GlyphsBraille, "5vv"},
		{80, 24, GlyphsASCII, "5vvj"},
		{120, 40, GlyphsBraille, "5vv"},
		{120, 40, GlyphsBraille, "5vvkk"},
		{200, 60, GlyphsBraille, "5vv"},
		{64, 20, GlyphsBlock, "5vv"},
	} {
		t.Run(fmt.Sprintf("%s %dx%d %s", c.keys, c.w, c.h, c.g), func(t *testing.T) {
			m := newTestModel(listed(), c.w, c.h, c.g).typed(strings.Split(c.keys, "")...).settled()
			golden.RequireEqual(t, m.screen().String(nil))
		})
	}
}

// marked is the rows of the last drawn column that have the mark, without their gutter.
func marked(p pane, s *scene, w, h int) []string {
	var out []string
	for line := range strings.SplitSeq(view(p, s, w, h), "\n") {
		if _, rest, ok := strings.Cut(line, string(s.glyphs.mark)); ok {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

// TestALineMarksWhatCameFromIt goes through the lines of the step and looks at what is marked.
func TestALineMarksWhatCameFromIt(t *testing.T) {
	m := newTestModel(listed(), 80, 24, GlyphsASCII).typed("5", "v").settled()
	p, k := m.panes[paneSource].(*sourcePane), m.state.Kernel
	want := map[int32]int{} // operations by line, counted on the tree of regions
	for _, r := range []*ir.Region{&k.IR.Step.Head, &k.IR.Step.Trip} {
		r.Walk(func(in *ir.Instr) {
			if in.Pos.Line > 0 {
				want[in.Pos.Line]++
			}
		})
	}
	for range 20 { // to the first line
		m.typed("k")
	}
	var lines []int32
	for range 20 {
		at, _ := p.code.chosen()
		if slices.Contains(lines, at.line) {
			break
		}
		lines = append(lines, at.line)
		n := 0
		for _, text := range marked(p, &m.scene, 60, 200) { // no room for the source beside it
			if strings.HasPrefix(text, "%") && strings.Contains(text, " = ") {
				n++
			}
		}
		if int(at.line) <= int(k.IR.Finish.Pos.Line) && n != want[at.line] {
			t.Errorf("line %d: %d operations are marked, want %d", at.line, n, want[at.line])
		}
		m.typed("j")
	}
	if len(lines) < len(want) {
		t.Errorf("lines %v, want all of %v", lines, want)
	}
}

// TestInstructionsOfALine looks for text in the code, clicks on a row, and scrolls without losing the line.
func TestInstructionsOfALine(t *testing.T) {
	m := newTestModel(listed(), 80, 24, GlyphsASCII).typed("5", "v", "v").settled()
	p := m.panes[paneSource].(*sourcePane)
	if !p.seek(&m.scene, "ymm4, ymm5", 0) {
		t.Fatal("not found")
	}
	if at, _ := p.code.chosen(); at.line != 48 {
		t.Errorf("found in line %d, want 48", at.line)
	}
	if got := marked(p, &m.scene, 60, 20); len(got) != 3 || !strings.Contains(got[0], "vmulpd ymm3") {
		t.Errorf("marked %q", got)
	}
	p.code.click(4, 0) // the first instruction, of line 47
	if got := p.title(&m.scene); !strings.Contains(got, ":47") {
		t.Errorf("title %q after a click on the first instruction", got)
	}
	if p.seek(&m.scene, "no such thing", 0) {
		t.Error("found what is not there")
	}
	var rows [][]string
	if err := p.table(&m.scene)(func(cells ...string) { rows = append(rows, cells) }); err != nil || len(rows) != 14 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	m.typed("v")
	if got := p.title(&m.scene); !strings.HasPrefix(got, "Source:") {
		t.Errorf("the third press gives %q", got)
	}
}

// TestNoCodeSaysWhy shows the sentence in the place of the listing.
func TestNoCodeSaysWhy(t *testing.T) {
	s := listed()
	s.looks = func(session.Query) (any, error) { return nil, fmt.Errorf("engine slow does not show its code") }
	m := newTestModel(s, 80, 24, GlyphsASCII).typed("5", "v", "v").settled()
	if got := m.screen().String(nil); !strings.Contains(got, "engine slow does not show its code") {
		t.Error(got)
	}
}

func TestCodeStaysInside(t *testing.T) {
	m := newTestModel(listed(), 120, 40, GlyphsBraille).typed("5", "v", "v").settled()
	p := m.panes[paneSource].(*sourcePane)
	rapid.Check(t, func(t *rapid.T) {
		p.mode = sourceMode(rapid.IntRange(1, 2).Draw(t, "mode"))
		p.scroll(rapid.IntRange(-50, 50).Draw(t, "by"))
		w, h := rapid.IntRange(1, 220).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		for line := range strings.SplitSeq(view(p, &m.scene, w, h), "\n") {
			if width(line) > w {
				t.Fatalf("%d cells in %d: %q", width(line), w, line)
			}
		}
		p.click(&m.scene, rapid.IntRange(0, w).Draw(t, "x"), rapid.IntRange(0, h).Draw(t, "y"))
	})
}
