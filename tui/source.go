package tui

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// sourcePane shows the kernel's file with the finish line marked; what was wrong with the last load is
// shown above it, in place, while the kernel before it stays.
type sourcePane struct {
	kernel      *kernels.Kernel // what lines were made of
	diagnostics kernels.Diagnostics
	lines       []sourceLine
	changed     map[int]bool // numbers of the lines that a reload has changed
	finish      int          // index of the finish line among lines, -1 for none
	top         int
	placed      bool // top was chosen by the user
	told        bool // what a reload changed stands in front
	mark        int  // 1 + index of the line that was looked for, 0 for none
	width       int  // that lines was made for
	tab         string
	height      int // of the last drawing

	mode sourceMode
	code codeView
}

// sourceLine is one line on screen.
type sourceLine struct {
	number   int // 0 for a line that is no source
	pieces   []span
	from, to int // cells of the finish condition, equal for none
}

func (p *sourcePane) title(s *scene) string {
	k := s.state.Kernel
	bad := countErrors(s.state.Diagnostics)
	if p.mode != modeText && bad == 0 {
		return p.code.title(p.mode)
	}
	switch {
	case k == nil && bad > 0:
		return "Source: not loaded, " + counted(bad, "error", "errors")
	case k == nil:
		return "Source: no kernel"
	case bad > 0:
		return fmt.Sprintf("Source: %s, %s stays", counted(bad, "error", "errors"), k.IR.Name)
	case k.IR.Finish == nil:
		return "Source: " + sourceName(k) + ", declares no finish"
	}
	return fmt.Sprintf("Source: finish at %s:%d", sourceName(k), k.IR.Finish.Pos.Line)
}

func countErrors(ds kernels.Diagnostics) int {
	n := 0
	for i := range ds {
		if ds[i].Severity == kernels.Error {
			n++
		}
	}
	return n
}

// finishFile is the index of the file shown: that of the finish declaration.
func finishFile(k *kernels.Kernel) int {
	if k.IR.Finish != nil && int(k.IR.Finish.Pos.File) < len(k.Sources) {
		return int(k.IR.Finish.Pos.File)
	}
	return 0
}

func sourceName(k *kernels.Kernel) string {
	if len(k.Sources) == 0 {
		return k.IR.Name
	}
	return filepath.Base(k.Sources[finishFile(k)].Name)
}

// update makes the lines anew when the kernel, its diagnostics or the width have changed.
func (p *sourcePane) update(s *scene, width int) {
	ds := s.state.Diagnostics
	same := s.state.Kernel == p.kernel && len(ds) == len(p.diagnostics) && (len(ds) == 0 || &ds[0] == &p.diagnostics[0])
	if same && width == p.width {
		return
	}
	if !same {
		p.placed, p.top, p.mark = false, 0, 0
	}
	p.kernel, p.diagnostics, p.width = s.state.Kernel, ds, width
	p.lines, p.finish, p.changed, p.told = nil, -1, nil, false
	if p.kernel != nil {
		p.changed = changedLines(s.state.Reloaded, p.kernel)
	}
	if r := s.state.Reloaded; r != nil && p.kernel != nil && !ds.Errors() {
		p.tellReload(r, width)
		p.told = true
	}
	p.tab = "    "
	if width < 64 { // half the indentation shows twice as much of what is indented
		p.tab = "  "
	}
	if ds.Errors() {
		p.explain(ds, width)
	}
	if p.kernel != nil && len(p.kernel.Sources) > 0 {
		p.readSource()
	}
}

// explain puts the diagnostics of a failed load in front: where, what and why; the line; what to write.
func (p *sourcePane) explain(ds kernels.Diagnostics, width int) {
	add := func(look style, indent, text string) {
		for _, line := range wrap(text, width-1-len(indent)) {
			p.lines = append(p.lines, sourceLine{pieces: []span{{look, indent + line}}})
		}
	}
	for i := range ds {
		d := &ds[i]
		add(wrong, "", fmt.Sprintf("%s:%d:%d  %s", filepath.Base(d.File), d.Line, d.Column, d.Code))
		add(plain, "  ", d.Message())
		if line := d.Excerpt(); line != "" {
			indent := "    "
			from, to := p.cells(head(line, d.Column-1)), p.cells(head(line, d.EndColumn-1))
			p.lines = append(p.lines, sourceLine{
				pieces: []span{{plain, indent + p.untab(line)}}, from: len(indent) + from, to: len(indent) + max(to, from+1),
			})
		}
		if d.Rewrite != "" {
			add(quiet, "  ", "instead: "+d.Rewrite)
		}
	}
	if p.kernel != nil {
		p.lines = append(p.lines, sourceLine{}, sourceLine{pieces: []span{{strong, "the kernel that stays:"}}})
	}
}

