package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

const decayText = `package decay

//eaglet:kernel steps=auto guard=active_set
type Decay struct {
	Rate float64 ` + "`init:\"uniform(1, 2)\"`" + `
	Pop  float64 ` + "`init:\"1\"`" + `
}

func (s *Decay) Step() (terminated bool) {
	s.Pop -= 0.01 * s.Rate * s.Pop
	terminated = s.Pop < 0.5
	return
}
`

// A reload says what is another in what runs, and nothing where only the text is.
func TestAReloadSaysWhatIsAnother(t *testing.T) {
	path := t.TempDir() + "/decay.go"
	writeFile(t, path, decayText)
	s := onHost(t, Options{}, SetBatch{N: 20, Seed: 1}, LoadKernel{path})
	reload := func(from, to string) *Reloaded {
		t.Helper()
		writeFile(t, path, strings.Replace(decayText, from, to, 1))
		do(t, s, Reload{})
		return s.State().Reloaded
	}
	if r := reload("package decay", "// A comment.\npackage decay"); len(r.Artifact) != 0 || !strings.HasSuffix(r.Sentence(), "; the code is the same") {
		t.Errorf("a comment: %q", r.Artifact)
	}
	for _, c := range []struct{ from, to, want string }{
		{"s.Pop < 0.5", "s.Pop < 0.25", "finish: s.Pop < 0.5 -> s.Pop < 0.25"},
		{"steps=auto", "steps=4", "steps per launch: auto, at most 64 -> 4"},
		{" guard=active_set", "", "compacting: yes -> no"},
		{"\tPop ", "\tAge int32\n\tPop ", "new planes: age"},
		{"s.Pop -= 0.01", "s.Pop -= s.Pop*s.Pop*1e-9 + 0.01", "operations in a step: "},
	} {
		reload("package decay", "package decay")
		r := reload(c.from, c.to)
		if !slices.ContainsFunc(r.Artifact, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
			t.Errorf("%q for %q: %q, want %s", c.to, c.from, r.Artifact, c.want)
		}
	}
	if r := s.State().Reloaded; r.Took < r.Quiet+r.Loading+r.Waiting || r.Loading <= 0 {
		t.Errorf("times: %s", r.Parts())
	}
}

func TestEntriesThatDiffer(t *testing.T) {
	was := engine.EntryReport{Entry: "fused", Code: "avx2", TextBytes: 1200, Registers: 12, Unroll: 2}
	is := was
	is.TextBytes, is.Spills = 1500, 3
	var out []string
	entryDiffers(&out, &was, &is)
	if want := []string{"fused entry: bytes of code 1,200 -> 1,500, spills 0 -> 3"}; !slices.Equal(out, want) {
		t.Errorf("%q, want %q", out, want)
	}
}
