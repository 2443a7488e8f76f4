package ptx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
)

// ptxas is the vendor's assembler: of EAGLET_PTXAS, or of the path (Debian: nvidia-cuda-toolkit, non-free).
func ptxas(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("EAGLET_PTXAS"); name != "" {
		return name
	}
	name, err := exec.LookPath("ptxas")
	if err != nil {
		if strings.Contains(os.Getenv("EAGLET_REQUIRE"), "ptxas") {
			t.Fatal(err)
		}
		t.Skip("there is no ptxas here: Debian's nvidia-cuda-toolkit has it")
	}
	return name
}

// assemble gives what ptxas says of a text.
func assemble(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ptxas(t), "-arch=sm_90", "-c", "-v", "-o", os.DevNull, file).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

func TestAssemblerTakesTheTexts(t *testing.T) {
	ptxas(t)
	library, err := ptxtest.Library()
	if err != nil {
		t.Fatal(err)
	}
	generated, err := ptxtest.Generated(500, 3)
	if err != nil {
		t.Fatal(err)
	}
	cases := append(library, generated...)
	for _, c := range append(cases, ptxtest.Random(500, 12)...) {
		if strings.HasSuffix(c.Name, "-wild") {
			continue // the kernel is there already
		}
		m, err := ptx.Generate(c.Kernel, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		report := assemble(t, c.Name, m.Text)
		if testing.Verbose() {
			t.Logf("%s\n%s", c.Name, report)
		}
	}
}
