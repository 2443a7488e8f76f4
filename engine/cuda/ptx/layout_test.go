package ptx_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// TestSharedMemoryIsLaidOutAsTextsTakeIt: texts add to Finished and Short at once, as to one number of 64 bits.
func TestSharedMemoryIsLaidOutAsTextsTakeIt(t *testing.T) {
	var c ptx.Control
	if at := unsafe.Offsetof(c.Finished); at%8 != 0 || unsafe.Offsetof(c.Short) != at+4 {
		t.Errorf("Finished is at %d and Short at %d, want them in one aligned word of 64 bits", at, unsafe.Offsetof(c.Short))
	}
	if size := unsafe.Sizeof(ptx.Ring{}); size > ptx.RingSlots || ptx.RingSlots%8 != 0 || engine.EventBytes%8 != 0 {
		t.Errorf("the head of a ring takes %d bytes, its slots begin at %d and take %d", size, ptx.RingSlots, engine.EventBytes)
	}
	if len(c.Bytes()) != int(unsafe.Sizeof(c)) || &c.Bytes()[0] != (*byte)(unsafe.Pointer(&c)) {
		t.Error("Bytes is not the block's own memory")
	}
}

// TestALaunchIsAddedUpFromWhatItsWarpsSaid takes figures of a launch of 64 steps by 100 samples.
func TestALaunchIsAddedUpFromWhatItsWarpsSaid(t *testing.T) {
	for _, c := range []struct {
		name          string
		control       ptx.Control
		steps         uint64
		longest, live uint32
	}{
		{"all ran to the end", ptx.Control{}, 6400, 64, 100},
		{"two finished early", ptx.Control{Short: 2, Deficit: 70, Longest: 40}, 6330, 64, 100},
		{"all finished early", ptx.Control{Short: 100, Deficit: 6300, Longest: 3}, 100, 3, 100},
		{"some had less behind them", ptx.Control{Short: 1, Deficit: ^uint64(9), Longest: 74}, 6410, 74, 100},
		{"nobody was there", ptx.Control{}, 0, 0, 0},
	} {
		if steps, longest := c.control.Launch(c.live, 64); steps != c.steps || longest != c.longest {
			t.Errorf("%s: %d sample-steps, longest %d, want %d and %d", c.name, steps, longest, c.steps, c.longest)
		}
	}
}

func TestMorePlanesThanParametersAreRefused(t *testing.T) {
	var fields strings.Builder
	for i := range 600 {
		fmt.Fprintf(&fields, "\tP%d float64\n", i)
	}
	text := "package wide\n\n//eaglet:kernel\ntype Wide struct {\n" + fields.String() + "}\n\nfunc (s *Wide) Step() {\n\ts.P0 += s.P1\n}\n"
	k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "wide.go", Text: []byte(text)}}, "wide")
	if k == nil {
		t.Fatal(ds)
	}
	_, err := ptx.Generate(k.IR, ptx.Options{})
	if err == nil || !strings.Contains(err.Error(), "600 planes") || !strings.Contains(err.Error(), "array") {
		t.Errorf("the error is %v, want one that says how many planes there are and what to do", err)
	}
}

// TestUnreachableEndsAreLeftOut: a kernel that cannot fault has no code for it.
func TestUnreachableEndsAreLeftOut(t *testing.T) {
	for options, want := range map[string]bool{"K": false, "K / s.N": true} {
		text := "package p\n\n//eaglet:kernel\ntype P struct {\n\tK int32\n\tN int32\n}\n\nfunc (s *P) Step() (done bool) {\n\ts.K = s." + options + " + 1\n\tdone = s.K > 9\n\treturn\n}\n"
		k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "p.go", Text: []byte(text)}}, "p")
		if k == nil {
			t.Fatal(ds)
		}
		m, err := ptx.Generate(k.IR, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(m.Text, "_fault:"); got != want || k.IR.Guard != ir.GuardMask {
			t.Errorf("%s: the text has a place for faults: %v, want %v", options, got, want)
		}
	}
}
