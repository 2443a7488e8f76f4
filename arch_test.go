// Package eaglet_test holds the tests of the repository as a whole.
package eaglet_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/eaglet-workbench/eaglet"

// layers is the import direction of the project: each folder with what its files, tests aside, may
// import of the module and of the outside. A new folder starts with a line here.
var layers = []struct {
	folder string   // below the module; "x/..." means x and everything under it
	module []string // folders of the module that it may import
	others []string // import path prefixes beyond the standard library
	why    string
}{
	{"cmd/eaglet", []string{"tui", "session", "session/playback", "engine", "engine/cuda", "engine/host", "kernels", "kernels/ir", "kernels/library", "snapshots"}, []string{"github.com/spf13/cobra", "golang.org/x/term"}, "only wires the packages together; the one place that names concrete engines"},
	{"cmd/eagletvet", []string{"kernels/analyzer"}, []string{"golang.org/x/tools/go/analysis"}, "the analyzer as a program of its own, without the workbench"},
	{"tui", []string{"lessons", "session", "engine", "engine/counting", "kernels", "kernels/ir", "snapshots"}, []string{"charm.land/", "github.com/charmbracelet/", "github.com/aymanbagabas/go-udiff", "github.com/sahilm/fuzzy", "github.com/BurntSushi/toml", "golang.org/x/term", "golang.org/x/sys", "golang.org/x/image"}, "views over a session: the only importer of Bubble Tea, and it knows no concrete engine"},
	{"session", []string{"engine", "kernels", "kernels/ir", "kernels/generate", "snapshots", "watch"}, nil, "what is loaded and what happened: no terminal code, no concrete engine"},
	{"session/playback", []string{"session", "engine", "kernels", "kernels/ir"}, nil, "a session over a recording: no terminal code, no engine"},
	{"lessons", []string{"session", "engine", "kernels"}, nil, "what lessons say and do: drives a session, draws nothing"},
	{"watch", nil, []string{"github.com/fsnotify/fsnotify"}, "names and bytes: neither kernels nor sessions"},
	{"snapshots", []string{"engine", "kernels/ir"}, []string{"codeberg.org/sbinet/npyio", "github.com/BurntSushi/toml"}, "planes and sessions in files: knows the planes of engine, nothing above"},
	{"engine", []string{"kernels/ir"}, nil, "what all engines share: never an engine, never a front end"},
	{"engine/counting", []string{"engine"}, nil, "what a run would decide and cost, from stops alone: runs nothing, so it needs no engine"},
	{"engine/enginetest", []string{"engine", "kernels", "kernels/ir", "kernels/ir/interp"}, []string{"pgregory.net/rapid"}, "oracles: handed a constructor, so that no engine is named"},
	{"bench/host", []string{"engine", "engine/host", "kernels", "kernels/ir/interp"}, []string{"golang.org/x/sys"}, "measures engines from outside: a tool of its own, imported by nobody"},
	{"bench/cuda", []string{"engine", "engine/cuda", "engine/host", "kernels"}, nil, "measures the CUDA engine from outside: a tool of its own, imported by nobody"},
	{"bench/screen", []string{"tui", "session", "engine", "engine/host"}, []string{"golang.org/x/sys"}, "measures the workbench from outside: a tool of its own, imported by nobody"},
	{"docs/pictures", []string{"tui", "session", "session/playback", "engine", "engine/host"}, nil, "makes the README's pictures: a tool of its own, imported by nobody"},
	{"bench/kernels/...", nil, nil, "kernels are plain Go: they import math at most"},
	{"engine/host", []string{"engine", "engine/host/jit", "kernels/ir", "kernels/ir/interp"}, nil, "an engine never sees another engine, nor a front end"},
	{"engine/host/jit", []string{"kernels/ir", "kernels/ir/interp"}, []string{"golang.org/x/sys"}, "machine code from IR: knows no engine, the host runs it"},
	{"engine/cuda", []string{"engine", "engine/cuda/driver", "engine/cuda/ptx", "kernels/ir", "kernels/ir/interp"}, nil, "an engine never sees another engine, nor a front end"},
	{"engine/cuda/driver", nil, []string{"github.com/ebitengine/purego"}, "C names and C order: knows neither kernels nor engines; the one importer of purego"},
	{"engine/cuda/ptx/emu", []string{"kernels/ir", "kernels/ir/interp"}, nil, "runs texts in tests: knows the text and what operations mean, not who wrote it"},
	{"engine/cuda/ptx/ptxtest", []string{"engine", "engine/cuda/ptx", "kernels", "kernels/generate", "kernels/ir", "kernels/ir/interp", "kernels/ir/irtest", "kernels/library", "kernels/oracle"}, nil, "oracles of generated device code: handed a machine, so that no driver is named"},
	{"engine/cuda/ptx", []string{"engine", "kernels/ir"}, nil, "text from IR, and of what engine decides: knows no driver, so that it is tested where there is no device"},
	{"kernels/oracle", []string{"kernels", "kernels/ir", "kernels/generate", "kernels/ir/interp", "kernels/library", "kernels/mathlib", "kernels/oracle/native"}, nil, "random kernels against the Go compiler: a tool of tests"},
	{"kernels/oracle/native", nil, nil, "compiled into the generated programs of the oracle"},
	{"kernels", []string{"kernels/ir", "kernels/ir/interp", "kernels/passes", "kernels/library", "kernels/mathlib"}, nil, "the front end: sees nothing above itself"},
	{"kernels/analyzer", []string{"kernels"}, []string{"golang.org/x/tools/go/analysis"}, "the subset checker for go vet and editors: the front end and nothing else"},
	{"kernels/generate", []string{"kernels", "kernels/ir", "kernels/ir/interp"}, nil, "fills planes by their init tags"},
	{"kernels/passes", []string{"kernels/ir", "kernels/ir/interp"}, nil, "IR in, IR out; folding asks the interpreter what an operation means"},
	{"kernels/mathlib", nil, nil, "kernel language: imports math at most"},
	{"kernels/library", nil, nil, "embedded kernels: imports nothing of the project"},
	{"kernels/library/...", nil, nil, "kernels are plain Go: they import math at most"},
	{"kernels/ir", nil, nil, "the floor: standard library only"},
	{"kernels/ir/irtest", []string{"kernels/ir"}, []string{"pgregory.net/rapid"}, "random kernels for everybody's tests"},
	{"kernels/ir/interp", []string{"kernels/ir"}, nil, "what every operation means"},
}

