package ptx_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
)

// seeds are the kernels to try: so many from 0 on, or as EAGLET_FIRST and EAGLET_KERNELS say.
func seeds(t testing.TB, usual uint64) (first, count uint64) {
	t.Helper()
	if count = usual; testing.Short() {
		count = usual / 4
	}
	for name, to := range map[string]*uint64{"EAGLET_FIRST": &first, "EAGLET_KERNELS": &count} {
		if s := os.Getenv(name); s != "" {
			if _, err := fmt.Sscan(s, to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return first, count
}

// agree checks cases on the emulator.
func agree(t *testing.T, cases []ptxtest.Case) {
	t.Helper()
	bad := 0
	for _, c := range cases {
		if err := c.Check(newEmulated()); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			if bad++; bad == 5 {
				t.Fatal("that is enough")
			}
		}
	}
}

func TestRandomKernelsEqualInterpreter(t *testing.T) { agree(t, ptxtest.Random(seeds(t, 160))) }

// TestFindsEqualInterpreter runs random kernels that have found something: 2290 stops samples after as many
// steps as others need to be done, 74 stores to an input in its Init.
func TestFindsEqualInterpreter(t *testing.T) {
	agree(t, append(ptxtest.Random(2290, 1), ptxtest.Random(74, 1)...))
}

func TestGeneratedKernelsEqualInterpreter(t *testing.T) {
	cases, err := ptxtest.Generated(seeds(t, 12))
	if err != nil {
		t.Fatal(err)
	}
	agree(t, cases)
}

func TestLibraryEqualsInterpreter(t *testing.T) {
	cases, err := ptxtest.Library()
	if err != nil {
		t.Fatal(err)
	}
	agree(t, cases)
}

// TestMutantsAreRejected changes one thing in the texts, which some case must see.
func TestMutantsAreRejected(t *testing.T) {
	cases := ptxtest.Random(0, 40)
	for _, m := range []struct{ what, from, to string }{
		{"a difference for a sum", "add.rn.f64", "sub.rn.f64"},
		{"ne without NaNs", "setp.neu.f64", "setp.ne.f64"},
		{"another NaN in planes", "0d7FF8000000000000", "0d7FF8000000000001"},
		{"faults marked as finished", ", 2, 1, %p", ", 1, 1, %p"},
		{"a lane's rank by its number", "%lanemask_lt", "%laneid"},
		{"claims of another lane", "shfl.sync.idx.b32", "shfl.sync.bfly.b32"},
		{"sums that are maxima", "red.global.add.u64", "red.global.max.u64"},
		{"counts of the last warp only", "red.global.add.u32", "red.global.max.u32"},
		{"shifts by what is left of the count", "min.u64", "max.u64"},
		{"the wrong end of the range", "setp.lt.u32", "setp.le.u32"},
	} {
		seen := false
		for _, c := range cases {
			c.Modify = func(text string) string { return strings.ReplaceAll(text, m.from, m.to) }
			machine := newEmulated()
			machine.loose, machine.steps = true, 1<<14 // some never end
			if seen = c.Check(machine) != nil; seen {
				break
			}
		}
		if !seen {
			t.Errorf("%s: no case sees it", m.what)
		}
	}
}

// TestBatchesOfManyRoundsEqualInterpreter runs batches that lanes take up many times over, so that warps of
// the persistent entry keep slots for later.
func TestBatchesOfManyRoundsEqualInterpreter(t *testing.T) {
	cases := ptxtest.Random(300, 4)
	for i := range cases {
		cases[i].N = 1500
	}
	agree(t, cases)
}
