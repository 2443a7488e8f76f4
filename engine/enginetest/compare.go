package enginetest

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/eaglet-workbench/eaglet/engine"
)

// sameBits compares planes and mask byte for byte and names the first difference: sample, plane, both
// values and their bits.
func sameBits(got, want *engine.Planes, gotMask, wantMask []byte) error {
	for i := range want.Spec {
		g, w := got.Bytes(i), want.Bytes(i)
		if bytes.Equal(g, w) {
			continue
		}
		size := want.Spec[i].Type.Bytes()
		for e := 0; e*size < len(w); e++ {
			gb, wb := g[e*size:(e+1)*size], w[e*size:(e+1)*size]
			if string(gb) == string(wb) {
				continue
			}
			return fmt.Errorf("plane %s, sample %d, component %d: got %v (%x), want %v (%x)", want.Spec[i].Name,
				e%max(want.N, 1), e/max(want.N, 1), got.Float(i, e), gb, want.Float(i, e), wb)
		}
	}
	for i := range wantMask {
		if gotMask[i] != wantMask[i] {
			return fmt.Errorf("mask, sample %d: got %d, want %d", i, gotMask[i], wantMask[i])
		}
	}
	return nil
}

// sameSteps compares steps taken.
func sameSteps(got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("steps taken of %d samples, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("steps taken, sample %d: got %d, want %d", i, got[i], want[i])
		}
	}
	return nil
}

// consistent checks what holds for every report, whatever stopped the run: its figures against mask,
// counters and steps taken, and its own sums.
func consistent(rep *engine.Report, b *Batch) error {
	finished, faulted := 0, 0
	for _, m := range b.Mask {
		if m != 0 {
			finished++
		}
		if m == 2 {
			faulted++
		}
	}
	c := b.Bound.Counters()
	longest, sum := 0, uint64(0)
	for _, t := range b.Bound.StepsTaken() {
		longest = max(longest, int(t))
		sum += uint64(t)
	}
	steps, launches := 0, 0
	for k, count := range rep.LaunchesByK {
		steps += k * count
		launches += count
	}
	var errs []string
	check := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			errs = append(errs, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	check("the counter", int(c.Finished), finished)
	check("the counter of faults", int(c.Faulted), faulted)
	check("report.n", rep.N, b.Planes.N)
	check("report.finished", rep.Finished, finished)
	check("report.faulted", rep.Faulted, faulted)
	check("report.done", rep.Done, finished == b.Planes.N)
	check("report.longest", rep.Longest, longest)
	check("report.sample_steps", rep.SampleSteps, sum)
	check("report.steps (the sum of k*count)", rep.Steps, steps)
	check("report.launches (the sum of counts)", rep.Launches, launches)
	check("report.status is finished", rep.Status == "finished", rep.Done)
	if rep.Longest > rep.Steps {
		errs = append(errs, fmt.Sprintf("a sample took %d steps, the launches only %d", rep.Longest, rep.Steps))
	}
	if rep.ExactSteps && rep.Longest != rep.Steps {
		errs = append(errs, fmt.Sprintf("exact_steps, but the longest sample took %d of %d", rep.Longest, rep.Steps))
	}
	if len(errs) > 0 {
		return fmt.Errorf("%v in %+v", errs, *rep)
	}
	return nil
}
