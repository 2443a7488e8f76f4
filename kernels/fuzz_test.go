package kernels

import (
	"fmt"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/library"
)

// seeds are all kernels at hand: fixtures, those compiled into the tests, and bundled ones.
func seeds(f *testing.F) [][]byte {
	var out [][]byte
	for _, c := range native {
		out = append(out, nativeFiles(f, c.name)[0].Text)
	}
	for _, name := range library.Names() {
		files, _ := library.Files(name)
		for _, file := range files {
			out = append(out, file.Text)
		}
	}
	return out
}

// FuzzLoadSource: any bytes give a kernel that verifies, or diagnostics; never a panic or a hang.
func FuzzLoadSource(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	dir, err := readSeeds("testdata/diagnostics")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range dir {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		// A hang ends the process, so that the fuzzer keeps the input.
		watchdog := time.AfterFunc(20*time.Second, func() { panic(fmt.Sprintf("a load takes too long: %q", text)) })
		k, ds := load([]SourceFile{{Name: "fuzz.go", Text: text}}, "fuzz.go")
		watchdog.Stop()
		if (k == nil) != ds.Errors() {
			t.Fatalf("a kernel is there: %v; errors: %v", k != nil, ds.Errors())
		}
		for i := range ds {
			if ruleOf(ds[i].Code) == nil || ds[i].EndColumn < ds[i].Column {
				t.Errorf("malformed diagnostic %+v", ds[i])
			}
		}
		_ = ds.Error()
		if k == nil {
			return
		}
		if err := ir.Verify(k.IR); err != nil {
			t.Fatal(err)
		}
		k.Sidecar()
	})
}
