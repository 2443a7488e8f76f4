package engine_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// TestARecordedRunIsMadeAgainByItsR records a run that calibrates, and makes it again on an engine whose clock
// says something else, with the R of the recording.
func TestARecordedRunIsMadeAgainByItsR(t *testing.T) {
	stops := []uint32{10, 30, 31, 90, 200, 400}
	name := engineName()
	first := batch(t, enginetest.Script{Name: name, Stops: stops, Compaction: 30, Step: 10}, 600)
	o := engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand}
	if h := first.RecordingHeader(o); h.Options.R != 0 {
		t.Errorf("before the first calibration the header says R = %g", h.Options.R)
	}
	o.Trace = engine.NewTrace(1 << 10)
	var file bytes.Buffer
	rec, err := engine.NewRecorder(&file, first.RecordingHeader(o), o.Trace)
	if err != nil {
		t.Fatal(err)
	}
	must(t)(first.Run(nil, o))
	if _, lost, err := rec.Close(); err != nil || lost > 0 {
		t.Fatal(lost, err)
	}
	if h := first.RecordingHeader(o); h.Options.R != 4 {
		t.Errorf("after it the header says R = %g, want 4", h.Options.R)
	}
	o.R = 0.5
	if h := first.RecordingHeader(o); h.Options.R != 0.5 {
		t.Errorf("with a pinned R the header says %g", h.Options.R)
	}

	reader, err := engine.OpenRecording(&file)
	if err != nil {
		t.Fatal(err)
	}
	var recorded []string
	again := engine.RunOptions{MaxSteps: reader.Header.Options.MaxSteps, Policy: engine.PolicyBand, Trace: engine.NewTrace(1 << 10)}
	for e, err := reader.Next(); err != io.EOF; e, err = reader.Next() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == engine.EventRunStart {
			again.R = e.RunStart().R
		}
		recorded = append(recorded, decision(e)...)
	}
	second := batch(t, enginetest.Script{Name: engineName(), Stops: stops, Compaction: time.Second, Step: 1}, 600)
	must(t)(second.Run(nil, again))
	var made []string
	for _, e := range events(again.Trace) {
		made = append(made, decision(e)...)
	}
	if again.R != 4 || len(recorded) < 10 || !slices.Equal(made, recorded) {
		t.Errorf("R = %g: the second run decides\n%q\nthe first\n%q", again.R, made, recorded)
	}
	again.R, again.Trace = 64, engine.NewTrace(1<<10) // the red case: another R decides otherwise
	third := batch(t, enginetest.Script{Name: engineName(), Stops: stops}, 600)
	must(t)(third.Run(nil, again))
	made = nil
	for _, e := range events(again.Trace) {
		made = append(made, decision(e)...)
	}
	if slices.Equal(made, recorded) {
		t.Error("with R = 64 the run decides alike")
	}
}

// TestARecordingMayBeginDuringARun is for the race detector: the header wants what a calibrating run wants too.
func TestARecordingMayBeginDuringARun(t *testing.T) {
	b := batch(t, enginetest.Script{Name: engineName(), Lanes: 4}, 20)
	done := make(chan error)
	go func() {
		_, err := b.Run(nil, engine.RunOptions{MaxSteps: 50, Policy: engine.PolicyBand})
		done <- err
	}()
	h := b.RecordingHeader(engine.RunOptions{MaxSteps: 50})
	if err := <-done; err != nil || h.N != 20 || h.Digest != b.RecordingHeader(engine.RunOptions{}).Digest {
		t.Errorf("header %+v, %v", h, err)
	}
}

// decision is what a launch, a policy or a compaction says, but for walls.
func decision(e engine.Event) []string {
	switch e.Kind {
	case engine.EventLaunch, engine.EventPolicy, engine.EventCompaction:
		return []string{engine.Sentence(e)}
	}
	return nil
}
