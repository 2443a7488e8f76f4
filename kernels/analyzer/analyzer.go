// Package analyzer is the subset checker of the kernel language as a go/analysis Analyzer, so that go vet
// and editors show what eaglet check shows. It knows the front end only: no engine, no session.
//
// A package is checked when it has an //eaglet:kernel directive; every other one passes untouched. It is
// checked as a whole, as eaglet loads a folder: all of its files but the tests, those that build
// constraints leave out included.
package analyzer

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/eaglet-workbench/eaglet/kernels"
)

const doc = `check that eaglet kernels are written in the kernel language

A kernel is a package with a struct type under the directive //eaglet:kernel. It is ordinary Go, but
not all of Go: this reports what eaglet would refuse to load, with the reason and what to write
instead, and offers the rewrite where it is mechanical. Packages without the directive are skipped.`

// Analyzer reports the diagnostics of kernels.LoadSource. The category of each is its code ("E031"). A
// type error that the Go compiler reports itself is left to it.
var Analyzer = &analysis.Analyzer{
	Name:             "eaglet",
	Doc:              doc,
	URL:              "https://pkg.go.dev/github.com/eaglet-workbench/eaglet/kernels/analyzer",
	Run:              run,
	RunDespiteErrors: true, // most of what a kernel may not do can be seen in spite of type errors
}

// unit is the package of a pass as the kernel loader sees it.
type unit struct {
	*analysis.Pass
	sources []kernels.SourceFile
	files   map[string]*token.File // by SourceFile.Name
}

func run(pass *analysis.Pass) (any, error) {
	u := &unit{Pass: pass, files: make(map[string]*token.File)}
	if !slices.ContainsFunc(pass.Files, u.declaresKernel) {
		return nil, nil
	}
	if err := u.read(); err != nil {
		return nil, err
	}
	_, diags := kernels.LoadSource(u.sources, pass.Pkg.Path())
	for i := range diags {
		if d := u.convert(&diags[i]); !u.known(&diags[i], d.Pos) {
			pass.Report(d)
		}
	}
	return nil, nil
}

// declaresKernel says whether a file that is no test has a kernel directive, also a misspelt one such as
// //eaglet:kernels.
func (u *unit) declaresKernel(f *ast.File) bool {
	if file := u.Fset.File(f.FileStart); file == nil || isTest(file.Name()) {
		return false
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//eaglet:kernel") {
				return true
			}
		}
	}
	return false
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// read collects the package's files in the order of their names, the order in which a folder is loaded.
func (u *unit) read() error {
	for _, f := range u.Files {
		if err := u.add(u.Fset.File(f.FileStart)); err != nil {
			return err
		}
	}
	for _, name := range u.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		// Only its positions are needed here; what is wrong with its syntax, the loader says.
		f, err := parser.ParseFile(u.Fset, name, nil, parser.PackageClauseOnly)
		if f == nil {
			return err
		}
		if err := u.add(u.Fset.File(f.FileStart)); err != nil {
			return err
		}
	}
	slices.SortFunc(u.sources, func(a, b kernels.SourceFile) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

func (u *unit) add(f *token.File) error {
	if f == nil {
		return errors.New("a file of the package has no position")
	}
	if isTest(f.Name()) {
		return nil
	}
	text, err := u.ReadFile(f.Name())
	if err != nil {
		return err
	}
	u.sources = append(u.sources, kernels.SourceFile{Name: f.Name(), Text: text})
	u.files[f.Name()] = f
	return nil
}

// known says whether the Go compiler reports the same: a syntax or type error on the same line.
func (u *unit) known(d *kernels.Diagnostic, pos token.Pos) bool {
	if d.Code != "E003" && d.Code != "E004" {
		return false
	}
	file := u.files[d.File]
	return slices.ContainsFunc(u.TypeErrors, func(e types.Error) bool {
		return file != nil && u.Fset.File(e.Pos) == file && file.Line(e.Pos) == file.Line(pos)
	})
}

// convert puts a diagnostic into the form of go/analysis. One without a place is shown at the first file's
// package clause.
func (u *unit) convert(d *kernels.Diagnostic) analysis.Diagnostic {
	out := analysis.Diagnostic{Category: d.Code, Message: message(d)}
	file := u.files[d.File]
	if file == nil || d.Line == 0 {
		out.Pos = u.Files[0].Name.Pos()
		return out
	}
	out.Pos, out.End = position(file, d.Line, d.Column), position(file, d.Line, d.EndColumn)
	for _, fix := range d.Fixes {
		s := analysis.SuggestedFix{Message: fix.Message}
		for _, e := range fix.Edits {
			s.TextEdits = append(s.TextEdits, analysis.TextEdit{
				Pos: position(file, e.Line, e.Column), End: position(file, e.Line, e.EndColumn), NewText: []byte(e.New),
			})
		}
		out.SuggestedFixes = append(out.SuggestedFixes, s)
	}
	return out
}

// message is a diagnostic on one line, as editors show it.
func message(d *kernels.Diagnostic) string {
	text := fmt.Sprintf("%s  %s", d.Code, d.Message())
	if d.Rewrite != "" {
		text += "; " + d.Rewrite
	}
	return text
}

// position is a line and a column, both from 1 and unadjusted, as a Pos. What lies outside of the file is
// cut to it: the text may have changed since it was parsed.
func position(f *token.File, line, column int) token.Pos {
	line = min(max(line, 1), f.LineCount())
	offset := f.Offset(f.LineStart(line)) + column - 1
	return f.Pos(min(offset, f.Size()))
}
