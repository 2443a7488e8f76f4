package emu

import (
	"fmt"
	"math/bits"
)

// lanes is the number of threads of a warp.
const lanes = 32

const everyone = 1<<lanes - 1

// warp is 32 threads and where they are.
type warp struct {
	e       *Entry
	mem     *Memory
	launch  *Launch
	block   *block
	number  int
	symbols map[string]uint64
	params  map[string]uint64

	pc      [lanes]int
	alive   uint32
	waiting uint32 // lanes that are at an instruction which needs the others
	barrier bool
	steps   int

	regs    map[string][]cell // by class: index*lanes + lane
	local   [lanes][]byte
	callees map[string]uint64 // parameters of a call
}

// cell is a register of a thread.
type cell struct {
	bits    uint64
	written bool
}

func newWarp(e *Entry, mem *Memory, l *Launch, b *block, number int, symbols, params map[string]uint64) *warp {
	w := &warp{e: e, mem: mem, launch: l, block: b, number: number, symbols: symbols, params: params, alive: everyone, regs: map[string][]cell{}, callees: map[string]uint64{}}
	for class, n := range e.regs {
		w.regs[class] = make([]cell, n*lanes)
	}
	if e.local > 0 {
		for i := range w.local {
			w.local[i] = make([]byte, e.local)
		}
	}
	return w
}

// turn runs about so many instructions; true: every thread has ended.
func (w *warp) turn(budget int) (bool, error) {
	for ; budget > 0 && w.alive != 0 && !w.barrier; budget-- {
		if w.steps++; w.steps > w.launch.Steps {
			return false, fmt.Errorf("it runs for more than %d instructions", w.launch.Steps)
		}
		if err := w.step(); err != nil {
			return false, err
		}
	}
	return w.alive == 0, nil
}

// step runs the instruction of the lanes that are furthest behind.
func (w *warp) step() error {
	at := -1
	ready := w.alive &^ w.waiting
	for m := ready; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); at < 0 || w.pc[l] < at {
			at = w.pc[l]
		}
	}
	if at < 0 {
		return fmt.Errorf("lanes %08x wait for ever, at line %d and elsewhere", w.waiting, w.e.code[w.pc[bits.TrailingZeros32(w.waiting)]].line)
	}
	if at >= len(w.e.code) {
		return fmt.Errorf("it runs off its end")
	}
	var mask uint32
	for m := w.alive; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); w.pc[l] == at {
			mask |= 1 << l
		}
	}
	in := &w.e.code[at]
	if err := w.exec(in, mask); err != nil {
		return fmt.Errorf("line %d: %s: %w", in.line, in.text, err)
	}
	return nil
}

// exec runs an instruction for the lanes of mask, all of which are at it.
func (w *warp) exec(in *instr, mask uint32) error {
	on := mask
	if in.guard != nil {
		on = 0
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			p, err := w.value(in.guard, "pred", l)
			if err != nil {
				return err
			}
			if (p != 0) != in.negate {
				on |= 1 << l
			}
		}
	}
	switch in.parts[0] {
	case "bra":
		w.advance(mask &^ on)
		for m := on; m != 0; m &= m - 1 {
			w.pc[bits.TrailingZeros32(m)] = in.target
		}
		return nil
	case "ret":
		w.advance(mask &^ on)
		w.alive &^= on
		return nil
	case "vote", "shfl", "bar":
		if w.alive != everyone {
			return fmt.Errorf("lanes %08x have ended", ^w.alive)
		}
		if mask != everyone {
			w.waiting |= mask
			return nil
		}
		w.waiting = 0
		if on != everyone {
			return fmt.Errorf("not every lane takes part")
		}
		if in.parts[0] == "bar" {
			w.barrier = true
			w.block.waiting++
		} else if err := w.exchange(in); err != nil {
			return err
		}
	case "membar":
	case "ld", "st", "red", "atom":
		for m := on; m != 0; m &= m - 1 {
			if err := w.access(in, bits.TrailingZeros32(m)); err != nil {
				return err
			}
		}
	case "call":
		if on != 0 {
			if err := w.call(in); err != nil {
				return err
			}
		}
	default:
		for m := on; m != 0; m &= m - 1 {
			if err := w.plain(in, bits.TrailingZeros32(m)); err != nil {
				return err
			}
		}
	}
	w.advance(mask)
	return nil
}

func (w *warp) advance(mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		w.pc[bits.TrailingZeros32(m)]++
	}
}

// plain runs an instruction that looks at its own lane only.
func (w *warp) plain(in *instr, l int) error {
	if in.run == nil { // mov of a pair of words
		return w.movePair(in, l)
	}
	var x [4]uint64
	for i := range in.args[1:] {
		v, err := w.value(&in.args[1+i], in.types[1+i], l)
		if err != nil {
			return err
		}
		x[i] = v
	}
	w.set(&in.args[0], l, in.run(x[:len(in.args)-1]))
	return nil
}

func (w *warp) movePair(in *instr, l int) error {
	if from := &in.args[1]; from.kind == pair {
		lo, err := w.value(&from.two[0], "b32", l)
		if err != nil {
			return err
		}
		hi, err := w.value(&from.two[1], "b32", l)
		w.set(&in.args[0], l, lo|hi<<32)
		return err
	}
	v, err := w.value(&in.args[1], "b64", l)
	w.set(&in.args[0].two[0], l, v&everyone)
	w.set(&in.args[0].two[1], l, v>>32)
	return err
}

