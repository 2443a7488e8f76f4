package tui

import (
	"maps"
	"slices"
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
