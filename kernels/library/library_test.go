package library

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	got := Names()
	if !slices.IsSorted(got) {
		t.Errorf("names are not sorted: %v", got)
	}
	for _, want := range []string{"kepler", "lorenz", "oscillator"} {
		if !slices.Contains(got, want) {
			t.Errorf("no kernel %q in %v", want, got)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			files, ok := Files(name)
			if !ok || len(files) == 0 {
				t.Fatalf("Files(%q) gives %d files, %v", name, len(files), ok)
			}
			directives := 0
			for _, f := range files {
				if strings.HasSuffix(f.Name, "_test.go") || path.Base(f.Name) != f.Name {
					t.Errorf("file name %q: want a bare name that is no test", f.Name)
				}
				tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.ParseComments)
				if err != nil {
					t.Fatal(err)
				}
				if tree.Name.Name != name {
					t.Errorf("%s: package %s, want %s", f.Name, tree.Name.Name, name)
				}
				for _, imp := range tree.Imports {
					if imp.Path.Value != `"math"` {
						t.Errorf("%s imports %s; a kernel imports math at most", f.Name, imp.Path.Value)
					}
				}
				directives += strings.Count(string(f.Text), "\n//eaglet:kernel ")
			}
			if directives != 1 {
				t.Errorf("%d sample types, want 1", directives)
			}
		})
	}
}

func TestFilesRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "nosuch", "library.go", "../library", "oscillator/oscillator.go", "./oscillator"} {
		if files, ok := Files(name); ok {
			t.Errorf("Files(%q) gives %d files, want none", name, len(files))
		}
	}
}

func TestFilesHandsOutCopies(t *testing.T) {
	files, _ := Files("oscillator")
	want := files[0].Text[0]
	files[0].Text[0] ^= 0xff
	again, _ := Files("oscillator")
	if again[0].Text[0] != want {
		t.Error("writing into a text changed the library")
	}
}
