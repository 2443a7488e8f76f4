package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// paneNames are how a pane is asked for on the command line and in the palette.
var paneNames = [paneCount]string{
	paneLive: "live", paneBand: "band", paneWhy: "why", paneMask: "mask", paneLanes: "lanes", paneCompact: "compaction",
	panePick: "pick", paneRegret: "regret", paneFinish: "finish", paneSource: "source", panePlanes: "planes",
	paneSample: "sample", paneLog: "log", paneReport: "report", paneFork: "fork", paneLab: "lab",
}

// Recording is a session that tells a recording, see [Draw].
type Recording interface {
	Session
	// Skip tells at most some events of what lies ahead and says whether all is told.
	Skip(most int) (end bool)
}

// ViewOptions say what [Draw] draws, and how.
type ViewOptions struct {
	Width, Height int // 0: 80 and 24
	Colours       int // 0 none, 16, 256, or 1 << 24
	Glyphs        Glyphs
	Background    Background
	At            int    // launch under the cursor, from 1; 0: the newest
	Axis          string // step, launch or wall; "": step
	Zoom          int    // halvings of what the time axis shows, around the cursor
	File          string // a .svg, .png or .csv is written to it in the place of text; "": text
	Now           time.Time
}

// ViewNames lists what [Draw] can draw: the whole screen, and every pane.
func ViewNames() []string { return append([]string{"screen"}, paneNames[:]...) }

// Draw draws a pane, or the whole screen, at the end of a recording, without a terminal.
func Draw(ctx context.Context, w io.Writer, name string, from Recording, o ViewOptions) (err error) {
	if o.Width == 0 {
		o.Width, o.Height = 80, 24
	}
	if ext := strings.ToLower(filepath.Ext(o.File)); o.Glyphs == GlyphsAuto && (ext == ".svg" || ext == ".png") {
		o.Glyphs = GlyphsBraille // the picture has shapes of its own, whatever the terminal shows
	}
	m := newModel(ctx, from, &Options{Glyphs: o.Glyphs, Background: o.Background, Env: os.Environ()})
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r}
		}
	}()
	m.clock = func() time.Time { return o.Now }
	m.colours.profile = profileOf(o.Colours)
	m.retheme()
	m.width, m.height, m.now = o.Width, o.Height, o.Now
	if err := m.tellAll(from); err != nil {
		return err
	}
	if err := m.lookAt(o); err != nil {
		return err
	}
	s, panes, err := m.drawNamed(name, o)
	if err != nil {
		return err
	}
	if o.File != "" {
		write, err := m.exporter(o.File, s, name, panes)
		if err != nil {
			return err
		}
		return writeFile(o.File, write)
	}
	t := m.theme
	if o.Colours == 0 {
		t = nil
	}
	_, err = io.WriteString(w, s.String(t)+"\n")
	return err
}

// tellAll takes in a recording to its end.
func (m *model) tellAll(from Recording) error {
	for end := false; !end; {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		end = from.Skip(portionEvents / 2)
		for more := true; more; {
			_, more = m.catchUp()
		}
	}
	return nil
}

func profileOf(colours int) colorprofile.Profile {
	switch {
	case colours == 16:
		return colorprofile.ANSI
	case colours > 256:
		return colorprofile.TrueColor
	}
	return colorprofile.ANSI256
}

// lookAt puts cursor and axis where they are wanted.
func (m *model) lookAt(o ViewOptions) error {
	r := &m.feed.records
	if o.At > 0 {
		found := false
		for i := r.first(); i < r.total && !found; i++ {
			if r.at(i).launch.Number == uint32(o.At) {
				m.cursor, found = i, true
			}
		}
		switch {
		case !found && r.total == 0:
			return fmt.Errorf("launch %d is not in the recording: its last run has no launches", o.At)
		case !found:
			return fmt.Errorf("launch %d is not in the recording: its last run has launches %d to %d", o.At, r.at(r.first()).launch.Number, r.last().launch.Number)
		}
	}
	for u := range axisUnits {
		if o.Axis == u.String() {
			m.axis.unit = u
		}
	}
	m.axis.zoom = min(max(o.Zoom, 0), mostZoom)
	m.version++
	return nil
}

// drawNamed draws what a name stands for, once the panes have been told what they ask for.
func (m *model) drawNamed(name string, o ViewOptions) (s *surface, panes []paneID, err error) {
	if name == "screen" {
		panes = m.onScreen()
		m.settleAsks(panes, func() { s = m.screen() })
		return s, panes, nil
	}
	for p := range paneCount {
		if paneNames[p] != name || m.panes[p] == nil {
			continue
		}
		m.shown, m.zoom = groupOf[p], true
		m.settleAsks([]paneID{p}, func() {
			s = newSurface(o.Width, o.Height, m.glyphs.kind == GlyphsASCII)
			m.drawPane(s.canvas(), placed{p, rect{0, 0, o.Width, o.Height}})
		})
		return s, []paneID{p}, nil
	}
	return nil, nil, fmt.Errorf("there is no pane %q; there are %s", name, strings.Join(ViewNames(), ", "))
}

// settleAsks draws until the panes have no more questions; an answer may lead to a further one.
func (m *model) settleAsks(panes []paneID, draw func()) {
	const rounds = 8
	for range rounds {
		draw()
		asked := false
		if key := m.stopsMoment(); key != "" && key != m.stops.ask.key && m.wantsStops() {
			m.stops.ask.key, asked = key, true
			m.stops.take(lookAtStops(m.ctx, m.session, key))
		}
		for _, p := range panes {
			a, ok := m.panes[p].(asker)
			if !ok {
				continue
			}
			key, ask := a.wants(&m.scene)
			if key == "" || key == m.asks[p].key {
				continue
			}
			m.asks[p].key, asked = key, true
			answer, err := ask(m.ctx, m.session)
			a.answered(key, answer, err)
		}
		if !asked {
			return
		}
	}
	draw()
}
