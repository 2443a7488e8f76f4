package main

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// kernelOf loads the kernel of a workload.
func kernelOf(workload, fma string) (*kernels.Kernel, error) {
	name, options := "oscillators", kernels.Options{FMA: fma}
	switch workload {
	case "K":
		name = "orbits"
	case "S":
		options.StepsPerLaunch = "1"
	}
	k, ds := kernels.LoadWith(filepath.Join(peersFolder(), "..", "kernels", name), options)
	if k == nil {
		return nil, fmt.Errorf("kernel %s does not compile: %v", name, ds)
	}
	return k, nil
}

// batch is a runner on a cell's planes and what is needed to start it again.
type batch struct {
	in        *inputs
	planes    *engine.Planes
	initial   *engine.Planes
	mask      []byte
	runner    *engine.Runner
	reference *engine.Planes // with the bits that the final planes must have, nil: not compared
}

// maxSteps is more than any sample takes, and the cap of workload K.
const maxSteps = 100_000

// newBatch binds the engine to a copy of the cell's planes.
func newBatch(in *inputs, k *kernels.Kernel, threads int) (*batch, error) {
	b := &batch{in: in, initial: engine.NewPlanes(k.IR.Planes, in.cell.n)}
	if in.cell.workload != "K" {
		for i, name := range []string{"omega", "zeta", "x", "v"} {
			copy(engine.View[float64](b.initial, b.initial.Index(name)), in.planes[i])
		}
		nstop := engine.View[int32](b.initial, b.initial.Index("nstop"))
		for i, s := range in.planes[4] {
			nstop[i] = int32(s)
		}
	} else {
		pos, vel := engine.View[float64](b.initial, b.initial.Index("pos")), engine.View[float64](b.initial, b.initial.Index("vel"))
		for c := range 3 {
			copy(pos[c*in.cell.n:], in.planes[c])
			copy(vel[c*in.cell.n:], in.planes[c+3])
		}
		h := engine.View[float64](b.initial, b.initial.Index("h"))
		for i := range h {
			h[i] = 0.01
		}
	}
	b.planes, b.mask = b.initial.Clone(), make([]byte, in.cell.n)
	e := host.New(host.WithWorkers(threads))
	p, err := e.Compile(k.IR)
	if err != nil {
		return nil, err
	}
	bound, err := p.Bind(b.planes, b.mask)
	if err != nil {
		return nil, err
	}
	b.runner = engine.NewRunner(p, bound, b.planes, b.mask, e.Name(), "this machine")
	return b, nil
}

// turn runs the batch from its initial state.
func (b *batch) turn(entry engine.Entry) (outcome, error) {
	b.planes.CopyFrom(b.initial)
	if err := b.runner.Reset(); err != nil {
		return outcome{}, err
	}
	runtime.LockOSThread() // worker 0 is the caller
	defer runtime.UnlockOSThread()
	processorTime := threadTime
	if b.in.cell.threads > 1 {
		processorTime = processTime
	}
	used, start := processorTime(), time.Now()
	rep, err := b.runner.Run(nil, engine.RunOptions{MaxSteps: maxSteps, Entry: entry})
	o := outcome{wall: time.Since(start), cpu: processorTime() - used, useful: float64(rep.SampleSteps), bitsDiffer: -1, note: rep.Entry}
	if err != nil {
		return o, err
	}
	if rep.Chunk > 0 {
		o.note = fmt.Sprintf("%s, chunk %d", rep.Entry, rep.Chunk)
	}
	b.check(&o)
	return o, nil
}

// check compares what a run left with what it should have.
func (b *batch) check(o *outcome) {
	in := b.in
	k := engine.View[int32](b.planes, b.planes.Index("k"))
	for i := range k {
		bad := b.mask[i] != 1
		switch {
		case in.cell.workload != "K":
			bad = bad || k[i] != int32(in.planes[4][i])
		default:
			bad = bad || engine.View[float64](b.planes, b.planes.Index("t"))[i] != 64
		}
		if bad {
			o.stepsDiffer++
		}
	}
	if b.reference == nil {
		return
	}
	differ := make([]bool, in.cell.n)
	for i := range b.planes.Spec {
		got, want := b.planes.Bytes(i), b.reference.Bytes(i)
		size := b.planes.Spec[i].Type.Bytes()
		for e := range b.planes.Elements(i) {
			if string(got[e*size:(e+1)*size]) != string(want[e*size:(e+1)*size]) {
				differ[e%in.cell.n] = true
			}
		}
	}
	o.bitsDiffer = 0
	for _, d := range differ {
		if d {
			o.bitsDiffer++
		}
	}
}

