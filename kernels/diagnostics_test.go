package kernels

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// elsewhere are the rules without a fixture, with the reason.
var elsewhere = map[string]string{
	"E001": "has no source to point at: TestLoadPaths",
	"E002": "a large file: TestLoadPaths",
	"E062": "every function has its form: TestEveryMathFunctionHasAFloat32Form",
	"E068": "is about an option, not the source: TestOptions",
	"E099": "no source may earn it: TestMistakeOfOurs",
}

// fixtures are the kernels that carry their diagnostics: a comment /* E031 */ stands before the token that
// the diagnostic must point at.
func fixtures(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.FromSlash("testdata/diagnostics/*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, ".golden") })
}

var expectation = regexp.MustCompile(`^/\* ([EW]\d{3}(?: [EW]\d{3})*) \*/$`)

// expected are the diagnostics that a file asks for, as "line:column code".
func expected(f SourceFile) []string {
	var want []string
	var sc scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile(f.Name, -1, len(f.Text))
	sc.Init(file, f.Text, nil, scanner.ScanComments)
	s := newSource(f)
	var pending []string
	for {
		pos, tok, lit := sc.Scan()
		if m := expectation.FindStringSubmatch(lit); tok == token.COMMENT && m != nil {
			pending = append(pending, strings.Fields(m[1])...)
			continue
		}
		line, column := s.place(file.Offset(pos))
		for _, code := range pending {
			want = append(want, fmt.Sprintf("%s:%d:%d %s", f.Name, line, column, code))
		}
		pending = nil
		if tok == token.EOF {
			return want
		}
	}
}

func TestFixturesEarnExactlyTheirDiagnostics(t *testing.T) {
	covered := make(map[string]bool)
	var golden bytes.Buffer
	for _, name := range fixtures(t) {
		files, ds := read(name)
		if ds != nil {
			t.Fatal(ds)
		}
		k, ds := load(files, name)
		if (k == nil) != ds.Errors() {
			t.Errorf("%s: a kernel is there: %v, and errors: %v", name, k != nil, ds.Errors())
		}
		var want, got []string
		for _, f := range files {
			want = append(want, expected(f)...)
		}
		for _, d := range ds {
			got = append(got, fmt.Sprintf("%s:%d:%d %s", d.File, d.Line, d.Column, d.Code))
			covered[d.Code] = true
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q\n%v", name, got, want, ds)
		}
		for i := range ds {
			ds[i].File = filepath.ToSlash(ds[i].File)
		}
		if err := ds.Render(&golden, false); err != nil {
			t.Fatal(err)
		}
		golden.WriteString("\n")
	}
	for _, r := range Rules() {
		if _, ok := elsewhere[r.Code]; !ok && !covered[r.Code] {
			t.Errorf("no fixture earns %s (%s)", r.Code, r.Rule)
		}
	}
	compareGolden(t, "testdata/diagnostics.golden", golden.Bytes())
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

func TestRulesAreInOrderAndComplete(t *testing.T) {
	for i, r := range rules {
		if i > 0 && r.Code <= rules[i-1].Code {
			t.Errorf("%s comes after %s", r.Code, rules[i-1].Code)
		}
		if r.Rule == "" || r.Example == "" && r.Code != "E099" {
			t.Errorf("%s lacks its rule or example", r.Code)
		}
	}
}

func TestRenderMarksTheRange(t *testing.T) {
	text := "package fixture\n\n//eaglet:kernel\ntype T struct {\n\tX float64 `init:\"é\"`\n}\n\nfunc (s *T) Step() {\n\tfor s.X > 1 {\n\t\ts.X /= 2\n\t}\n}\n"
	_, ds := LoadSource([]SourceFile{{Name: "a.go", Text: []byte(text)}}, "a.go")
	var b bytes.Buffer
	if err := ds.Render(&b, false); err != nil {
		t.Fatal(err)
	}
	want := `a.go:5:12  E019  the tag is malformed: init is "é", which is no rule: a tag that is ignored would change a run silently
    5 |     X float64 ` + "`init:\"é\"`" + `
      |               ^^^^^^^^^^
   write a number, uniform(a, b), loguniform(a, b), normal(mu, sigma), linspace(a, b), logspace(a, b), choice(a, b, ...) or index()
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := ds.Render(&b, true); err != nil {
		t.Fatal(err)
	}
	if plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(b.String(), ""); plain != want || plain == b.String() {
		t.Errorf("with colour taken out:\n%s", plain)
	}
}

func TestRenderShowsNoControlCharacters(t *testing.T) {
	text := "package fixture\n\nvar x = 1 \x1b]0;owned\a\n"
	_, ds := LoadSource([]SourceFile{{Name: "a\x1b[2J.go", Text: []byte(text)}}, "a.go")
	if !ds.Errors() {
		t.Fatal("no error")
	}
	if s := ds.Error(); strings.ContainsAny(s, "\x1b\a") {
		t.Errorf("control characters came through: %q", s)
	}
}

func TestWindowCutsLongLinesRoundTheCaret(t *testing.T) {
	line := strings.Repeat("a", 500) + "BAD" + strings.Repeat("c", 500)
	text, from, to := window(line, 501, 504)
	if len(text) != excerptCols || text[from:to] != "BAD" {
		t.Errorf("window %q, marked [%d, %d)", text, from, to)
	}
}

func TestJSONReadsBack(t *testing.T) {
	_, ds := Load(filepath.FromSlash("testdata/diagnostics/E031.go"))
	var b bytes.Buffer
	if err := ds.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var back []map[string]any
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != 1 || back[0]["code"] != "E031" || back[0]["severity"] != "error" || back[0]["line"] != float64(9) || back[0]["column"] != float64(17) || back[0]["end_column"] != float64(24) {
		t.Errorf("got %s", b.String())
	}
	b.Reset()
	if err := Diagnostics(nil).JSON(&b); err != nil || strings.TrimSpace(b.String()) != "[]" {
		t.Errorf("none: %q, %v", b.String(), err)
	}
}

func TestMistakeOfOurs(t *testing.T) {
	// A file whose token positions are broken makes the front end panic; the boundary turns that into E099.
	saved := testHook
	defer func() { testHook = saved }()
	testHook = func() { panic("a mistake") }
	k, ds := LoadSource([]SourceFile{{Name: "a.go", Text: []byte("package a")}}, "a.go")
	if k != nil || len(ds) != 1 || ds[0].Code != "E099" || !strings.Contains(ds[0].What, "a mistake") {
		t.Errorf("got %v, %v", k, ds)
	}
}

func TestLoadPaths(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const kernel = "package a\n\n//eaglet:kernel\ntype T struct{ X float64 }\n\nfunc (s *T) Step() (done bool) { s.X += one; return s.X > 9 }\n"
	file := write("whole/kernel.go", kernel)
	write("whole/const.go", "package a\n\nconst one = 1\n")
	write("whole/kernel_test.go", "package a\n\nbroken")
	write("whole/notes.txt", "no Go")
	write("empty/readme.md", "nothing")
	for i := range maxFiles + 1 {
		write(fmt.Sprintf("many/f%d.go", i), "package a\n")
	}
	for _, c := range []struct{ name, path, code, says string }{
		{"a folder is one package without its tests", filepath.Dir(file), "", ""},
		{"a file is that file alone", file, "E004", "one"},
		{"a bundled kernel by its bare name", "oscillator", "", ""},
		{"an unknown bare name lists the bundled ones", "nothing", "E001", "oscillator"},
		{"a missing file", filepath.Join(dir, "missing.go"), "E001", "no such file"},
		{"a folder without Go files", filepath.Join(dir, "empty"), "E001", "no Go files"},
		{"a folder of too many files", filepath.Join(dir, "many"), "E002", "65 Go files"},
		{"a file that is too large", write("large.go", "package a\n"+strings.Repeat("// x\n", maxFileBytes/5)), "E002", "bytes"},
		{"a device", os.DevNull, "E001", "no regular file"},
	} {
		k, ds := Load(c.path)
		if c.code == "" {
			if k == nil || ds.Errors() || k.Path != c.path {
				t.Errorf("%s: %v", c.name, ds)
			}
			continue
		}
		if k != nil || len(ds) == 0 || ds[0].Code != c.code || !strings.Contains(ds.Error(), c.says) {
			t.Errorf("%s: got kernel %v and %v, want %s with %q", c.name, k != nil, ds, c.code, c.says)
		}
	}
}

// readSeeds are the texts of the Go files of a folder.
func readSeeds(dir string) ([][]byte, error) {
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, n := range names {
		text, err := os.ReadFile(n)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}
