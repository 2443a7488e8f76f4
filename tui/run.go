package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// Session is what the workbench needs of a session.
type Session interface {
	// Do gives a command; it returns when the command is accepted or refused.
	Do(ctx context.Context, c session.Command) error
	// Subscribe gives a channel of notifications and a function that ends the subscription.
	Subscribe() (<-chan session.Notification, func())
	// State is the newest state, never nil.
	State() *session.State
	// Trace is where the events of runs are.
	Trace() *engine.Trace
	// Look answers a query, see session.Session.
	Look(ctx context.Context, q session.Query) (any, error)
}

// Options are the caller's choices. The zero value is a workbench on the terminal of the process.
type Options struct {
	Glyphs     Glyphs
	Background Background // unknown: the terminal is asked
	Keymap     *Keymap    // keys in the place of the table's; nil for none
	Kernels    []string   // names of bundled kernels, which the palette offers
	Welcome    bool       // say what a newcomer can do, until the first key
	NoMouse    bool       // leave the mouse to the terminal at first
	At         int        // of a recording: tell all of it, with the cursor at this launch; 0: stand at its start
	Env        []string   // "NAME=value"; nil: the environment of the process
	Input      io.Reader  // nil: the terminal
	Output     io.Writer  // nil: the terminal
	Width      int        // cells of an Output that is no terminal; 0: it is asked
	Height     int

	film    *filming            // what is drawn is filmed
	program []tea.ProgramOption // of tests
}

// ErrNoTerminal says that there is no terminal to open the workbench on.
var ErrNoTerminal = errors.New("the workbench needs a terminal on standard input and output; `eaglet run FILE` prints a plain report instead")

// SignalError says which signal ended the workbench. The run that was on has been cancelled.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string {
	return fmt.Sprintf("the workbench was ended by a signal: %s", e.Signal)
}

// PanicError is a bug of eaglet that ended the workbench; the terminal has been restored.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is one sentence; the stack is for a bug report.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the workbench hit a bug of eaglet and closed: %v", e.Value)
}

// Run opens the workbench on a session and returns when the user quits, ctx ends or a signal comes. The
// terminal is as it was before, also after a panic; a run that is on is cancelled. The session stays the
// caller's.
//
// Errors: [ErrNoTerminal], a [*SignalError], a [*PanicError], ctx's error, or what the terminal gave.
func Run(ctx context.Context, s Session, o Options) error {
	if (o.Input == nil && !term.IsTerminal(int(os.Stdin.Fd()))) || (o.Output == nil && !term.IsTerminal(int(os.Stdout.Fd()))) {
		return ErrNoTerminal
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(inner, s, &o)
	var err error
	if m.keys, err = rebind(m.keys, o.Keymap); err != nil {
		return err
	}
	if r, ok := s.(Recording); ok && o.At > 0 {
		if err := m.tellAll(r); err != nil {
			return err
		}
		if err := m.lookAt(ViewOptions{At: o.At}); err != nil {
			return err
		}
	}
	notes, unsubscribe := s.Subscribe()
	defer unsubscribe()
	m.notes = notes

	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithEnvironment(o.Env), tea.WithFPS(30), tea.WithoutSignalHandler(),
	}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Width > 0 && o.Height > 0 {
		options = append(options, tea.WithWindowSize(o.Width, o.Height))
	}
	if o.Output != nil {
		counted := &countedWriter{Writer: o.Output}
		m.written = counted.bytes.Load
		options = append(options, tea.WithOutput(counted))
	} else if terminal, restore, err := capture(m.output); err == nil {
		defer restore()
		counted := &countedFile{File: terminal}
		m.written, m.terminal = counted.bytes.Load, terminal
		options = append(options, tea.WithOutput(counted))
	}
	p := tea.NewProgram(m, append(options, o.program...)...)
	stop := watchEnd(p, m.crash)
	_, err = p.Run()
	caught := stop()
	cancelRun(s, m.crash)
	switch crashed := m.crash.error(); {
	case crashed != nil:
		return crashed
	case caught != nil:
		return &SignalError{caught}
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// watchEnd ends the program when a signal comes or something has crashed: in order first, by force when
// that is not heard. stop ends the watch and returns the signal that came, nil for none.
func watchEnd(p *tea.Program, c *crash) (stop func() os.Signal) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	over, finished := make(chan struct{}), make(chan struct{})
	var caught os.Signal
	go func() {
		defer close(finished)
		defer c.guard()
		select {
		case <-over:
			return
		case caught = <-signals:
		case <-c.happened:
		}
		quit := make(chan struct{})
		go func() {
			defer close(quit)
			p.Quit()
		}()
		select {
		case <-over:
		case <-time.After(time.Second):
			p.Kill()
		}
		<-quit
	}()
	return func() os.Signal {
		signal.Stop(signals)
		close(over)
		<-finished
		return caught
	}
}

// cancelRun stops a run that is on.
func cancelRun(s Session, c *crash) {
	defer c.guard()
	if s.State().Phase != session.Running {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// The run may have ended meanwhile, and then there is nothing to cancel.
	_ = s.Do(ctx, session.Cancel{})
}

// crash keeps the first panic of any goroutine of the workbench and tells [Run] to end the program, so
// that the terminal is restored in order.
type crash struct {
	once     sync.Once
	happened chan struct{} // closed by the first panic
	err      *PanicError
}

func newCrash() *crash { return &crash{happened: make(chan struct{})} }

// guard is deferred by everything that runs the workbench's code.
func (c *crash) guard() {
	if r := recover(); r != nil {
		c.once.Do(func() {
			c.err = &PanicError{r, debug.Stack()}
			close(c.happened)
		})
	}
}

// error is the panic that happened, nil for none.
func (c *crash) error() error {
	select {
	case <-c.happened:
		return c.err
	default:
		return nil
	}
}
