package passes

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// specials are the values of type t that rules look for or stumble over.
func specials(t ir.Type) []uint64 {
	switch t {
	case ir.Bool:
		return []uint64{0, 1}
	case ir.F32:
		var bs []uint64
		for _, f := range []float32{0, 1, -1, 2, -0.5, 3, 0x1p-126, 0x1p-149, 0x1p127, 0x1p-127, math.MaxFloat32, 0.1} {
			bs = append(bs, uint64(math.Float32bits(f)))
		}
		return append(bs, 0x80000000, 0x7F800000, 0xFF800000, uint64(ir.NaN32), 0xFFC00001)
	case ir.F64:
		var bs []uint64
		for _, f := range []float64{0, 1, -1, 2, -0.5, 3, 0x1p-1022, 0x1p-1074, 0x1p1023, 0x1p-1023, math.MaxFloat64, 0.1} {
			bs = append(bs, math.Float64bits(f))
		}
		return append(bs, 1<<63, 0x7FF0000000000000, 0xFFF0000000000000, ir.NaN64, 0xFFF8000000000001)
	}
	var bs []uint64
	for _, i := range []int64{0, 1, -1, 2, 3, -7, 31, 32, 33, 63, 64, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64} {
		bs = append(bs, uint64(i)&t.Mask())
	}
	return bs
}

// patterns is a kernel whose observables are small expressions of x and y of type t: every operation on
// x and y, on equal arguments, on each special constant on either side, on negated arguments, and on
// what every operation of one argument gives.
// only restricts the operations to one, unless it is OpInvalid.
func patterns(t ir.Type, only ir.Op) *ir.Kernel {
	k := &ir.Kernel{Name: "patterns", Steps: 1, Precision: ir.F64, Tables: []ir.Table{{Name: "cells", Type: t, Bits: specials(t)}}}
	for _, p := range []struct {
		name string
		t    ir.Type
	}{{"x", t}, {"y", t}, {"b", ir.Bool}} {
		k.Planes = append(k.Planes, ir.Plane{Name: p.name, Type: p.t, Role: ir.RoleInput, Init: ir.Init{Args: []float64{0}}})
	}
	no := ir.NewBuilder(&k.Step.Values, &k.Step.Trip).EmitConst(ir.Bool, 0)
	k.Step.Trip.Yield = []ir.Value{no}
	for op := ir.OpTable; op < ir.OpIf; op++ {
		if op == ir.OpLookup || op == ir.OpLen {
			continue // no rule is about planes
		}
		if op.Takes(t) && (only == ir.OpInvalid || only == op) {
			addPatterns(k, op, t)
		}
	}
	return k
}

// maker makes a value of an observable in the making.
type maker struct {
	make     func(b *ir.Builder) ir.Value
	constant bool
}

func addPatterns(k *ir.Kernel, op ir.Op, t ir.Type) {
	if op.Converts() {
		for from := ir.Bool; from <= ir.F64; from++ {
			if op.TakesFrom(t, from) {
				addConversions(k, op, t, from)
			}
		}
		return
	}
	leaf := func(arg ir.Type) []maker {
		ms := []maker{variable(t, arg, 0), variable(t, arg, 1)}
		for _, c := range specials(arg) {
			ms = append(ms, maker{func(b *ir.Builder) ir.Value { return b.EmitConst(arg, c) }, true})
		}
		for _, inner := range []ir.Op{ir.OpNeg, ir.OpNot, ir.OpAbs, ir.OpSqrt, ir.OpFloor} {
			if inner.Takes(arg) {
				ms = append(ms, maker{func(b *ir.Builder) ir.Value { return b.Emit(inner, arg, variable(t, arg, 1).make(b)) }, false})
			}
		}
		return ms
	}
	args := make([][]maker, op.Arity())
	for i := range args {
		args[i] = leaf(op.ArgType(t, ir.Invalid, i))
	}
	if op == ir.OpTable {
		for _, a := range args[0] {
			observe(k, func(b *ir.Builder) ir.Value { return b.EmitTable(t, 0, a.make(b)) })
		}
		return
	}
	var combine func(done []maker)
	combine = func(done []maker) {
		if len(done) < len(args) {
			for i, m := range args[len(done)] {
				// all combinations would be too many: after two constants, and of three arguments,
				// only some are taken
				few := len(args) == 3 || len(done) > 0 && done[0].constant && m.constant
				if !few || i < 5 || i%5 == 0 {
					combine(append(done[:len(done):len(done)], m))
				}
			}
			return
		}
		observe(k, func(b *ir.Builder) ir.Value {
			xs := make([]ir.Value, len(done))
			for i, m := range done {
				xs[i] = m.make(b)
			}
			return b.Emit(op, t, xs...)
		})
		if op.Compare() || op == ir.OpNeg || op == ir.OpNot { // and under not, for its rules
			observe(k, func(b *ir.Builder) ir.Value {
				xs := make([]ir.Value, len(done))
				for i, m := range done {
					xs[i] = m.make(b)
				}
				x := b.Emit(op, t, xs...)
				outer := ir.OpNot
				if op == ir.OpNeg {
					outer = ir.OpNeg
				}
				return b.Emit(outer, op.ResultType(t), x)
			})
		}
	}
	combine(nil)
}

