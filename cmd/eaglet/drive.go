package main

import (
	"context"
	"errors"
	"io"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// driver gives a session one command after the other and waits for each.
type driver struct {
	s     *session.Session
	notes <-chan session.Notification
	leave func()
}

func newDriver(s *session.Session) *driver {
	notes, leave := s.Subscribe()
	return &driver{s, notes, leave}
}

// do gives a command and waits until the session has carried it out.
func (d *driver) do(ctx context.Context, c session.Command) error {
	if err := d.s.Do(ctx, c); err != nil {
		return err
	}
	if err := d.s.Wait(ctx); err != nil {
		return err
	}
	return d.failure()
}

// failure returns the error of the last command, and forgets what else has been told.
func (d *driver) failure() error {
	for {
		select {
		case note := <-d.notes:
			if failed, ok := note.(session.Failed); ok {
				return failed.Err
			}
		default:
			return nil
		}
	}
}

// run gives a command that starts a run and waits for its end; watch runs beside it until done is closed.
// When ctx ends the run is cancelled, and its report says so.
func (d *driver) run(ctx context.Context, c session.Command, watch func(done <-chan struct{})) (engine.Report, error) {
	if err := d.s.Do(ctx, c); err != nil {
		return engine.Report{}, err
	}
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() { defer close(watched); watch(done) }()
	defer func() { close(done); <-watched }()
	cancel := ctx.Done()
	for {
		select {
		case note := <-d.notes:
			switch note := note.(type) {
			case session.RunEnded:
				return note.Report, nil
			case session.Failed:
				return engine.Report{}, note.Err
			}
		case <-cancel:
			cancel = nil
			if err := d.s.Do(context.WithoutCancel(ctx), session.Cancel{}); err != nil && !errors.Is(err, engine.ErrBusy) {
				return engine.Report{}, err
			}
		}
	}
}

// load sets up a session for one kernel: options, batch, kernel. Diagnostics go to stderr; when they stop
// the load, the error is a silent exit status.
func (d *driver) load(ctx context.Context, path string, before []session.Command, stderr io.Writer, color bool) error {
	for _, c := range before {
		if err := d.do(ctx, c); err != nil {
			return err
		}
	}
	err := d.do(ctx, session.LoadKernel{Path: path})
	var load *session.LoadError
	if errors.As(err, &load) {
		if werr := load.Diagnostics.Render(stderr, color); werr != nil {
			return werr
		}
		return &statusError{status: exitError}
	}
	if err != nil {
		return err
	}
	return d.s.State().Diagnostics.Render(stderr, color) // warnings
}