// set writes a register.
func (w *warp) set(o *operand, l int, v uint64) {
	switch o.class {
	case "%p":
		v &= 1
	case "%r", "%f":
		v &= everyone
	}
	w.regs[o.class][o.index*lanes+l] = cell{v, true}
}

// value is an operand of a type.
func (w *warp) value(o *operand, t string, l int) (uint64, error) {
	switch o.kind {
	case register:
		c := w.regs[o.class][o.index*lanes+l]
		if !c.written {
			return 0, fmt.Errorf("%s of lane %d has not been written", o.name, l)
		}
		return c.bits, nil
	case constant:
		if t == "pred" && o.bits != 0 {
			return 1, nil
		}
		if width(t) == 32 {
			return o.bits & everyone, nil
		}
		return o.bits, nil
	case special:
		return w.special(o.name, l)
	case symbol:
		if v, ok := w.symbols[o.name]; ok {
			return v, nil
		}
		if v, ok := w.e.locals[o.name]; ok {
			return uint64(v), nil
		}
		if v, ok := w.e.shareds[o.name]; ok {
			return uint64(v), nil
		}
	}
	return 0, fmt.Errorf("%s has no value", o.name)
}

func (w *warp) special(name string, l int) (uint64, error) {
	switch name {
	case "%laneid":
		return uint64(l), nil
	case "%tid.x":
		return uint64(w.number*lanes + l), nil
	case "%ntid.x":
		return uint64(w.launch.Block), nil
	case "%ctaid.x":
		return uint64(w.block.x), nil
	case "%ctaid.y":
		return uint64(w.block.y), nil
	case "%nctaid.x":
		return uint64(w.launch.GridX), nil
	case "%nctaid.y":
		return uint64(w.launch.GridY), nil
	case "%lanemask_lt":
		return 1<<l - 1, nil
	case "%globaltimer":
		w.mem.clock += 1000
		return w.mem.clock, nil
	}
	return 0, fmt.Errorf("there is no %s", name)
}

// exchange is a vote or a shuffle of the whole warp.
func (w *warp) exchange(in *instr) error {
	var x, by [lanes]uint64
	for l := range lanes {
		v, err := w.value(&in.args[1], in.types[1], l)
		if err != nil {
			return err
		}
		x[l] = v
		if by[l], err = w.value(&in.args[2], "b32", l); err != nil {
			return err
		}
	}
	for l := range lanes {
		v, from := uint64(0), l
		switch in.parts[0] + in.parts[2] {
		case "voteballot":
			for i, b := range x {
				v |= b << i
			}
		case "shflbfly":
			from = l ^ int(by[l])
			v = x[from&31]
		case "shflidx":
			v = x[by[l]&31]
		case "shflup":
			if from = l - int(by[l]); from < 0 {
				from = l
			}
			v = x[from]
		}
		dst := &in.args[0]
		w.set(dst, l, v)
	}
	return nil
}

// access is a load, a store or an atomic of one lane.
func (w *warp) access(in *instr, l int) error {
	t := in.parts[len(in.parts)-1]
	at := &in.args[0]
	if in.parts[0] == "ld" || in.parts[0] == "atom" {
		at = &in.args[1]
	}
	if at.kind != address {
		return fmt.Errorf("no address")
	}
	base := &at.two[0]
	if in.parts[1] == "param" {
		return w.param(in, base.name, l)
	}
	a, err := w.value(base, "b64", l)
	if err != nil {
		return err
	}
	b, err := w.bytes(in, a+at.bits, width(t)/8, l)
	if err != nil {
		return err
	}
	switch in.parts[0] {
	case "ld":
		v := read(b)
		if t == "s32" {
			v &= everyone
		}
		w.set(&in.args[0], l, v)
		return nil
	case "st":
		v, err := w.value(&in.args[1], t, l)
		write(b, v)
		return err
	}
	arg := &in.args[len(in.args)-1]
	v, err := w.value(arg, t, l)
	if err != nil {
		return err
	}
	old := read(b)
	next := old + v
	if in.parts[2] == "max" {
		next = max(old, v)
	}
	write(b, next)
	if in.parts[0] == "atom" {
		w.set(&in.args[0], l, old)
	}
	return nil
}

// bytes is the memory that an instruction names.
func (w *warp) bytes(in *instr, at uint64, size, l int) ([]byte, error) {
	space := in.parts[1]
	if space == "volatile" {
		space = in.parts[2]
	}
	memory := w.block.shared
	switch space {
	case "global":
		how := reads
		switch {
		case in.parts[0] != "ld":
			how = writes
		case in.parts[2] == "nc":
			how = readsOnly
		}
		return w.mem.find(at, size, how)
	case "local":
		memory = w.local[l]
	}
	if at+uint64(size) > uint64(len(memory)) || at%uint64(size) != 0 {
		return nil, fmt.Errorf("%s address %#x of %d bytes", space, at, size)
	}
	return memory[at : at+uint64(size)], nil
}

// param reads a parameter of the entry, or writes one of a call.
func (w *warp) param(in *instr, name string, l int) error {
	if in.parts[0] == "st" {
		v, err := w.value(&in.args[1], in.parts[2], l)
		w.callees[name] = v
		return err
	}
	v, ok := w.params[name]
	if !ok {
		return fmt.Errorf("there is no parameter %s", name)
	}
	w.set(&in.args[0], l, v)
	return nil
}

func (w *warp) call(in *instr) error {
	if w.launch.Extern == nil {
		return fmt.Errorf("nobody answers calls")
	}
	var args []uint64
	for _, a := range in.args[1].two {
		args = append(args, w.callees[a.name])
	}
	return w.launch.Extern(in.args[0].name, args)
}
