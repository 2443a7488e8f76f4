package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// line is a measurement, in the words of the CUDA C arms.
type line struct {
	Device      string  `json:"device"`
	Workload    string  `json:"workload"`
	Arm         string  `json:"arm"`
	Dist        string  `json:"dist"`
	N           int     `json:"n"`
	Ms          float64 `json:"ms"` // from the call to the synchronised end, data resident, host clock
	Reps        int     `json:"reps"`
	Useful      float64 `json:"useful"` // sample-steps
	StepsDiffer int     `json:"steps_differ"`
	BitsDiffer  int     `json:"bits_differ"` // samples with another bit than the host engine; -1: not compared
	Note        string  `json:"note,omitempty"`
}

// maxSteps is more than any sample takes, and the cap of workload K.
const maxSteps = 100_000

// counts are runs as the arms have them: two warm-ups, the median of five. Of the longest batches, which take seconds
// to bring to the device, one and three.
func counts(n int) (warmUps, reps int) {
	if n > 1_000_000 {
		return 1, 3
	}
	return 2, 5
}

// bed is a cell with everything that its arms need.
type bed struct {
	kernel  *kernels.Kernel
	initial *engine.Planes
	want    *engine.Planes // after a run on the host; nil where that takes too long
	planes  *engine.Planes
	mask    []byte
	program engine.Program
	bound   engine.Bound
	device  string
}

// compareMost is the largest batch whose bits are compared with the host's.
const compareMost = 100_000

func measure(folder, dist, fma string, n int) ([]line, error) {
	b, err := newBed(folder, dist, fma, n)
	if err != nil {
		return nil, err
	}
	defer b.bound.Close()
	workload, label := "O", map[string]string{"off": "nofma", "contract": "fma"}[fma]
	if dist == "orbits" {
		workload = "K"
	}
	var out []line
	add := func(arm, note string, f func() (time.Duration, float64, error)) error {
		l := line{Device: "gpu", Workload: workload, Arm: "eaglet-" + arm + "-" + label, Dist: dist, N: n, Note: note, BitsDiffer: -1}
		var walls []time.Duration
		warmUps, reps := counts(n)
		for r := range warmUps + reps {
			wall, useful, err := f()
			if err != nil {
				return fmt.Errorf("%s: %w", arm, err)
			}
			if r >= warmUps {
				walls = append(walls, wall)
			}
			l.Useful = useful
		}
		slices.Sort(walls)
		l.Ms, l.Reps = walls[reps/2].Seconds()*1e3, reps
		if err := b.bound.(engine.Holder).Hold(false); err != nil {
			return err
		}
		b.check(&l)
		out = append(out, l)
		return nil
	}
	if err := add("fused", "", b.resident(func() (engine.LaunchStats, error) {
		return b.bound.(engine.Passer).Pass(nil, maxSteps, nil)
	})); err != nil {
		return nil, err
	}
	for _, block := range b.bound.(engine.Blocker).Blocks() {
		for _, chunk := range []uint32{8, 16, 32} {
			if n > 1_000_000 && chunk != 16 {
				continue
			}
			b.bound.(engine.Blocker).UseBlock(block)
			err := add(fmt.Sprintf("claim%db%d", chunk, block), "", b.resident(func() (engine.LaunchStats, error) {
				s, err := b.bound.(engine.Persister).Persist(nil, maxSteps, chunk, nil)
				return s.LaunchStats, err
			}))
			if err != nil {
				return nil, err
			}
		}
	}
	return out, b.asUser(add)
}

// asUser runs the batch as the command line does, until the pick has settled; transfers are inside.
func (b *bed) asUser(add func(arm, note string, f func() (time.Duration, float64, error)) error) error {
	r := engine.NewRunner(b.program, b.bound, b.planes, b.mask, "cuda", b.device)
	var last engine.Report
	once := func() (time.Duration, float64, error) {
		b.planes.CopyFrom(b.initial)
		if err := r.Reset(); err != nil {
			return 0, 0, err
		}
		rep, err := r.Run(new(engine.Stop), engine.RunOptions{MaxSteps: maxSteps})
		last = rep
		return rep.Wall, float64(rep.SampleSteps), err
	}
	for range 4 { // runs that time the arms
		if _, _, err := once(); err != nil {
			return err
		}
	}
	return add("run", "with transfers; settled on "+last.Entry, once)
}

// resident times f on a batch that lies on the device in its initial state.
func (b *bed) resident(f func() (engine.LaunchStats, error)) func() (time.Duration, float64, error) {
	return func() (time.Duration, float64, error) {
		h := b.bound.(engine.Holder)
		b.planes.CopyFrom(b.initial)
		clear(b.mask)
		if err := h.Hold(true); err != nil {
			return 0, 0, err
		}
		if _, err := b.bound.Begin(false); err != nil {
			return 0, 0, err
		}
		s, err := f()
		return s.Wall, float64(s.SampleSteps), err
	}
}

func newBed(folder, dist, fma string, n int) (*bed, error) {
	name := "oscillators"
	if dist == "orbits" {
		name = "orbits"
	}
	k, ds := kernels.LoadWith(filepath.Join(folder, name), kernels.Options{FMA: fma})
	if k == nil {
		return nil, fmt.Errorf("kernel %s does not compile: %v", name, ds)
	}
	b := &bed{kernel: k, initial: engine.NewPlanes(k.IR.Planes, n), mask: make([]byte, n)}
	fill(b.initial, dist)
	b.planes = b.initial.Clone()
	e := cuda.New()
	devices, err := e.Devices()
	if err != nil {
		return nil, err
	}
	b.device = devices[0].Name
	if b.program, err = e.Compile(k.IR); err != nil {
		return nil, err
	}
	if b.bound, err = b.program.Bind(b.planes, b.mask); err != nil {
		return nil, err
	}
	if n <= compareMost {
		b.want, err = onHost(k, b.initial)
	}
	return b, err
}

// onHost is what the host engine makes of the batch.
func onHost(k *kernels.Kernel, initial *engine.Planes) (*engine.Planes, error) {
	planes, mask := initial.Clone(), make([]byte, initial.N)
	p, err := host.New().Compile(k.IR)
	if err != nil {
		return nil, err
	}
	bound, err := p.Bind(planes, mask)
	if err != nil {
		return nil, err
	}
	defer bound.Close()
	_, err = engine.NewRunner(p, bound, planes, mask, "host", "").Run(new(engine.Stop), engine.RunOptions{MaxSteps: maxSteps})
	return planes, err
}

// check compares what a run left with what it should have.
func (b *bed) check(l *line) {
	k := engine.View[int32](b.planes, b.planes.Index("k"))
	for i := range k {
		bad := b.mask[i] != 1
		if l.Workload == "O" {
			bad = bad || k[i] != engine.View[int32](b.planes, b.planes.Index("nstop"))[i]
		} else {
			bad = bad || engine.View[float64](b.planes, b.planes.Index("t"))[i] != 64
		}
		if bad {
			l.StepsDiffer++
		}
	}
	if b.want == nil {
		return
	}
	differ := make([]bool, l.N)
	for i := range b.planes.Spec {
		got, want := b.planes.Bytes(i), b.want.Bytes(i)
		size := b.planes.Spec[i].Type.Bytes()
		for e := range b.planes.Elements(i) {
			if string(got[e*size:(e+1)*size]) != string(want[e*size:(e+1)*size]) {
				differ[e%l.N] = true
			}
		}
	}
	l.BitsDiffer = 0
	for _, d := range differ {
		if d {
			l.BitsDiffer++
		}
	}
}
