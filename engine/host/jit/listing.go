package jit

import (
	"fmt"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Listing is the code of a kernel's step as text, for a reader. It is made for any target, whether this machine runs
// it or not.
type Listing struct {
	Kernel *ir.Kernel
	Target Target
	Lines  []Line

	Lanes, Unroll, Registers, Spills, FrameBytes, TextBytes int
}

// Line is one instruction.
type Line struct {
	Offset int
	Bytes  []byte
	Text   string // Intel's syntax
	Note   string // what the frame's memory that it names is for; "" for none

	Group  int      // of lanes, from 0; -1: all, or none
	Result ir.Value // what it computes, or helps to compute; 0: nothing of the kernel's
	Op     string   // of the instruction of the kernel's that it was made of
	Pos    ir.Pos   // in the kernel's source
}

// List makes the listing of a verified kernel's step.
func List(k *ir.Kernel, target Target) (*Listing, error) {
	t, err := makeText(k, target)
	if err != nil {
		return nil, err
	}
	x := &Listing{
		Kernel: k, Target: target,
		Lanes: t.Width(), Unroll: t.Unroll(), Registers: t.Registers(), Spills: t.Spills(),
		FrameBytes: t.FrameBytes(), TextBytes: len(t.bytes),
	}
	d, names := newDecoder(t.bytes, t.isa), t.frameNames()
	for d.at < len(t.bytes) {
		start := d.at
		text, err := d.next()
		if err != nil {
			return nil, err
		}
		line := Line{Offset: start, Bytes: t.bytes[start:d.at], Text: text, Note: names.note(text), Group: -1}
		if n, found := slices.BinarySearchFunc(t.marks, start, func(m mark, at int) int {
			if m.offset <= at {
				return -1
			}
			return 1
		}); !found && n > 0 {
			line.describe(t.marks[n-1].in)
		}
		x.Lines = append(x.Lines, line)
	}
	return x, nil
}

// describe says what the line was made of.
func (l *Line) describe(in *inst) {
	if in == nil {
		return
	}
	l.Pos = in.pos
	switch in.op {
	case opLoop, opAgain, opLook, opChunk, opReturn, opYield: // of all groups
	default:
		l.Group = int(in.group)
	}
	if in.from == nil {
		return
	}
	l.Op = in.from.Op.String()
	if len(in.from.Results) > 0 {
		l.Result = in.from.Results[0]
	}
}

// mark says what the code from an offset on was made of; nil: nothing of the kernel's.
type mark struct {
	offset int
	in     *inst
}

// frameNames says what places of the frame are for, by offset.
type frameNames map[int32]string

func (t *text) frameNames() frameNames {
	names := frameNames{
		frameResume: "address to go on at", frameLeft: "trips left of the chunk", frameChunks: "chunks left",
		frameChunk: "trips of a chunk", frameDone: "chunks done", frameBudget: "instructions left",
	}
	for g := range t.groups {
		p := &t.groups[g]
		of := fmt.Sprintf(" of group %d", g)
		names[p.live], names[p.held], names[p.fresh] = "running lanes"+of, "lanes in use"+of, "new lanes"+of
		names[p.count] = "steps" + of
		if p.site != 0 {
			names[p.site] = "places of faults" + of
		}
		if p.sample != 0 {
			names[p.sample] = "samples" + of
		}
		for i, c := range t.kernel.Step.Carry {
			names[p.carry[i]] = t.cellName(c) + of
		}
		for i, c := range t.loads {
			names[p.load[i]] = t.cellName(c) + of
		}
	}
	for i := range t.scalars {
		s := &t.scalars[i]
		switch s.kind {
		case scalarConst:
			names[s.slot] = constantText(s)
		case scalarParam:
			names[s.slot] = t.cellName(ir.Cell{Plane: s.plane, Comp: int32(s.comp)})
		case scalarLen:
			names[s.slot] = "cells of " + t.kernel.Planes[s.plane].Name
		case scalarSamples:
			names[s.slot] = "samples of the batch"
		case scalarAddress:
			names[s.slot] = "address of " + t.kernel.Planes[s.plane].Name
		case scalarTable:
			names[s.slot] = "address of " + t.kernel.Tables[s.plane].Name
		case scalarOp:
			names[s.slot] = fmt.Sprintf("%s of params", s.instr.Op)
		}
	}
	return names
}

func (t *text) cellName(c ir.Cell) string {
	p := &t.kernel.Planes[c.Plane]
	if p.Width() == 1 {
		return p.Name
	}
	return fmt.Sprintf("%s[%d]", p.Name, c.Comp)
}

// constantText is a constant as its element's size suggests: what reads best as a float is shown as one.
func constantText(s *scalar) string {
	switch s.typ.Bytes() {
	case 1:
		return fmt.Sprint(s.bits != 0)
	case 4:
		f := math.Float32frombits(uint32(s.bits))
		if a := math.Abs(float64(f)); a > 1e-20 && a < 1e20 {
			return fmt.Sprint(f)
		}
		return fmt.Sprint(int32(s.bits))
	}
	f := math.Float64frombits(s.bits)
	if a := math.Abs(f); a > 1e-200 && a < 1e200 {
		return fmt.Sprint(f)
	}
	if s.bits>>32 != 0 {
		return fmt.Sprintf("%#x", s.bits)
	}
	return fmt.Sprint(int64(s.bits))
}

// note is the name of the place of the frame that an instruction's text names.
func (n frameNames) note(text string) string {
	var at int32
	for i := 0; i+4 < len(text); i++ {
		if text[i:i+4] != "[rdi" {
			continue
		}
		if _, err := fmt.Sscanf(text[i:], "[rdi+0x%x]", &at); err != nil {
			if text[i:i+5] != "[rdi]" {
				return ""
			}
			at = 0
		}
		return n[at]
	}
	return ""
}
