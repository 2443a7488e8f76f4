package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// start watches path with a short pause and no poll.
func start(t *testing.T, path string, o Options) *Watch {
	t.Helper()
	if o.Pause == 0 {
		o.Pause = 30 * time.Millisecond
	}
	if o.Poll == 0 {
		o.Poll = -1
	}
	w, err := New(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// expectOne waits for a change. A save whose steps the machine tears apart may be seen in two; what matters
// is that the last one is seen and that it is then quiet.
func expectOne(t *testing.T, w *Watch) {
	t.Helper()
	select {
	case c, ok := <-w.Changes():
		if !ok || c.Seen.IsZero() {
			t.Fatalf("got %v, %v", c, ok)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the change was not seen")
	}
	for {
		select {
		case <-w.Changes():
		case <-time.After(150 * time.Millisecond):
			return
		}
	}
}

func expectNone(t *testing.T, w *Watch) {
	t.Helper()
	select {
	case c := <-w.Changes():
		t.Fatalf("a change that is none: %v", c)
	case <-time.After(150 * time.Millisecond):
	}
}

// TestEditors saves a file twice in the way of each editor: the second save is the one that a watch on the
// file itself would miss.
func TestEditors(t *testing.T) {
	for _, c := range []struct {
		name string
		save func(t *testing.T, path, text string)
	}{
		{"nano and cat write in place", write},
		{"VS Code truncates, then writes", func(t *testing.T, path, text string) {
			write(t, path, "")
			write(t, path, text)
		}},
		{"vim moves the old file aside and writes a new one", func(t *testing.T, path, text string) {
			rename(t, path, path+"~")
			write(t, path, text)
			if err := os.Remove(path + "~"); err != nil {
				t.Fatal(err)
			}
		}},
		{"emacs keeps a backup and a lock beside it", func(t *testing.T, path, text string) {
			lock := filepath.Join(filepath.Dir(path), ".#"+filepath.Base(path))
			if err := os.Symlink("user@host.1", lock); err != nil {
				t.Fatal(err)
			}
			rename(t, path, path+"~")
			write(t, path, text)
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
		}},
		{"sed -i renames a new file over the old one", func(t *testing.T, path, text string) {
			write(t, path+".tmp", text)
			rename(t, path+".tmp", path)
		}},
		{"git checkout removes, then writes", func(t *testing.T, path, text string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, text)
		}},
		{"a slow writer comes in pieces", func(t *testing.T, path, text string) {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for piece := range strings.SplitSeq(text, " ") {
				if _, err := f.WriteString(piece + " "); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kernel.go")
			write(t, path, "package one")
			w := start(t, path, Options{Pause: 60 * time.Millisecond})
			c.save(t, path, "package two // with some words")
			expectOne(t, w)
			c.save(t, path, "package three // with some more words")
			expectOne(t, w)
		})
	}
}

func TestWhatIsNoChange(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kernel.go")
	write(t, path, "package one")
	w := start(t, path, Options{})
	write(t, path, "package one")
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "other.go"), "package other")
	expectNone(t, w)
}

func TestAFileThatIsGoneForAWhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one")
	w := start(t, path, Options{})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expectNone(t, w)
	write(t, path, "package two")
	expectOne(t, w)
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package a")
	w := start(t, dir, Options{})
	write(t, filepath.Join(dir, "b.go"), "package a")
	expectOne(t, w)
	write(t, filepath.Join(dir, "b_test.go"), "package a")
	write(t, filepath.Join(dir, "notes.txt"), "no Go")
	expectNone(t, w)
	if err := os.Remove(filepath.Join(dir, "b.go")); err != nil {
		t.Fatal(err)
	}
	expectOne(t, w)
}

// TestPolling runs without events, as on a network mount.
func TestPolling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one")
	w := start(t, path, Options{Poll: 10 * time.Millisecond})
	w.aim.notify.Close() // no events from here on
	write(t, path, "package two, longer")
	expectOne(t, w)
}

func TestASlowReaderGetsTheNewest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one")
	w := start(t, path, Options{})
	for _, text := range []string{"package two", "package three"} {
		write(t, path, text)
		for range 1000 { // until it is in the channel, or merged
			time.Sleep(time.Millisecond)
			if len(w.changes) == 1 {
				break
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	expectOne(t, w)
}

func TestCloseEndsTheChannel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.go")
	write(t, path, "package one")
	w := start(t, path, Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := <-w.Changes(); ok {
		t.Fatal("the channel is open after Close")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	if _, err := New(filepath.Join(t.TempDir(), "no.go"), Options{}); err == nil {
		t.Fatal("no error")
	}
}
