package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Steps of several kernels.

// propagating is the count kernel without its stop: it moves x and k.
func propagating(k *ir.Kernel) {
	enginetest.WithoutFinish(k)
	k.Name = "propagate"
	k.Planes[2].Name, k.Planes[2].Field = "unused", "Unused"
}

// marking is a kernel that only finishes samples, by k, which it does not write.
func marking(k *ir.Kernel) {
	k.Name, k.Files = "event", []string{"event.go"}
	k.Planes = k.Planes[:0:0]
	for _, p := range enginetest.CountKernel().Planes {
		if p.Name == "nstop" {
			k.Planes = append(k.Planes, p)
		}
	}
}

// watching is a kernel with a state of its own and no finish.
func watching(k *ir.Kernel) {
	enginetest.WithoutFinish(k)
	k.Name = "diagnose"
	for i := range k.Planes {
		k.Planes[i].Name = "d_" + k.Planes[i].Name
	}
}

func compiled(t *testing.T, s enginetest.Script, change ...func(*ir.Kernel)) engine.Program {
	t.Helper()
	p, err := enginetest.NewScripted(s).Compile(enginetest.CountKernel(change...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stepRunner is a step of three kernels on n samples that stop at 1, 2, 3, ..., 50, 1, ...
func stepRunner(t *testing.T, s enginetest.Script, n int, guard func(*ir.Kernel)) (*engine.Runner, *engine.Planes, []byte) {
	t.Helper()
	program, err := engine.NewStep(
		engine.StepKernel{Program: compiled(t, s, propagating, guard)},
		engine.StepKernel{Program: compiled(t, enginetest.Script{}, watching, guard)},
		engine.StepKernel{Program: compiled(t, enginetest.Script{}, marking, guard)},
	)
	if err != nil {
		t.Fatal(err)
	}
	p, mask := engine.NewPlanes(program.Kernel().Planes, n), make([]byte, n)
	for i := range n {
		engine.View[int32](p, p.Index("nstop"))[i] = int32(1 + i%50)
		engine.View[int32](p, p.Index("bad"))[i] = -1
	}
	bound, err := program.Bind(p, mask)
	if err != nil {
		t.Fatal(err)
	}
	return engine.NewRunner(program, bound, p, mask, "scripted", ""), p, mask
}

func TestAStepOfSeveralKernels(t *testing.T) {
	for name, guard := range map[string]func(*ir.Kernel){"guard=mask": enginetest.WithMask, "guard=active_set": enginetest.WithActiveSet} {
		r, p, mask := stepRunner(t, enginetest.Script{}, 200, guard)
		rep := must(t)(r.Run(nil, engine.RunOptions{MaxSteps: 1000}))
		if rep.Kernel != "propagate+diagnose+event" || !rep.Done || rep.Longest != 50 || rep.LaunchesByK[1] < 50 || rep.Policy != "fixed" {
			t.Errorf("%s: %+v", name, rep)
		}
		if compacts := name == "guard=active_set"; (rep.Compactions > 0) != compacts {
			t.Errorf("%s: %d compactions", name, rep.Compactions)
		}
		k, x, dx := engine.View[int32](p, p.Index("k")), engine.View[float64](p, p.Index("x")), engine.View[float64](p, p.Index("d_x"))
		for i := range mask {
			want := 0.0
			for step := range 1 + i%50 {
				want = float64(want*0.5) + float64(step)
			}
			if int(k[i]) != 1+i%50 || mask[i] != 1 || x[i] != want || dx[i] != want {
				t.Fatalf("%s: sample %d: k %d, mask %d, x %g, d_x %g, want %d, 1, %g", name, i, k[i], mask[i], x[i], dx[i], 1+i%50, want)
			}
		}
	}
}

// TestAStepThatWasCutGoesOn stops a step of three kernels within each of its first steps, and also takes a
// sample back that a later kernel of the step has finished.
func TestAStepThatWasCutGoesOn(t *testing.T) {
	whole, want, _ := stepRunner(t, enginetest.Script{}, 60, enginetest.WithActiveSet)
	o := engine.RunOptions{MaxSteps: 1000}
	wantReport := must(t)(whole.Run(nil, o))
	for at := uint64(0); at < 400; at += 7 {
		var stop engine.Stop
		r, p, mask := stepRunner(t, enginetest.Script{Poll: stopAt(&stop, at)}, 60, enginetest.WithActiveSet)
		rep := must(t)(r.Run(&stop, o))
		if rep.Status != "cancelled" {
			t.Fatalf("stop at %d: %+v", at, rep)
		}
		finished := 0
		for _, m := range mask {
			finished += int(m)
		}
		if rep.Finished != finished {
			t.Errorf("stop at %d: %d finished, the mask says %d", at, rep.Finished, finished)
		}
		stop.Clear()
		rep = must(t)(r.Continue(&stop))
		for i := range p.Spec {
			if !slices.Equal(p.Bytes(i), want.Bytes(i)) {
				t.Errorf("stop at %d: plane %s differs", at, p.Spec[i].Name)
			}
		}
		if rep.SampleSteps != wantReport.SampleSteps || !rep.Done {
			t.Errorf("stop at %d: %+v", at, rep)
		}
	}
	var stop engine.Stop
	r, p, mask := stepRunner(t, enginetest.Script{Poll: stopAt(&stop, 60*10)}, 60, enginetest.WithActiveSet)
	must(t)(r.Run(&stop, o))
	mask[2] = 0 // it was finished at step 3
	engine.View[int32](p, p.Index("nstop"))[2] = 8
	stop.Clear()
	must(t)(r.Continue(&stop))
	eight := 0.0
	for step := range 8 {
		eight = float64(eight*0.5) + float64(step)
	}
	if k, dx := engine.View[int32](p, p.Index("k"))[2], engine.View[float64](p, p.Index("d_x"))[2]; k != 8 || dx != eight {
		t.Errorf("a sample that was taken back: k %d, d_x %g, want 8, %g", k, dx, eight)
	}
}

func TestFaultsOfAStepAreNamedInTheirOwnFile(t *testing.T) {
	r, p, _ := stepRunner(t, enginetest.Script{}, 10, enginetest.WithMask)
	engine.View[int32](p, p.Index("bad"))[9] = 4
	rep := must(t)(r.Run(nil, engine.RunOptions{MaxSteps: 1000}))
	if rep.Faulted != 1 || rep.Faults[0].Sample != 9 || rep.Faults[0].Step != 4 || rep.Faults[0].Where != "count.go:7:2" || !rep.Done {
		t.Errorf("%+v", rep)
	}
}

func TestStepsThatCannotBeAreRefused(t *testing.T) {
	program := func(change ...func(*ir.Kernel)) engine.StepKernel {
		return engine.StepKernel{Program: compiled(t, enginetest.Script{}, change...)}
	}
	named := func(name string) func(*ir.Kernel) { return func(k *ir.Kernel) { k.Name = name } }
	derived := program(named("jvp"), enginetest.WithoutFinish)
	derived.Primal = "count"
	finishing := program(named("vjp"))
	finishing.Primal = "nobody"
	for _, c := range []struct {
		name string
		list []engine.StepKernel
		want []string
	}{
		{"no kernel", nil, []string{"step must be made of one kernel or more, given none"}},
		{
			"a fixed K",
			[]engine.StepKernel{program(), program(named("fast"), enginetest.WithSteps(4))},
			[]string{"kernel fast must be one with steps=auto or steps=1 in a step of several kernels, given steps=4"},
		},
		{
			"a derived kernel after its primal",
			[]engine.StepKernel{program(), derived},
			[]string{"kernel jvp must be before its primal count in the step, given after it: put it first"},
		},
		{
			"several at once",
			[]engine.StepKernel{
				program(enginetest.WithSteps(3)), finishing,
				program(named("wide"), func(k *ir.Kernel) { k.Planes[0].Dims = []int{3} }),
			},
			[]string{
				"4 problems", "given steps=3", "kernel vjp must be in a step with its primal nobody", "without a finish declaration",
				"plane x of kernel wide must be the same as in the kernels before it, state float64 of width 1, given state float64 of width 3",
			},
		},
	} {
		_, err := engine.NewStep(c.list...)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %q", c.name, err, want)
			}
		}
	}
	if _, err := engine.NewStep(derived, program()); err != nil {
		t.Errorf("a derived kernel before its primal: %v", err)
	}
}

func TestPlanesThatCannotBeSharedAreListed(t *testing.T) {
	spec := enginetest.CountKernel().Planes
	p := engine.NewPlanes(spec, 4)
	other := []ir.Plane{{Name: "y", Type: ir.F64}, {Name: "x", Type: ir.F32}, {Name: "k", Type: ir.I32, Role: ir.RoleParam}}
	_, err := p.Share(other)
	for _, want := range []string{"3 problems", "plane y must be in the batch", "plane x must be state float64 of width 1", "plane k"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	s, err := p.Share([]ir.Plane{spec[1]})
	if err != nil {
		t.Fatal(err)
	}
	engine.View[int32](s, 0)[3] = 7
	if engine.View[int32](p, 1)[3] != 7 {
		t.Error("the memory is not shared")
	}
}

func ExampleNewStep() {
	e := enginetest.NewScripted(enginetest.Script{})
	propagate, _ := e.Compile(enginetest.CountKernel(propagating, enginetest.WithMask))
	event, _ := e.Compile(enginetest.CountKernel(marking, enginetest.WithMask))
	program, err := engine.NewStep(engine.StepKernel{Program: propagate}, engine.StepKernel{Program: event})
	if err != nil {
		fmt.Println(err)
		return
	}
	planes, mask := engine.NewPlanes(program.Kernel().Planes, 3), make([]byte, 3)
	copy(engine.View[int32](planes, planes.Index("nstop")), []int32{5, 7, 2})
	copy(engine.View[int32](planes, planes.Index("bad")), []int32{-1, -1, -1})
	bound, err := program.Bind(planes, mask)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := engine.NewRunner(program, bound, planes, mask, e.Name(), "")
	report, err := r.Run(nil, engine.RunOptions{MaxSteps: 100})
	fmt.Println(report.Kernel, report.Status, report.LaunchesByK, err)
	fmt.Println(engine.View[int32](planes, planes.Index("k")))
	// Output:
	// propagate+event finished map[1:7] <nil>
	// [5 7 2]
}
