package host

import (
	"fmt"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine/host/jit"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// TargetNames are the sets of instructions that kernels can be compiled to, the best first, whether this machine
// runs them or not.
func TargetNames() []string {
	names := make([]string, len(jit.Targets))
	for i, t := range jit.Targets {
		names[i] = t.String()
	}
	return names
}

// List is the code of a verified kernel's step for a target, as text. The machine at hand need not run it.
func List(k *ir.Kernel, target string) (x *jit.Listing, err error) {
	defer catch("listing", k, &err)
	for _, t := range jit.Targets {
		if t.String() == target {
			if x, err = jit.List(k, t); err != nil {
				return nil, fmt.Errorf("host: kernel %s has no code for %s: %w", k.Name, target, err)
			}
			return x, nil
		}
	}
	return nil, fmt.Errorf("host: there is no target %q: give %s", target, strings.Join(TargetNames(), " or "))
}
