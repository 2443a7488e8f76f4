package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// What a run costs besides its steps: compiling, a call, memory.

// compileTries is how often a kernel is compiled; the first time is told apart, the median is of the others.
const compileTries = 21

// costs writes the tables of what is not steps.
func (o *output) costs() error {
	fmt.Fprint(o.table, `
From source text in memory to callable code, on one core: the first time in this process after the C arms' kernels, and the median of `,
		compileTries-1, " more.\n\n| kernel | front end: ms | code generator: ms | together: ms | first: ms | code: bytes |\n|---|---|---|---|---|---|\n")
	for _, name := range []string{"oscillators", "orbits", "kepler", "robertson"} {
		path := name
		if name == "oscillators" || name == "orbits" {
			path = filepath.Join(peersFolder(), "..", "kernels", name)
		}
		if err := o.compileRow(name, path); err != nil {
			return err
		}
	}
	return o.memory()
}

func (o *output) compileRow(name, path string) error {
	k, ds := kernels.Load(path)
	if k == nil {
		return fmt.Errorf("kernel %s does not compile: %v", name, ds)
	}
	e := host.New(host.WithWorkers(1))
	var front, back, both []time.Duration
	var first time.Duration
	size := 0
	for i := range compileTries {
		start := time.Now()
		k, ds := kernels.LoadSource(k.Sources, path)
		if k == nil {
			return fmt.Errorf("kernel %s does not compile: %v", name, ds)
		}
		loaded := time.Since(start)
		p, err := e.Compile(k.IR)
		if err != nil {
			return err
		}
		all := time.Since(start)
		if i == 0 {
			first = all
			b, err := p.Bind(engine.NewPlanes(k.IR.Planes, 1), make([]byte, 1))
			if err != nil {
				return err
			}
			size = b.(engine.EntryReporter).EntryReports()[0].TextBytes
			continue
		}
		front, back, both = append(front, loaded), append(back, all-loaded), append(both, all)
	}
	_, err := fmt.Fprintf(o.table, "| %s | %.3g | %.3g | %.3g | %.3g | %d |\n", name, millis(middle(front)), millis(middle(back)), millis(middle(both)), millis(first), size)
	return err
}

func middle(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// memory says what the engine takes besides the planes, and what a call costs that has nothing to do.
func (o *output) memory() error {
	const n = 1_000_000
	k, err := kernelOf("O", "off")
	if err != nil {
		return err
	}
	planes, mask := engine.NewPlanes(k.IR.Planes, n), make([]byte, n)
	p, err := host.New(host.WithWorkers(1)).Compile(k.IR)
	if err != nil {
		return err
	}
	before := heap()
	b, err := p.Bind(planes, mask)
	if err != nil {
		return err
	}
	if _, err := b.Launch(nil, 1); err != nil {
		return err
	}
	own := heap() - before
	bytes := engine.PlanesBytes(k.IR.Planes, n) + n
	for i := range mask {
		mask[i] = 1
	}
	small, err := p.Bind(engine.NewPlanes(k.IR.Planes, 1), []byte{1})
	if err != nil {
		return err
	}
	best := time.Hour
	for range 1000 {
		start := time.Now()
		if _, err := small.Launch(nil, 1); err != nil {
			return err
		}
		best = min(best, time.Since(start))
	}
	_, err = fmt.Fprintf(o.table, "\nMemory of a batch of oscillators besides its planes and mask: %.1f bytes a sample (steps taken), %.3f times theirs in all. "+
		"A launch in which nobody is live takes %d ns.\n", float64(own)/n, float64(bytes+own)/float64(bytes), best.Nanoseconds())
	runtime.KeepAlive(b)
	return err
}

// heap is the memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
