package ir

import (
	"bufio"
	"io"
	"math"
	"strconv"
)

// formatName and formatVersion begin the text form; a change of what a text means changes the version.
const (
	formatName    = "eaglet.ir"
	formatVersion = "1"
)

// Print writes k in the text form, which [Read] reads back. Values are numbered in order of definition,
// so equal kernels give equal text. Without positions it has everything that fixes the bits of a run
// and the names by which a user knows its parts; with positions it has also the list of source files,
// the positions and the comments, that is, all of k. The only errors are those of w. A kernel that
// [Verify] refuses prints too, with a ? where something is missing, as long as its regions are a tree.
//
// The form, by example:
//
//	eaglet.ir 1
//	kernel fall guard=mask steps=auto steps_max=64 precision=f64 fma=off
//	plane dt "Dt" f64 param unit "s" init const(0.001) "1e-3"
//	plane x "X" f64[2] state unit "m" init uniform(0, 1) "uniform(0, 1)"
//	table weights f64 { 0.5, 0.25 }
//	head {
//	  %1 = load.f64 dt
//	}
//	trip (%2 f64 = x[0], %3 f64 = x[1]) {
//	  %4 = add.f64 %2, %1
//	  %5 = const.f64 1
//	  %6 = gt.f64 %4, %5
//	  yield %6, %4, %3
//	}
//	finish terminated "s.X[0] > 1" {
//	  compare %6 = gt %4 "s.X[0]", %5 "1"
//	}
//	observable distance unit "m" {
//	  %1 = load.f64 x[0]
//	  %2 = abs.f64 %1
//	  yield %2
//	}
//
// and the other instructions:
//
//	plane wind "Wind" f64 table len 64 init linspace(0, 1) "linspace(0, 1)"
//	%3 = table.f64 weights[%2]
//	%5 = lookup.f64 wind[%2]           a table plane, or a component of an input or param plane
//	%6 = len.i64 wind
//	%4 = convert.f64.i64 %2            to f64, from i64
//	%5, %6 = if %1 { ... yield %3, %4 } else { ... yield %4, %3 }
//	%7, %8 = loop 64 (%9 f64 = %3, %10 i64 = %2) { ... yield %11, %12, %13 }
//	fault divide %1
//	local acc f64[16]                  first in a trip or func: a local array
//	array.f64 acc %3
//	put.f64 acc[%2] %4
//	%10 = get.f64 acc[%2]
//
// What stands between tokens, line ends too, does not matter; # begins a comment.
func Print(w io.Writer, k *Kernel, positions bool) error {
	p := &printer{w: bufio.NewWriterSize(w, 1<<16), k: k, positions: positions}
	p.header()
	for i := range k.Planes {
		p.plane(&k.Planes[i])
	}
	for i := range k.Tables {
		p.table(&k.Tables[i])
	}
	p.step()
	p.finish()
	if k.Init != nil {
		p.function("init", k.Init)
	}
	for _, f := range k.Observables {
		if f == nil {
			p.put("?\n")
			continue
		}
		p.function("observable "+f.Name, f)
	}
	return p.w.Flush()
}

// printer writes one kernel. Errors of w stick in the bufio.Writer and come out at Flush.
type printer struct {
	w         *bufio.Writer
	k         *Kernel
	positions bool
	number    []Value // of the Step or Func at hand
	types     []Type  // of the Step or Func at hand, by old number
	arrays    []Array // of the Step or Func at hand
	depth     int
	scratch   []byte
}

// maxIndent bounds the spaces before a line, so that the text of a deep nest stays near-linear.
const maxIndent = 64

func (p *printer) put(ss ...string) {
	for _, s := range ss {
		_, _ = p.w.WriteString(s)
	}
}

func (p *printer) indent() {
	for range min(p.depth, maxIndent) {
		p.put("  ")
	}
}

func (p *printer) int(i int64) {
	p.scratch = strconv.AppendInt(p.scratch[:0], i, 10)
	_, _ = p.w.Write(p.scratch)
}

func (p *printer) literal(t Type, bits uint64) {
	p.scratch = appendLiteral(p.scratch[:0], t, bits)
	_, _ = p.w.Write(p.scratch)
}

// quoted writes the key and the string, nothing when it is empty.
func (p *printer) quoted(key, s string) {
	if s != "" {
		p.put(key, strconv.Quote(s))
	}
}

func (p *printer) pos(at Pos) {
	if !p.positions || at == (Pos{}) {
		return
	}
	for i, n := range [...]int32{at.File, at.Line, at.Col, at.End} {
		p.put([...]string{" @", ":", ":", "-"}[i])
		p.int(int64(n))
	}
}

// comment writes a doc comment, which is part of the text with positions only.
func (p *printer) comment(s string) {
	if p.positions {
		p.quoted(" doc ", s)
	}
}

