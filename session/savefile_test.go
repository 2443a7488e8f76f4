package session

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// A session that is opened again stands where it was saved, bit for bit, and ends as the other one, launch by launch.
func TestASessionIsOpenedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		policy engine.Policy
		after  []Command
	}{
		"at its start":         {engine.PolicyBand, nil},
		"in the middle":        {engine.PolicyBand, []Command{Step{}, Step{}, Step{}}},
		"doubling, to its end": {engine.PolicyDoubling, []Command{Run{}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kernel, column := filepath.Join(dir, "decay.go"), filepath.Join(dir, "rates.csv")
			writeFile(t, kernel, decayText)
			var rates strings.Builder
			rates.WriteString("rate,name\n")
			for i := range 50 {
				rates.WriteString([]string{"1.5,a\n", "1.25,b\n", "3,c\n"}[i%3])
			}
			writeFile(t, column, rates.String())
			m, err := snapshots.ParseMapping("rate=" + column + "#rate")
			must(t, err)
			labels, err := snapshots.ParseColumn(column + "#name")
			must(t, err)
			setup := []Command{
				SetBatch{N: 50, Seed: 9, Mappings: []snapshots.Mapping{m}, Labels: &labels},
				LoadKernel{kernel},
				Configure{Policy: &c.policy, MaxSteps: ptr(500), Compile: &kernels.Options{FMA: "contract"}},
				Reload{},
				SetCell{"pop", 7, 4},
				SetMask{8, true},
			}
			s := onHost(t, Options{}, append(setup, c.after...)...)
			path := filepath.Join(dir, "work.toml")
			do(t, s, Save{path})
			commands, err := FromFile(path)
			must(t, err)
			again := onHost(t, Options{}, commands...)
			sameResults(t, "opened again", results(t, again), results(t, s))
			a, b := s.State(), again.State()
			if a.Phase != b.Phase || a.StepsDone != b.StepsDone || a.Seed != b.Seed || a.Labels[1] != b.Labels[1] || b.MaxSteps != 500 || !b.Kernel.IR.FMA {
				t.Errorf("%v at %d, want %v at %d", b.Phase, b.StepsDone, a.Phase, a.StepsDone)
			}
			if a.Phase == Paused {
				do(t, s, Continue{})
				do(t, again, Continue{})
				sameResults(t, "gone on", results(t, again), results(t, s))
				if a, b := s.State().Report, again.State().Report; !maps.Equal(a.LaunchesByK, b.LaunchesByK) {
					t.Errorf("launches %v, want %v", b.LaunchesByK, a.LaunchesByK)
				}
			}
			if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), dir) && !strings.Contains(string(text), "# A session") {
				t.Errorf("%v: names are not relative:\n%s", err, text)
			}
		})
	}
}

func TestSessionFilesThatAreNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.toml")
	for text, want := range map[string]string{
		"":                                      "this is no session file",
		"eaglet = 2\nkernel = \"oscillator\"":   "the session is of version 2, this eaglet reads version 1",
		"eaglet = 1":                            "the session names no kernel",
		"eaglet = 1\nkernel = \"o\"\nspeed = 1": `there is no key "speed"`,
		"eaglet = 1\nkernel = [":                "line 2:",
		"eaglet = 1\nkernel = \"oscillator\"\n[run]\npolicy = \"best\"\nentry = \"some\"": `policy "best"`,
		"eaglet = 1\nkernel = \"oscillator\"\n[planes]\nx = \"a.txt\"":                    "cannot tell what kind of file",
	} {
		writeFile(t, path, text)
		if _, err := FromFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
	s := onHost(t, Options{}, SetBatch{N: 5}, LoadKernel{"oscillator"})
	if err := s.Do(ctx, Save{"session"}); err == nil || !strings.Contains(err.Error(), "ends with .toml") {
		t.Errorf("a name without ending: %v", err)
	}
}
