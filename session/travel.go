package session

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
)

// seek puts the batch where it was, or will be, after a number of steps of its run: from where it stands, from a
// keyframe, or from the start, and then by the same launches (engine.Runner.RunTo). A run that began at the start of
// the batch stays the same run: what lies ahead of the batch is still known, and Continue goes there.
func (o *owner) seek(c Seek) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case c.Step < 0 || c.Step > maxN:
		return fmt.Errorf("a step of the run is a number from 0 to %s, not %s", engine.Grouped(maxN), engine.Grouped(c.Step))
	}
	if err := o.history.way().whole(); err != nil {
		return err
	}
	same := b.entire && o.report != nil && c.Step > 0
	options := o.runOptions()
	if r := o.report; r != nil && r.R > 0 && options.R == 0 {
		options.R = r.R
	}
	options.MaxSteps = max(options.MaxSteps, c.Step)
	var course engine.Course
	if same {
		course = b.runner.Course()
	} else {
		options.Generation, options.Keyframes = o.generation+1, o.keyframes()
	}
	segment := o.history.segments[len(o.history.segments)-1]
	o.start(c, fmt.Sprintf("going to step %s", engine.Grouped(c.Step)), true, func(stop *engine.Stop) (func(), error) {
		if !same || !b.runner.Reaches(c.Step) {
			if err := b.rewind(stop); err != nil {
				return nil, err
			}
		}
		var report engine.Report
		var err error
		if c.Step > 0 {
			report, err = b.runTo(stop, options, c.Step, course)
		}
		return func() {
			if !same {
				o.atStart()
				b.entire = c.Step > 0
			}
			segment.Runs = nil
			o.history = history{segments: []Segment{segment}}
			if c.Step > 0 {
				o.ran(c, options, &report, err)
			}
		}, err
	})
	return nil
}

// runTo makes launches until a step of the run.
func (b *batch) runTo(stop *engine.Stop, o engine.RunOptions, step int, on engine.Course) (report engine.Report, err error) {
	defer catch("running "+b.kernel.IR.Name, &err)
	return b.runner.RunTo(stop, o, step, on)
}

// keyframes are those of the batch, nil when none are to be kept.
func (o *owner) keyframes() *engine.Keyframes {
	b := o.batch
	if o.travels && b.frames == nil {
		b.frames = &engine.Keyframes{Bytes: min(o.maker.memory.free()/keyframeShare, mostKeyframeBytes)}
	}
	return b.frames
}

// Keyframes take a share of the memory that is free, but no more than what makes any step of most batches near.
const (
	keyframeShare     = 8
	mostKeyframeBytes = 512 << 20
)

// begins readies a run that begins now, or goes on.
func (o *owner) begins(options *engine.RunOptions, goesOn bool) {
	b := o.batch
	switch {
	case !goesOn:
		if b.entire = o.phase == Ready; b.entire {
			options.Keyframes = o.keyframes()
		}
	case o.steps < o.furthest && len(o.history.segments) > 1:
		// It was changed in the past: what lay ahead will not be.
		if b.runner.Forget() == nil {
			o.generation++
			o.furthest = o.steps
			options.Generation = o.generation
		}
	}
	o.window.open(b)
}

// Condition is where RunUntil stops. The zero value is none.
type Condition struct {
	text string
	kind conditionKind
	n    int
	part float64 // of the batch
}

type conditionKind uint8

const (
	untilNone conditionKind = iota
	untilLive
	untilShare
	untilWord
	untilChange
	untilSample
	untilNaN
)

// String is the condition as it was given.
func (c Condition) String() string { return c.text }

var errCondition = errors.New("run until: live < 500, live < 10%, k = 32, change (of the steps per launch), sample 17 (is finished), or nan")

// ParseCondition reads a condition. The error lists what can be said.
func ParseCondition(text string) (Condition, error) {
	c := Condition{text: strings.TrimSpace(text)}
	words := strings.Fields(strings.ToLower(strings.NewReplacer("<", " < ", "=", " = ", "%", " % ").Replace(text)))
	number := func(i int) bool {
		v, err := strconv.ParseFloat(strings.ReplaceAll(words[i], ",", ""), 64)
		c.n, c.part = int(v), v/100
		return err == nil && v >= 0 && v <= maxN
	}
	switch {
	case len(words) == 1 && words[0] == "change":
		c.kind = untilChange
	case len(words) == 1 && words[0] == "nan":
		c.kind = untilNaN
	case len(words) == 3 && words[0] == "live" && words[1] == "<" && number(2):
		c.kind = untilLive
	case len(words) == 4 && words[0] == "live" && words[1] == "<" && words[3] == "%" && number(2):
		c.kind = untilShare
	case len(words) == 3 && words[0] == "k" && words[1] == "=" && number(2):
		c.kind = untilWord
	case len(words) == 2 && words[0] == "sample" && number(1):
		c.kind = untilSample
	default:
		return Condition{}, errCondition
	}
	return c, nil
}

// holds looks after a launch; before is the word of the launch before it, now that of the next.
func (c *Condition) holds(b *batch, r *engine.Report, before, now int) bool {
	live := r.N - r.Finished
	switch c.kind {
	case untilLive:
		return live < c.n
	case untilShare:
		return float64(live) < c.part*float64(r.N)
	case untilWord:
		return now == c.n
	case untilChange:
		return before != 0 && now != before
	case untilSample:
		return b.mask[c.n] != 0
	case untilNaN:
		return r.NonFinite > 0
	}
	return false
}

// runUntil makes launches until a condition holds after one of them, or the run is over.
func (o *owner) runUntil(c RunUntil) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case c.Until.kind == untilNone:
		return errCondition
	case c.Until.kind == untilSample && c.Until.n >= b.n:
		return fmt.Errorf("there is no sample %s: the batch has samples 0 to %s", engine.Grouped(c.Until.n), engine.Grouped(b.n-1))
	case b.spoiled != "":
		return spoiled(b)
	}
	if o.phase != Paused {
		o.generation++
	}
	b.unstarted = false
	options := o.runOptions()
	o.begins(&options, o.phase == Paused)
	o.start(c, "running until "+c.Until.text, true, func(stop *engine.Stop) (func(), error) {
		var report engine.Report
		err := func() (err error) {
			defer catch("running "+b.kernel.IR.Name, &err)
			for !stop.IsSet() {
				before := 0
				if report.Launches > 0 {
					before = b.runner.LaunchPolicy().K
				}
				if report, err = b.runner.Launch(stop, options, 0); err != nil {
					return err
				}
				if report.Status != engine.StatusPaused.String() || c.Until.holds(b, &report, before, b.runner.LaunchPolicy().K) {
					return nil
				}
			}
			return nil
		}()
		return func() { o.ran(c, options, &report, err) }, err
	})
	return nil
}
