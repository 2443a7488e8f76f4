package passes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

// TestGolden reads testdata/PASS-NAME.txt: a kernel, a line "--- after", and the kernel after the pass.
// The comment on the first line says what the file shows.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	seen := make(map[string]bool)
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, p := range table {
				if p.name == name {
					seen[name] = true
					golden(t, file, p)
					return
				}
			}
			t.Errorf("there is no pass %q", name)
		})
	}
	for _, p := range table {
		if !seen[p.name] && p.name != "number" {
			t.Errorf("no golden file for pass %s", p.name)
		}
	}
}

func golden(t *testing.T, file string, p pass) {
	const mark = "--- after\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, want, found := strings.Cut(string(text), mark)
	if !found {
		t.Fatalf("no line %q", mark)
	}
	k, err := ir.Read(strings.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	after, err := run(k, []pass{p})
	if err != nil {
		t.Fatal(err)
	}
	got := printed(t, after)
	if *update {
		if err := os.WriteFile(file, []byte(before+mark+got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
