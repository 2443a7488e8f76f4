package ptx_test

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/emu"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
)

// emulated is a machine without a device.
type emulated struct {
	memory *emu.Memory
	seed   uint64
	steps  int                                    // instructions of a warp at most, 0: the emulator's bound
	loose  bool                                   // texts are not verified, for mutants
	extern func(name string, args []uint64) error // of calls
}

func newEmulated() *emulated { return &emulated{memory: emu.NewMemory()} }

func (m *emulated) Load(text string) (ptxtest.Program, error) {
	p, err := emu.Parse(text)
	if err != nil {
		return nil, err
	}
	if err := p.Verify(); err != nil && !m.loose {
		return nil, fmt.Errorf("verify: %w", err)
	}
	return &emulatedProgram{m, p}, nil
}

func (m *emulated) Map(b []byte) uint64 { return m.memory.Map(b) }

func (m *emulated) Reset() { m.memory = emu.NewMemory() }

type emulatedProgram struct {
	machine *emulated
	module  *emu.Module
}

func (p *emulatedProgram) Launch(l ptxtest.Launch) error {
	p.machine.seed++
	return p.module.Run(p.machine.memory, emu.Launch{
		Entry: l.Entry, GridX: l.GridX, GridY: l.GridY, Block: l.Block, Args: l.Args, Seed: p.machine.seed, Extern: p.machine.extern,
		Steps: p.machine.steps,
	})
}

func (p *emulatedProgram) Close() error { return nil }
