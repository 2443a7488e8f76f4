package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// defaultKernel is what eaglet opens when it is given none.
const defaultKernel = "oscillator"

// batchFlags are the flags that say what is run; run and open share them.
type batchFlags struct {
	n        int
	seed     uint64
	maxSteps int
	sets     []string
	from     string
	planes   []string
	units    []string
	label    string
	engine   string
	policy   string
	r        float64
	entry    string
	launch   session.Launching
	record   string
	compile  kernels.Options
}

// defaultFlags are the flags of the workbench when none are given.
func defaultFlags() *batchFlags {
	return &batchFlags{seed: session.DefaultSeed, maxSteps: session.DefaultMaxSteps, engine: "auto", policy: "band", entry: "auto"}
}

// register adds the flags to a command. policy is the default policy's name.
func (b *batchFlags) register(cmd *cobra.Command, policy string) {
	f := cmd.Flags()
	f.IntVarP(&b.n, "samples", "n", 0, fmt.Sprintf("samples in the batch (default: the rows of the mapped files, else %d)", session.DefaultN))
	f.Uint64Var(&b.seed, "seed", session.DefaultSeed, "seed of the planes that init tags fill")
	f.IntVar(&b.maxSteps, "max-steps", session.DefaultMaxSteps, "most steps a sample may take in one run")
	f.StringArrayVar(&b.sets, "set", nil, "`NAME=VALUE`: one value for a param, or for every sample of a plane (repeatable)")
	f.StringVar(&b.from, "from", "", "`FILE` of the mappings that name none: --from FILE --plane a=#COLUMN")
	f.StringArrayVar(&b.planes, "plane", nil, "`PLANE=FILE#COLUMN`: a plane's values from a .csv, .npy or .npz file (repeatable)")
	f.StringArrayVar(&b.units, "plane-unit", nil, "`PLANE=UNIT`: the unit that a mapped column is in (default: its name's suffix)")
	f.StringVar(&b.label, "label", "", "`FILE#COLUMN`: a text column kept beside the samples for display and export")
	f.StringVar(&b.engine, "engine", "auto", "engine: auto (the host), host or cuda")
	f.StringVar(&b.policy, "policy", policy, "how steps per launch are chosen: "+engine.PolicyNames())
	f.StringVar(&b.compile.StepsPerLaunch, "steps-per-launch", "", "steps per launch: auto, or a number (default: what the kernel's directive says)")
	f.StringVar(&b.compile.Guard, "guard", "", "what a boundary between launches does: mask, or active_set to compact (default: the directive's)")
	f.StringVar(&b.compile.FMA, "fma", "", "fused multiply-adds: off or contract (default: the directive's)")
	f.StringVar(&b.compile.Precision, "precision", "", "what float64 in the kernel means: f64 or f32 (default: the directive's)")
	f.StringVar(&b.entry, "entry", "auto", "compiled form to run: fused (a launch per turn), persistent (one launch whose lanes claim samples), or auto: the pick decides")
	f.IntVar(&b.launch.Chunk, "chunk", 0, "persistent entry: steps of a lane between two looks for samples (default: chosen)")
	f.Float64Var(&b.launch.Reorder, "reorder", 0, "let a compacting kernel reorder its samples, at this `THETA`, 0.25 to 0.75 (default: it does not)")
	f.IntVar(&b.launch.Every, "every", 0, "steps between compactions of a kernel with steps=K and guard=active_set (default: K*ceil(16/K))")
	f.IntVar(&b.launch.Wave, "wave", 0, "samples of one resident wave of a device (default: what the engine knows)")
	f.StringVar(&b.record, "record", "", "record every decision to `FILE`.eagrec, see eaglet trace")
	f.Float64Var(&b.r, "band-r", 0, "cost of one compaction in steps of a full-live launch, for the band (default: calibrated)")
}

// commands turns the flags into what a session is told before the kernel is loaded. All problems come in
// one error.
func (b *batchFlags) commands() ([]session.Command, error) {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	batch := session.SetBatch{N: b.n, Seed: b.seed, Values: map[string]float64{}}
	if b.n < 0 {
		bad("-n %d: a batch has at least one sample", b.n)
	}
	for _, s := range b.sets {
		name, text, ok := strings.Cut(s, "=")
		value, err := strconv.ParseFloat(text, 64)
		if !ok || name == "" || err != nil {
			bad("--set %s: want NAME=VALUE with a number, as in --set dt=1e-3", s)
			continue
		}
		if _, twice := batch.Values[name]; twice {
			bad("--set %s: %s is set twice; keep one", s, name)
		}
		batch.Values[name] = value
	}
	for _, s := range b.planes {
		m, err := snapshots.ParseMapping(b.withFile(s))
		if err != nil {
			bad("--plane: %w", err)
			continue
		}
		batch.Mappings = append(batch.Mappings, m)
	}
	for _, s := range b.units {
		name, unit, ok := strings.Cut(s, "=")
		if !ok || unit == "" {
			bad("--plane-unit %s: want PLANE=UNIT, as in --plane-unit a=km", s)
			continue
		}
		found := false
		for i := range batch.Mappings {
			if batch.Mappings[i].Plane == name {
				batch.Mappings[i].Unit, found = unit, true
			}
		}
		if !found {
			bad("--plane-unit %s: no --plane %s=... is given", s, name)
		}
	}
	if b.label != "" {
		c, err := snapshots.ParseColumn(b.withFile(b.label))
		if err != nil {
			bad("--label: %w", err)
		}
		batch.Labels = &c
	}
	policy, ok := engine.PolicyNamed(b.policy)
	if !ok {
		bad("--policy %s: want %s", b.policy, engine.PolicyNames())
	}
	if b.maxSteps < 1 {
		bad("--max-steps %d: want a whole number of steps, at least 1", b.maxSteps)
	}
	if b.r < 0 {
		bad("--band-r %g: want a cost above 0, or leave it out to calibrate it", b.r)
	}
	if b.launch.Entry, ok = engine.EntryNamed(b.entry); !ok {
		bad("--entry %s: want auto, fused or persistent", b.entry)
	}
	l := &b.launch
	options := session.Configure{
		MaxSteps: &b.maxSteps, Policy: &policy, R: &b.r,
		Entry: &l.Entry, Chunk: &l.Chunk, Reorder: &l.Reorder, Every: &l.Every, Wave: &l.Wave,
	}
	if !b.compile.Empty() {
		options.Compile = &b.compile
	}
	switch b.engine {
	case "auto":
	case "host", "cuda":
		options.Engine = &b.engine
	default:
		bad("--engine %s: want auto, host or cuda; this build has no other", b.engine)
	}
	if b.record != "" && filepath.Ext(b.record) != session.RecordingSuffix {
		bad("--record %s: a recording is named *%s", b.record, session.RecordingSuffix)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, &statusError{exitUsage, err}
	}
	return []session.Command{options, batch}, nil
}

// withFile puts the file of --from into a mapping or a column that names none: a=#COLUMN, #COLUMN.
func (b *batchFlags) withFile(text string) string {
	plane, column, mapped := strings.Cut(text, "=")
	switch {
	case b.from == "":
		return text
	case strings.HasPrefix(text, "#"):
		return b.from + text
	case mapped && strings.HasPrefix(column, "#"):
		return plane + "=" + b.from + column
	}
	return text
}
