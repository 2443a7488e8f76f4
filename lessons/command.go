package lessons

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// Step is one line of an eaglet block.
type Step struct {
	Command session.Command // nil for Show
	Show    string          // name of a group of the workbench: "Mask"
}

// ParseCommand reads one line of an eaglet block.
func ParseCommand(line string) (Step, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return Step{}, fmt.Errorf("an empty command")
	}
	args := words[1:]
	one := func() (string, error) {
		if len(args) != 1 {
			return "", fmt.Errorf("%s takes one word, as in `%s`", words[0], usage[words[0]])
		}
		return args[0], nil
	}
	number := func() (float64, error) {
		text, err := one()
		if err != nil {
			return 0, err
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0) {
			return 0, fmt.Errorf("%s takes a number, not %q", words[0], text)
		}
		return v, nil
	}
	if _, known := usage[words[0]]; !known {
		return Step{}, fmt.Errorf("there is no command %q", words[0])
	}
	switch words[0] {
	case "run":
		return Step{Command: session.Run{}}, nil
	case "continue":
		return Step{Command: session.Continue{}}, nil
	case "rewind":
		return Step{Command: session.Rewind{}}, nil
	case "diagnose":
		return Step{Command: session.Diagnose{}}, nil
	case "load":
		name, err := one()
		return Step{Command: session.LoadKernel{Path: name}}, err
	case "show":
		name, err := one()
		return Step{Show: name}, err
	case "policy":
		name, err := one()
		if err != nil {
			return Step{}, err
		}
		p, ok := engine.PolicyNamed(name)
		if !ok {
			return Step{}, fmt.Errorf("policy is %s, not %q", engine.PolicyNames(), name)
		}
		return Step{Command: session.Configure{Policy: &p}}, nil
	case "entry":
		name, err := one()
		if err != nil {
			return Step{}, err
		}
		e, ok := engine.EntryNamed(name)
		if !ok {
			return Step{}, fmt.Errorf("entry is auto, fused or persistent, not %q", name)
		}
		return Step{Command: session.Configure{Entry: &e}}, nil
	case "batch":
		return batch(args)
	case "compile":
		return compile(args)
	case "set":
		if len(args) != 2 {
			return Step{}, fmt.Errorf("set takes a name and a value, as in `%s`", usage["set"])
		}
		v, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return Step{}, fmt.Errorf("set takes a number, not %q", args[1])
		}
		return Step{Command: session.SetParam{Name: args[0], Value: v}}, nil
	case "launch":
		if len(args) == 0 {
			return Step{Command: session.Step{}}, nil
		}
	}
	v, err := number()
	if err != nil {
		return Step{}, err
	}
	n := int(v)
	switch words[0] {
	case "launch":
		return Step{Command: session.Step{Word: n}}, nil
	case "steps":
		return Step{Command: session.RunSteps{N: n}}, nil
	case "max-steps":
		return Step{Command: session.Configure{MaxSteps: &n}}, nil
	case "chunk":
		return Step{Command: session.Configure{Chunk: &n}}, nil
	case "reorder":
		return Step{Command: session.Configure{Reorder: &v}}, nil
	}
	return Step{Command: session.Configure{R: &v}}, nil // r
}

// usage is every command with an example.
var usage = map[string]string{
	"load": "load oscillator", "batch": "batch n=10000 seed=1", "set": "set dt 0.02", "compile": "compile guard=active_set",
	"policy": "policy band", "r": "r 0.25", "entry": "entry fused", "chunk": "chunk 16", "reorder": "reorder 0.5",
	"max-steps": "max-steps 500", "run": "run", "continue": "continue", "launch": "launch 64", "steps": "steps 10",
	"rewind": "rewind", "diagnose": "diagnose", "show": "show Mask",
}

func batch(args []string) (Step, error) {
	c := session.SetBatch{Seed: session.DefaultSeed, Values: map[string]float64{}}
	for _, a := range args {
		name, text, ok := strings.Cut(a, "=")
		v, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return Step{}, fmt.Errorf("batch takes NAME=NUMBER, as in `%s`, not %q", usage["batch"], a)
		}
		switch name {
		case "n":
			c.N = int(v)
		case "seed":
			c.Seed = uint64(v)
		default:
			c.Values[name] = v
		}
	}
	return Step{Command: c}, nil
}

func compile(args []string) (Step, error) {
	var o kernels.Options
	for _, a := range args {
		name, text, ok := strings.Cut(a, "=")
		switch {
		case !ok:
			return Step{}, fmt.Errorf("compile takes NAME=VALUE, as in `%s`, not %q", usage["compile"], a)
		case name == "guard":
			o.Guard = text
		case name == "steps":
			o.StepsPerLaunch = text
		case name == "precision":
			o.Precision = text
		case name == "fma":
			o.FMA = text
		default:
			return Step{}, fmt.Errorf("compile takes guard, steps, precision and fma, not %q", name)
		}
	}
	return Step{Command: session.Configure{Compile: &o}}, nil
}
