package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestChooseBackEnd(t *testing.T) {
	old := errors.New("the processor is too old")
	wide := target{name: "avx512", title: "AVX-512", supported: func() error { return nil }}
	narrow := target{name: "avx2", title: "AVX2", supported: func() error { return nil }}
	noWide, noNarrow := wide, narrow
	noWide.supported = func() error { return errors.New("no AVX512F") }
	noNarrow.supported = func() error { return old }
	all, some, none := []target{wide, narrow}, []target{noWide, narrow}, []target{noWide, noNarrow}
	for _, c := range []struct {
		name, wish string
		targets    []target
		want       string
		why        string // of an interpreter, or of an error: part of it
		err        bool
	}{
		{"nothing wished, all there: the first", "", all, "AVX-512", "", false},
		{"nothing wished, the first is not there: the second", "", some, "AVX2", "", false},
		{"nothing wished, none there: the interpreter, and why", "", none, "interpreter: the processor is too old", "too old", false},
		{"another architecture: the interpreter, and why", "", nil, "interpreter: there is no machine code for this processor", "no machine code", false},
		{"the interpreter wished", "interp", all, "interpreter", "EAGLET_HOST", false},
		{"the second wished", "avx2", all, "AVX2", "", false},
		{"the first wished and not there", "avx512", some, "interpreter", "EAGLET_HOST is avx512, but this machine does not run it: no AVX512F; leave it unset", true},
		{"something else wished", "sse", all, "interpreter", `EAGLET_HOST is "sse": give avx512, avx2 or interp, or leave it unset`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := chooseBackEnd(backEndVariable, c.wish, c.targets)
			why := b.why
			if b.err != nil {
				why = b.err.Error()
			}
			if b.String() != c.want || (b.err != nil) != c.err || !strings.Contains(why, c.why) {
				t.Errorf("got %v, %q, %v", b, b.why, b.err)
			}
		})
	}
}

func TestAWishThatCannotBeMetIsAnErrorEverywhere(t *testing.T) {
	t.Setenv(backEndVariable, "sse")
	e := New()
	const want = `host: EAGLET_HOST is "sse": give `
	if _, err := e.Devices(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("devices: got %v", err)
	}
	if _, err := e.Compile(enginetest.CountKernel()); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("compile: got %v", err)
	}
}

// TestAKernelWithoutCodeRunsOnTheInterpreter has a target refuse a kernel.
func TestAKernelWithoutCodeRunsOnTheInterpreter(t *testing.T) {
	h := New(WithWorkers(1)).(*host)
	h.backEnd = backEnd{target: &target{
		name: "toy", title: "Toy", supported: func() error { return nil },
		compile: func(*ir.Kernel, interpreted) (code, error) { return nil, errors.New("no code for loops") },
	}}
	p, err := h.Compile(enginetest.CountKernel())
	if err != nil {
		t.Fatal(err)
	}
	if n := p.(*program).Notes(); len(n) != 1 || n[0] != "kernel count runs on the interpreter: no code for loops" {
		t.Errorf("got notes %q", n)
	}
	b, err := p.Bind(engine.NewPlanes(p.Kernel().Planes, 3), make([]byte, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.(*bound).EntryReports() {
		if r.Code != "interpreter: no code for loops" {
			t.Errorf("entry %s: the report says %q", r.Entry, r.Code)
		}
	}
}
