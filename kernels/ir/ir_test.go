package ir_test

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestCountsKeepLoopsApart(t *testing.T) {
	k := every(t)
	if got, want := ir.Counts(&k.Step.Head), (ir.OpCounts{Tally: ir.Tally{Loads: 3}}); got != want {
		t.Errorf("head: got %+v, want %+v", got, want)
	}
	want := ir.OpCounts{
		Tally: ir.Tally{Flops: 1, Logic: 2, Compares: 1, Selects: 1, Converts: 4, Tables: 1, Branches: 3, Faults: 2, Lookups: 2, Arrays: 5},
		Loops: ir.Tally{Compares: 64},
	}
	if got := ir.Counts(&k.Step.Trip); got != want {
		t.Errorf("trip: got %+v, want %+v", got, want)
	}

	// loop 10 { loop 20 { x*x } -x } : 200 multiplications and 10 negations at most
	var v ir.Values
	var inner, outer, top ir.Region
	b := ir.NewBuilder(&v, &top)
	x, yes := b.EmitConst(ir.F64, 0), b.EmitConst(ir.Bool, 1)
	b.Push(&outer)
	b.Push(&inner)
	b.Emit(ir.OpMul, ir.F64, x, x)
	inner.Yield = []ir.Value{yes}
	b.Pop()
	b.EmitLoop(20, nil, &inner)
	b.Emit(ir.OpNeg, ir.F64, x)
	outer.Yield = []ir.Value{yes}
	b.Pop()
	b.EmitLoop(10, nil, &outer)
	if got := ir.Counts(&top); got.Loops.Flops != 210 || got.Flops != 0 || got.Branches != 1 || got.Loops.Branches != 10 {
		t.Errorf("loop in a loop: got %+v", got)
	}
	for range 4 { // 10 * 20 * 2^31^4 turns are more than fit
		wrap := &ir.Region{Instrs: top.Instrs, Yield: []ir.Value{yes}}
		top = ir.Region{Instrs: []*ir.Instr{{Op: ir.OpLoop, Imm: ir.MaxTurns, Body: wrap}}}
	}
	if got := ir.Counts(&top); got.Loops.Flops != 1<<64-1 {
		t.Errorf("more turns than fit: got %d flops", got.Loops.Flops)
	}
}

func TestBuilderGivesResultsTheirTypes(t *testing.T) {
	var v ir.Values
	var top, then, els ir.Region
	b := ir.NewBuilder(&v, &top)
	b.SetPos(ir.Pos{Line: 3, Col: 1, End: 2})
	x := b.EmitConst(ir.F32, 0)
	c := b.Emit(ir.OpLt, ir.F32, x, x)
	i := b.EmitConvert(ir.OpConvert, ir.I64, x)
	then.Yield, els.Yield = []ir.Value{x, i}, []ir.Value{x, i}
	ys := b.EmitIf(c, &then, &els)
	for _, w := range []struct {
		x ir.Value
		t ir.Type
	}{{x, ir.F32}, {c, ir.Bool}, {i, ir.I64}, {ys[0], ir.F32}, {ys[1], ir.I64}} {
		if got := v.Type(w.x); got != w.t {
			t.Errorf("%%%d is %v, want %v", w.x, got, w.t)
		}
	}
	if in := top.Instrs[2]; in.From != ir.F32 || in.Pos.Line != 3 {
		t.Errorf("got %+v", in)
	}
	defer func() {
		if recover() == nil {
			t.Error("closing the first region does not panic")
		}
	}()
	b.Pop()
}

func TestEveryOperationHasItsNameAndTypes(t *testing.T) {
	for op := ir.OpConst; int(op) < ir.NumOps; op++ {
		if got := ir.OpNamed(op.String()); got != op {
			t.Errorf("%v reads back as %v", op, got)
		}
		if takes := op.Takes(ir.F64) || op.Takes(ir.I64) || op.Takes(ir.U64) || op.Takes(ir.Bool); takes != (op.Pure() || op.OnArray()) {
			t.Errorf("%v: pure %v, takes a type %v", op, op.Pure(), takes)
		}
		if n := op.Arity(); (n >= 0) != op.Pure() || n > 3 {
			t.Errorf("%v: %d arguments", op, n)
		}
	}
	for typ := ir.Bool; typ <= ir.F64; typ++ {
		if got := ir.TypeNamed(typ.String()); got != typ {
			t.Errorf("%v reads back as %v", typ, got)
		}
	}
}

func TestSnakeName(t *testing.T) {
	for s, want := range map[string]bool{
		"x": true, "t_end": true, "x2": true, "a_1": true,
		"": false, "X": false, "_x": false, "x_": false, "a__b": false, "2x": false, "é": false, "a-b": false,
	} {
		if got := ir.SnakeName(s); got != want {
			t.Errorf("SnakeName(%q) = %v", s, got)
		}
	}
}
