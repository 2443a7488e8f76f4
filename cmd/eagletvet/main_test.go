package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/txtar"
)

// module is a user's module: an ordinary package, a good kernel with a test, and a kernel that is wrong.
const module = `
-- go.mod --
module example.com/user

go 1.26
-- ordinary/ordinary.go --
package ordinary

// Print prints.
func Print(m map[string]int) { println(len(m)) }
-- good/good.go --
package good

//eaglet:kernel
type Good struct {
	X float64
}

// Step counts.
func (s *Good) Step() (terminated bool) {
	s.X++
	return s.X > 9
}
-- good/good_test.go --
package good

import "testing"

func TestStep(t *testing.T) {
	m := map[string]*Good{"a": {}}
	m["a"].Step()
}
-- bad/bad.go --
package bad

//eaglet:kernel
type Bad struct {
	X float64
}

// Step halves.
func (s *Bad) Step() (terminated bool) {
	for s.X > 1 {
		s.X /= 2
	}
	return s.X > 9
}
`

// asProgram is the name under which the test's own binary is the real program.
const asProgram = "eagletvet-program.exe"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == asProgram {
		main()
		return
	}
	os.Exit(m.Run())
}

// program makes the real program: a copy of the test's binary, which is there already.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), asProgram)
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDirectAndUnderGoVet runs the real program in a module of its own, both ways.
func TestDirectAndUnderGoVet(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tool := program(t)
	bad := regexp.MustCompile(`bad.bad\.go:10:6: E031  the loop may not end: .*//eaglet:cap 64`)
	for _, c := range []struct {
		name    string
		command []string
		status  int
		says    *regexp.Regexp // nil: nothing at all
	}{
		{"by itself, all packages", []string{tool, "./..."}, 3, bad},
		{"by itself, good packages", []string{tool, "./good", "./ordinary"}, 0, nil},
		{"under go vet, all packages", []string{"go", "vet", "-vettool=" + tool, "./..."}, 1, bad},
		{"under go vet, good packages", []string{"go", "vet", "-vettool=" + tool, "./good", "./ordinary"}, 0, nil},
		{"the rewrite is made when asked for", []string{tool, "-fix", "./..."}, 0, nil},
		{"after which nothing is wrong", []string{"go", "vet", "-vettool=" + tool, "./..."}, 0, nil},
	} {
		cmd := exec.Command(c.command[0], c.command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		status := 0
		switch {
		case errors.As(err, &exit):
			status = exit.ExitCode()
		case err != nil:
			t.Fatalf("%s: %v", c.name, err)
		}
		if status != c.status {
			t.Errorf("%s: status %d, want %d\n%s", c.name, status, c.status, out)
		}
		if c.says == nil && len(out) > 0 || c.says != nil && !c.says.Match(out) {
			t.Errorf("%s: it says\n%s", c.name, out)
		}
		if n := bytes.Count(out, []byte("E031")); c.says != nil && n != 1 {
			t.Errorf("%s: it says so %d times\n%s", c.name, n, out)
		}
	}
}
