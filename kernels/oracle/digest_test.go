package oracle

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

var update = flag.Bool("update", false, "rewrite testdata/digests.txt")

const digestFile = "testdata/digests.txt"

// digestSeeds is how many random kernels of each kind have a digest.
const digestSeeds = 150

// digest is a hash of everything that a run of a case leaves: planes, masks, steps, observables.
func digest(c *Case) string {
	out := interpret(interp.Compile(c.Kernel.IR), c.batch, true, c.steps, manner{})
	h := sha256.New()
	for _, p := range out.planes {
		h.Write(p)
	}
	h.Write(out.mask)
	_ = binary.Write(h, binary.LittleEndian, out.taken)
	for _, o := range out.observables {
		_ = binary.Write(h, binary.LittleEndian, o)
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
}

// sourceHash tells a kernel that was edited from one that computes other bits.
func sourceHash(c *Case) string {
	h := sha256.New()
	for _, f := range c.Kernel.Sources {
		h.Write(f.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// digestCases are the kernels with a digest: those of the library and random ones, with and without
// fma=contract, and in f32.
func digestCases(t *testing.T) []*Case {
	cases := bundled(t, "", kernels.Options{})
	cases = append(cases, bundled(t, " in f32", kernels.Options{Precision: "f32"})...)
	cases = append(cases, generated(t, "seed", Source, 0, digestSeeds)...)
	cases = append(cases, generated(t, "fma", SourceFMA, 0, digestSeeds/3)...)
	return append(cases, generated(t, "single", SourceF32, 0, digestSeeds/3)...)
}

// TestBitsAreTheSameOnEveryMachine runs kernels on the interpreter and compares what comes out with what
// came out elsewhere. The script .ci/arches runs it on arm64 and on amd64 at a level at which Go fuses.
func TestBitsAreTheSameOnEveryMachine(t *testing.T) {
	cases := digestCases(t)
	lines := make([]string, len(cases))
	each(len(cases), func(i int) {
		c := cases[i]
		lines[i] = fmt.Sprintf("%s\t%s\t%s", strings.ReplaceAll(c.Name, " ", "_"), sourceHash(c), digest(c))
	})
	if *update {
		head := "# kernel, hash of its source, hash of what its run leaves; go test ./kernels/oracle -run EveryMachine -update\n"
		if err := os.WriteFile(digestFile, []byte(head+strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := readDigests(t)
	for _, line := range lines {
		part := strings.Split(line, "\t")
		w, ok := want[part[0]]
		delete(want, part[0])
		switch {
		case !ok || w[0] != part[1]:
			t.Errorf("%s is new, or its source was edited; run go test ./kernels/oracle -run EveryMachine -update on a machine that you trust", part[0])
		case w[1] != part[2]:
			t.Errorf("%s computes other bits here: its digest is %s, want %s", part[0], part[2], w[1])
		}
	}
	for name := range want {
		t.Errorf("%s has a digest, and is no kernel any more; run with -update", name)
	}
}

func readDigests(t *testing.T) map[string][2]string {
	t.Helper()
	f, err := os.Open(digestFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := make(map[string][2]string)
	for s := bufio.NewScanner(f); s.Scan(); {
		if part := strings.Split(s.Text(), "\t"); len(part) == 3 {
			out[part[0]] = [2]string{part[1], part[2]}
		}
	}
	return out
}