// variable is the load of x or y; for an argument of another type than the planes', a conversion of it.
func variable(t, arg ir.Type, plane int) maker {
	return maker{make: func(b *ir.Builder) ir.Value {
		switch {
		case arg == t:
			return b.EmitLoad(t, plane, 0)
		case arg == ir.Bool:
			return b.EmitLoad(ir.Bool, 2, 0)
		case t == ir.Bool:
			return b.Emit(ir.OpSelect, arg, b.EmitLoad(t, plane, 0), b.EmitConst(arg, 1), b.EmitConst(arg, 0))
		}
		return b.EmitConvert(ir.OpConvert, arg, b.EmitLoad(t, plane, 0))
	}}
}

// addConversions adds the way from x of type t to another type and back, where both exist.
func addConversions(k *ir.Kernel, op ir.Op, t, from ir.Type) {
	back := map[ir.Op]ir.Op{ir.OpConvert: ir.OpConvert, ir.OpBits: ir.OpFromBits, ir.OpFromBits: ir.OpBits}[op]
	if back.TakesFrom(from, t) {
		observe(k, func(b *ir.Builder) ir.Value {
			return b.EmitConvert(op, t, b.EmitConvert(back, from, b.EmitLoad(t, 0, 0)))
		})
	}
	for _, c := range specials(from) {
		observe(k, func(b *ir.Builder) ir.Value { return b.EmitConvert(op, t, b.EmitConst(from, c)) })
	}
}

func observe(k *ir.Kernel, make func(b *ir.Builder) ir.Value) {
	f := &ir.Func{Name: fmt.Sprintf("o%d", len(k.Observables))}
	b := ir.NewBuilder(&f.Values, &f.Body)
	f.Body.Yield = []ir.Value{make(b)}
	k.Observables = append(k.Observables, f)
}

// grid is planes with every pair of specials; b is true in every other sample.
func grid(t ir.Type) (planes [][]byte, n int) {
	planes = make([][]byte, 3)
	for _, x := range specials(t) {
		for _, y := range specials(t) {
			planes[0] = appendElement(planes[0], t, x)
			planes[1] = appendElement(planes[1], t, y)
			planes[2] = append(planes[2], byte(n%2))
			n++
		}
	}
	return planes, n
}

