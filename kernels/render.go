package kernels

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a diagnostic is drawn.
const (
	tabWidth    = 4
	excerptCols = 120 // a longer line is cut to a window round the caret
)

// The styles of a rendered diagnostic, as ANSI sequences.
const (
	styleError   = "\x1b[1;31m"
	styleWarning = "\x1b[1;33m"
	styleCaret   = "\x1b[31m"
	styleFaint   = "\x1b[2m"
	styleReset   = "\x1b[0m"
)

// Render writes every diagnostic with its line and a caret below it:
//
//	oscillator.go:24:14  E031  the loop may not end: its condition is not known when the kernel is compiled
//	   24 |     for i := 0; i < int(s.X); i++ {
//	      |                 ^^^^^^^^^^^^
//	   state the most turns it may take, above the loop: //eaglet:cap 64
//
// Control characters of the source are shown as U+FFFD, so that no file can drive the terminal.
func (ds Diagnostics) Render(w io.Writer, color bool) error {
	b := bufio.NewWriter(w)
	for i := range ds {
		if i > 0 {
			fmt.Fprintln(b)
		}
		ds[i].render(b, color)
	}
	return b.Flush()
}

// JSON writes the diagnostics as an array, indented; an empty one for none.
func (ds Diagnostics) JSON(w io.Writer) error {
	if ds == nil {
		ds = Diagnostics{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(ds)
}

// Error says all of them, so that a load that failed can be returned as an error.
func (ds Diagnostics) Error() string {
	var b strings.Builder
	ds.Render(&b, false) // a Builder never fails
	return strings.TrimRight(b.String(), "\n")
}

// Excerpt is the source line that d points at, without its end and as it is in the file; empty for a
// diagnostic without a place.
func (d *Diagnostic) Excerpt() string { return d.excerpt }

// Message is what and why as one clause.
func (d *Diagnostic) Message() string {
	if d.Why == "" {
		return d.What
	}
	return d.What + ": " + d.Why
}

func (d *Diagnostic) render(w io.Writer, color bool) {
	paint := func(style, s string) string {
		if !color || s == "" {
			return s
		}
		return style + s + styleReset
	}
	style := styleError
	if d.Severity == Warning {
		style = styleWarning
	}
	if d.File != "" {
		fmt.Fprint(w, printable(d.File))
		if d.Line > 0 {
			fmt.Fprintf(w, ":%d:%d", d.Line, d.Column)
		}
		fmt.Fprint(w, "  ")
	}
	fmt.Fprintf(w, "%s  %s\n", paint(style, d.Code), printable(d.Message()))
	if d.Line > 0 {
		line, from, to := window(d.excerpt, d.Column, d.EndColumn)
		fmt.Fprintf(w, "%s%s\n", paint(styleFaint, fmt.Sprintf("%5d | ", d.Line)), line)
		fmt.Fprintf(w, "%s%s%s\n", paint(styleFaint, "      | "), strings.Repeat(" ", from), paint(styleCaret, strings.Repeat("^", to-from)))
	}
	if d.Rewrite != "" {
		fmt.Fprintf(w, "   %s\n", printable(d.Rewrite))
	}
}

// window lays a source line out for the terminal, tabs as blanks, and gives the columns (from 0) of the
// bytes [column, end) in it. A line that is too long is cut to excerptCols round the first of them.
func window(line string, column, end int) (text string, from, to int) {
	var cells []rune
	from, to = -1, -1
	for i := 0; i < len(line); {
		if from < 0 && i >= column-1 {
			from = len(cells)
		}
		if to < 0 && i >= end-1 {
			to = len(cells)
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if r == '\t' {
			for range tabWidth - len(cells)%tabWidth {
				cells = append(cells, ' ')
			}
			continue
		}
		cells = append(cells, shown(r))
	}
	if from < 0 {
		from = len(cells)
	}
	if to < 0 {
		to = len(cells)
	}
	if len(cells) > excerptCols {
		start := min(max(from-excerptCols/3, 0), len(cells)-excerptCols)
		cells = cells[start : start+excerptCols]
		from, to = min(from-start, excerptCols), min(to-start, excerptCols)
	}
	return string(cells), from, max(to, from+1)
}

// shown is r, or U+FFFD when it is no printable character.
func shown(r rune) rune {
	if r == ' ' || unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}

func printable(s string) string { return strings.Map(shown, s) }
