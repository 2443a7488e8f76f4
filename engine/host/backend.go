package host

import (
	"fmt"
	"os"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Which back end runs kernels: machine code where the processor and its system allow it, else the
// interpreter. The results are the same bits.

// backEndVariable overrides the choice: the name of a target, or interp.
const backEndVariable = "EAGLET_HOST"

// interpName is the interpreter's name there.
const interpName = "interp"

// target is a set of instructions that kernels may be compiled to.
type target struct {
	name, title string // "avx2", "AVX2"
	supported   func() error
	compile     func(k *ir.Kernel, rest interpreted) (code, error)
}

// backEnd is a choice.
type backEnd struct {
	target *target // nil: the interpreter
	why    string  // of the interpreter
	wished bool    // somebody asked for this one
	err    error   // why a wish cannot be met; every compile gives it
}

// chooseBackEnd takes the first target that this machine runs, or what is wished for; by says where, for errors.
func chooseBackEnd(by, wish string, targets []target) backEnd {
	names := make([]string, 0, len(targets)+1)
	why := "there is no machine code for this processor"
	for i := range targets {
		t := &targets[i]
		names = append(names, t.name)
		err := t.supported()
		switch {
		case wish == t.name && err != nil:
			return backEnd{err: fmt.Errorf("host: %s is %s, but this machine does not run it: %w; leave it unset for the best there is", by, wish, err)}
		case err == nil && (wish == "" || wish == t.name):
			return backEnd{target: t, wished: wish != ""}
		case err != nil:
			why = err.Error() // of the last one, which needs least
		}
	}
	switch wish {
	case interpName:
		return backEnd{why: "chosen by " + by, wished: true}
	case "":
		return backEnd{why: why}
	}
	return backEnd{err: fmt.Errorf("host: %s is %q: give %s or %s, or leave it unset for the best there is",
		by, wish, strings.Join(names, ", "), interpName)}
}

// theBackEnd is the choice of this process and moment.
func theBackEnd() backEnd { return chooseBackEnd(backEndVariable, os.Getenv(backEndVariable), targets) }

// String names it as a part of a device's name; an interpreter that nobody asked for says why.
func (b backEnd) String() string {
	switch {
	case b.target != nil:
		return b.target.title
	case b.why != "" && !b.wished:
		return "interpreter: " + b.why
	}
	return "interpreter"
}

// compile makes k executable. A kernel that a target has no code for runs on the interpreter; the entry
// reports and the program's notes say so.
func (b backEnd) compile(k *ir.Kernel) (code, error) {
	if b.err != nil {
		return nil, b.err
	}
	i := interpreted{c: interp.Compile(k), why: b.why}
	if b.target == nil {
		return i, nil
	}
	c, err := b.target.compile(k, i)
	if err != nil {
		i.why, i.refused = err.Error(), true
		return i, nil
	}
	return c, nil
}

// BackEnds are the values of EAGLET_HOST that this machine runs, the best first; interp is always the last.
func BackEnds() []string {
	var names []string
	for i := range targets {
		if targets[i].supported() == nil {
			names = append(names, targets[i].name)
		}
	}
	return append(names, interpName)
}