func (p *printer) header() {
	k := p.k
	p.put(formatName, " ", formatVersion, "\nkernel ", k.Name, " guard=", k.Guard.String(), " steps=")
	if k.Auto() {
		p.put("auto")
	} else {
		p.int(int64(k.Steps))
	}
	p.put(" steps_max=")
	p.int(int64(k.StepsMax))
	p.put(" precision=", k.Precision.String(), " fma=", fmaName(k.FMA), "\n")
	if p.positions {
		for _, f := range k.Files {
			p.put("file ", strconv.Quote(f), "\n")
		}
	}
}

func fmaName(contract bool) string {
	if contract {
		return "contract"
	}
	return "off"
}

func (p *printer) plane(pl *Plane) {
	p.put("plane ", pl.Name)
	p.quoted(" ", pl.Field)
	p.put(" ", pl.Type.String())
	for _, d := range pl.Dims {
		p.put("[")
		p.int(int64(d))
		p.put("]")
	}
	p.put(" ", pl.Role.String())
	if pl.Len != 0 {
		p.put(" len ")
		p.int(int64(pl.Len))
	}
	p.quoted(" unit ", pl.Unit)
	p.put(" init ", pl.Init.Kind.String(), "(")
	for i, a := range pl.Init.Args {
		p.comma(i)
		p.literal(F64, math.Float64bits(a))
	}
	p.put(")")
	p.quoted(" ", pl.Init.Text)
	p.comment(pl.Doc)
	p.pos(pl.Pos)
	p.put("\n")
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.put(", ")
	}
}

func (p *printer) table(t *Table) {
	p.put("table ", t.Name, " ", t.Type.String(), " {")
	for i, b := range t.Bits {
		if i > 0 {
			p.put(",")
		}
		if i%8 == 0 {
			p.put("\n ")
		}
		p.put(" ")
		p.literal(t.Type, b)
	}
	p.put("\n}\n")
}

func (p *printer) step() {
	s := &p.k.Step
	p.number, _ = numbering(&s.Values, &s.Head, &s.Trip)
	p.types, p.arrays = s.Types, s.Arrays
	p.put("head {\n")
	p.body(&s.Head)
	p.put("}\ntrip (")
	for i, x := range s.Trip.Params {
		p.comma(i)
		p.param(x)
		p.put(" = ")
		if i < len(s.Carry) {
			p.put(p.k.cellName(s.Carry[i]))
		} else {
			p.put("?")
		}
	}
	p.put(") {\n")
	p.locals()
	p.body(&s.Trip)
	p.put("}\n")
}

func (p *printer) function(title string, f *Func) {
	p.number, _ = numbering(&f.Values, &f.Body)
	p.types, p.arrays = f.Types, f.Arrays
	p.put(title)
	p.quoted(" unit ", f.Unit)
	p.comment(f.Doc)
	p.put(" {\n")
	p.locals()
	p.instrs(&f.Body)
	p.depth++
	p.indent()
	p.depth--
	p.put("yield")
	for i, y := range f.Body.Yield {
		if i > 0 {
			p.put(",")
		}
		p.put(" ")
		if i < len(f.Stores) {
			p.put(p.k.cellName(f.Stores[i]), " = ")
		}
		p.value(y)
	}
	p.put("\n}\n")
}

// locals declares the local arrays.
func (p *printer) locals() {
	for _, a := range p.arrays {
		p.put("  local ", a.Name, " ", a.Type.String(), "[")
		p.int(int64(a.Len))
		p.put("]\n")
	}
}

func (p *printer) finish() {
	f := p.k.Finish
	if f == nil {
		return
	}
	s := &p.k.Step
	p.number, _ = numbering(&s.Values, &s.Head, &s.Trip)
	p.put("finish ", f.Name)
	p.quoted(" ", f.Text)
	p.pos(f.Pos)
	p.put(" {\n")
	if f.Cond != nil {
		p.cond(f.Cond)
	}
	p.put("}\n")
}

func (p *printer) cond(c *Cond) {
	p.depth++
	defer func() { p.depth-- }()
	p.indent()
	if c == nil {
		p.put("?\n")
		return
	}
	p.put(c.Kind.String(), " ")
	p.value(c.Result)
	if c.Kind == CondCompare {
		p.put(" = ", c.Op.String(), " ")
		p.value(c.LHS)
		p.quoted(" ", c.LHSText)
		p.put(", ")
		p.value(c.RHS)
		p.quoted(" ", c.RHSText)
	} else {
		p.quoted(" ", c.LHSText)
	}
	p.pos(c.Pos)
	if len(c.Kids) > 0 {
		p.put(" {\n")
		for _, kid := range c.Kids {
			p.cond(kid)
		}
		p.indent()
		p.put("}")
	}
	p.put("\n")
}
