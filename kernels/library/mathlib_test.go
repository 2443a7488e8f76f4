package library_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/library"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

// The Go compiler's build of a kernel calls Go's math, the interpreter calls kernels/mathlib. To compare the
// two bit for bit, the tests of this package are built once more with the kernels' calls going to mathlib, by
// an overlay of rewritten files, and TestRunsFromDefaults runs in that build.

const mathlibBuild = "EAGLET_LIBRARY_WITH_MATHLIB"

func withMathlib() bool { return os.Getenv(mathlibBuild) != "" }

// mathlibNames are the functions that mathlib has.
func mathlibNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, f := range mathlib.Sources() {
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() {
				names = append(names, d.Name.Name)
			}
		}
	}
	return names
}

// calls are the calls of mathlib's functions in a source file: their offsets of the word math.
func calls(t *testing.T, name string, text []byte, names []string) []int {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(names, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "math" {
				at = append(at, files.Position(x.Pos()).Offset)
			}
		}
		return true
	})
	return at
}

// callsMath says whether a kernel calls functions that the interpreter takes from mathlib.
func callsMath(t *testing.T, kernel string) bool {
	t.Helper()
	names := mathlibNames(t)
	files, _ := library.Files(kernel)
	for _, f := range files {
		if len(calls(t, f.Name, f.Text, names)) > 0 {
			return true
		}
	}
	return false
}

// TestBitsWithMathlib runs TestRunsFromDefaults in a build where the kernels call mathlib.
func TestBitsWithMathlib(t *testing.T) {
	if withMathlib() {
		t.Skip("this is that build")
	}
	if testing.Short() {
		t.Skip("builds the package once more")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here to build with")
	}
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "library.go")); err != nil {
		t.Skip("no sources here to build from")
	}

	names, temp := mathlibNames(t), t.TempDir()
	replace := map[string]string{}
	for _, kernel := range library.Names() {
		files, _ := library.Files(kernel)
		for _, f := range files {
			at := calls(t, f.Name, f.Text, names)
			if len(at) == 0 {
				continue
			}
			to := filepath.Join(temp, kernel+"_"+f.Name)
			if err := os.WriteFile(to, withImport(f.Text, at), 0o666); err != nil {
				t.Fatal(err)
			}
			replace[filepath.Join(folder, kernel, f.Name)] = to
		}
	}
	if len(replace) < 5 {
		t.Fatalf("only %d files call functions of mathlib", len(replace))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(goTool, "test", "-overlay", file, "-vet=off", "-count=1", "-v", "-run", "^TestRunsFromDefaults$", ".")
	run.Env = append(os.Environ(), mathlibBuild+"=1")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := bytes.Count(out, []byte("bits compared: true")), len(library.Names()); got != want && !fuses(1+0x1p-30, 1-0x1p-30, -1) {
		t.Errorf("the bits of %d kernels were compared in that build, want %d:\n%s", got, want, out)
	}
}

// withImport makes a file call mathlib at the given offsets.
func withImport(text []byte, at []int) []byte {
	const path = "github.com/eaglet-workbench/eaglet/kernels/mathlib"
	out := string(text)
	for _, i := range slices.Backward(at) { // Inspect goes forward
		out = out[:i] + "mathlib" + out[i+len("math"):]
	}
	head, rest, _ := strings.Cut(out, "\nimport \"math\"")
	return []byte(head + "\nimport mathlib \"" + path + "\"\nimport \"math\"" + rest + "\nvar _ = math.Pi\n")
}
