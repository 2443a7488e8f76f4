package cuda

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Target is the name of what kernels are compiled to.
const Target = "ptx"

// List is the text of a verified kernel that a driver is given. The machine at hand needs no device for it.
func List(k *ir.Kernel) (string, error) {
	m, err := ptx.Generate(k, ptx.Options{})
	if err != nil {
		return "", fmt.Errorf("cuda: kernel %s has no text: %w", k.Name, err)
	}
	return m.Text, nil
}