func appendElement(b []byte, t ir.Type, bits uint64) []byte {
	switch t.Bytes() {
	case 1:
		return append(b, byte(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(b, bits)
}

// rulesDiffer runs every pattern on every pair of specials before and after fold, and names the first
// difference. folded counts the patterns that fold changed; the others need no run.
func rulesDiffer(tt *testing.T, t ir.Type, only ir.Op) (difference string, folded int) {
	k := patterns(t, only)
	if err := ir.Verify(k); err != nil {
		tt.Fatal(err)
	}
	after := k.Clone()
	fold(after)
	dce(after)
	if err := ir.Verify(after); err != nil {
		tt.Fatal(err)
	}
	planes, n := grid(t)
	want, got := make([]uint64, n), make([]uint64, n)
	for i, f := range k.Observables {
		g := after.Observables[i]
		if reflect.DeepEqual(f.Body, g.Body) {
			continue
		}
		folded++
		interp.CompileFunc(k, f).NewMachine().Bits(0, planes, n, 0, want, nil)
		interp.CompileFunc(after, g).NewMachine().Bits(0, planes, n, 0, got, nil)
		typ := f.Type(f.Body.Yield[0])
		for s := range want {
			if irtest.Canonical(typ, got[s]) != irtest.Canonical(typ, want[s]) {
				one := &ir.Kernel{Planes: k.Planes, Tables: k.Tables, Observables: []*ir.Func{f, g}}
				return fmt.Sprintf("%v, sample %d: got 0x%x, want 0x%x\n%s", t, s, got[s], want[s], printed(tt, one)), folded
			}
		}
	}
	return "", folded
}

func TestEveryRuleKeepsTheBitsOfSpecialValues(t *testing.T) {
	for typ := ir.Bool; typ <= ir.F64; typ++ {
		d, folded := rulesDiffer(t, typ, ir.OpInvalid)
		if d != "" {
			t.Error(d)
		}
		if folded == 0 {
			t.Errorf("%v: fold changed nothing", typ)
		}
	}
}

// TestRulesTestRejectsWrongRules gives the test above rules that are right for most numbers only.
func TestRulesTestRejectsWrongRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		op    ir.Op
		typ   ir.Type
		wrong rule
	}{
		{"x + 0 is not x for -0", ir.OpAdd, ir.F64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if f.isZero(in.Args[1]) {
				return in.Args[0], false
			}
			return 0, false
		}},
		{"x * 0 is not 0 for a NaN", ir.OpMul, ir.F32, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if f.isZero(in.Args[1]) {
				return in.Args[1], false
			}
			return 0, false
		}},
		{"x - x is not 0 for an infinity", ir.OpSub, ir.F64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if d, e := f.def[in.Args[0]], f.def[in.Args[1]]; d.Op == ir.OpLoad && e.Op == ir.OpLoad && d.Imm == e.Imm {
				f.become(in, in.Type, 0)
				return 0, true
			}
			return 0, false
		}},
		{"0 - x is not -x for 0", ir.OpSub, ir.F32, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if f.isZero(in.Args[0]) {
				return rewrite(in, ir.OpNeg, in.Args[1])
			}
			return 0, false
		}},
		{"x / 3 is not x * (1/3)", ir.OpDiv, ir.F64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if f.isNumber(in.Args[1], in.Type, 3) {
				return rewrite(in, ir.OpMul, in.Args[0], f.emit(in, in.Type, math.Float64bits(1./3)))
			}
			return 0, false
		}},
		{"x / c is not x * (1/c) when 1/c is infinite", ir.OpDiv, ir.F64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if c, ok := f.constant(in.Args[1]); ok && c == 1 {
				return rewrite(in, ir.OpMul, in.Args[0], f.emit(in, in.Type, math.Float64bits(math.Inf(1))))
			}
			return 0, false
		}},
		{"!(x < y) is not x >= y for a NaN", ir.OpNot, ir.Bool, nil},
		{"x / -1 is not -x for unsigned", ir.OpDiv, ir.U32, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if f.isOnes(in.Args[1], in.Type) {
				return rewrite(in, ir.OpNeg, in.Args[0])
			}
			return 0, false
		}},
		{"a signed shift by the width is not 0 below zero", ir.OpShr, ir.I64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if n, ok := f.constant(in.Args[1]); ok && n >= 64 {
				f.become(in, in.Type, 0)
				return 0, true
			}
			return 0, false
		}},
		{"a convert through a smaller type is not the value", ir.OpConvert, ir.I64, func(f *folder, in *ir.Instr) (ir.Value, bool) {
			if d := f.def[in.Args[0]]; d.Op == ir.OpConvert && d.From == in.Type {
				return d.Args[0], false
			}
			return 0, false
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrong, typ, op := c.wrong, c.typ, c.op
			if wrong == nil { // the comparison under the not is of floats
				typ, op = ir.F64, ir.OpLt
				wrong = func(f *folder, in *ir.Instr) (ir.Value, bool) {
					if d := f.def[in.Args[0]]; d.Op == ir.OpLt {
						in.Type = d.Type
						return rewrite(in, ir.OpGe, d.Args[0], d.Args[1])
					}
					return 0, false
				}
			}
			right := rules[c.op]
			rules[c.op] = wrong
			defer func() { rules[c.op] = right }()
			if d, _ := rulesDiffer(t, typ, op); d == "" {
				t.Error("no pattern shows the difference")
			}
		})
	}
}
