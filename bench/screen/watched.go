package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/tui"
)

// workload is a batch that is run.
type workload struct {
	name   string
	kernel string
	n      int
	policy engine.Policy
}

// newSession loads a workload.
func newSession(w workload, steps int) (*session.Session, error) {
	s := session.New([]engine.Engine{host.New()}, session.Options{Observe: true, Travel: true})
	ctx := context.Background()
	for _, c := range []session.Command{
		session.SetBatch{N: w.n, Seed: 1},
		session.LoadKernel{Path: w.kernel},
		session.Configure{Policy: &w.policy, MaxSteps: &steps, R: new(0.25)},
	} {
		if err := errors.Join(s.Do(ctx, c), s.Wait(ctx)); err != nil {
			return nil, fmt.Errorf("%s: %w", w.kernel, err)
		}
	}
	if s.State().Kernel == nil {
		return nil, fmt.Errorf("%s does not load: %v", w.kernel, s.State().Diagnostics)
	}
	return s, nil
}

// runOnce runs the batch from its start to its end and gives the wall time that the report says.
func runOnce(s *session.Session) (time.Duration, error) {
	ctx := context.Background()
	for _, c := range []session.Command{session.Rewind{}, session.Run{}} {
		if err := errors.Join(s.Do(ctx, c), s.Wait(ctx)); err != nil {
			return 0, err
		}
	}
	return s.State().Report.Wall, nil
}

// workbench is the workbench on a session, with a keyboard that is written to and a screen that is counted.
type workbench struct {
	keys *io.PipeWriter
	end  context.CancelFunc
	over chan error

	mu     sync.Mutex
	frames int
	bytes  int
	marker []byte
	seen   chan time.Time
}

// openWorkbench opens it in w x h cells. Close ends it.
func openWorkbench(s *session.Session, w, h int) *workbench {
	r, keys := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	x := &workbench{keys: keys, end: cancel, over: make(chan error, 1)}
	o := tui.Options{
		Background: tui.BackgroundDark, Input: r, Output: x, Width: w, Height: h,
		Env: []string{"TERM=xterm-256color", "LANG=C.UTF-8", "CLICOLOR_FORCE=1"},
	}
	go func() { x.over <- tui.Run(ctx, s, o) }()
	return x
}

// Write is the screen: it counts frames and bytes, and tells when the marker that is waited for comes by.
func (x *workbench) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.frames++
	x.bytes += len(p)
	if x.marker != nil && bytes.Contains(p, x.marker) {
		x.marker = nil
		x.seen <- time.Now()
	}
	return len(p), nil
}

// written is how often something was written, and how many bytes.
func (x *workbench) written() (frames, bytes int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.frames, x.bytes
}

// press presses a key and says how long it takes until text is written to the screen.
func (x *workbench) press(key, text string) (time.Duration, error) {
	seen := make(chan time.Time, 1)
	x.mu.Lock()
	x.marker, x.seen = []byte(text), seen
	x.mu.Unlock()
	began := time.Now()
	if _, err := io.WriteString(x.keys, key); err != nil {
		return 0, err
	}
	select {
	case at := <-seen:
		return at.Sub(began), nil
	case <-time.After(10 * time.Second):
		return 0, fmt.Errorf("%q does not appear after %q", text, key)
	}
}

// Close ends the workbench and waits for it.
func (x *workbench) Close() error {
	x.end()
	err := <-x.over
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, x.keys.Close())
}
