package analyzer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/eaglet-workbench/eaglet/kernels"
)

// TestAnalyzer compares with the "want" comments of the packages under testdata/src.
func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "ordinary", "accepted", "refused", "misspelt", "typed")
}

// TestSuggestedFixes applies what the loader offers and compares with the golden file.
func TestSuggestedFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "fixed")
}

// TestFileLeftOut: eaglet loads all files of a folder, so the verdict may not depend on the machine.
func TestFileLeftOut(t *testing.T) {
	var unexpected counter
	results := analysistest.Run(&unexpected, analysistest.TestData(), Analyzer, "left")
	if len(results) != 1 || len(results[0].Action.Diagnostics) != 1 {
		t.Fatalf("%d results, complaints %v", len(results), unexpected)
	}
	d := results[0].Action.Diagnostics[0]
	at := results[0].Action.Package.Fset.Position(d.Pos)
	if d.Category != "E036" || filepath.Base(at.Filename) != "left_plan9.go" || at.Line != 3 || at.Column != 9 {
		t.Errorf("got %s at %v, want E036 at left_plan9.go:3:9", d.Message, at)
	}
}

// counter collects what analysistest complains of: it reads no expectations from files left out.
type counter []string

func (c *counter) Errorf(format string, _ ...any) { *c = append(*c, format) }

// analyze runs the analyzer over a package in memory, without imports. The go command has no part in it.
func analyze(t *testing.T, files map[string]string) (messages []string) {
	t.Helper()
	pass := &analysis.Pass{
		Analyzer: Analyzer, Fset: token.NewFileSet(),
		ReadFile: func(name string) ([]byte, error) { return []byte(files[name]), nil },
		Report:   func(d analysis.Diagnostic) { messages = append(messages, d.Category) },
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(pass.Fset, name, files[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, f)
	}
	pass.Pkg = types.NewPackage("p", "p")
	if _, err := Analyzer.Run(pass); err != nil {
		t.Fatal(err)
	}
	return messages
}

// TestTestFiles: tests are no part of a kernel and may use all of Go.
func TestTestFiles(t *testing.T) {
	const kernel = "package p\n\n//eaglet:kernel\ntype T struct{ X float64 }\n\nfunc (s *T) Step() { s.X++ }\n"
	const strings = "package p\n\nvar m map[string]int\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"a test beside a kernel", map[string]string{"t.go": kernel, "t_test.go": strings}, nil},
		{"the same in a file that is no test", map[string]string{"t.go": kernel, "u.go": strings}, []string{"E033", "E034"}},
		{"a kernel in a test only", map[string]string{"t_test.go": kernel, "u.go": strings}, nil},
	} {
		if got := analyze(t, c.files); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRangesAndFixes: what the loader says by line and column arrives as the same bytes.
func TestRangesAndFixes(t *testing.T) {
	const text = "package p\n\nfunc é(x float64) {\n\tfor x > 1 {\n\t}\n}\n"
	u := &unit{Pass: &analysis.Pass{Fset: token.NewFileSet()}, files: map[string]*token.File{}}
	f, err := parser.ParseFile(u.Fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	u.Files = []*ast.File{f}
	file := u.Fset.File(f.FileStart)
	u.files["p.go"] = file
	slice := func(from, to token.Pos) string { return text[file.Offset(from):file.Offset(to)] }

	d := u.convert(&kernels.Diagnostic{
		File: "p.go", Line: 4, Column: 6, EndColumn: 11, Code: "E031", What: "what", Why: "why", Rewrite: "rewrite",
		Fixes: []kernels.Fix{{Message: "state a cap", Edits: []kernels.Edit{
			{Line: 3, Column: 6, EndColumn: 8, New: "e"},
			{Line: 4, Column: 2, EndColumn: 2, New: "//eaglet:cap 64\n\t"},
		}}},
	})
	if d.Message != "E031  what: why; rewrite" || d.Category != "E031" || slice(d.Pos, d.End) != "x > 1" {
		t.Errorf("got %q on %q", d.Message, slice(d.Pos, d.End))
	}
	if len(d.SuggestedFixes) != 1 || d.SuggestedFixes[0].Message != "state a cap" {
		t.Fatalf("fixes %v", d.SuggestedFixes)
	}
	edits := d.SuggestedFixes[0].TextEdits
	if slice(edits[0].Pos, edits[0].End) != "é" || string(edits[0].NewText) != "e" {
		t.Errorf("the first edit replaces %q by %q", slice(edits[0].Pos, edits[0].End), edits[0].NewText)
	}
	if at := u.Fset.Position(edits[1].Pos); edits[1].Pos != edits[1].End || at.Line != 4 || at.Column != 2 {
		t.Errorf("the second edit is at %v, want an insertion at 4:2", at)
	}

	for _, c := range []struct {
		name string
		d    kernels.Diagnostic
		want string // from Pos on
	}{
		{"one without a place is at the package clause", kernels.Diagnostic{File: "p.go"}, text[8:]},
		{"one of another file is at the package clause", kernels.Diagnostic{File: "q.go", Line: 2, Column: 1}, text[8:]},
		{"a line past the end is the last one", kernels.Diagnostic{File: "p.go", Line: 99, Column: 1}, "}\n"},
		{"a column past the end is the end", kernels.Diagnostic{File: "p.go", Line: 6, Column: 99}, ""},
	} {
		if got := text[file.Offset(u.convert(&c.d).Pos):]; got != c.want {
			t.Errorf("%s: at %q, want %q", c.name, got, c.want)
		}
	}
}
