package emu

import (
	"fmt"
	"math/rand/v2"
)

// Launch is one launch of an entry.
type Launch struct {
	Entry  string
	GridX  int
	GridY  int // 0: 1
	Block  int
	Args   []uint64
	Seed   uint64                                 // of the order in which warps take turns
	Steps  int                                    // instructions of a warp at most, 0: 1<<26
	Extern func(name string, args []uint64) error // of calls
}

// Run runs a launch to its end.
func (m *Module) Run(mem *Memory, l Launch) error {
	e := m.Entries[l.Entry]
	switch {
	case e == nil:
		return fmt.Errorf("there is no entry %s", l.Entry)
	case len(l.Args) != len(e.Params):
		return fmt.Errorf("%s: %d arguments, want %d", l.Entry, len(l.Args), len(e.Params))
	case l.Block%32 != 0 || l.Block < 32 || l.Block > e.Block:
		return fmt.Errorf("%s: blocks of %d threads, want a multiple of 32 of at most %d", l.Entry, l.Block, e.Block)
	}
	if l.GridY == 0 {
		l.GridY = 1
	}
	if l.Steps == 0 {
		l.Steps = 1 << 26
	}
	mem.launches++
	symbols := map[string]uint64{}
	for _, name := range m.order {
		symbols[name] = mem.Map(m.globals[name])
	}
	params := map[string]uint64{}
	for i, p := range e.Params {
		params[p.Name] = l.Args[i]
	}
	var warps []*warp
	for y := range l.GridY {
		for x := range l.GridX {
			b := &block{x: x, y: y, warps: l.Block / 32, shared: make([]byte, e.shared)}
			for i := range b.warps {
				warps = append(warps, newWarp(e, mem, &l, b, i, symbols, params))
			}
		}
	}
	r := rand.New(rand.NewPCG(l.Seed, 0x656D75))
	for len(warps) > 0 {
		i := r.IntN(len(warps))
		w := warps[i]
		if w.barrier {
			if w.block.waiting < w.block.warps {
				if err := stuck(warps); err != nil {
					return fmt.Errorf("%s: %w", l.Entry, err)
				}
				continue
			}
			for _, other := range warps {
				if other.block == w.block {
					other.barrier = false
				}
			}
			w.block.waiting = 0
		}
		done, err := w.turn(1 + r.IntN(400))
		if err != nil {
			return fmt.Errorf("%s: block %d, warp %d: %w", l.Entry, w.block.x, w.number, err)
		}
		if done {
			w.block.warps--
			warps[i] = warps[len(warps)-1]
			warps = warps[:len(warps)-1]
		}
	}
	return nil
}

// stuck says whether every warp waits at a barrier that others will never reach.
func stuck(warps []*warp) error {
	for _, w := range warps {
		if !w.barrier || w.block.waiting >= w.block.warps {
			return nil
		}
	}
	return fmt.Errorf("every warp waits at a barrier")
}

// block is what the warps of a block share.
type block struct {
	x, y    int
	warps   int // that have not ended
	waiting int // at the barrier
	shared  []byte
}
