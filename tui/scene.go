package tui

import (
	"fmt"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// scene is all that a pane may look at while it draws. Only the model changes it.
type scene struct {
	state  *session.State
	feed   *feed
	glyphs *glyphSet
	cursor int // index of the selected launch; -1 follows the newest
	axis   timeline
	frozen bool       // feed is a picture of an earlier moment
	edge   float64    // where the step axis ends, 0: where the run does
	chosen []int      // samples that the user picked, in the order of picking
	marks  []stepMark // by step; replaced, never changed
	stops  stopsBook  // when samples stopped, as far as it was asked for
	now    time.Time
	shown  group // has the focus

	observer string // what the workbench saw of the run and what that cost, "" before it is known
}

// pane is a part of the screen. Its rectangle never holds the title, which the model draws.
type pane interface {
	// title is a sentence fragment that reads without the pane.
	title(s *scene) string
	// draw fills c, of any size.
	draw(c canvas, s *scene)
}

// view is a pane alone, as plain text of at most height lines of at most width cells.
func view(p pane, s *scene, width, height int) string {
	on := newSurface(width, height, s.glyphs.kind == GlyphsASCII)
	p.draw(on.canvas(), s)
	return on.String(nil)
}

// selected is the launch under the cursor, when following the newest, or the one at which the batch stands when that is
// in the past; nil when there is none.
func (s *scene) selected() *record {
	if s.cursor < 0 {
		if s.past() {
			return s.recordAt(s.done())
		}
		return s.feed.records.last()
	}
	if s.feed.records.has(s.cursor) {
		return s.feed.records.at(s.cursor)
	}
	return nil
}

// n is the size of the batch.
func (s *scene) n() uint32 {
	if s.feed.started {
		return s.feed.start.N
	}
	return uint32(s.state.N)
}

// done is the number of steps of the run, at the newest boundary known. State and events come on two
// ways; within a generation both only grow, so the greater is the newer.
//
// A batch that has gone back stands where the state says; the events of its run go on to where it was.
func (s *scene) done() uint32 {
	done := uint32(s.state.StepsDone)
	if s.past() {
		return done
	}
	if s.feed.generation != s.state.Generation || s.frozen {
		done = 0
	}
	if last := s.feed.records.last(); last != nil {
		done = max(done, last.launch.Done)
	}
	return done
}

// past says whether the batch stands before a step that its run has come to.
func (s *scene) past() bool {
	if s.state.StepsDone >= s.state.Furthest || s.frozen {
		return false
	}
	last := s.feed.records.last()
	return s.feed.generation == s.state.Generation && (last == nil || last.launch.Done <= uint32(s.state.Furthest))
}

// made is the number of steps that the run has come to, wherever the batch stands.
func (s *scene) made() uint32 {
	if s.past() {
		return uint32(s.state.Furthest)
	}
	return s.done()
}

// finished is the number of finished samples, at the newest boundary known.
func (s *scene) finished() uint32 {
	finished := uint32(s.state.Finished)
	if s.past() {
		return finished
	}
	if s.feed.generation != s.state.Generation || s.frozen {
		finished = 0
	}
	return max(finished, s.feed.finished())
}

func (s *scene) live() uint32 { return s.n() - min(s.finished(), s.n()) }

// rightEdge is where the step axis of every plot ends.
func (s *scene) rightEdge() float64 {
	if s.edge > 0 {
		return s.edge
	}
	done := float64(s.made())
	if s.state.Phase == session.Ended || s.past() && s.feed.ended {
		return max(done, 10)
	}
	return niceEnd(done)
}

// policyInWords is how the steps per launch of the next run are chosen.
func (s *scene) policyInWords() string {
	k := s.state.Kernel
	if k != nil && !k.IR.Auto() {
		return fmt.Sprintf("fixed: %s per launch", counted(k.IR.Steps, "step", "steps"))
	}
	switch s.state.Policy {
	case engine.PolicyBand:
		return "band (observe)"
	case engine.PolicyAuto:
		return "auto (fastest)"
	}
	return s.state.Policy.String()
}

// phase is what the session does, as a shape, a word and a style.
func (s *scene) phase() (shape, word string, look style) {
	g := s.glyphs
	switch s.state.Phase {
	case session.Empty:
		return g.ready, "EMPTY", strong
	case session.Working:
		return g.wait, "WORKING", waits
	case session.Running:
		return g.run, "RUN", runs
	case session.Paused:
		return g.pause, "PAUSED", waits
	case session.Ended:
		return g.done, "DONE", ends
	}
	return g.ready, "READY", strong
}

// bar draws how much of a whole is done, in n cells; a share that is neither none nor all never looks so.
func (c canvas) bar(x, y, n int, g *glyphSet, look style, part, whole float64) {
	full := 0
	if whole > 0 {
		full = int(part / whole * float64(n))
		if part > 0 {
			full = max(full, 1)
		}
		if part < whole {
			full = min(full, n-1)
		}
	}
	c.across(x, y, n, quiet, g.empty)
	c.across(x, y, min(full, n), look, g.full)
}