// tellReload puts what the last reload changed in front: where its time went, and what is another in what runs. It is above
// the part that is shown at first.
func (p *sourcePane) tellReload(r *session.Reloaded, width int) {
	add := func(look style, text string) {
		for _, line := range wrap(text, max(width-2, 8)) {
			p.lines = append(p.lines, sourceLine{pieces: []span{{look, line}}})
		}
	}
	add(strong, "reloaded in "+r.Parts())
	if len(r.Artifact) == 0 {
		add(quiet, "the code is the same")
	}
	for _, change := range r.Artifact {
		add(plain, "  "+change)
	}
	p.lines = append(p.lines, sourceLine{})
}

// cells is the width of source text on screen.
func (p *sourcePane) cells(text string) int { return width(p.untab(text)) }

func (p *sourcePane) readSource() {
	k := p.kernel
	text := k.Sources[finishFile(k)].Text
	first := len(p.lines)
	p.lines = append(p.lines, highlight(text, p.tab)...)
	if f := k.IR.Finish; f != nil {
		if at := first + int(f.Pos.Line) - 1; at >= first && at < len(p.lines) {
			p.finish = at
			line := lineOf(text, int(f.Pos.Line))
			p.lines[at].from = p.cells(head(line, int(f.Pos.Col)-1))
			p.lines[at].to = p.cells(head(line, int(f.Pos.End)-1))
		}
	}
}

func head(line string, n int) string { return line[:min(max(n, 0), len(line))] }

func lineOf(text []byte, number int) string {
	i := 1
	for line := range bytes.Lines(text) {
		if i == number {
			return strings.TrimRight(string(line), "\r\n")
		}
		i++
	}
	return ""
}

// untab replaces tabs: kernels are indented by them, and use them nowhere else.
func (p *sourcePane) untab(s string) string { return strings.ReplaceAll(s, "\t", p.tab) }

// highlight cuts Go source into lines of styled pieces.
func highlight(text []byte, tab string) []sourceLine {
	var lines []sourceLine
	looks := make([]style, len(text))
	paint := func(from, to int, look style) {
		for i := max(from, 0); i < min(to, len(looks)); i++ {
			looks[i] = look
		}
	}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var sc scanner.Scanner
	sc.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		switch {
		case tok == token.COMMENT:
			paint(at, at+len(lit), comment)
		case tok.IsKeyword():
			paint(at, at+len(lit), keyword)
		case tok == token.IDENT || !tok.IsLiteral():
		default:
			paint(at, at+len(lit), literal)
		}
	}
	offset := 0
	for line := range bytes.Lines(text) {
		l := sourceLine{number: len(lines) + 1}
		body := bytes.TrimRight(line, "\r\n")
		for from := 0; from < len(body); {
			to := from + 1
			for to < len(body) && looks[offset+to] == looks[offset+from] {
				to++
			}
			l.pieces = append(l.pieces, span{looks[offset+from], strings.ReplaceAll(string(body[from:to]), "\t", tab)})
			from = to
		}
		lines = append(lines, l)
		offset += len(line)
	}
	return lines
}

const sourceGutter = 5

func (p *sourcePane) draw(c canvas, s *scene) {
	p.update(s, c.w)
	p.height = c.h
	if p.coded(s) {
		p.code.take(s.state.Kernel, p.tab)
		p.code.draw(c, s, p.mode)
		return
	}
	if !p.placed {
		p.top = 0
		if p.finish >= 0 && !p.diagnostics.Errors() && !p.told {
			p.top = p.finish - c.h*2/3
		}
	}
	p.top = min(max(p.top, 0), max(len(p.lines)-c.h, 0))
	if len(p.lines) == 0 {
		c.text(2, max(c.h/2-1, 0), quiet, "load a kernel to begin")
		return
	}
	for y := range c.h {
		i := p.top + y
		if i >= len(p.lines) {
			break
		}
		l := &p.lines[i]
		x := 1
		if l.number > 0 {
			look := quiet
			if p.changed[l.number] {
				look = bandTone
				c.set(0, y, bandTone, '+')
			}
			if i == p.finish {
				look = strong
				c.set(0, y, strong, s.glyphs.mark)
			}
			if i == p.mark-1 {
				look = selected
				c.set(0, y, strong, '/')
			}
			c.right(sourceGutter-1, y, look, fmt.Sprint(l.number))
			x = sourceGutter
		}
		end := c.spans(x, y, l.pieces...)
		if x+spansWidth(l.pieces) > c.w {
			c.set(c.w-1, y, quiet, '~')
		}
		if l.to > l.from {
			c.restyle(x+l.from, y, min(l.to, end-x)-l.from, selected)
		}
	}
}

// coded says whether code is shown; what was wrong with a load goes before it.
func (p *sourcePane) coded(s *scene) bool {
	return p.mode != modeText && s.state.Kernel != nil && !s.state.Diagnostics.Errors()
}

// scroll moves by lines.
func (p *sourcePane) scroll(by int) {
	if p.mode != modeText && !p.diagnostics.Errors() {
		p.code.scroll(by, p.mode)
		return
	}
	p.top, p.placed = min(max(p.top+by, 0), max(len(p.lines)-p.height, 0)), true
}

func (p *sourcePane) page() int { return max(p.height-1, 1) }
