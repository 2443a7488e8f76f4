package session

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// The listing of a target covers all of its bytes, and every operation of the step is somewhere in it.
func TestTheCodeIsListed(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 20, Seed: 1}, LoadKernel{"oscillator"})
	for _, target := range []string{"avx2", "avx512"} {
		l := ask[*engine.Listing](t, s, ListingQuery{Target: target})
		at, lines := 0, map[int32]bool{}
		for i := range l.Lines {
			if l.Lines[i].Offset != at {
				t.Fatalf("%s: an instruction at %d, want %d", target, l.Lines[i].Offset, at)
			}
			at += len(l.Lines[i].Bytes)
			lines[l.Lines[i].Pos.Line] = true
		}
		k := s.State().Kernel.IR
		if at == 0 || !lines[k.Finish.Pos.Line] {
			t.Errorf("%s: %d bytes, lines %v", target, at, lines)
		}
		if !strings.Contains(l.About, "lanes") || l.Target != target {
			t.Errorf("%s: %q", l.Target, l.About)
		}
	}
	if _, err := s.Look(ctx, ListingQuery{Target: "z80"}); err == nil || !strings.Contains(err.Error(), "z80") {
		t.Errorf("a target that is none: %v", err)
	}
}

func TestAnEngineWithoutCodeSaysSo(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, SetBatch{N: 20, Seed: 1}, LoadKernel{"count"})
	if _, err := s.Look(ctx, ListingQuery{}); err == nil || !strings.Contains(err.Error(), "does not show its code") {
		t.Error(err)
	}
}
