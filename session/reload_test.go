package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// spin never finishes within a test; %s is put in where a test changes the source.
const spin = `package spin

// Spin goes round.
//
//eaglet:kernel
type Spin struct {
	Rate float64 ` + "`init:\"uniform(1, 2)\"`" + `
	X    float64
	End  float64 ` + "`init:\"1e300\"`" + `
	%FIELDS%
}

// Step %COMMENT%.
func (s *Spin) Step() (terminated bool) {
	s.X += s.Rate
	%STEP%
	terminated = %FINISH%
	return
}
`

func source(pairs ...string) string {
	r := strings.NewReplacer(pairs...)
	text := r.Replace(spin)
	return strings.NewReplacer("%FIELDS%", "", "%COMMENT%", "advances", "%STEP%", "", "%FINISH%", "s.X >= s.End").Replace(text)
}

// user is a session on the host engine with a kernel file of its own.
type user struct {
	t    *testing.T
	s    *Session
	path string
}

func newUser(t *testing.T, o Options) *user {
	t.Helper()
	u := &user{t, New([]engine.Engine{host.New()}, o), filepath.Join(t.TempDir(), "spin.go")}
	t.Cleanup(func() { u.s.Close() })
	u.save(source())
	u.do(SetBatch{N: 200, Seed: 3})
	steps := 1 << 30
	u.do(Configure{MaxSteps: &steps})
	u.do(LoadKernel{Path: u.path})
	return u
}

