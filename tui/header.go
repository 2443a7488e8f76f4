package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// drawIdentity writes what is loaded: kernel, n, precision, engine, policy.
func drawIdentity(c canvas, s *scene) {
	x := 1
	name := "no kernel"
	pieces := []span{}
	if k := s.state.Kernel; k != nil {
		name = k.IR.Name
		precision := "f64"
		if k.IR.Precision == ir.F32 {
			precision = "f32"
		}
		pieces = append(pieces, span{plain, "n " + engine.Grouped(s.state.N)}, span{plain, precision})
	}
	pieces = append(pieces, span{plain, "policy " + s.policyInWords()})
	where := strings.TrimSpace(s.state.Engine)
	if where != "" {
		pieces = append(pieces, span{plain, "engine " + where})
	}
	x = c.text(x, 0, strong, cut(name, max(c.w/3, 8)))
	for _, p := range pieces {
		if x+3+width(p.text) > c.w-1 {
			break
		}
		x = c.spans(x+3, 0, p)
	}
	if d := s.state.Device; d != "" && x+2+min(width(d), 16) < c.w {
		x = c.text(x, 0, quiet, ", ")
		x = c.text(x, 0, quiet, cut(d, c.w-1-x))
	}
	if brand := "eaglet"; x+3+len(brand) < c.w {
		c.right(c.w-1, 0, quiet, brand)
	}
}

// drawState writes where the run is: phase, launch, step, live, and a bar of finished samples.
func drawState(c canvas, s *scene) {
	shape, word, look := s.phase()
	x := c.spans(1, 0, span{look, shape + " " + word})
	if s.state.Kernel == nil {
		return
	}
	if s.frozen {
		x = c.text(x, 0, waits, ", view frozen")
	}
	f := s.feed
	launch := "launch " + engine.Grouped(f.launches())
	if r := s.recordAt(s.done()); s.past() && r != nil {
		x = c.text(x, 0, waits, ", in the past")
		launch = fmt.Sprintf("launch %s of %s", engine.Grouped(r.launch.Number), engine.Grouped(f.launches()))
	}
	pieces := []span{
		{plain, launch},
		{plain, "step " + engine.Grouped(s.done()) + " of " + engine.Grouped(s.state.MaxSteps)},
	}
	if f.passing {
		pieces = []span{{plain, "one pass"}, {plain, "at most " + counted(s.state.MaxSteps, "step", "steps")}}
	}
	pieces = append(pieces, span{liveTone, "live " + share(s.live(), s.n())})
	if s.state.Recording != "" {
		pieces = append(pieces, span{waits, "REC " + cut(filepath.Base(s.state.Recording), 20)})
	}
	if f.faulted > 0 {
		pieces = append(pieces, span{wrong, s.glyphs.fail + " faulted " + engine.Grouped(f.faulted)})
	}
	if s.state.Phase == session.Running {
		pieces = append(pieces, span{quiet, elapsed(s.now.Sub(s.state.Since))})
	} else if f.ended || f.wall > 0 {
		pieces = append(pieces, span{quiet, elapsed(f.wallTime())})
	}
	for _, p := range pieces {
		if x+3+width(p.text) > c.w {
			return
		}
		x = c.spans(x+3, 0, p)
	}
	if room := c.w - x - 4; room >= 8 {
		c.bar(x+3, 0, min(room, 60), s.glyphs, doneTone, float64(s.finished()), float64(s.n()))
	}
}
