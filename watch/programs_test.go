package watch

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// expectContent waits until a Change tells what lies there now. What lay there in between may be told or not.
func expectContent(t *testing.T, w *Watch) {
	t.Helper()
	want, err := w.hash()
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(20 * time.Second)
	var last [sha256.Size]byte
	for {
		select {
		case c := <-w.Changes():
			if last = c.Sum; last == want {
				return
			}
		case <-deadline:
			t.Fatalf("the last content was not told: got %x, want %x", last[:4], want[:4])
		}
	}
}

// program runs a program in a folder, or skips where there is none.
func program(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skipf("needs %s", args[0])
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "TERM=dumb",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestRealProgramsThatSave lets programs themselves save a file three times over.
func TestRealProgramsThatSave(t *testing.T) {
	vim := func(backup string) func(from, to string) []string {
		return func(from, to string) []string {
			return []string{
				"vim", "-u", "NONE", "-i", "NONE", "-N", "-es", "--cmd", "set backup writebackup backupcopy=" + backup,
				"-c", fmt.Sprintf("%%s/%s/%s/", from, to), "-c", "wq", "kernel.go",
			}
		}
	}
	for _, c := range []struct {
		name string
		args func(from, to string) []string
	}{
		{"vim moves the old file aside", vim("no")},
		{"vim copies the old file and writes in place", vim("yes")},
		{"sed -i", func(from, to string) []string {
			return []string{"sed", "-i", "s/" + from + "/" + to + "/", "kernel.go"}
		}},
		{"cp from beside", func(from, to string) []string {
			return []string{"sh", "-c", "sed s/" + from + "/" + to + "/ kernel.go > next && cp next kernel.go"}
		}},
		{"perl -i", func(from, to string) []string {
			return []string{"perl", "-i", "-pe", "s/" + from + "/" + to + "/", "kernel.go"}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "kernel.go"), "package one\n")
			w := start(t, filepath.Join(dir, "kernel.go"), Options{})
			for _, names := range [][2]string{{"one", "two"}, {"two", "three"}, {"three", "four"}} {
				program(t, dir, c.args(names[0], names[1])...)
				text, err := os.ReadFile(filepath.Join(dir, "kernel.go"))
				if err != nil || string(text) != "package "+names[1]+"\n" {
					t.Fatalf("the program wrote %q, %v", text, err)
				}
				expectContent(t, w)
			}
		})
	}
}

// TestGitChangesFilesAndFolders goes from branch to branch: with the kernel's folder, without it, with other files in it.
func TestGitChangesFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "kernel")
	git := func(args ...string) { t.Helper(); program(t, dir, append([]string{"git"}, args...)...) }
	git("init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "notes"), "nothing")
	git("add", ".")
	git("commit", "-qm", "notes")
	git("branch", "empty")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"step.go", "help.go"} {
		write(t, filepath.Join(folder, name), "package kernel // main\n")
	}
	git("add", ".")
	git("commit", "-qm", "kernel")
	git("checkout", "-qb", "other")
	write(t, filepath.Join(folder, "step.go"), "package kernel // other\n")
	git("rm", "-q", "kernel/help.go")
	write(t, filepath.Join(folder, "more.go"), "package kernel // more\n")
	git("add", ".")
	git("commit", "-qm", "other")
	git("checkout", "-q", "main")

	whole := start(t, folder, Options{})
	one := start(t, filepath.Join(folder, "step.go"), Options{})
	told := func() { t.Helper(); expectContent(t, whole); expectContent(t, one) }
	git("checkout", "-q", "other")
	told()
	git("checkout", "-q", "main")
	told()
	write(t, filepath.Join(folder, "step.go"), "package kernel // not committed\n")
	told()
	git("stash", "-q")
	told()
	git("stash", "pop", "-q")
	told()
	git("checkout", "-q", "-f", "empty") // the folder is gone
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Fatalf("the folder is still there: %v", err)
	}
	git("checkout", "-q", "other")
	told()
	write(t, filepath.Join(folder, "step.go"), "package kernel // in the folder made again\n")
	told()
}

func TestAFolderThatMovesAwayAndComesBack(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "kernel")
	path := filepath.Join(folder, "step.go")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, "package one")
	whole, one := start(t, folder, Options{}), start(t, path, Options{})
	rename(t, folder, folder+".away")
	write(t, filepath.Join(folder+".away", "step.go"), "package two")
	rename(t, folder+".away", folder)
	expectContent(t, whole)
	expectContent(t, one)
	write(t, path, "package three")
	expectContent(t, whole)
	expectContent(t, one)
}

// TestAFileThatIsALink writes where the link points, points it elsewhere, and swaps a link in between, as mounted
// configurations do.
func TestAFileThatIsALink(t *testing.T) {
	dir := t.TempDir()
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("needs links: %v", err)
		}
	}
	for _, version := range []string{"v1", "v2"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, version, "kernel.go"), "package "+version)
	}
	link("v1", "now")
	link("now/kernel.go", "kernel.go")
	w := start(t, filepath.Join(dir, "kernel.go"), Options{})
	write(t, filepath.Join(dir, "v1", "kernel.go"), "package v1 // edited")
	expectContent(t, w)
	link("v2", "next")
	rename(t, filepath.Join(dir, "next"), filepath.Join(dir, "now"))
	expectContent(t, w)
	write(t, filepath.Join(dir, "v2", "kernel.go"), "package v2 // edited")
	expectContent(t, w)
	if err := os.Remove(filepath.Join(dir, "kernel.go")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "kernel.go"), "package plain")
	expectContent(t, w)
}

// TestAWriterSlowerThanThePause is told in the middle of its work, and again at the end: a part that is a kernel by itself
// must not be what stays.
func TestAWriterSlowerThanThePause(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one\n")
	w := start(t, path, Options{})
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 4 { // each piece only after the one before has been told
		if _, err := fmt.Fprintf(f, "// piece %d\n", i); err != nil {
			t.Fatal(err)
		}
		expectContent(t, w)
	}
}

// TestEmacsWithItsLockBackupAndAutoSave leaves files beside the kernel that are none of it.
func TestEmacsWithItsLockBackupAndAutoSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kernel.go")
	write(t, path, "package one")
	whole, one := start(t, dir, Options{}), start(t, path, Options{})
	for _, text := range []string{"package two", "package three"} {
		if err := os.Symlink("user@host.1:2", filepath.Join(dir, ".#kernel.go")); err != nil {
			t.Skipf("needs links: %v", err)
		}
		write(t, filepath.Join(dir, "#kernel.go#"), text+" half")
		rename(t, path, path+"~")
		write(t, path, text)
		for _, name := range []string{"#kernel.go#", ".#kernel.go"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		expectContent(t, whole)
		expectContent(t, one)
	}
}

// TestTimesDoNotHideAChange sets the time of a new content to that of the old one, of the same length.
func TestTimesDoNotHideAChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, path, Options{})
	write(t, path+".new", "package two")
	if err := os.Chtimes(path+".new", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	rename(t, path+".new", path)
	expectContent(t, w)
}
