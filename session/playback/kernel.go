package playback

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// kernelOf finds the kernel that a recording is of: the one given, else the bundled one of its name, when its
// digest is the recorded one. Where there is none a kernel without source stands for it, and note says so.
func kernelOf(x *index, given string) (k *kernels.Kernel, note string, err error) {
	name, want := x.header.Options.Kernel, hex.EncodeToString(x.header.Digest[:])
	if given != "" {
		k, ds := kernels.Load(given)
		switch {
		case k == nil:
			return nil, "", fmt.Errorf("%s: does not compile: %s", given, ds[0].Message())
		case k.Digest != want:
			return nil, "", fmt.Errorf("%s: is another kernel than the recorded one: its digest is %.16s, that of the recording %.16s", given, k.Digest, want)
		}
		return k, "", nil
	}
	if name != "" && !strings.ContainsAny(name, `/\.`) {
		if k, _ := kernels.Load(name); k != nil && k.Digest == want {
			return k, "", nil
		}
	}
	return standIn(x), fmt.Sprintf("the recording has no source: give the kernel's file with --kernel; its digest is %.16s", want), nil
}

// standIn is a kernel made of what a recording knows: name, steps per launch, whether it compacts.
func standIn(x *index) *kernels.Kernel {
	start := engine.RunStart{StepsMax: ir.DefaultStepsMax}
	if len(x.parts) > 0 && x.parts[0].start.N > 0 {
		start = x.parts[0].start
	}
	k := &ir.Kernel{
		Name: x.header.Options.Kernel, Steps: int(start.Fixed), StepsMax: int(start.StepsMax), Precision: ir.F64,
		Finish: &ir.Finish{Name: "terminated", Text: "its condition holds (no source)"},
	}
	if start.Active {
		k.Guard = ir.GuardActiveSet
	}
	return &kernels.Kernel{IR: k, Path: k.Name, Digest: hex.EncodeToString(x.header.Digest[:])}
}
