package kernels

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fixed is a file after the edits of a fix, which are made from the last to the first.
func fixed(t *testing.T, f SourceFile, fix Fix) SourceFile {
	t.Helper()
	s := newSource(f)
	text := string(f.Text)
	edits := slices.Clone(fix.Edits)
	slices.Reverse(edits)
	last := len(text) + 1
	for _, e := range edits {
		from, to := s.lines[e.Line-1]+e.Column-1, s.lines[e.Line-1]+e.EndColumn-1
		if from > to || to > last || to > len(text) {
			t.Fatalf("%s: the edits %v are out of order", f.Name, fix.Edits)
		}
		text, last = text[:from]+e.New+text[to:], from
	}
	return SourceFile{Name: f.Name, Text: []byte(text)}
}

// TestFixesRemoveTheirDiagnostics makes every fix that a fixture's diagnostics have: the diagnostic goes, and
// no other comes in its place.
func TestFixesRemoveTheirDiagnostics(t *testing.T) {
	seen := make(map[string]bool)
	for _, name := range fixtures(t) {
		files, _ := read(name)
		_, before := load(files, name)
		for _, d := range before {
			for _, fix := range d.Fixes {
				changed := slices.Clone(files)
				for i := range changed {
					if changed[i].Name == d.File {
						changed[i] = fixed(t, changed[i], fix)
					}
				}
				_, after := load(changed, name)
				if len(after) >= len(before) && !onlyLater(before, after) {
					t.Errorf("%s: %s at %d:%d: after %q there are\n%v", name, d.Code, d.Line, d.Column, fix.Message, after)
				}
				seen[d.Code] = true
			}
		}
	}
	for _, code := range []string{"E004", "E005", "E007", "E012", "E015", "E031", "E042", "E054", "W004"} {
		if !seen[code] {
			t.Errorf("no fixture of %s has a fix", code)
		}
	}
}

// onlyLater says whether what is left was not to be seen before: lowering begins when the checks pass.
func onlyLater(before, after Diagnostics) bool {
	for _, a := range after {
		if slices.ContainsFunc(before, func(b Diagnostic) bool { return a.Code == b.Code }) {
			return false
		}
	}
	return true
}

func TestFixes(t *testing.T) {
	const head = "package fixture\n\n//eaglet:kernel\ntype T struct {\n\tX float64\n\tN int\n}\n\n"
	for _, c := range []struct{ name, source, want string }{
		{
			"a loop without an end gets a cap above its label",
			head + "func (s *T) Step() {\nouter:\n\tfor s.X > 1 {\n\t\ts.X /= 2\n\t\tif s.X < 0 {\n\t\t\tbreak outer\n\t\t}\n\t}\n}\n",
			"//eaglet:cap 64\nouter:\n\tfor s.X > 1 {",
		},
		{
			"the inner of two loops",
			head + "func (s *T) Step() {\n\tfor i := 0; i < 3; i++ {\n\t\tfor s.X > 1 {\n\t\t\ts.X /= 2\n\t\t}\n\t}\n}\n",
			"i++ {\n\t\t//eaglet:cap 64\n\t\tfor s.X > 1 {",
		},
		{"an integer times a float", head + "func (s *T) Step() { s.X = s.N * s.X }\n", "s.X = float64(s.N) * s.X"},
		{"a float times an integer", head + "func (s *T) Step() { s.X = s.X * (s.N + 1) }\n", "s.X = s.X * float64((s.N + 1))"},
		{"an integer assigned to a float", head + "func (s *T) Step() { s.X = s.N }\n", "s.X = float64(s.N)"},
		{"an integer added to a float", head + "func (s *T) Step() { s.X += s.N }\n", "s.X += float64(s.N)"},
		{
			"a call that changes what is read before it",
			head + "func (s *T) bump() float64 { s.X++; return 2 }\nfunc (s *T) Step() {\n\ts.X += s.bump() * 3\n}\n",
			"{\n\tbefore := s.bump()\n\ts.X += before * 3\n",
		},
		{"a receiver that is no pointer", head + "func (s T) Step() {}\n", "func (s *T) Step() {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := SourceFile{Name: "a.go", Text: []byte(c.source)}
			_, ds := load([]SourceFile{f}, "a.go")
			if len(ds) == 0 || len(ds[0].Fixes) != 1 {
				t.Fatalf("no fix: %+v", ds)
			}
			got := fixed(t, f, ds[0].Fixes[0])
			if !strings.Contains(string(got.Text), c.want) {
				t.Errorf("got\n%s\nwant in it\n%s", got.Text, c.want)
			}
			if _, after := load([]SourceFile{got}, "a.go"); after.Errors() {
				t.Errorf("the rewrite is refused: %v\n%s", after, got.Text)
			}
		})
	}
}

func ExampleDiagnostic() {
	_, ds := LoadSource([]SourceFile{{Name: "a.go", Text: []byte("package a\n\n//eaglet:kernel\ntype T struct{ X float64 }\n\nfunc (s *T) Step() {\n\tfor s.X > 1 {\n\t\ts.X /= 2\n\t}\n}\n")}}, "a.go")
	fmt.Printf("%s %q\n", ds[0].Fixes[0].Message, ds[0].Fixes[0].Edits[0].New)
	// Output: state that it takes at most 64 turns "\t//eaglet:cap 64\n"
}
