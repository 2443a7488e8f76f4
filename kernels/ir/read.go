package ir

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxTextBytes is the longest text that [Read] takes.
const MaxTextBytes = 64 << 20

// Read reads the text form that [Print] describes. It settles the form only: names are resolved and
// types filled in, and what the kernel means is for [Verify] to check. Values are numbered as
// [Kernel.Renumber] does; in the text any distinct numbers may stand. Errors begin with "ir: line N";
// memory is bounded by a multiple of the text, and the text by [MaxTextBytes].
func Read(r io.Reader) (*Kernel, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxTextBytes+1))
	if err != nil {
		return nil, fmt.Errorf("ir: %w", err)
	}
	if len(text) > MaxTextBytes {
		return nil, fmt.Errorf("ir: the text is longer than %d bytes", MaxTextBytes)
	}
	p := &reader{
		scan: scanner{text: string(text), line: 1}, k: &Kernel{},
		planes: make(map[string]int), tables: make(map[string]int),
	}
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("ir: %w", err)
	}
	return p.k, nil
}

// reader is a recursive-descent parser. The first error stays in err and turns the next token into the
// end of the text, so that every rule ends by itself.
type reader struct {
	scan   scanner
	tok    token // the token not yet taken
	err    error
	k      *Kernel
	planes map[string]int
	tables map[string]int
	depth  int

	values *Values          // of the Step or Func at hand
	arrays map[string]int   // of the Step or Func at hand
	names  map[string]Value // of the Step or Func at hand, by the number in the text
	step   map[string]Value // names of the step, for the finish declaration
	seen   map[string]bool  // statements that may stand once
}

func (p *reader) read() error {
	p.seen = make(map[string]bool)
	p.advance()
	p.header()
	for p.tok.kind != tokenEnd {
		p.statement()
	}
	if p.err == nil && !p.seen["trip"] {
		p.fail("the trip is missing")
	}
	return p.err
}

func (p *reader) advance() {
	if p.err == nil {
		p.tok, p.err = p.scan.next()
	}
	if p.err != nil {
		p.tok = token{kind: tokenEnd, line: p.tok.line}
	}
}

// fail keeps the first error, with the line of the token at hand.
func (p *reader) fail(format string, args ...any) { p.failAt(p.tok.line, format, args...) }

// failAt keeps the first error, with a line of its own.
func (p *reader) failAt(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
	p.tok.kind = tokenEnd
}

// is says whether the punctuation or word s comes next; accept takes it too, and expect insists.
func (p *reader) is(s string) bool {
	return p.tok.text == s && (p.tok.kind == tokenPunct || p.tok.kind == tokenWord)
}

func (p *reader) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.advance()
	return true
}

func (p *reader) expect(s string) {
	if !p.accept(s) {
		p.fail("expected %q, found %v", s, p.tok)
	}
}

// more says whether a list goes on, and takes the end of the list when it does not.
func (p *reader) more(end string) bool {
	if p.tok.kind != tokenEnd {
		return !p.accept(end)
	}
	p.expect(end)
	return false
}

// take takes a token of the given kind and returns its text.
func (p *reader) take(kind tokenKind, what string) string {
	if p.tok.kind != kind || p.err != nil {
		p.fail("expected %s, found %v", what, p.tok)
		return ""
	}
	s := p.tok.text
	p.advance()
	return s
}

// optional takes a string when one is next.
func (p *reader) optional() string {
	if p.tok.kind != tokenString {
		return ""
	}
	return p.take(tokenString, "a string")
}

func (p *reader) word(what string) string { return p.take(tokenWord, what) }

// oneOf takes a word and returns its index in names.
func (p *reader) oneOf(names []string, what string) int {
	line := p.tok.line
	s := p.word(what)
	i := slices.Index(names, s)
	if i < 0 && p.err == nil {
		p.failAt(line, "%q is no %s", s, what)
	}
	return max(i, 0)
}

// integer takes a decimal from lo to hi.
func (p *reader) integer(what string, lo, hi int64) int64 {
	line := p.tok.line
	s := p.word(what)
	n, err := strconv.ParseInt(s, 10, 64)
	if p.err == nil && (err != nil || n < lo || n > hi) {
		p.failAt(line, "%q is no %s from %d to %d", s, what, lo, hi)
	}
	return n
}

// literal takes a constant of type t.
func (p *reader) literal(t Type) uint64 {
	line := p.tok.line
	s := p.word("a constant")
	if s == "nan" && p.accept("(") {
		s += "(" + p.word("the bits of a NaN") + ")"
		p.expect(")")
	}
	if p.err != nil {
		return 0
	}
	bits, err := ParseLiteral(t, s)
	if err != nil {
		p.failAt(line, "%v", err)
	}
	return bits
}

func (p *reader) typ() Type { return Type(p.oneOf(typeNames[1:], "type")) + 1 }

// pos takes a position when one is next.
func (p *reader) pos() Pos {
	if p.tok.kind != tokenPos {
		return Pos{}
	}
	var n [4]int32
	parts := strings.FieldsFunc(p.tok.text, func(r rune) bool { return r == ':' || r == '-' })
	ok := len(parts) == len(n) && strings.Count(p.tok.text, ":") == 2
	for i := 0; ok && i < len(n); i++ {
		v, err := strconv.ParseUint(parts[i], 10, 31)
		n[i], ok = int32(v), err == nil
	}
	if !ok {
		p.fail("%v is no position of the form @file:line:column-end", p.tok)
		return Pos{}
	}
	p.advance()
	return Pos{n[0], n[1], n[2], n[3]}
}

