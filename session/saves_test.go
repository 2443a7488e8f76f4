package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// TestSavesWhileAKernelIsCompiled holds the first load back until two more saves have been seen: what runs in the end is the
// last one.
func TestSavesWhileAKernelIsCompiled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spin.go")
	writeFile(t, path, source())
	entered, gate := make(chan struct{}, 16), make(chan struct{})
	held := false
	s := New([]engine.Engine{host.New()}, Options{Load: func(path string) (*kernels.Kernel, kernels.Diagnostics) {
		k, ds := kernels.Load(path) // what was saved when the load began
		if held {
			entered <- struct{}{}
			<-gate
		}
		return k, ds
	}})
	t.Cleanup(func() { s.Close() })
	do(t, s, SetBatch{N: 20, Seed: 3}, LoadKernel{path})
	held = true
	writeFile(t, path, source("%STEP%", "s.X += 1000"))
	must(t, s.Do(ctx, Reload{}))
	<-entered
	for _, step := range []string{"s.X +=", "s.X += 2000"} { // a broken one, then a good one
		writeFile(t, path, source("%STEP%", step))
		must(t, s.Do(ctx, Reload{}))
	}
	close(gate)
	u := &user{t, s, path}
	st := u.until("the last save", func(st *State) bool {
		return st.Kernel != nil && strings.Contains(string(st.Kernel.Sources[0].Text), "2000")
	})
	if st.Diagnostics.Errors() {
		t.Errorf("diagnostics %v of a save that is gone", st.Diagnostics)
	}
	u.do(RunSteps{N: 1})
	if x := u.plane("x")[0]; x < 2000 || x > 2100 {
		t.Errorf("x = %v after a step, want that of the last save", x)
	}
}

// TestASaveOfTheSameTextIsNoReload writes what was there, then something else: one reload, of the other text.
func TestASaveOfTheSameTextIsNoReload(t *testing.T) {
	u := newUser(t, Options{Watch: true})
	u.do(RunSteps{N: 3})
	before := u.s.State()
	u.save(source())
	u.save(source("%COMMENT%", "goes round"))
	st := u.until("the reload", func(st *State) bool { return st.Reloaded != nil && st.Phase == Paused })
	if st.Generation != before.Generation+1 || len(st.History) != len(before.History)+1 {
		t.Errorf("generation %d after %d, %d segments after %d; want one more each", st.Generation, before.Generation, len(st.History), len(before.History))
	}
	if st.Reloaded.Rewound || st.Reloaded.Mask != MaskKept || len(st.Reloaded.Artifact) != 0 {
		t.Errorf("reloaded %+v", st.Reloaded)
	}
}

// TestSavesInTheWaysOfEditors reloads a paused batch through each way of writing, the file and a folder of two files.
func TestSavesInTheWaysOfEditors(t *testing.T) {
	for _, c := range []struct {
		name string
		save func(t *testing.T, path, text string)
	}{
		{"vim: aside, write, remove", func(t *testing.T, path, text string) {
			must(t, os.Rename(path, path+"~"))
			writeFile(t, path, text)
			must(t, os.Remove(path+"~"))
		}},
		{"sed: beside, rename", func(t *testing.T, path, text string) {
			writeFile(t, path+".tmp", text)
			must(t, os.Rename(path+".tmp", path))
		}},
		{"VS Code: truncate, write", func(t *testing.T, path, text string) {
			must(t, os.Truncate(path, 0))
			writeFile(t, path, text)
		}},
		{"git: remove, write", func(t *testing.T, path, text string) {
			must(t, os.Remove(path))
			writeFile(t, path, text)
		}},
		{"git: the whole folder", func(t *testing.T, path, text string) {
			dir := filepath.Dir(path)
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
			writeFile(t, filepath.Join(dir, "more.go"), "package spin\n\nfunc more(x float64) float64 { return x + 0.5 }\n")
			writeFile(t, path, text)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "spin")
			must(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "spin.go")
			writeFile(t, path, source("%STEP%", "s.X = more(s.X)"))
			writeFile(t, filepath.Join(dir, "more.go"), "package spin\n\nfunc more(x float64) float64 { return x + 0.25 }\n")
			u := &user{t, New([]engine.Engine{host.New()}, Options{Watch: true}), path}
			t.Cleanup(func() { u.s.Close() })
			u.do(SetBatch{N: 20, Seed: 3})
			u.do(LoadKernel{dir})
			u.do(RunSteps{N: 2})
			x := u.plane("x")[0]
			c.save(t, path, source("%STEP%", "s.X = more(s.X) + 100"))
			u.until("the reload", func(st *State) bool {
				return st.Phase == Paused && st.Kernel != nil && strings.Contains(string(st.Kernel.Sources[1].Text), "+ 100")
			})
			if got := u.plane("x")[0]; got != x {
				t.Errorf("x = %v after the reload, was %v", got, x)
			}
			must(t, u.s.Do(context.Background(), RunSteps{N: 1}))
			must(t, u.s.Wait(ctx))
			if got := u.plane("x")[0]; got < x+100 {
				t.Errorf("x = %v after a step of the new kernel, was %v", got, x)
			}
		})
	}
}
