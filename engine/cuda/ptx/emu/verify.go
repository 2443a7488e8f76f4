package emu

import (
	"fmt"
	"slices"
	"strings"
)

// Verify checks every entry: registers are declared and have the types of their instructions, and what is
// read may have been written; every register that is written is read, or the text says more than it needs.
func (m *Module) Verify() error {
	for name, e := range m.Entries {
		if err := e.verify(m); err != nil {
			return fmt.Errorf("entry %s: %w", name, err)
		}
	}
	return nil
}

// classesOf are the registers that an operand of a type may be.
func classesOf(op, t string) []string {
	switch t {
	case "pred":
		return []string{"%p"}
	case "u8", "u16", "const", "mask":
		return []string{"%r"}
	case "b32":
		if op == "mov" {
			return []string{"%r", "%f"}
		}
		return []string{"%r"}
	case "u32", "s32":
		return []string{"%r"}
	case "b64":
		if op == "mov" {
			return []string{"%rd", "%fd"}
		}
		return []string{"%rd"}
	case "u64", "s64":
		return []string{"%rd"}
	case "f32":
		return []string{"%f"}
	case "f64":
		return []string{"%fd"}
	}
	return nil
}

func (e *Entry) verify(m *Module) error {
	for i := range e.code {
		in := &e.code[i]
		if err := e.verifyTypes(in, m); err != nil {
			return fmt.Errorf("line %d: %s: %w", in.line, in.text, err)
		}
	}
	return e.verifyFlow()
}

func (e *Entry) verifyTypes(in *instr, m *Module) error {
	if in.guard != nil {
		if err := e.verifyRegister(in.guard, "setp", "pred"); err != nil {
			return err
		}
	}
	for i := range in.args {
		o, t := &in.args[i], in.types[i]
		var err error
		switch o.kind {
		case register:
			err = e.verifyRegister(o, in.parts[0], t)
		case address:
			err = e.verifyAddress(in, o, m)
		case pair:
			for j := range o.two {
				if t == "b64" {
					err = e.verifyRegister(&o.two[j], "mov", "b32")
				}
			}
		case constant:
			if i == 0 && in.parts[0] != "bar" || t == "address" || t == "f64" && !strings.HasPrefix(o.name, "0d") || t == "f32" && !strings.HasPrefix(o.name, "0f") {
				err = fmt.Errorf("%s stands where a %s is wanted", o.name, t)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) verifyRegister(o *operand, op, t string) error {
	if o.kind != register || o.index >= e.regs[o.class] {
		return fmt.Errorf("%s is not declared", o.name)
	}
	if !slices.Contains(classesOf(op, t), o.class) {
		return fmt.Errorf("%s is no %s", o.name, t)
	}
	return nil
}

func (e *Entry) verifyAddress(in *instr, o *operand, m *Module) error {
	base := &o.two[0]
	if base.kind == register {
		return e.verifyRegister(base, "ld", "b64")
	}
	space := in.parts[1]
	_, local := e.locals[base.name]
	_, shared := e.shareds[base.name]
	ok := space == "local" && local || space == "shared" && shared || space == "global" && m.globals[base.name] != nil
	if space == "param" {
		ok = in.parts[0] == "st"
		for _, p := range e.Params {
			ok = ok || p.Name == base.name && p.Size == width(in.parts[2])/8
		}
	}
	if !ok {
		return fmt.Errorf("there is no %s in %s memory", base.name, space)
	}
	return nil
}

// reads and writes are the registers of an instruction.
func (in *instr) reads() []*operand {
	var out []*operand
	add := func(o *operand) {
		switch o.kind {
		case register:
			out = append(out, o)
		case address, pair:
			for i := range o.two {
				if o.two[i].kind == register {
					out = append(out, &o.two[i])
				}
			}
		}
	}
	if in.guard != nil {
		add(in.guard)
	}
	for i := range in.args {
		if i > 0 || !in.hasResult() {
			add(&in.args[i])
		}
	}
	return out
}

func (in *instr) hasResult() bool {
	return !slices.Contains([]string{"st", "red", "bra", "ret", "bar", "membar", "call"}, in.parts[0])
}

func (in *instr) writes() []*operand {
	if !in.hasResult() {
		return nil
	}
	if o := &in.args[0]; o.kind == pair {
		return []*operand{&o.two[0], &o.two[1]}
	}
	return []*operand{&in.args[0]}
}

// verifyFlow checks that a register that is read can have been written on some way to it. On every way is
// more than is true of lanes without a sample; a run checks what it reads.
func (e *Entry) verifyFlow() error {
	base, n := map[string]int{}, 0
	for class, count := range e.regs {
		base[class] = n
		n += count
	}
	number := func(o *operand) int { return base[o.class] + o.index }
	words := (n + 63) / 64
	in := make([][]uint64, len(e.code)) // may be written before
	work := []int{0}
	in[0] = make([]uint64, words)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		out := slices.Clone(in[i])
		for _, o := range e.code[i].writes() {
			out[number(o)/64] |= 1 << (number(o) % 64)
		}
		for _, next := range e.after(i) {
			if next >= len(e.code) {
				return fmt.Errorf("line %d: runs off the end", e.code[i].line)
			}
			changed := in[next] == nil
			if changed {
				in[next] = make([]uint64, words)
			}
			for k, b := range out {
				if b&^in[next][k] != 0 {
					in[next][k] |= b
					changed = true
				}
			}
			if changed {
				work = append(work, next)
			}
		}
	}
	for i := range e.code {
		if in[i] == nil {
			continue // after a jump, and no label leads here
		}
		for _, o := range e.code[i].reads() {
			if in[i][number(o)/64]>>(number(o)%64)&1 == 0 {
				return fmt.Errorf("line %d: %s: nothing can have written %s", e.code[i].line, e.code[i].text, o.name)
			}
		}
	}
	return nil
}

// after are the instructions that may follow one.
func (e *Entry) after(i int) []int {
	in := &e.code[i]
	switch in.parts[0] {
	case "bra":
		if in.guard == nil {
			return []int{in.target}
		}
		return []int{in.target, i + 1}
	case "ret":
		if in.guard == nil {
			return nil
		}
	}
	return []int{i + 1}
}
