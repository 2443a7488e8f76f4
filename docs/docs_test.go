// Package docs_test checks the documents: their examples compile, or give the diagnostics that they are
// there for; their tables of values hold; what is generated is current.
package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
)

var update = flag.Bool("update", false, "rewrite what is generated")

// block is a fenced block of a document.
type block struct {
	line int      // of its fence
	info []string // the words after the fence: "go", what it is, the codes that it must give
	text string
}

// blocks are the fenced blocks of a document.
func blocks(text string) []block {
	var out []block
	var open *block
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{line: i + 1, info: strings.Fields(fence)}
		case isFence:
			out, open = append(out, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return out
}

// What a block becomes a part of, when it is not a whole file.
const (
	// A block of statements is the body of a Step.
	stepBefore = "package example\n\n//eaglet:kernel\ntype Example struct {\n\tX float64\n\tN int64\n}\n\nfunc (s *Example) Step() (done bool) {\n\ts.N++\n"
	stepAfter  = "\treturn s.X+float64(s.N) > 1\n}\n"
	// A block of declarations is beside a kernel that uses none of them.
	declBefore = "package example\n\n//eaglet:kernel\ntype Example struct{ X float64 }\n\nfunc (s *Example) Step() { s.X++ }\n\n"
)

// source is the kernel that a block stands for; ok is false for a block of no known kind.
func (b *block) source() (text string, ok bool) {
	if len(b.info) < 2 {
		return "", false
	}
	switch b.info[1] {
	case "kernel", "more":
		return b.text, true
	case "step":
		return stepBefore + b.text + stepAfter, true
	case "decl":
		return declBefore + b.text, true
	}
	return "", false
}

// checkExamples loads every Go block of a document and returns what is wrong with them.
func checkExamples(document string) (problems []string, examples int) {
	all := blocks(document)
	for i := 0; i < len(all); i++ {
		b := all[i]
		if len(b.info) == 0 || b.info[0] != "go" {
			continue
		}
		text, ok := b.source()
		if !ok || b.info[1] == "more" {
			problems = append(problems, fmt.Sprintf("line %d: the block is marked %q", b.line, b.info))
			continue
		}
		files := []kernels.SourceFile{{Name: "example.go", Text: []byte(text)}}
		for i+1 < len(all) && slices.Equal(all[i+1].info, []string{"go", "more"}) {
			i++
			files = append(files, kernels.SourceFile{Name: fmt.Sprintf("more%d.go", len(files)), Text: []byte(all[i].text)})
		}
		examples++
		_, ds := kernels.LoadSource(files, "example")
		if want, got := b.info[2:], codes(ds); !slices.Equal(got, want) {
			problems = append(problems, fmt.Sprintf("line %d: got %q, want %q\n%v", b.line, got, want, ds))
		}
	}
	return problems, examples
}

// codes are those of the diagnostics, sorted, each once.
func codes(ds kernels.Diagnostics) []string {
	out := []string{}
	for i := range ds {
		out = append(out, ds[i].Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestExamplesOfTheLanguage(t *testing.T) {
	problems, examples := checkExamples(read(t, "language.md"))
	for _, p := range problems {
		t.Errorf("language.md: %s", p)
	}
	if examples < 15 {
		t.Errorf("language.md has %d examples; were their marks lost?", examples)
	}
}

// TestExamplesCanBeWrong is the red case of TestExamplesOfTheLanguage.
func TestExamplesCanBeWrong(t *testing.T) {
	for _, c := range []struct{ name, info, text string }{
		{"a kernel that does not compile", "go kernel", "package a\n"},
		{"a kernel that gives another code", "go kernel E031", "package a\n"},
		{"a good step that is said to be refused", "go step E031", "s.X++\n"},
		{"a refused step that is said to be good", "go step", "go f()\n"},
		{"a refused declaration", "go decl", "var m = map[int]int{}\n"},
		{"a second file without a first", "go more", "package a\n"},
		{"a block without a mark", "go", "package a\n"},
	} {
		if problems, _ := checkExamples("```" + c.info + "\n" + c.text + "```\n"); len(problems) != 1 {
			t.Errorf("%s: got problems %q", c.name, problems)
		}
	}
}

// TestFunctionsOfMath: the list of the language is the list of the front end.
func TestFunctionsOfMath(t *testing.T) {
	_, list, _ := strings.Cut(read(t, "language.md"), "\n## math\n")
	list, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(list), "`"), "`")
	if !ok || !strings.HasPrefix(rest, ", and the constants") {
		t.Fatal("there is no list of functions")
	}
	var missing []string
	for _, name := range strings.Fields(list) {
		text := "package a\n\nimport \"math\"\n\n//eaglet:kernel\ntype T struct{ X float64 }\n\nfunc (s *T) Step() { s.X = 1; _ = math." + name + " }\n"
		_, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "a.go", Text: []byte(text)}}, "a.go")
		if slices.Contains(codes(ds), "E010") {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("the list has %q, which the front end does not know", missing)
	}
	var known []string
	for line := range strings.Lines(read(t, "../kernels/math.go.txt")) {
		if name, ok := strings.CutPrefix(line, "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			known = append(known, name)
		}
	}
	slices.Sort(known)
	if got := strings.Fields(list); !slices.Equal(got, known) {
		t.Errorf("the list is %q, the front end has %q", got, known)
	}
}

