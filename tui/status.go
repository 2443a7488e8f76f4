package tui

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// drawStatus writes what the user should know now: an answer to a key, else who works and since when,
// and on the right what of the run is kept in detail.
func drawStatus(c canvas, m *model) {
	right := keptInWords(m.feed)
	if right == "" && m.state.Phase == session.Running {
		right = m.meter.String()
	}
	if p, ok := m.top().(*prompt); ok {
		p.drawLine(c)
		return
	}
	look, text := m.note.look, m.note.text
	if ds := m.state.Diagnostics; text == "" && ds.Errors() {
		look, text = wrong, m.glyphs.fail+" "+loadFailed(ds, m.state.Kernel != nil)
	}
	if text == "" {
		look, text = waits, m.outputNews()
	}
	if text == "" {
		look, text = plain, m.replayInWords()
	}
	if text == "" {
		look, text = plain, workInWords(&m.scene)
	}
	room := c.w - 2
	if right != "" && width(right)+20 < room {
		c.right(c.w-1, 0, quiet, right)
		room -= width(right) + 2
	}
	c.text(1, 0, look, cut(text, room))
}

// workInWords says who works, since when, or what the user can do next.
func workInWords(s *scene) string {
	since := elapsed(s.now.Sub(s.state.Since).Round(100 * 1e6))
	switch s.state.Phase {
	case session.Empty:
		return "no kernel is loaded"
	case session.Working, session.Running:
		what := s.state.Activity
		if what == "" {
			what = s.state.Phase.String()
		}
		return fmt.Sprintf("engine: %s for %s", what, since)
	case session.Paused:
		if s.past() {
			return fmt.Sprintf("in the past: step %s of %s made; space goes on, S a step, s a launch",
				engine.Grouped(s.done()), engine.Grouped(s.made()))
		}
		return fmt.Sprintf("paused at step %s: space goes on, s makes one launch, R rewinds", engine.Grouped(s.done()))
	case session.Ended:
		if s.live() == 0 {
			return fmt.Sprintf("every sample is finished after %s, R rewinds", counted(s.done(), "step", "steps"))
		}
		return fmt.Sprintf("%s still live at max_steps: space goes on, R rewinds", counted(s.live(), "sample is", "samples are"))
	}
	if s.state.Kernel != nil && s.state.Kernel.IR.Finish == nil {
		return "ready: u runs a number of steps, s makes one launch"
	}
	return "ready: space runs the batch, s makes one launch"
}

// keptInWords says what of a long run is kept in detail, and what was lost.
func keptInWords(f *feed) string {
	text := ""
	if r := &f.records; r.first() > 0 {
		text = fmt.Sprintf("detail: last %s of %s launches", engine.Grouped(len(r.items)), short(r.total))
	}
	if f.lost > 0 {
		if text != "" {
			text += ", "
		}
		text += counted(f.lost, "event", "events") + " lost"
	}
	return text
}

// loadFailed is the sentence about a load that gave errors.
func loadFailed(ds kernels.Diagnostics, stays bool) string {
	text := "not loaded: " + counted(countErrors(ds), "error", "errors")
	if stays {
		text += ", the kernel before it stays"
	}
	return text + "; " + groupKeys[groupSource] + " shows why"
}