// expect finds the bits that final planes must have: those of the scalar reference in C, or with contracted
// arithmetic, where every compiler has its own, those of the interpreter.
func expect(in *inputs, k *kernels.Kernel, initial *engine.Planes, fma string) *engine.Planes {
	if in.reference == nil {
		return nil
	}
	want := initial.Clone()
	if fma == "contract" {
		n := in.cell.n
		interp.Compile(k.IR).NewMachine().Run(&interp.Work{
			Planes: want.All(), N: n, Mask: make([]byte, n), Taken: make([]uint32, n), Next: interp.NewCursor(0, n), Upto: maxSteps,
		})
		return want
	}
	f64 := func(name string) []float64 { return engine.View[float64](want, want.Index(name)) }
	steps := in.reference[len(in.reference)-1]
	if in.cell.workload != "K" {
		copy(f64("x"), in.reference[0])
		copy(f64("v"), in.reference[1])
	} else {
		for c := range 3 {
			copy(f64("pos")[c*in.cell.n:], in.reference[c])
			copy(f64("vel")[c*in.cell.n:], in.reference[c+3])
		}
		copy(f64("t"), in.reference[6])
		copy(f64("h"), in.reference[7])
	}
	kk := engine.View[int32](want, want.Index("k"))
	for i, s := range steps {
		kk[i] = int32(s)
	}
	return want
}

// interpreted is the most sample-steps on which the interpreter is timed.
const interpreted = 5e7

// settle is how many turns the pick between the entries may take until nothing is timed any more.
const settle = 4

// makeArms lists the arms of a cell: those in C, then eaglet as a user has it and each entry by name.
func makeArms(c *config, p *peer, in *inputs, cl cell, fma string) ([]arm, error) {
	arms, err := p.arms(c, in, cl)
	if err != nil {
		return nil, err
	}
	k, err := kernelOf(cl.workload, fma)
	if err != nil {
		return nil, err
	}
	var want *engine.Planes
	add := func(name string, entry engine.Entry) error {
		b, err := newBatch(in, k, cl.threads)
		if err != nil {
			return err
		}
		if want == nil {
			want = expect(in, k, b.initial, fma)
		}
		b.reference = want
		arms = append(arms, arm{name: name, warm: settle, turn: func() (outcome, error) { return b.turn(entry) }})
		return nil
	}
	entries := []struct {
		name  string
		entry engine.Entry
	}{{"eaglet", engine.EntryAuto}, {"eaglet-fused", engine.EntryFused}, {"eaglet-persistent", engine.EntryPersistent}}
	if cl.workload == "S" {
		entries = entries[:1] // a launch of one step has one entry
	}
	for _, a := range entries {
		if err := add(a.name, a.entry); err != nil {
			return nil, err
		}
	}
	if c.interp && math.Max(float64(cl.n)*200, 1) < interpreted {
		arms = append(arms, interpArm(in, k, want))
	}
	return arms, nil
}

// interpArm is the interpreter alone, on one core.
func interpArm(in *inputs, k *kernels.Kernel, want *engine.Planes) arm {
	code := interp.Compile(k.IR)
	m := code.NewMachine()
	b, err := newBatch(in, k, 1)
	return arm{name: "eaglet-interp", turn: func() (outcome, error) {
		if err != nil {
			return outcome{}, err
		}
		b.reference = want
		b.planes.CopyFrom(b.initial)
		clear(b.mask)
		n := in.cell.n
		w := &interp.Work{Planes: b.planes.All(), N: n, Mask: b.mask, Taken: make([]uint32, n), Next: interp.NewCursor(0, n), Upto: maxSteps}
		start := time.Now()
		r := m.Run(w)
		o := outcome{wall: time.Since(start), useful: float64(r.SampleSteps), bitsDiffer: -1, note: "interpreter, 1 core"}
		b.check(&o)
		return o, nil
	}}
}
