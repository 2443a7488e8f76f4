package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// terminal is an emulated terminal with the workbench in it. The emulator has no lock of its own that
// covers reading the screen, so every call goes through mu; its replies are drained, else it would block.
type terminal struct {
	t       *testing.T
	mu      sync.Mutex
	em      *vt.Emulator
	written int
	keys    *io.PipeWriter
	ended   chan error
}

func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written += len(p)
	// Bubble Tea takes a terminal that is no device for one whose driver turns \n into \r\n.
	if _, err := x.em.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.String()
}

func (x *terminal) bytes() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.written
}

// alternate says whether the alternate screen is on, cursorHidden whether the cursor is hidden: what a
// program must undo.
func (x *terminal) alternate() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.IsAltScreen()
}

func (x *terminal) cursorHidden() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.CursorHidden()
}

// open starts the workbench on s in a terminal of w x h cells.
func open(t *testing.T, ctx context.Context, s Session, w, h int) *terminal {
	t.Helper()
	r, keys := io.Pipe()
	x := &terminal{t: t, em: vt.NewEmulator(w, h), keys: keys, ended: make(chan error, 1)}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, x.em)
	}()
	o := Options{
		Glyphs: GlyphsBraille, Background: BackgroundDark, Input: r, Output: x,
		Env: []string{"TERM=xterm-256color", "LANG=C.UTF-8"},
		program: []tea.ProgramOption{
			tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.ANSI256),
		},
	}
	go func() { x.ended <- Run(ctx, s, o) }()
	t.Cleanup(func() {
		_ = keys.Close()
		// Closing the emulator races with reading its replies; closing its end of the pipe does not.
		_ = x.em.InputPipe().(io.Closer).Close()
		<-drained
	})
	return x
}

const patience = 10 * time.Second

// sees waits until text is on screen.
func (x *terminal) sees(text string) {
	x.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		screen := x.screen()
		if strings.Contains(screen, text) {
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%q does not appear:\n%s", text, screen)
		}
	}
}

func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// end waits for Run to return.
func (x *terminal) end() error {
	x.t.Helper()
	select {
	case err := <-x.ended:
		return err
	case <-time.After(patience):
		x.t.Fatal("the workbench does not end")
		return nil
	}
}

// restored checks that the terminal is as it was.
func (x *terminal) restored() {
	x.t.Helper()
	if x.alternate() {
		x.t.Error("the alternate screen is still on")
	}
	if x.cursorHidden() {
		x.t.Error("the cursor is still hidden")
	}
}

func TestProgramRunsAndQuits(t *testing.T) {
	s := newScript(10_000)
	s.pace = time.Millisecond
	x := open(t, t.Context(), s, 80, 24)
	x.sees("READY")
	if !x.alternate() {
		t.Error("the alternate screen is not on")
	}
	x.types("s")
	x.sees("Why launch 2 takes 64 steps")
	x.types(" ")
	x.sees("every sample is finished")
	x.types("?")
	x.sees("Help: the keys of")
	x.types("\x1b")
	x.sees("Band: 64 steps per launch")
	x.types("5")
	x.sees("terminated = s.T >= s.TEnd")
	x.types("q")
	if err := x.end(); err != nil {
		t.Errorf("quitting gives %v", err)
	}
	x.restored()
	_ = x.keys.Close()
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		stacks := string(buf[:runtime.Stack(buf, true)])
		left := false
		for _, of := range []string{"bubbletea/v2.", "tui.Run", "tui.watchEnd", "tui.(*model)"} {
			left = left || strings.Contains(stacks, of)
		}
		if !left {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines are left:\n%s", stacks)
		}
	}
}

var _ Session = (*session.Session)(nil)

