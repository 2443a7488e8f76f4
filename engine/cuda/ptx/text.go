package ptx

import (
	"fmt"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// header begins every text: what the oldest driver and device that eaglet supports take.
const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// class is a kind of register.
type class uint8

const (
	predicate class = iota
	word            // 32 bits of an integer
	wide            // 64 bits of an integer, or an address
	single
	double
	numClasses
)

var classes = [numClasses]struct{ name, typ string }{
	{"%p", ".pred"}, {"%r", ".b32"}, {"%rd", ".b64"}, {"%f", ".f32"}, {"%fd", ".f64"},
}

// classOf is where a value of type t lives.
func classOf(t ir.Type) class {
	return [...]class{ir.Bool: predicate, ir.I32: word, ir.I64: wide, ir.U32: word, ir.U64: wide, ir.F32: single, ir.F64: double}[t]
}

// suffix is how an instruction names type t.
func suffix(t ir.Type) string {
	return [...]string{ir.Bool: "pred", ir.I32: "s32", ir.I64: "s64", ir.U32: "u32", ir.U64: "u64", ir.F32: "f32", ir.F64: "f64"}[t]
}

// untyped is the suffix of an instruction that looks at bits only.
func untyped(t ir.Type) string {
	switch {
	case t == ir.Bool:
		return "pred"
	case t.Bytes() == 4:
		return "b32"
	}
	return "b64"
}

// function is one entry while its text is written.
type function struct {
	name   string
	params []string // declarations
	locals []string // declarations of local memory
	body   strings.Builder
	regs   [numClasses]int
	labels int
	block  int // most threads
}

func newFunction(name string, block int) *function { return &function{name: name, block: block} }

// reg is a new register.
func (f *function) reg(c class) string {
	f.regs[c]++
	return fmt.Sprintf("%s%d", classes[c].name, f.regs[c])
}

// put appends one instruction.
func (f *function) put(format string, args ...any) {
	f.body.WriteByte('\t')
	fmt.Fprintf(&f.body, format, args...)
	f.body.WriteString(";\n")
}

// set appends an instruction with a new register as its result, which stands before the operands.
func (f *function) set(c class, op string, operands ...any) string {
	r := f.reg(c)
	f.body.WriteString("\t" + op + " " + r)
	for _, o := range operands {
		fmt.Fprintf(&f.body, ", %v", o)
	}
	f.body.WriteString(";\n")
	return r
}

// newLabel is a label that nobody has; place puts it at the end of the text.
func (f *function) newLabel(what string) string {
	f.labels++
	return fmt.Sprintf("L%d_%s", f.labels, what)
}

func (f *function) place(label string) { f.body.WriteString(label + ":\n") }

// param declares the next parameter and gives its value. Addresses are of global memory.
func (f *function) param(c class, name string) string {
	typ := map[class]string{word: "u32", wide: "u64"}[c]
	f.params = append(f.params, fmt.Sprintf(".param .%s %s", typ, name))
	return f.set(c, "ld.param."+typ, "["+name+"]")
}

// mov copies a value of class c.
func (f *function) mov(c class, to, from string) {
	f.put("mov.%s %s, %s", [...]string{"pred", "b32", "b64", "f32", "f64"}[c], to, from)
}

// text is the whole entry.
func (f *function) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n.visible .entry %s(\n\t%s\n)\n.maxntid %d, 1, 1\n{\n", f.name, strings.Join(f.params, ",\n\t"), f.block)
	for c, n := range f.regs {
		if n > 0 {
			fmt.Fprintf(&b, "\t.reg %s %s<%d>;\n", classes[c].typ, classes[c].name, n+1)
		}
	}
	for _, l := range f.locals {
		b.WriteString("\t" + l + "\n")
	}
	b.WriteString(tidy(f.body.String()))
	b.WriteString("}\n")
	return b.String()
}

// literal is a constant of type t as an operand; bits are those of an OpConst.
func literal(t ir.Type, bits uint64) string {
	switch t {
	case ir.F64:
		return fmt.Sprintf("0d%016X", bits)
	case ir.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case ir.I32:
		return fmt.Sprint(int32(bits))
	case ir.U32:
		return fmt.Sprint(uint32(bits))
	case ir.I64:
		if int64(bits) >= 0 {
			return fmt.Sprint(bits)
		}
	}
	if t == ir.Bool || bits < 1<<32 {
		return fmt.Sprint(bits)
	}
	return fmt.Sprintf("0x%016X", bits)
}

// className is the part of a register's name that says its class.
func className(r string) string { return strings.TrimRight(r, "0123456789") }

// tidy leaves out labels that nothing jumps to, and what nothing can come to: kernels without faults or long
// loops have no use for the ends of such steps.
func tidy(body string) string {
	for {
		target := map[string]bool{}
		lines := strings.SplitAfter(body, "\n")
		for _, line := range lines {
			if _, to, ok := strings.Cut(line, "bra "); ok {
				target[strings.TrimSuffix(to, ";\n")] = true
			}
		}
		var out strings.Builder
		reached := true
		for _, line := range lines {
			if label, ok := strings.CutSuffix(line, ":\n"); ok {
				if !target[label] {
					continue
				}
				reached = true
			}
			if reached {
				out.WriteString(line)
			}
			if strings.HasPrefix(line, "\tbra ") || strings.HasPrefix(line, "\tret") {
				reached = false
			}
		}
		if out.Len() == len(body) {
			return body
		}
		body = out.String()
	}
}
