package session

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// recording is a file that the events of the session's trace go to.
type recording struct {
	path string
	file *snapshots.File
	rec  *engine.Recorder
}

// RecordingSuffix is how the name of a recording ends.
const RecordingSuffix = ".eagrec"

// record begins to record what happens from now on.
func (o *owner) record(c Record) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case o.recording != nil:
		return fmt.Errorf("%s is being recorded already: stop that first", o.recording.path)
	case filepath.Ext(c.Path) != RecordingSuffix:
		return fmt.Errorf("%s: a recording is named *%s", c.Path, RecordingSuffix)
	}
	file, err := snapshots.Create(c.Path)
	if err != nil {
		return err
	}
	rec, err := engine.NewRecorder(file, b.runner.RecordingHeader(o.runOptions()), o.s.trace)
	if err != nil {
		file.Discard()
		return err
	}
	o.recording = &recording{c.Path, file, rec}
	o.publish()
	return nil
}

// recordStops adds when the samples of the run that has just ended stopped.
func (o *owner) recordStops() {
	if r, b := o.recording, o.batch; r != nil && b.bound != nil {
		if taken := b.bound.StepsTaken(); len(taken) == b.n {
			r.rec.Stops(o.generation, taken, b.mask)
		}
	}
}

// stopRecording puts the recording in its place.
func (o *owner) stopRecording() error {
	r := o.recording
	if r == nil {
		return errors.New("nothing is being recorded")
	}
	o.recording = nil
	defer o.publish()
	if _, _, err := r.rec.Close(); err != nil {
		r.file.Discard()
		return fmt.Errorf("%s: %w", r.path, err)
	}
	size, err := r.file.Commit()
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	o.s.hub.notify(Exported{Path: r.path, Bytes: size})
	return nil
}
