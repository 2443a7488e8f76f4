package passes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// FuzzRun: no kernel that the verifier accepts makes a pass panic or break a rule.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		before, _, _ := strings.Cut(string(b), "--- after")
		f.Add(before)
	}
	for seed := range uint64(3) {
		f.Add(printed(f, irtest.Kernel(seed, 30)))
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ir.Read(strings.NewReader(s))
		if err != nil || ir.Verify(k) != nil {
			return
		}
		if _, err := Run(k); err != nil {
			t.Error(err)
		}
	})
}
