package kernels

import (
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/passes"
)

// lowered is the name of the form before the first pass.
const lowered = "lower"

// Stages are the names that [Kernel.After] takes, in the order in which a kernel goes through them.
func Stages() []string { return append([]string{lowered}, passes.Names()...) }

// After gives the IR as it was after a stage: "lower", or a pass. The last stage gives what Kernel.IR is.
// The error names the stages when there is none of this name.
func (k *Kernel) After(stage string) (*ir.Kernel, error) {
	if stage == lowered {
		return k.first, nil
	}
	return passes.RunUntil(k.first, stage)
}
