package emu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Module is a text that was read.
type Module struct {
	Entries map[string]*Entry
	Externs []string          // functions that calls may name
	globals map[string][]byte // initial values of global variables
	order   []string
}

// Entry is one kernel.
type Entry struct {
	Name    string
	Params  []Param
	Block   int // most threads, from .maxntid
	regs    map[string]int
	locals  map[string]int // offsets in the local memory of a thread
	local   int            // its size
	shareds map[string]int
	shared  int
	code    []instr
	labels  map[string]int
}

// Param is a parameter of an entry.
type Param struct {
	Name string
	Size int
}

// kind is what an operand is.
type kind uint8

const (
	register kind = iota
	constant
	special
	address // register or symbol, and an offset
	pair
	symbol
)

type operand struct {
	kind  kind
	class string // of a register: %p %r %rd %f %fd
	index int
	bits  uint64 // of a constant, an offset
	name  string
	two   []operand
}

type instr struct {
	line   int
	text   string
	guard  *operand
	negate bool
	op     string
	parts  []string // of op, between its dots
	args   []operand
	target int // of a branch
	run    scalar
	types  []string // of the operands
}

// registers are the classes and the types that they are declared with.
var registers = map[string]string{"%p": ".pred", "%r": ".b32", "%rd": ".b64", "%f": ".f32", "%fd": ".f64"}

var (
	regForm    = regexp.MustCompile(`^(%(?:p|rd|r|fd|f))([0-9]+)$`)
	declForm   = regexp.MustCompile(`^\.reg (\.\w+) (%\w+)<([0-9]+)>$`)
	spaceForm  = regexp.MustCompile(`^\.(local|shared) \.align 8 \.b8 (\w+)\[([0-9]+)\]$`)
	globalForm = regexp.MustCompile(`(?s)^\.global \.align 8 \.b(8|32|64) (\w+)\[([0-9]+)\] = \{(.*)\}$`)
	paramForm  = regexp.MustCompile(`^\.param \.(u32|u64|f32|f64) (\w+)$`)
	labelForm  = regexp.MustCompile(`^(\w+):$`)
)

// Parse reads a text.
func Parse(text string) (*Module, error) {
	m := &Module{Entries: map[string]*Entry{}, globals: map[string][]byte{}}
	lines := strings.Split(text, "\n")
	var head []string
	for i := 0; i < len(lines); i++ {
		line := strip(lines[i])
		switch {
		case line == "":
		case strings.HasPrefix(line, ".version"), strings.HasPrefix(line, ".target"), strings.HasPrefix(line, ".address_size"):
			head = append(head, line)
		case strings.HasPrefix(line, ".global"):
			for !strings.HasSuffix(line, ";") && i+1 < len(lines) {
				i++
				line += "\n" + strip(lines[i])
			}
			if err := m.global(strings.TrimSuffix(line, ";")); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case strings.HasPrefix(line, ".extern .func "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, ".extern .func "), "(")
			m.Externs = append(m.Externs, strings.TrimSpace(name))
		case strings.HasPrefix(line, ".visible .entry "):
			end, err := m.entry(lines, i)
			if err != nil {
				return nil, err
			}
			i = end
		default:
			return nil, fmt.Errorf("line %d: %q is nothing that belongs here", i+1, line)
		}
	}
	if strings.Join(head, " ") != ".version 7.0 .target sm_70 .address_size 64" {
		return nil, fmt.Errorf("the head of the text is %q", head)
	}
	return m, nil
}

// strip is a line without comments and blanks round it.
func strip(line string) string {
	line, _, _ = strings.Cut(line, "//")
	return strings.TrimSpace(line)
}

func (m *Module) global(text string) error {
	f := globalForm.FindStringSubmatch(text)
	if f == nil {
		return fmt.Errorf("%q is no table", text)
	}
	size, _ := strconv.Atoi(f[1])
	count, _ := strconv.Atoi(f[3])
	var data []byte
	cells := strings.Split(f[4], ",")
	if len(cells) != count {
		return fmt.Errorf("table %s has %d cells, declared %d", f[2], len(cells), count)
	}
	for _, c := range cells {
		v, err := strconv.ParseUint(strings.TrimSpace(c), 0, size)
		if err != nil {
			return err
		}
		for range size / 8 {
			data = append(data, byte(v))
			v >>= 8
		}
	}
	if m.globals[f[2]] != nil {
		return fmt.Errorf("table %s is there twice", f[2])
	}
	m.globals[f[2]] = data
	m.order = append(m.order, f[2])
	return nil
}

