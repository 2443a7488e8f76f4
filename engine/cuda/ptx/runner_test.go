package ptx_test

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
)

func TestActiveSetKernelsEqualPlainLoops(t *testing.T) {
	if err := ptxtest.CheckActive(newEmulated(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestMutantsOfTheActiveSetAreRejected(t *testing.T) {
	for _, m := range []struct{ what, from, to string }{
		{"groups of one thread", "shfl.sync.bfly.b32", "shfl.sync.up.b32"},
		{"a scan that forgets lanes", "shfl.sync.up.b32", "shfl.sync.bfly.b32"},
		{"every byte counted as dead", "not.b64", "mov.b64"},
		{"numbers of lanes for counts", "popc.b32", "clz.b32"},
		{"rows of two bytes forgotten", "st.global.u16", "ld.global.u16"},
		{"a longer span than the rule's", "4096;", "4097;"},
	} {
		err := ptxtest.CheckActive(newEmulated(), func(text string) string { return strings.ReplaceAll(text, m.from, m.to) })
		if err == nil {
			t.Errorf("%s: nothing sees it", m.what)
		}
	}
}

func TestRunnerTextsAreAsKept(t *testing.T) {
	golden(t, "runner", ptx.Runner())
	golden(t, "runner_while", ptx.RunnerWhile())
}

func TestAssemblerTakesTheRunLoop(t *testing.T) {
	assemble(t, "runner", ptx.Runner())
	assemble(t, "runner_while", ptx.RunnerWhile())
}
