package oracle

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Samples and steps of a comparison.
const (
	wildSamples = 24
	wildSteps   = 20
)

// Case is a kernel to compare, with the batch to do it on.
type Case struct {
	Unit
	batch *batch
	steps uint32
}

// NewCase loads a kernel for a comparison on a batch of wild values. The error has the diagnostics.
func NewCase(name string, files []kernels.SourceFile, seed uint64) (*Case, error) {
	return newCase(name, files, seed, kernels.Options{})
}

// newCase is [NewCase] with options that take the place of those of the kernel's directive.
func newCase(name string, files []kernels.SourceFile, seed uint64, o kernels.Options) (*Case, error) {
	k, ds := kernels.LoadSourceWith(files, name, o)
	if k == nil {
		return nil, fmt.Errorf("%s is refused: %w", name, ds)
	}
	return &Case{Unit: Unit{Name: name, Kernel: k}, batch: wild(k.IR, seed, wildSamples), steps: wildSteps}, nil
}

// Result is what came out for a case.
type Result struct {
	Err     error // where the two sides differ; nil when nowhere
	Steps   int   // completed steps, summed over samples
	Faulted int
}

// Compare builds all cases natively, in a folder that it makes and removes, and compares each with the
// interpreter in every manner. The error is for a comparison that could not be made.
func Compare(goCommand string, cases []*Case) ([]Result, error) {
	dir, err := os.MkdirTemp("", "eaglet-oracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	units := make([]Unit, len(cases))
	batches, steps := make([]*batch, len(cases)), make([]uint32, len(cases))
	for i, c := range cases {
		units[i], batches[i], steps[i] = c.Unit, c.batch, c.steps
	}
	p, err := Build(goCommand, dir, units)
	if err != nil {
		return nil, err
	}
	want, err := p.run(batches, steps)
	if err != nil {
		return nil, err
	}
	out := make([]Result, len(cases))
	each(len(cases), func(i int) { out[i] = judge(cases[i], want[i]) })
	return out, nil
}

// judge compares the interpreter's outcomes of a case with the native one.
func judge(c *Case, want *outcome) (r Result) {
	code := interp.Compile(c.Kernel.IR)
	for _, m := range manners {
		if err := differ(c.batch, interpret(code, c.batch, true, c.steps, m), want); err != nil {
			r.Err = fmt.Errorf("%s, %d lanes, %d steps at a time: %w (want is the Go compiler's)", c.Name, m.lanes, m.chunk, err)
			break
		}
	}
	for i := range want.taken {
		r.Steps += int(want.taken[i])
		if want.mask[i] == 2 {
			r.Faulted++
		}
	}
	return r
}

// each calls f for 0 to n-1, on all processors.
func each(n int, f func(i int)) {
	var next sync.Mutex
	at := 0
	take := func() (int, bool) {
		next.Lock()
		defer next.Unlock()
		at++
		return at - 1, at <= n
	}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				f(i)
			}
		})
	}
	wg.Wait()
}

// stagesAgree compares the kernel's IR with that of every stage before it, on the interpreter alone.
func stagesAgree(c *Case) error {
	want := interpret(interp.Compile(c.Kernel.IR), c.batch, true, c.steps, manner{})
	for _, stage := range kernels.Stages() {
		k, err := c.Kernel.After(stage)
		if err != nil {
			return err
		}
		if err := ir.Verify(k); err != nil {
			return fmt.Errorf("after %s: %w", stage, err)
		}
		if err := differ(c.batch, interpret(interp.Compile(k), c.batch, true, c.steps, manner{}), want); err != nil {
			return fmt.Errorf("after %s: %w (want is the last stage's)", stage, err)
		}
	}
	return nil
}

// mannersAgree compares all manners of running a kernel, on the interpreter alone.
func mannersAgree(c *Case) error {
	code := interp.Compile(c.Kernel.IR)
	want := interpret(code, c.batch, true, c.steps, manner{})
	for _, m := range manners[1:] {
		if err := differ(c.batch, interpret(code, c.batch, true, c.steps, m), want); err != nil {
			return fmt.Errorf("%d lanes, %d steps at a time: %w (want is a whole strip's)", m.lanes, m.chunk, err)
		}
	}
	return nil
}