func layerOf(folder string) int {
	for i, l := range layers {
		if l.folder == folder {
			return i
		}
		if base, ok := strings.CutSuffix(l.folder, "/..."); ok && strings.HasPrefix(folder, base+"/") {
			return i
		}
	}
	return -1
}

// TestImportDirection parses the imports of every Go file that is not a test.
func TestImportDirection(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || (path != "." && strings.HasPrefix(d.Name(), "."))) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		i := layerOf(folder)
		if i < 0 {
			t.Errorf("%s: the folder %s has no line in the table of layers; say what it may import and why", path, folder)
			return nil
		}
		seen[layers[i].folder] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if msg := refusal(folder, name); msg != "" {
				t.Errorf("%s imports %s: %s (%s)", path, name, msg, layers[i].why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		if !seen[l.folder] {
			t.Errorf("the table of layers names %s, which has no Go files", l.folder)
		}
	}
}

// refusal says why folder may not import the package name, "" when it may.
func refusal(folder, name string) string {
	l := layers[layerOf(folder)]
	first, _, _ := strings.Cut(name, "/")
	switch {
	case name == "C":
		return "cgo is never needed"
	case name == module || strings.HasPrefix(name, module+"/"):
		inner := strings.TrimPrefix(strings.TrimPrefix(name, module), "/")
		for _, m := range l.module {
			if m == inner {
				return ""
			}
		}
		return "not in the direction of design"
	case !strings.Contains(first, "."):
		if strings.HasPrefix(folder, "kernels/library/") && name != "math" {
			return "a kernel imports math at most"
		}
		return "" // standard library
	}
	for _, prefix := range l.others {
		if strings.HasPrefix(name, prefix) {
			return ""
		}
	}
	return "a dependency of another layer"
}

// TestWrongImportsAreRefused is the red case of TestImportDirection.
func TestWrongImportsAreRefused(t *testing.T) {
	for _, c := range []struct{ folder, name string }{
		{"engine", module + "/engine/host"},
		{"engine", module + "/kernels"},
		{"engine/host", module + "/session"},
		{"session", module + "/engine/host"},
		{"session", module + "/tui"},
		{"session", "charm.land/bubbletea/v2"},
		{"tui", module + "/engine/host"},
		{"kernels/ir", "golang.org/x/sys/cpu"},
		{"kernels/library/oscillator", "fmt"},
		{"kernels", "C"},
	} {
		if refusal(c.folder, c.name) == "" {
			t.Errorf("%s may import %s, which the design forbids", c.folder, c.name)
		}
	}
}
