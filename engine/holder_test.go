package engine_test

import (
	"slices"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// distant is a scripted engine with memory of its own: while a batch is held, what the caller has of what steps
// write is rubbish until it is fetched.
type distant struct {
	engine.Engine
	forgetful bool // Fetch brings nothing: a mutant
}

func (e distant) Compile(k *ir.Kernel) (engine.Program, error) {
	p, err := e.Engine.Compile(k)
	return distantProgram{p, e.forgetful}, err
}

type distantProgram struct {
	engine.Program
	forgetful bool
}

func (p distantProgram) Bind(planes *engine.Planes, mask []byte) (engine.Bound, error) {
	d := &distantBound{callers: planes, mask: mask, own: planes.Clone(), ownMask: slices.Clone(mask), forgetful: p.forgetful}
	var err error
	d.Bound, err = p.Program.Bind(d.own, d.ownMask)
	d.give()
	return d, err
}

type distantBound struct {
	engine.Bound
	callers, own  *engine.Planes
	mask, ownMask []byte
	held          bool
	forgetful     bool
}

func (d *distantBound) take() {
	d.own.CopyFrom(d.callers)
	copy(d.ownMask, d.mask)
}

func (d *distantBound) give() {
	if !d.forgetful {
		d.callers.CopyFrom(d.own)
		copy(d.mask, d.ownMask)
	}
}

func (d *distantBound) Hold(on bool) error {
	if d.held {
		d.give()
	}
	if d.held = on; on {
		d.take()
		for i, p := range d.callers.All() {
			if role := d.callers.Spec[i].Role; role != ir.RoleState && role != ir.RoleOutput {
				continue
			}
			for j := range p {
				p[j] = 0xa5
			}
		}
	}
	return nil
}

func (d *distantBound) Fetch() error {
	if d.held {
		d.give()
	}
	return nil
}

// around makes a call with the caller's memory on both sides, unless it is held.
func (d *distantBound) around(f func() error) error {
	if d.held {
		return f()
	}
	d.take()
	defer d.give()
	return f()
}

func (d *distantBound) Init(stop *engine.Stop) error {
	return d.around(func() error { return d.Bound.Init(stop) })
}

func (d *distantBound) Begin(keep bool) (c engine.Counters, err error) {
	err = d.around(func() error { c, err = d.Bound.Begin(keep); return err })
	return c, err
}

func (d *distantBound) Launch(stop *engine.Stop, upto uint32) (s engine.LaunchStats, err error) {
	err = d.around(func() error { s, err = d.Bound.Launch(stop, upto); return err })
	return s, err
}

func (d *distantBound) Pass(stop *engine.Stop, upto uint32, progress func(finished, steps uint64)) (s engine.LaunchStats, err error) {
	err = d.around(func() error { s, err = d.Bound.(engine.Passer).Pass(stop, upto, progress); return err })
	return s, err
}

func (d *distantBound) Resume(done uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	d.take()
	return d.Bound.(engine.Resumer).Resume(done, taken, faults)
}

func TestOraclesHoldForAnEngineWithMemoryOfItsOwn(t *testing.T) {
	enginetest.RunWorkloads(t, func(*testing.T) engine.Engine {
		return distant{Engine: enginetest.NewScripted(enginetest.Script{Passes: true})}
	}, enginetest.CountWorkload())
}

func TestABatchThatIsNotBroughtBackIsSeen(t *testing.T) {
	e := distant{Engine: enginetest.NewScripted(enginetest.Script{Passes: true}), forgetful: true}
	if err := enginetest.Bits(e, enginetest.CountWorkload(), 33, enginetest.Uniform, 50, 1); err == nil {
		t.Error("no oracle sees it")
	}
}

// TestLooksAndKeyframesSeeAHeldBatch compares what an onlooker sees and what a run goes back to with the same on an
// engine without memory of its own.
func TestLooksAndKeyframesSeeAHeldBatch(t *testing.T) {
	plain := engine.Engine(enginetest.NewScripted(enginetest.Script{}))
	var seen [2][]float64
	for i, e := range []engine.Engine{plain, distant{Engine: plain}} {
		b, err := enginetest.CountWorkload().NewBatch(e, 200, enginetest.Uniform, 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		note := func() { seen[i] = append(seen[i], engine.View[float64](b.Planes, b.Planes.Index("x"))...) }
		var o *engine.Onlooker
		o = engine.NewOnlooker(func(at engine.Boundary) {
			if at.Pass {
				t.Error("there was nothing to be seen")
			}
			note()
			o.Ask()
		})
		o.Ask()
		options := engine.RunOptions{
			MaxSteps: 100, Policy: engine.PolicyBand, R: 1, Entry: engine.EntryFused, Onlooker: o,
			Keyframes: &engine.Keyframes{Bytes: 1 << 20, Eager: true},
		}
		if _, err := b.Run(new(engine.Stop), options); err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{40, 25} {
			if _, err := b.RunTo(new(engine.Stop), options, step, engine.Course{}); err != nil {
				t.Fatal(err)
			}
			note()
		}
	}
	if len(seen[0]) < 1000 || !slices.Equal(seen[0], seen[1]) {
		t.Errorf("%d values without and %d with memory of its own, or others", len(seen[0]), len(seen[1]))
	}
}
