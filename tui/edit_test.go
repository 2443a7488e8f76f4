package tui

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

func TestChangedLines(t *testing.T) {
	of := func(text string) *kernels.Kernel {
		k, ds := kernels.Load("oscillator")
		if ds.Errors() {
			t.Fatal(ds)
		}
		c := *k
		c.Sources = []kernels.SourceFile{{Name: "a.go", Text: []byte(text)}}
		return &c
	}
	for _, c := range []struct {
		name, before, after string
		want                []int
	}{
		{"nothing changed", "a\nb\n", "a\nb\n", nil},
		{"a line is another one", "a\nb\nc\n", "a\nB\nc\n", []int{2}},
		{"lines were put in", "a\nb\n", "a\nx\ny\nb\n", []int{2, 3}},
		{"a line is gone", "a\nb\nc\n", "a\nc\n", nil},
		{"changes far apart", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\nf\n", []int{1, 5, 6}},
		{"the last line has no end", "a\nb", "a\nB", []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(changedLines(&session.Reloaded{Before: of(c.before)}, of(c.after))))
			if !slices.Equal(got, c.want) {
				t.Errorf("changed lines %v, want %v", got, c.want)
			}
		})
	}
}

// e on a bundled kernel writes it to a file of the user's, never over one, and loads that.
func TestABundledKernelIsMadeTheUsers(t *testing.T) {
	t.Chdir(t.TempDir())
	bundled := func() *script {
		s := newScript(10)
		k := *s.state.Kernel
		k.Path = "oscillator"
		s.state.Kernel = &k
		return s
	}
	s := bundled()
	m := newTestModel(s, 100, 24, GlyphsBraille).typed("e")
	if text := m.screen().String(nil); !strings.Contains(text, "make oscillator yours, as oscillator.go") {
		t.Fatalf("e does not ask:\n%s", text)
	}
	own := func(m *model) {
		_, cmd := m.Update(keyMsg("enter"))
		for _, msg := range messages(cmd) {
			if msg, ok := msg.(ownedMsg); ok {
				for _, next := range messages(m.owned(msg)) {
					m.Update(next)
				}
			}
		}
	}
	own(m)
	got, err := os.ReadFile("oscillator.go")
	if err != nil || string(got) != scriptSource {
		t.Fatalf("the file has %d bytes, %v", len(got), err)
	}
	if len(s.commands) != 1 || s.commands[0] != (session.LoadKernel{Path: "./oscillator.go"}) {
		t.Errorf("the session was given %v", s.commands)
	}
	s = bundled()
	m = newTestModel(s, 100, 24, GlyphsBraille).typed("e")
	own(m)
	if text := m.screen().String(nil); len(s.commands) != 0 || !strings.Contains(text, "not written: ") {
		t.Errorf("a file that exists is written over: %v\n%s", s.commands, text)
	}
}
