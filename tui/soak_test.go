package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
)

// soakKeys is how many keys the soak presses: EAGLET_SOAK, else 50,000, fewer under the race detector.
func soakKeys() int {
	if n, err := strconv.Atoi(os.Getenv("EAGLET_SOAK")); err == nil {
		return n
	}
	if raceDetector || testing.Short() {
		return 1500
	}
	return 50_000
}

// soakBytes are what a terminal sends for keys, paste, mouse and focus. Left out are the keys that end or suspend the
// program, and the editor, for whose time the keys are its own.
func soakBytes(random *rand.Rand) string {
	switch random.IntN(24) {
	case 0:
		return fmt.Sprintf("\x1b[<%d;%d;%dM", []int{0, 64, 65, 2, 32}[random.IntN(5)], 1+random.IntN(130), 1+random.IntN(50))
	case 1:
		return fmt.Sprintf("\x1b[<0;%d;%dm", 1+random.IntN(130), 1+random.IntN(50))
	case 2:
		return []string{"\x1b[200~live < 3\n\x1b[201~", "\x1b[200~\x1b[31m界\x1b[201~", "\x1b[200~R = 8, policy = doubling\x1b[201~"}[random.IntN(3)]
	case 3, 4, 5:
		return []string{"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\x1b[Z", "\x1b[3~"}[random.IntN(10)]
	case 6, 7:
		return "\x1b[27u" // escape; a lone byte would make a sequence of what comes behind it
	case 8:
		return []string{"\r", "\t", "\x7f", "\x04", "\x15", "\x07", "\x02", "\x10"}[random.IntN(8)]
	}
	for {
		if r := byte(' ' + random.IntN(95)); r != 'q' && r != 'e' {
			return string(r)
		}
	}
}

// soakMark is pasted behind a portion of keys, to know that they have been taken.
const soakMark = "mark"

// soaked is a workbench under the soak.
type soaked struct {
	keys  *io.PipeWriter
	over  chan error
	taken chan struct{} // a mark has been
	end   context.CancelFunc
}

// openSoaked opens a workbench on a real session.
func openSoaked(t *testing.T, s Session, frames *atomic.Int64) *soaked {
	r, keys := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	x := &soaked{keys: keys, over: make(chan error, 1), taken: make(chan struct{}), end: cancel}
	heard := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if paste, ok := msg.(tea.PasteMsg); ok && paste.Content == soakMark {
			x.taken <- struct{}{}
		}
		return msg
	}
	go func() {
		x.over <- Run(ctx, s, Options{
			Glyphs: GlyphsBraille, Background: BackgroundDark, Input: r, Output: counter{frames}, Width: 120, Height: 40,
			Env:     []string{"TERM=xterm-256color", "LANG=C.UTF-8", "EDITOR=true", "HOME=" + t.TempDir()},
			program: []tea.ProgramOption{tea.WithFilter(heard)},
		})
	}()
	return x
}

// press writes a portion of keys and waits until they are taken. The palette can quit too: then ended is true.
func (x *soaked) press(t *testing.T, text string) (ended bool) {
	go func() { _, _ = io.WriteString(x.keys, text+"\x1b[200~"+soakMark+"\x1b[201~") }()
	select {
	case err := <-x.over:
		x.ended(t, err)
		return true
	case <-x.taken:
	case <-time.After(time.Minute):
		t.Fatal("the workbench takes no more keys")
	}
	return false
}

// ended looks at how the workbench ended.
func (x *soaked) ended(t *testing.T, err error) {
	x.end()
	_ = x.keys.Close()
	if crashed, ok := errors.AsType[*PanicError](err); ok {
		t.Fatalf("%v\n%s", err, crashed.Stack)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// Tens of thousands of keys, clicks and pastes in any order, on a real session with a real engine that runs whenever a
// key says so: the workbench takes them all, and ends when it is told to.
func TestSoak(t *testing.T) {
	t.Chdir(t.TempDir()) // exports go there
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := session.New([]engine.Engine{host.New()}, session.Options{Observe: true})
	defer s.Close()
	for _, c := range []session.Command{session.SetBatch{N: 300, Seed: 1}, session.LoadKernel{Path: "oscillator"}} {
		if err := s.Do(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	var frames atomic.Int64
	x := openSoaked(t, s, &frames)
	const portion = 50
	for sent := 0; sent < soakKeys(); sent += portion {
		text := ""
		for range portion {
			text += soakBytes(random)
		}
		if x.press(t, text) {
			x = openSoaked(t, s, &frames)
		}
	}
	if frames.Load() == 0 {
		t.Error("nothing was drawn")
	}
	x.end()
	select {
	case err := <-x.over:
		x.ended(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the workbench does not end")
	}
}

// counter counts what is written to it.
type counter struct{ writes *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return len(p), nil
}