// header reads the line of the format and the line of the kernel.
func (p *reader) header() {
	p.expect(formatName)
	p.expect(formatVersion)
	p.expect("kernel")
	k := p.k
	k.Name = p.word("the kernel's name")
	p.key("guard")
	k.Guard = Guard(p.oneOf(guardNames[:], "guard"))
	p.key("steps")
	if !p.accept("auto") {
		k.Steps = int(p.integer("number of steps", 1, 1<<31-1))
	}
	p.key("steps_max")
	k.StepsMax = int(p.integer("number of steps", 0, 1<<31-1))
	p.key("precision")
	k.Precision = p.typ()
	p.key("fma")
	k.FMA = p.oneOf([]string{fmaName(false), fmaName(true)}, "rule for fma") == 1
}

func (p *reader) key(name string) {
	p.expect(name)
	p.expect("=")
}

// statement reads one top-level statement.
func (p *reader) statement() {
	name := p.tok.text
	if p.tok.kind != tokenWord {
		p.fail("expected a statement, found %v", p.tok)
		return
	}
	switch name {
	case "head", "trip", "finish", "init":
		if p.seen[name] {
			p.fail("there are two statements %s", name)
			return
		}
		p.seen[name] = true
	}
	p.advance()
	switch name {
	case "file":
		p.k.Files = append(p.k.Files, p.take(tokenString, "a file name"))
	case "plane":
		p.plane()
	case "table":
		p.table()
	case "head":
		p.head()
	case "trip":
		p.trip()
	case "finish":
		p.finish()
	case "init":
		p.k.Init = p.function("init")
	case "observable":
		p.k.Observables = append(p.k.Observables, p.function(p.word("the observable's name")))
	default:
		p.fail("%q is no statement", name)
	}
}

// name takes the name of a new plane or table, whose index is i.
func (p *reader) name(of map[string]int, i int, what string) string {
	s := p.tok.text
	if _, taken := of[s]; taken {
		p.fail("there are two %ss %q", what, s)
	}
	of[s] = i
	return p.word("the " + what + "'s name")
}

// resolve takes the name of an old plane or table and returns its index.
func (p *reader) resolve(of map[string]int, what string) int {
	i, ok := of[p.tok.text]
	if !ok && p.err == nil {
		p.fail("there is no %s %v before this line", what, p.tok)
	}
	p.word("a " + what + "'s name")
	return i
}

// dims bounds the dimensions that a type may be written with.
const dims = 16

func (p *reader) plane() {
	var pl Plane
	pl.Name = p.name(p.planes, len(p.k.Planes), "plane")
	pl.Field = p.optional()
	pl.Type = p.typ()
	for p.accept("[") {
		if len(pl.Dims) == dims {
			p.fail("more than %d dimensions", dims)
		}
		pl.Dims = append(pl.Dims, int(p.integer("dimension", 1, MaxWidth)))
		p.expect("]")
	}
	pl.Role = Role(p.oneOf(roleNames[:], "role"))
	if p.accept("len") {
		pl.Len = int(p.integer("number of cells", 1, MaxTableLen))
	}
	if p.accept("unit") {
		pl.Unit = p.take(tokenString, "a unit")
	}
	p.expect("init")
	pl.Init.Kind = InitKind(p.oneOf(initNames[:], "init rule"))
	p.expect("(")
	for p.more(")") {
		if len(pl.Init.Args) > 0 {
			p.expect(",")
		}
		pl.Init.Args = append(pl.Init.Args, math.Float64frombits(p.literal(F64)))
	}
	pl.Init.Text = p.optional()
	pl.Doc = p.comment()
	pl.Pos = p.pos()
	p.k.Planes = append(p.k.Planes, pl)
}

// comment takes a doc comment when one is next.
func (p *reader) comment() string {
	if !p.accept("doc") {
		return ""
	}
	return p.take(tokenString, "a comment")
}

func (p *reader) table() {
	var t Table
	t.Name = p.name(p.tables, len(p.k.Tables), "table")
	t.Type = p.typ()
	p.expect("{")
	for p.more("}") {
		if len(t.Bits) > 0 {
			p.expect(",")
		}
		t.Bits = append(t.Bits, p.literal(t.Type))
	}
	p.k.Tables = append(p.k.Tables, t)
}

func (p *reader) finish() {
	if !p.seen["trip"] {
		p.fail("the trip must come before the finish declaration")
		return
	}
	p.values, p.names = &p.k.Step.Values, p.step
	f := &Finish{Name: p.word("the mask's name"), Text: p.optional(), Pos: p.pos()}
	p.expect("{")
	if !p.is("}") {
		f.Cond = p.cond()
	}
	p.expect("}")
	p.k.Finish = f
}

// cond reads a node of the condition and those below it.
func (p *reader) cond() *Cond {
	if p.depth++; p.depth > MaxNest {
		p.fail("nodes nest deeper than %d", MaxNest)
	}
	defer func() { p.depth-- }()
	c := &Cond{Kind: CondKind(p.oneOf(condNames[:], "node of a condition")), Result: p.value()}
	if c.Kind == CondCompare {
		p.expect("=")
		c.Op = p.op(p.word("a comparison"))
		c.LHS, c.LHSText = p.value(), p.optional()
		p.expect(",")
		c.RHS, c.RHSText = p.value(), p.optional()
	} else {
		c.LHSText = p.optional()
	}
	c.Pos = p.pos()
	if p.accept("{") {
		for p.more("}") {
			c.Kids = append(c.Kids, p.cond())
		}
	}
	return c
}