// entry reads a kernel that begins at a line, and returns its last one.
func (m *Module) entry(lines []string, at int) (int, error) {
	name, rest, ok := strings.Cut(strings.TrimPrefix(strip(lines[at]), ".visible .entry "), "(")
	e := &Entry{Name: name, regs: map[string]int{}, locals: map[string]int{}, shareds: map[string]int{}, labels: map[string]int{}}
	if !ok || rest != "" || m.Entries[name] != nil {
		return 0, fmt.Errorf("line %d: no new entry", at+1)
	}
	i := at + 1
	for ; i < len(lines) && strip(lines[i]) != ")"; i++ {
		f := paramForm.FindStringSubmatch(strings.TrimSuffix(strip(lines[i]), ","))
		if f == nil {
			return 0, fmt.Errorf("line %d: %q is no parameter", i+1, lines[i])
		}
		size, _ := strconv.Atoi(f[1][1:])
		e.Params = append(e.Params, Param{f[2], size / 8})
	}
	depth := 0
	for i++; i < len(lines); i++ {
		line := strip(lines[i])
		switch {
		case line == "":
		case strings.HasPrefix(line, ".maxntid ") && depth == 0:
			fmt.Sscanf(line, ".maxntid %d", &e.Block)
		case line == "{":
			depth++
		case line == "}":
			if depth--; depth == 0 {
				m.Entries[name] = e
				return i, e.link()
			}
		default:
			if err := e.statement(i+1, line); err != nil {
				return 0, fmt.Errorf("line %d: %q: %w", i+1, line, err)
			}
		}
	}
	return 0, fmt.Errorf("entry %s has no end", name)
}

// statement reads one line of a body.
func (e *Entry) statement(n int, line string) error {
	if f := labelForm.FindStringSubmatch(line); f != nil {
		if _, taken := e.labels[f[1]]; taken {
			return fmt.Errorf("the label is there twice")
		}
		e.labels[f[1]] = len(e.code)
		return nil
	}
	text, ok := strings.CutSuffix(line, ";")
	if !ok {
		return fmt.Errorf("no semicolon")
	}
	if f := declForm.FindStringSubmatch(text); f != nil {
		if registers[f[2]] != f[1] {
			return fmt.Errorf("registers %s are %s", f[2], registers[f[2]])
		}
		e.regs[f[2]], _ = strconv.Atoi(f[3])
		return nil
	}
	if f := spaceForm.FindStringSubmatch(text); f != nil {
		size, _ := strconv.Atoi(f[3])
		size = (size + 7) &^ 7
		if f[1] == "local" {
			e.locals[f[2]] = e.local
			e.local += size
		} else {
			e.shareds[f[2]] = e.shared
			e.shared += size
		}
		return nil
	}
	if strings.HasPrefix(text, ".param ") { // of a call
		return nil
	}
	return e.instruction(n, text)
}

func (e *Entry) instruction(n int, text string) error {
	in := instr{line: n, text: text}
	if strings.HasPrefix(text, "@") {
		guard, rest, _ := strings.Cut(text[1:], " ")
		guard, in.negate = strings.CutPrefix(guard, "!")
		o := parseOperand(guard)
		in.guard, text = &o, rest
	}
	op, rest, _ := strings.Cut(text, " ")
	in.op, in.parts = op, strings.Split(op, ".")
	for _, a := range split(rest) {
		in.args = append(in.args, parseOperand(a))
	}
	if err := in.resolve(); err != nil {
		return err
	}
	e.code = append(e.code, in)
	return nil
}

// split cuts operands at the commas outside of braces.
func split(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

func parseOperand(text string) operand {
	switch {
	case strings.HasPrefix(text, "["):
		inner := strings.Trim(text, "[]")
		base, off, found := strings.Cut(inner, "+")
		o := parseOperand(base)
		a := operand{kind: address, two: []operand{o}}
		if found {
			v, err := strconv.ParseUint(off, 0, 64)
			if err != nil {
				return operand{kind: symbol, name: text}
			}
			a.bits = v
		}
		return a
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "("):
		p := operand{kind: pair}
		for _, part := range split(text[1 : len(text)-1]) {
			p.two = append(p.two, parseOperand(part))
		}
		return p
	}
	if f := regForm.FindStringSubmatch(text); f != nil {
		i, _ := strconv.Atoi(f[2])
		return operand{kind: register, class: f[1], index: i, name: text}
	}
	if strings.HasPrefix(text, "%") {
		return operand{kind: special, name: text}
	}
	if strings.HasPrefix(text, "0d") || strings.HasPrefix(text, "0f") {
		if v, err := strconv.ParseUint(text[2:], 16, 64); err == nil && len(text) == map[byte]int{'d': 18, 'f': 10}[text[1]] {
			return operand{kind: constant, bits: v, name: text}
		}
	}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return operand{kind: constant, bits: v, name: text}
	}
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return operand{kind: constant, bits: uint64(v), name: text}
	}
	return operand{kind: symbol, name: text}
}

// link gives branches their places.
func (e *Entry) link() error {
	for i := range e.code {
		in := &e.code[i]
		if in.op != "bra" {
			continue
		}
		at, ok := e.labels[in.args[0].name]
		if !ok {
			return fmt.Errorf("line %d: there is no label %s", in.line, in.args[0].name)
		}
		in.target = at
	}
	for name, at := range e.labels {
		if at >= len(e.code) {
			return fmt.Errorf("entry %s runs off its end at %s", e.Name, name)
		}
	}
	return nil
}
