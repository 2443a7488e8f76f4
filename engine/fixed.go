package engine

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Constants of compaction in fixed-K kernels (runner.md, section 2).
const (
	everyDefault = 16 // compact about every 16 steps: K*ceil(16/K)
	everyMin     = 4  // a compaction more often than that cannot pay
)

// fixedPolicy is a fixed-K kernel: the artifact says how many steps a launch takes.
type fixedPolicy struct{ k uint32 }

func (f *fixedPolicy) first() uint32               { return f.k }
func (f *fixedPolicy) next(*Launch, uint32) uint32 { return f.k }

// launchesPerTurn is how many launches one turn of the run loop makes: 1, but every/K for a fixed-K
// kernel with an active set, which compacts once per turn. The guard is looked at between turns only.
func launchesPerTurn(k *ir.Kernel, every int) int {
	if k.Auto() || k.Guard != ir.GuardActiveSet {
		return 1
	}
	if every == 0 {
		every = k.Steps * ((everyDefault + k.Steps - 1) / k.Steps)
	}
	return every / k.Steps
}

func (f *fixedPolicy) clone() policy { c := *f; return &c }
