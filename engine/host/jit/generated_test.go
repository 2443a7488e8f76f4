package jit

import (
	"bytes"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
	"github.com/eaglet-workbench/eaglet/kernels/oracle"
)

// compiled is the IR of a kernel's source, as a user's kernel goes through all passes.
func compiled(t testing.TB, name string, text []byte) *ir.Kernel {
	t.Helper()
	c, err := oracle.NewCase(name, []kernels.SourceFile{{Name: name + ".go", Text: text}}, 1)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c.Kernel.IR
}

// TestGeneratedKernelsEqualInterpreter runs random kernels as users write them: of the language, with fused
// multiply-adds, and in float32. Batches of all sizes round those of groups are among them.
func TestGeneratedKernelsEqualInterpreter(t *testing.T) {
	count := uint64(60)
	if testing.Short() {
		count = 15
	}
	for _, kind := range []struct {
		name   string
		source func(uint64) []byte
	}{{"plain", oracle.Source}, {"fused", oracle.SourceFMA}, {"single", oracle.SourceF32}} {
		t.Run(kind.name, func(t *testing.T) {
			first, count := seeds(t, count)
			for seed := first; seed < first+count; seed++ {
				k := compiled(t, "generated", kind.source(seed))
				agree(t, k, randomBatch(k, int(seed%37), seed), 9, 1+int(seed%4))
			}
		})
	}
}

// FuzzRandomKernels lets a fuzzer choose a kernel of IR, a batch and how it is run.
func FuzzRandomKernels(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed*7919, uint8(seed*13), uint8(seed*5), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, n, groups uint8) {
		k := irtest.Kernel(seed, int(size%80)+1)
		agree(t, k, randomBatch(k, int(n%70), seed), 9, 1+int(groups%4))
	})
}

// FuzzGeneratedKernels lets a fuzzer write a kernel's source.
func FuzzGeneratedKernels(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(8) {
		f.Add(bytes.Repeat([]byte{byte(seed), byte(seed * 37), byte(seed * 101)}, int(seed)*9))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		k := compiled(t, "fuzz", oracle.FromBytes(data))
		agree(t, k, randomBatch(k, len(data)%37, uint64(len(data))), 9, 1+len(data)%4)
	})
}