func (u *user) save(text string) {
	u.t.Helper()
	if err := os.WriteFile(u.path, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// do gives a command and waits until nothing is going on.
func (u *user) do(c Command) {
	u.t.Helper()
	if err := u.s.Do(context.Background(), c); err != nil {
		u.t.Fatalf("%T: %v", c, err)
	}
	if err := u.s.Wait(context.Background()); err != nil {
		u.t.Fatal(err)
	}
}

// until waits for a state.
func (u *user) until(what string, ok func(*State) bool) *State {
	u.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if st := u.s.State(); ok(st) {
			return st
		}
	}
	u.t.Fatalf("%s did not come: phase %s, diagnostics %v", what, u.s.State().Phase, u.s.State().Diagnostics)
	return nil
}

func (u *user) plane(name string) []float64 {
	u.t.Helper()
	r, err := u.s.Results()
	if err != nil {
		u.t.Fatal(err)
	}
	return slices.Clone(engine.View[float64](r.Planes, r.Planes.Index(name)))
}

func TestReloadAtTheStartBeginsAnew(t *testing.T) {
	u := newUser(t, Options{})
	u.save(source("%STEP%", "s.X += 1000"))
	u.do(Reload{})
	st := u.s.State()
	if st.Phase != Ready || st.Reloaded == nil || !st.Reloaded.Rewound {
		t.Fatalf("phase %s, reloaded %+v; want ready, rewound", st.Phase, st.Reloaded)
	}
	u.do(RunSteps{N: 1})
	if x := u.plane("x")[0]; x < 1000 {
		t.Errorf("x = %v after a step of the new kernel, want more than 1000", x)
	}
}

func TestReloadWhilePausedKeepsWhatFits(t *testing.T) {
	u := newUser(t, Options{})
	u.do(RunSteps{N: 10})
	before := u.plane("x")
	u.save(source("%FIELDS%", "Extra float64 `init:\"7\"`", "%STEP%", "s.Extra++", "%FINISH%", "s.X >= 1e301"))
	u.do(Reload{})
	r := u.s.State().Reloaded
	if r == nil || r.Rewound || !slices.Equal(r.Kept, []string{"rate", "x"}) && !slices.Equal(r.Kept, []string{"rate", "x", "end"}) ||
		!slices.Equal(r.New, []string{"extra"}) || r.Mask != MaskCleared {
		t.Fatalf("reloaded %+v", r)
	}
	if got := u.plane("x"); !slices.Equal(got, before) {
		t.Errorf("x changed in the reload: %v, was %v", got[:3], before[:3])
	}
	if got := u.plane("extra")[0]; got != 7 {
		t.Errorf("extra = %v, want 7 by its init tag", got)
	}
	if !strings.Contains(r.Sentence(), "new: extra") {
		t.Errorf("sentence %q", r.Sentence())
	}
	// The other way: extra is dropped.
	u.save(source())
	u.do(Reload{Keep: KeepPlanes})
	if r := u.s.State().Reloaded; !slices.Equal(r.Dropped, []string{"extra"}) {
		t.Errorf("dropped %v, want extra", r.Dropped)
	}
	// Rewind goes to the start.
	u.do(Rewind{})
	if x := u.plane("x")[0]; x != 0 {
		t.Errorf("x = %v after Rewind, want 0", x)
	}
}

// TestReloadOfACommentChangesNoBit stops a run, reloads the same step and goes on: as if nothing had been.
func TestReloadOfACommentChangesNoBit(t *testing.T) {
	finite := source("%FINISH%", "s.X >= 500*s.Rate-s.Rate/3")
	plain := newUser(t, Options{})
	plain.save(finite)
	plain.do(Reload{})
	plain.do(Run{})
	want := plain.plane("x")

	u := newUser(t, Options{})
	u.save(finite)
	u.do(Reload{})
	u.do(Step{})
	u.do(Step{})
	u.save(strings.ReplaceAll(finite, "advances", "moves on"))
	u.do(Reload{})
	if r := u.s.State().Reloaded; r.Mask != MaskKept || r.Rewound {
		t.Fatalf("reloaded %+v, want mask kept", r)
	}
	u.do(Continue{})
	if got := u.plane("x"); !slices.Equal(got, want) || u.s.State().Phase != Ended {
		t.Errorf("phase %s, x = %v, want %v", u.s.State().Phase, got[:3], want[:3])
	}
}

// TestEditingDuringARun is the story of an editor beside the workbench: a broken save, then a good one.
func TestEditingDuringARun(t *testing.T) {
	u := newUser(t, Options{Watch: true})
	if err := u.s.Do(context.Background(), Run{}); err != nil {
		t.Fatal(err)
	}
	generation := u.s.State().Generation
	u.save(source("%STEP%", "s.X +="))
	st := u.until("the diagnostics", func(st *State) bool { return st.Diagnostics.Errors() })
	if st.Phase != Running || st.Generation != generation {
		t.Fatalf("phase %s, generation %d after a broken save; want running, %d", st.Phase, st.Generation, generation)
	}
	u.save(source("%STEP%", "s.X -= s.Rate"))
	st = u.until("the new kernel", func(st *State) bool { return st.Reloaded != nil && st.Phase == Running })
	if !st.Reloaded.Resumed || st.Diagnostics.Errors() || st.Generation == generation {
		t.Errorf("reloaded %+v, diagnostics %v", st.Reloaded, st.Diagnostics)
	}
	u.do(Cancel{})
	first := u.plane("x")
	if first[0] == 0 {
		t.Error("x is at its start: the run before the reload left nothing")
	}
	u.do(RunSteps{N: 5})
	for i, x := range u.plane("x") {
		if x-first[i] > 1e-6*first[i] || first[i]-x > 1e-6*first[i] {
			t.Fatalf("sample %d: x went from %v to %v under a kernel that stands still", i, first[i], x)
		}
	}
}

// TestAKernelThatFitsNoMoreLeavesTheRunOn reloads a kernel that the values of the batch do not fit.
func TestAKernelThatFitsNoMoreLeavesTheRunOn(t *testing.T) {
	u := newUser(t, Options{})
	u.do(SetParam{Name: "end", Value: 1e299})
	if err := u.s.Do(context.Background(), Run{}); err != nil {
		t.Fatal(err)
	}
	notes, leave := u.s.Subscribe()
	defer leave()
	u.save(source("%STEP%", "s.End = s.X", "%FIELDS%", "Size int32") + "\n// Init computes.\nfunc (s *Spin) Init() { s.End = 3 }\n")
	if err := u.s.Do(context.Background(), Reload{}); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(30 * time.Second)
	for {
		select {
		case n := <-notes:
			if f, ok := n.(Failed); ok {
				if _, is := f.Command.(Reload); !is || !strings.Contains(f.Err.Error(), "end") {
					t.Fatalf("failed: %T %v", f.Command, f.Err)
				}
				u.until("the run", func(st *State) bool { return st.Phase == Running })
				return
			}
		case <-deadline:
			t.Fatal("nothing was said")
		}
	}
}
