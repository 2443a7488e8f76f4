package session

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var ctx = context.Background()

// library is what the tests load by name.
func library(path string) (*kernels.Kernel, kernels.Diagnostics) {
	wrap := func(k *ir.Kernel) (*kernels.Kernel, kernels.Diagnostics) {
		return &kernels.Kernel{IR: k, Path: path, Digest: "digest of " + path}, nil
	}
	switch path {
	case "count":
		return wrap(enginetest.CountKernel())
	case "endless":
		return wrap(enginetest.CountKernel(enginetest.WithoutFinish, func(k *ir.Kernel) { k.Name = "endless" }))
	case "typed": // every type of plane, a param among them
		return wrap(enginetest.CountKernel(func(k *ir.Kernel) {
			k.Name = "typed"
			k.Planes = append(k.Planes, []ir.Plane{
				{Name: "dt", Type: ir.F64, Role: ir.RoleParam, Unit: "s", Doc: "time step", Init: ir.Init{Args: []float64{0.5}, Text: "0.5"}},
				{Name: "w", Type: ir.F32, Role: ir.RoleInput, Init: ir.Init{Args: []float64{0}}},
				{Name: "on", Type: ir.Bool, Role: ir.RoleInput, Init: ir.Init{Args: []float64{0}}},
				{Name: "u", Type: ir.U32, Role: ir.RoleInput, Init: ir.Init{Args: []float64{0}}},
				{Name: "r", Type: ir.F64, Dims: []int{3}, Role: ir.RoleInput, Init: ir.Init{Kind: ir.InitUniform, Args: []float64{-1, 1}, Text: "uniform(-1, 1)"}},
			}...)
		}))
	}
	return nil, kernels.Diagnostics{
		{File: path, Line: 3, Column: 5, EndColumn: 9, Code: "E101", What: "a goroutine is started"},
		{File: path, Line: 9, Column: 1, EndColumn: 2, Code: "E102", What: "a map is used"},
	}
}

// start makes a session on a scripted engine.
func start(t *testing.T, script enginetest.Script, o Options) *Session {
	t.Helper()
	if o.Load == nil {
		o.Load = library
	}
	return startOn(t, o, enginetest.NewScripted(script))
}

func startOn(t *testing.T, o Options, engines ...engine.Engine) *Session {
	t.Helper()
	s := New(engines, o)
	t.Cleanup(func() { s.Close() })
	return s
}

// recorder keeps everything that a session tells.
type recorder struct {
	mu    sync.Mutex
	notes []Notification
}

func record(t *testing.T, s *Session) *recorder {
	t.Helper()
	r := &recorder{}
	notes, leave := s.Subscribe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range notes {
			r.mu.Lock()
			r.notes = append(r.notes, n)
			r.mu.Unlock()
		}
	}()
	t.Cleanup(func() { leave(); <-done })
	return r
}

// take waits until there are as many notifications of one type as wanted, and takes all out.
func take[N Notification](t *testing.T, r *recorder, want int) []N {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Microsecond) {
		r.mu.Lock()
		var found []N
		var rest []Notification
		for _, n := range r.notes {
			if x, ok := n.(N); ok {
				found = append(found, x)
			} else {
				rest = append(rest, n)
			}
		}
		if len(found) >= want {
			r.notes = rest
			r.mu.Unlock()
			if len(found) > want {
				t.Fatalf("%d notifications %T, want %d: %+v", len(found), found[0], want, found)
			}
			return found
		}
		r.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatalf("%d notifications of the type, want %d", len(found), want)
		}
	}
}

// do gives commands and waits for each; any failure ends the test.
func do(t testing.TB, s *Session, commands ...Command) {
	t.Helper()
	for _, c := range commands {
		if err := try(s, c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
}

// try gives a command, waits for it, and returns its refusal or its failure.
func try(s *Session, c Command) error {
	notes, leave := s.Subscribe()
	defer leave()
	if err := s.Do(ctx, c); err != nil {
		return err
	}
	if err := s.Wait(ctx); err != nil {
		return err
	}
	for {
		select {
		case n := <-notes:
			if f, ok := n.(Failed); ok {
				return f.Err
			}
		case <-time.After(time.Millisecond):
			return nil
		}
	}
}

func results(t *testing.T, s *Session) *Results {
	t.Helper()
	r, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameResults compares planes, mask and steps taken by bits.
func sameResults(t *testing.T, what string, got, want *Results) {
	t.Helper()
	for i := range want.Planes.Spec {
		if !bytes.Equal(got.Planes.Bytes(i), want.Planes.Bytes(i)) {
			t.Errorf("%s: plane %s\n got %x\nwant %x", what, want.Planes.Spec[i].Name, head(got.Planes.Bytes(i)), head(want.Planes.Bytes(i)))
		}
	}
	if !bytes.Equal(got.Mask, want.Mask) {
		t.Errorf("%s: mask\n got %x\nwant %x", what, head(got.Mask), head(want.Mask))
	}
	if !slices.Equal(got.StepsTaken, want.StepsTaken) {
		t.Errorf("%s: steps taken\n got %v\nwant %v", what, head(got.StepsTaken), head(want.StepsTaken))
	}
}

func head[T any](s []T) []T { return s[:min(len(s), 64)] }

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantError compares an error's text.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("\n got %v\nwant %v", err, want)
	}
}

func wantPhase(t *testing.T, s *Session, want Phase) {
	t.Helper()
	if got := s.State().Phase; got != want {
		t.Errorf("phase %s, want %s", got, want)
	}
}

func ptr[T any](v T) *T { return &v }

// gate stops a scripted run before a sample-step, until the test lets it go on.
type gate struct {
	at      uint64
	reached chan struct{}
	open    chan struct{}
	once    sync.Once
}

func newGate(at uint64) *gate {
	return &gate{at: at, reached: make(chan struct{}), open: make(chan struct{})}
}

// poll is for enginetest.Script.Poll.
func (g *gate) poll(sampleSteps uint64) {
	if sampleSteps >= g.at {
		g.once.Do(func() { close(g.reached); <-g.open })
	}
}

var errBroken = errors.New("the device is on fire")
