package host

import (
	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host/jit"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// targets are what this build can compile to, the best first.
var targets = []target{jitTarget(jit.AVX512, "avx512", "AVX-512"), jitTarget(jit.AVX2, "avx2", "AVX2")}

func jitTarget(t jit.Target, name, title string) target {
	return target{
		name: name, title: title,
		supported: func() error { return jit.Supported(t) },
		compile: func(k *ir.Kernel, rest interpreted) (code, error) {
			c, err := jit.Compile(k, t)
			if err != nil {
				return nil, err
			}
			return native{rest, name, c}, nil
		},
	}
}

// native is machine code as a back end. The kernel's funcs are left to the interpreter.
type native struct {
	interpreted
	name string // of the target
	c    *jit.Code
}

func (n native) newMachine() machine { return nativeMachine{n.c.NewMachine()} }
func (n native) width() int          { return n.c.Width() }
func (n native) report() engine.EntryReport {
	return engine.EntryReport{
		Code: n.name, Registers: n.c.Registers(), LocalBytes: n.c.FrameBytes() / n.c.Width(),
		TextBytes: len(n.c.Bytes()), Lanes: n.c.Width(), Unroll: n.c.Unroll(), Spills: n.c.Spills(),
	}
}

type nativeMachine struct{ m *jit.Machine }

func (n nativeMachine) run(w *interp.Work) *interp.Result  { return n.m.Run(w) }
func (n nativeMachine) progress() (finished, steps uint64) { return n.m.Progress() }
