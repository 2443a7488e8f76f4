package kernels

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// reporter collects the diagnostics of a load. A second one that says the same at the same place is
// dropped: a helper that is expanded ten times has one mistake.
type reporter struct {
	fset  *token.FileSet
	files []*source
	list  Diagnostics
	seen  map[spot]bool
	count [2]int // diagnostics by severity
}

// maxDiagnostics bounds those of one severity: after so many, a file is no kernel with mistakes any more.
const maxDiagnostics = 100

type spot struct {
	code, file, what string
	line, column     int
}

// source is a file under its token positions.
type source struct {
	SourceFile
	token *token.File // nil until parsed
	lines []int       // offset of every line
}

func newReporter(files []SourceFile) *reporter {
	r := &reporter{fset: token.NewFileSet(), seen: make(map[spot]bool)}
	for _, f := range files {
		r.files = append(r.files, newSource(f))
	}
	return r
}

func newSource(f SourceFile) *source {
	s := &source{SourceFile: f, lines: []int{0}}
	for i, b := range f.Text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// place is a byte offset as line and column, both from 1.
func (s *source) place(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.Text))
	i, found := slices.BinarySearch(s.lines, offset)
	if !found {
		i--
	}
	return i + 1, offset - s.lines[i] + 1
}

// line is the text of a line (from 1) without its end.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	text := s.Text[s.lines[n-1]:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(string(text), "\r")
}

// span is any node of the syntax tree, or a range of positions.
type span interface {
	Pos() token.Pos
	End() token.Pos
}

// between is the span from one position to another.
type between struct{ from, to token.Pos }

func (b between) Pos() token.Pos { return b.from }
func (b between) End() token.Pos { return b.to }

// at reports the rule at a span; what replaces the rule's own clause when it is given. The result is for
// filling in Why and Rewrite, before the next report; it is never nil.
func (r *reporter) at(code string, n span, what ...any) *Diagnostic {
	pos := r.position(n)
	if pos.Line == 0 {
		return r.inFile(code, "", what...)
	}
	return r.add(code, r.files[pos.File], int(pos.Line), int(pos.Col), int(pos.End), what)
}

// atOffset reports the rule at a range of bytes of a file.
func (r *reporter) atOffset(code string, s *source, from, to int, what ...any) *Diagnostic {
	line, column := s.place(from)
	return r.add(code, s, line, column, s.endColumn(line, column, to), what)
}

// endColumn is one past the last column of a range that starts at line, cut to that line.
func (s *source) endColumn(line, column, to int) int {
	last := len(s.line(line)) + 1
	if l, c := s.place(to); l == line {
		last = c
	}
	return max(last, column+1)
}

// inFile reports the rule without a place, for a file that was not read.
func (r *reporter) inFile(code, file string, what ...any) *Diagnostic {
	return r.add(code, &source{SourceFile: SourceFile{Name: file}, lines: []int{0}}, 0, 0, 0, what)
}

func (r *reporter) add(code string, s *source, line, column, end int, what []any) *Diagnostic {
	rule := ruleOf(code)
	d := Diagnostic{
		File: s.Name, Line: line, Column: column, EndColumn: end,
		Code: code, What: rule.Rule, Why: rule.Why, Rewrite: rule.Rewrite,
	}
	if code[0] == 'W' {
		d.Severity = Warning
	}
	if r.full(d.Severity) {
		return &d
	}
	if len(what) > 0 {
		d.What = fmt.Sprintf(what[0].(string), what[1:]...)
	}
	d.excerpt = s.line(line)
	return r.adopt(&d)
}

// adopt takes a diagnostic, made here or by another reporter, unless it is there already.
func (r *reporter) adopt(d *Diagnostic) *Diagnostic {
	key := spot{d.Code, d.File, d.What, d.Line, d.Column}
	if r.seen[key] || r.full(d.Severity) {
		return d
	}
	r.seen[key] = true
	r.count[d.Severity]++
	r.list = append(r.list, *d)
	return &r.list[len(r.list)-1]
}

// full says that no more diagnostics of a severity are taken.
func (r *reporter) full(s Severity) bool { return r.count[s] >= maxDiagnostics }

// position is the first line of a span, by unadjusted positions; zero when it has none.
func (r *reporter) position(n span) ir.Pos {
	from := n.Pos()
	for i, s := range r.files {
		if !s.holds(from) {
			continue
		}
		line, column := s.place(s.token.Offset(from))
		to := n.End()
		if !s.holds(to) {
			to = from
		}
		end := s.endColumn(line, column, s.token.Offset(to))
		return ir.Pos{File: int32(i), Line: int32(line), Col: int32(column), End: int32(end)}
	}
	return ir.Pos{}
}

func (s *source) holds(p token.Pos) bool {
	return s.token != nil && p.IsValid() && int(p) >= s.token.Base() && int(p) <= s.token.Base()+s.token.Size()
}

// text is the source of a span, its white space made single blanks.
func (r *reporter) text(n span) string {
	for _, s := range r.files {
		if s.holds(n.Pos()) && s.holds(n.End()) && n.End() >= n.Pos() {
			return strings.Join(strings.Fields(string(s.Text[s.token.Offset(n.Pos()):s.token.Offset(n.End())])), " ")
		}
	}
	return ""
}

// sorted are the diagnostics in the order of the user's reading.
func (r *reporter) sorted() Diagnostics {
	slices.SortStableFunc(r.list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Code, b.Code))
	})
	return r.list
}

// errors says whether an error was reported.
func (r *reporter) errors() bool { return r.list.Errors() }
