package ptx_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/emu"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// golden compares a text with the one that is kept.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".ptx")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it is kept; see what changed with -update", file)
	}
}

// TestTextsAreAsKept shows what becomes of every operation, and of a kernel as users write them.
func TestTextsAreAsKept(t *testing.T) {
	text, err := os.Open("../../../kernels/ir/testdata/every.ir")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	every, err := ir.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	kernels := map[string]*ir.Kernel{"every": every}
	cases, err := ptxtest.Library()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Name == "oscillator" {
			kernels[c.Name] = c.Kernel
		}
	}
	for name, k := range kernels {
		m, err := ptx.Generate(k, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := emu.Parse(m.Text)
		if err == nil {
			err = p.Verify()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, name, m.Text)
	}
}