// The same with a real session, whose engine is scripted: every sample stops at its nstop.
func TestProgramOnARealSession(t *testing.T) {
	s := session.New([]engine.Engine{enginetest.NewScripted(enginetest.Script{})}, session.Options{Observe: true})
	defer s.Close()
	for _, c := range []session.Command{session.SetBatch{N: 2000, Seed: 1}, session.LoadKernel{Path: "oscillator"}} {
		if err := s.Do(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	x := open(t, t.Context(), s, 200, 60)
	x.sees("READY")
	x.sees("terminated = s.K >= s.Nstop")
	x.types("s")
	x.sees("Why launch 2 takes")
	x.types(" ")
	x.sees("every sample is finished")
	x.sees("live 0.0 %")
	x.types("h")
	x.sees("samples after launch")
	x.types("R")
	x.sees("Log: nothing decided yet")
	x.types("q")
	if err := x.end(); err != nil {
		t.Errorf("quitting gives %v", err)
	}
}

func TestIdleWritesNothing(t *testing.T) {
	s := over()
	x := open(t, t.Context(), s, 120, 40)
	x.sees("DONE")
	// Quiet once nothing was written for a quarter of a second; after that, not a byte in another half.
	quiet := func(d time.Duration) bool {
		n := x.bytes()
		time.Sleep(d)
		return x.bytes() == n
	}
	for deadline := time.Now().Add(patience); !quiet(250 * time.Millisecond); {
		if time.Now().After(deadline) {
			t.Fatal("the screen never comes to rest")
		}
	}
	if !quiet(500 * time.Millisecond) {
		t.Error("an idle workbench writes")
	}
	x.types("\x03")
	if err := x.end(); err != nil {
		t.Errorf("ctrl+c gives %v", err)
	}
}

func TestResizeOfAProgram(t *testing.T) {
	// Without a terminal device there is no resize signal; the model is sent the size as the signal would.
	m := newTestModel(after(41), 80, 24, GlyphsBraille)
	for _, size := range [][2]int{{120, 40}, {20, 4}, {200, 60}, {80, 24}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		lines := strings.Split(m.View().Content, "\n")
		if len(lines) != size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
	}
}

// breaking is a session whose state makes the workbench panic once it is armed.
type breaking struct {
	*script
	mu    sync.Mutex
	armed bool
}

func (b *breaking) State() *session.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.armed {
		panic("the session is broken")
	}
	return b.script.State()
}

func (b *breaking) Do(ctx context.Context, c session.Command) error {
	if _, ok := c.(session.Rewind); ok {
		panic("the command is broken")
	}
	b.mu.Lock()
	b.armed = true
	b.mu.Unlock()
	return b.script.Do(ctx, c)
}

func TestAPanicRestoresTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name, key, says string
		make            func() *script
	}{
		{"in Update", "s", "the session is broken", func() *script { return newScript(10) }},
		{"in a command", "R", "the command is broken", over},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &breaking{script: c.make()}
			x := open(t, t.Context(), b, 80, 24)
			x.sees("oscillator")
			x.types(c.key)
			err := x.end()
			var crashed *PanicError
			if !errors.As(err, &crashed) || !strings.Contains(err.Error(), c.says) || !bytes.Contains(crashed.Stack, []byte("tui")) {
				t.Errorf("got %v", err)
			}
			x.restored()
		})
	}
}

func TestAPanicInViewRestoresTheTerminal(t *testing.T) {
	s := newScript(10)
	x := open(t, t.Context(), s, 80, 24)
	x.sees("READY")
	s.change(func(x *session.State) { x.Kernel = &kernels.Kernel{} })
	var crashed *PanicError
	if err := x.end(); !errors.As(err, &crashed) {
		t.Errorf("got %v", err)
	}
	x.restored()
}

func TestSignalsRestoreTheTerminalAndCancelTheRun(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := after(41)
			x := open(t, t.Context(), s, 80, 24)
			x.sees("RUN")
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			var ended *SignalError
			if err := x.end(); !errors.As(err, &ended) || ended.Signal != sig {
				t.Errorf("got %v", err)
			}
			x.restored()
			if n := len(s.commands); n != 1 || s.commands[0] != (session.Cancel{}) {
				t.Errorf("the session was given %v", s.commands)
			}
		})
	}
}

func TestACancelledContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := open(t, ctx, newScript(10), 80, 24)
	x.sees("READY")
	cancel()
	if err := x.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	x.restored()
}

func TestWithoutATerminalRunSaysSo(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stdin := os.Stdin
	os.Stdin = null
	defer func() { os.Stdin = stdin }()
	if err := Run(t.Context(), newScript(10), Options{}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v", err)
	}
}
