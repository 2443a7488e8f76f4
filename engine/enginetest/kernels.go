package enginetest

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// CountKernel is the smallest kernel with everything a runner cares about, built in IR. Its planes are
//
//	x      f64 state   x = x*0.5 + float64(k), so that a lost, doubled or foreign step changes its bits
//	k      i32 state   k + 1
//	nstop  i32 input   terminated = k >= nstop, after the step
//	bad    i32 input   the step that finds k == bad faults (integer division by zero, count.go:7:2)
//
// It is auto, guard=active_set, steps_max 64; change edits a fresh copy: another guard, a fixed number of
// steps per launch, no finish declaration.
func CountKernel(change ...func(*ir.Kernel)) *ir.Kernel {
	zero := ir.Init{Kind: ir.InitConst, Args: []float64{0}}
	k := &ir.Kernel{
		Name:  "count",
		Files: []string{"count.go"},
		Planes: []ir.Plane{
			{Name: "x", Field: "X", Type: ir.F64, Role: ir.RoleState, Doc: "X remembers every step.", Init: zero},
			{Name: "k", Field: "K", Type: ir.I32, Role: ir.RoleState, Doc: "K counts steps.", Init: zero},
			{
				Name: "nstop", Field: "Nstop", Type: ir.I32, Role: ir.RoleInput, Doc: "Nstop is the sample's last step.",
				Init: ir.Init{Kind: ir.InitConst, Args: []float64{100}, Text: "100"},
			},
			{
				Name: "bad", Field: "Bad", Type: ir.I32, Role: ir.RoleInput, Doc: "Bad is the step that faults.",
				Init: ir.Init{Kind: ir.InitConst, Args: []float64{-1}, Text: "-1"},
			},
		},
		Guard:     ir.GuardActiveSet,
		StepsMax:  ir.DefaultStepsMax,
		Precision: ir.F64,
	}
	s := &k.Step
	nstop, bad := s.New(ir.I32), s.New(ir.I32)
	half, one := s.New(ir.F64), s.New(ir.I32)
	s.Head.Instrs = []*ir.Instr{
		{Op: ir.OpLoad, Type: ir.I32, Imm: 2, Results: []ir.Value{nstop}},
		{Op: ir.OpLoad, Type: ir.I32, Imm: 3, Results: []ir.Value{bad}},
		{Op: ir.OpConst, Type: ir.F64, Imm: 0x3FE0000000000000, Results: []ir.Value{half}}, // 0.5
		{Op: ir.OpConst, Type: ir.I32, Imm: 1, Results: []ir.Value{one}},
	}
	x, n := s.New(ir.F64), s.New(ir.I32)
	isBad, halved, count := s.New(ir.Bool), s.New(ir.F64), s.New(ir.F64)
	x1, n1, done := s.New(ir.F64), s.New(ir.I32), s.New(ir.Bool)
	pos := ir.Pos{File: 0, Line: 7, Col: 2, End: 9}
	finish := ir.Pos{File: 0, Line: 9, Col: 2, End: 28}
	s.Trip.Params = []ir.Value{x, n}
	s.Trip.Instrs = []*ir.Instr{
		{Op: ir.OpEq, Type: ir.I32, Args: []ir.Value{n, bad}, Results: []ir.Value{isBad}},
		{Op: ir.OpFault, Imm: uint64(ir.FaultDivide), Args: []ir.Value{isBad}, Pos: pos},
		{Op: ir.OpMul, Type: ir.F64, Args: []ir.Value{x, half}, Results: []ir.Value{halved}},
		{Op: ir.OpConvert, Type: ir.F64, From: ir.I32, Args: []ir.Value{n}, Results: []ir.Value{count}},
		{Op: ir.OpAdd, Type: ir.F64, Args: []ir.Value{halved, count}, Results: []ir.Value{x1}},
		{Op: ir.OpAdd, Type: ir.I32, Args: []ir.Value{n, one}, Results: []ir.Value{n1}},
		{Op: ir.OpGe, Type: ir.I32, Args: []ir.Value{n1, nstop}, Results: []ir.Value{done}, Pos: finish},
	}
	s.Trip.Yield = []ir.Value{done, x1, n1}
	s.Carry = []ir.Cell{{Plane: 0}, {Plane: 1}}
	k.Finish = &ir.Finish{
		Name: "terminated", Text: "s.K >= s.Nstop", Pos: finish,
		Cond: &ir.Cond{
			Kind: ir.CondCompare, Op: ir.OpGe, Result: done, LHS: n1, RHS: nstop,
			LHSText: "s.K", RHSText: "s.Nstop", Pos: finish,
		},
	}
	for _, c := range change {
		c(k)
	}
	return k
}

// WithoutFinish takes the finish declaration away: the kernel can run a number of steps, never until done.
func WithoutFinish(k *ir.Kernel) {
	k.Finish = nil
	never := k.Step.New(ir.Bool)
	k.Step.Head.Instrs = append(k.Step.Head.Instrs, &ir.Instr{Op: ir.OpConst, Type: ir.Bool, Results: []ir.Value{never}})
	k.Step.Trip.Yield[0] = never
}

// WithMask makes the kernel guard=mask: no active set, no compaction.
func WithMask(k *ir.Kernel) { k.Guard = ir.GuardMask }

// WithSteps makes it a fixed-K kernel.
func WithSteps(steps int) func(*ir.Kernel) {
	return func(k *ir.Kernel) { k.Steps, k.StepsMax = steps, 0 }
}

// WithActiveSet makes the kernel guard=active_set.
func WithActiveSet(k *ir.Kernel) { k.Guard = ir.GuardActiveSet }