// firstCells are the code spans in the first column of the table whose first column has the given name.
func firstCells(document, name string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		switch first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | "); {
		case strings.HasPrefix(line, "| "+name+" |"):
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside:
			for i, span := range strings.Split(first, "`") {
				if i%2 == 1 {
					out = append(out, span)
				}
			}
		}
	}
	return out
}

// TestTablesOfTheLanguage: what the tables say may be written loads.
func TestTablesOfTheLanguage(t *testing.T) {
	document := read(t, "language.md")
	values := strings.NewReplacer("mu", "1", "sigma", "2", ", ...", "", "(a", "(1", ", b", ", 2", "=K", "=16")
	check := func(name string, least int, format string) {
		spans := firstCells(document, name)
		if len(spans) < least {
			t.Errorf("the table of %s has only %q", name, spans)
		}
		for _, span := range spans {
			text := fmt.Sprintf(format, values.Replace(span))
			if _, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "a.go", Text: []byte(text)}}, "a.go"); ds.Errors() {
				t.Errorf("%s: %v", span, ds)
			}
		}
	}
	check("init", 8, "package a\n\n//eaglet:kernel\ntype T struct {\n\tX float64 `init:\"%s\"`\n}\n\nfunc (s *T) Step() { s.X++ }\n")
	check("Option", 8, "package a\n\n//eaglet:kernel %s\ntype T struct{ X float64 }\n\nfunc (s *T) Step() { s.X++ }\n")
}

func TestDiagnosticsAreCurrent(t *testing.T) {
	const path = "diagnostics.md"
	got := diagnosticsPage()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what kernels.Rules gives (%v); go test ./docs -update rewrites it", path, err)
	}
}

// diagnosticsPage is diagnostics.md.
func diagnosticsPage() []byte {
	var b bytes.Buffer
	b.WriteString(`# Diagnostics

<!-- Generated from kernels.Rules by: go test ./docs -update -->

What eaglet says about a kernel, by code. A code is never renumbered or reused. An E stops the load, a W does not. The text of a diagnostic
may be more exact than the rule here.
`)
	for _, r := range kernels.Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", r.Code, sentence(r.Rule))
		if r.Why != "" {
			fmt.Fprintf(&b, "\n- Why: %s.\n", r.Why)
		} else {
			b.WriteString("\n")
		}
		if r.Rewrite != "" {
			fmt.Fprintf(&b, "- Instead: %s.\n", r.Rewrite)
		}
		if r.Example != "" {
			fmt.Fprintf(&b, "- Example: %s\n", code(r.Example))
		}
	}
	return b.Bytes()
}

// sentence begins a clause with a capital, but not a piece of code.
func sentence(s string) string {
	if s == "" || strings.HasPrefix(s, "func ") || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// code is s as a code span, also when s has backquotes.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) == 1 {
		return fence + s + fence
	}
	return fence + " " + s + " " + fence
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
