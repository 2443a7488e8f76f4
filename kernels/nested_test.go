package kernels

import (
	"runtime"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// kanSource is nested loops over 64 inputs and 23 outputs, with weights in a table plane: a kernel that must
// not be unrolled as a whole.
const kanSource = `package kan

import "math"

//eaglet:kernel
type KAN struct {
	In  [64]float64
	W   []float64
	Out [23]float64
	T   int
}

func f(x float64) float64 { return x / (1 + math.Exp(-x)) }

func (s *KAN) Step() (done bool) {
	var out [23]float64
	for i := 0; i < 64; i++ {
		for j := 0; j < 23; j++ {
			out[j] += f(s.In[i]) * s.W[i*23+j]
		}
	}
	s.Out = out
	s.T++
	return s.T > 3
}
`

// TestNestedLoopsStayLoops: the loop over the inputs is one loop, its body the work of one input, and neither
// code nor memory grows with the number of turns.
func TestNestedLoopsStayLoops(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	k, ds := load([]SourceFile{{Name: "kan.go", Text: []byte(kanSource)}}, "kan.go")
	runtime.ReadMemStats(&after)
	if k == nil {
		t.Fatal(ds)
	}
	var turns []uint64
	instrs := 0
	k.IR.Step.Trip.Walk(func(in *ir.Instr) {
		instrs++
		if in.Op == ir.OpLoop {
			turns = append(turns, in.Imm)
		}
	})
	if len(turns) != 1 || turns[0] != 64 || instrs > 500 {
		t.Errorf("loops of %v turns and %d instructions, want one loop of 64 turns and at most 500 instructions", turns, instrs)
	}
	c := ir.Counts(&k.IR.Step.Trip)
	if c.Loops.Lookups != 64*23+64 || c.Loops.Faults != 64*23 {
		t.Errorf("a step reads %d cells and looks for %d faults, want %d weights and 64 inputs, and a fault for each weight", c.Loops.Lookups, c.Loops.Faults, 64*23)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("compiling took %d bytes of memory", used)
	}
}
