package main

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
)

// TestNewKernelIsGoodGo: whatever its name, a new kernel is formatted and loads without a warning, and the
// go command vets and tests it as it lies there.
func TestNewKernelIsGoodGo(t *testing.T) {
	for _, c := range []struct {
		name string
		goes bool // run the go command, which takes a second
	}{
		{"heat", true},
		{"x", false},       // its type is X
		{"math", true},     // like a package that it imports
		{"testing", false}, // like a package that its test imports
		{"init", false},    // like a function that Go runs by itself
		{strings.Repeat("long", maxName/4), false}, // the longest
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := packageName(c.name); err != nil {
				t.Fatal(err)
			}
			if err := writeFolder(c.name, kernelFiles(c.name)); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{c.name + ".go", c.name + "_test.go"} {
				text, err := os.ReadFile(filepath.Join(c.name, f))
				if err != nil {
					t.Fatal(err)
				}
				if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
					t.Errorf("gofmt would change %s: %v", f, err)
				}
			}
			if _, ds := kernels.Load("./" + c.name); len(ds) > 0 {
				t.Errorf("it does not load clean:\n%v", ds)
			}
			if !c.goes {
				return
			}
			for _, verb := range []string{"vet", "test"} {
				cmd := exec.Command("go", verb, "./...")
				cmd.Dir = c.name
				cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("go %s: %v\n%s", verb, err, out)
				}
			}
		})
	}
}

// TestNewLeavesNothingBehind: a file that cannot be written takes the folder with it.
func TestNewLeavesNothingBehind(t *testing.T) {
	t.Chdir(t.TempDir())
	err := writeFolder("heat", []newFile{{"heat.go", []byte("package heat\n")}, {"no/such/folder.go", nil}})
	if err == nil || !strings.HasPrefix(err.Error(), "heat cannot be written: ") {
		t.Errorf("got error %v", err)
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
