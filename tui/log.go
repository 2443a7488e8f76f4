package tui

import (
	"context"
	"fmt"
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// logPane shows one sentence per decision, the newest at the bottom; all of them, those of a kind, those that
// hold a text. Sentences are made for the visible rows only, so the length of a log costs nothing; what holds
// a text is looked up beside the screen.
type logPane struct {
	back   int // sentences between the bottom row and the newest; 0 follows
	height int
	rows   []int // index of the sentence in each row, -1 for none

	kind int // of logKinds
	text string
	held matched

	upper, lower []int // the sentences in view from the bottom up, and those that follow below; when narrowed
	newest       int
}

// logKind is a class of sentences.
type logKind struct {
	name  string
	kinds []engine.EventKind
}

// logKinds are the classes that the log can be narrowed to; the first holds all.
var logKinds = []logKind{
	{"all", nil},
	{"launches", []engine.EventKind{engine.EventPolicy, engine.EventLaunch}},
	{"compactions", []engine.EventKind{engine.EventCompaction}},
	{"reorders", []engine.EventKind{engine.EventReorder}},
	{"entries", []engine.EventKind{engine.EventPick, engine.EventProbe, engine.EventLaneRefill, engine.EventCalibrate}},
	{"runs", []engine.EventKind{engine.EventRunStart, engine.EventRunEnd, engine.EventCancel}},
	{"trouble", []engine.EventKind{engine.EventFault, engine.EventNonFinite, engine.EventGap}},
}

func (k *logKind) has(e *engine.Event) bool {
	return len(k.kinds) == 0 || slices.Contains(k.kinds, e.Kind)
}

// matched is what of the log holds the text: hits among the sentences before upto.
type matched struct {
	key  string // of the question that it answers
	text string
	hits []int
	upto int
}

// sinceAsked is how many new sentences are looked through while drawing, before they are asked about.
const sinceAsked = 512

func (p *logPane) title(s *scene) string {
	log := &s.feed.log
	if log.total == 0 {
		return "Log: nothing decided yet"
	}
	text := "Log: " + counted(log.total, "sentence", "sentences")
	if n := log.first(); n > 0 {
		text += fmt.Sprintf(", the last %s kept", engine.Grouped(len(log.items)))
	}
	if p.kind > 0 {
		text += ", " + logKinds[p.kind].name + " only"
	}
	switch {
	case p.text != "" && p.held.text != p.text:
		text += fmt.Sprintf(", looking for %q", p.text)
	case p.text != "":
		text += fmt.Sprintf(", %s with %q", engine.Grouped(len(p.held.hits)), p.text)
	}
	if back := p.bottom(s); back > 0 {
		return text + fmt.Sprintf(", %s newer below", engine.Grouped(back))
	}
	return text + ", newest at the bottom"
}

// filter narrows the log to sentences that hold a text; every text can be looked for.
func (p *logPane) filter(_ *scene, text string) error {
	p.text, p.back = text, 0
	return nil
}

// keys are those that hold while the log is shown.
func (p *logPane) keys() []binding {
	return []binding{
		{name: "log-kind", keys: []string{"t"}, title: p.kindTitle, brief: says("kind"), do: p.nextKind},
		{name: "log-before", keys: []string{"{"}, title: says("cursor to the decision of the same kind before"), brief: says("same kind"), off: cursorOff, do: p.toKind(-1)},
		{name: "log-after", keys: []string{"}"}, title: says("cursor to the decision of the same kind after"), off: cursorOff, do: p.toKind(+1)},
	}
}

func (p *logPane) kindTitle(*model) string {
	return "log: " + logKinds[(p.kind+1)%len(logKinds)].name + " only, then further kinds; now " + logKinds[p.kind].name
}

func (p *logPane) nextKind(*model) tea.Cmd {
	p.kind, p.back = (p.kind+1)%len(logKinds), 0
	return nil
}

// toKind moves the cursor to the next launch with a sentence of the kind shown, or, when all are shown, of the
// kind under the cursor.
func (p *logPane) toKind(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		log := &m.feed.log
		at, ok := p.aboutCursor(&m.scene)
		if !ok {
			at = log.total - 1 - p.bottom(&m.scene)
		}
		kind := logKinds[p.kind]
		var turn uint64
		if log.has(at) {
			turn = log.at(at).Turn
			if len(kind.kinds) == 0 {
				kind = logKind{"", []engine.EventKind{log.at(at).Kind}}
			}
		}
		for i := at + by; log.has(i); i += by {
			e := log.at(i)
			if e.Turn == turn || e.Turn == 0 || !kind.has(e) {
				continue
			}
			if r, ok := m.recordOf(e.Turn); ok {
				m.setCursor(r)
				return nil
			}
		}
		m.say(waits, "no such decision further that way")
		return nil
	}
}

// recordOf is the launch of a turn.
func (s *scene) recordOf(turn uint64) (int, bool) {
	r := &s.feed.records
	first := r.first()
	i := first + sort.Search(len(r.items), func(i int) bool { return r.at(first+i).turn >= turn })
	return i, r.has(i) && r.at(i).turn == turn
}

// bottom is the number of sentences below the last row: where the user scrolled to, else the one about
// the launch under the cursor, else none.
func (p *logPane) bottom(s *scene) int {
	log := &s.feed.log
	if p.back > 0 {
		p.back = min(p.back, len(log.items)-1)
		return p.back
	}
	if at, ok := p.aboutCursor(s); ok {
		return max(log.total-1-at-max(p.height/3, 1), 0)
	}
	return 0
}

// aboutCursor finds the last sentence of the turn under the cursor.
func (p *logPane) aboutCursor(s *scene) (at int, ok bool) {
	r := s.selected()
	if r == nil || s.cursor < 0 {
		return 0, false
	}
	log := &s.feed.log
	first := log.first()
	i := sort.Search(len(log.items), func(i int) bool { return log.at(first+i).Turn > r.turn })
	for i > 0 && log.at(first+i-1).Turn == 0 { // of no turn: behind the last one
		i--
	}
	return first + i - 1, i > 0 && log.at(first+i-1).Turn == r.turn
}

// wants asks which sentences hold the text.
func (p *logPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	log := &s.feed.log
	if p.text == "" || log.total == 0 {
		return "", nil
	}
	key := fmt.Sprintf("%d/%d/%s", s.feed.generation, log.total/sinceAsked, p.text)
	if key == p.held.key {
		return key, nil
	}
	first, text, kernel := log.first(), p.text, s.irKernel()
	events := make([]engine.Event, 0, len(log.items)) // a copy: the ring belongs to the screen
	for i := first; i < log.total; i++ {
		events = append(events, *log.at(i))
	}
	return key, func(ctx context.Context, _ Session) (any, error) {
		m := matched{key: key, text: text, upto: first + len(events)}
		for i := range events {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if holds(engine.SentenceOf(events[i], kernel), text) {
				m.hits = append(m.hits, first+i)
			}
		}
		return m, nil
	}
}

func (p *logPane) answered(_ string, answer any, err error) {
	if m, ok := answer.(matched); ok && err == nil {
		p.held = m
	}
}

// irKernel is the loaded kernel, nil for none.
func (s *scene) irKernel() *ir.Kernel {
	if s.state.Kernel == nil {
		return nil
	}
	return s.state.Kernel.IR
}

// above is the newest sentence at or before i that is shown, -1 for none.
func (p *logPane) above(s *scene, i int) int {
	log, kind := &s.feed.log, &logKinds[p.kind]
	known := p.held.text == p.text
	for ; i >= log.first(); i-- {
		if p.text != "" && known && i < p.held.upto {
			at := sort.SearchInts(p.held.hits, i+1) - 1
			if at < 0 || p.held.hits[at] < log.first() {
				return -1
			}
			i = p.held.hits[at]
		} else if p.text != "" && (!known && log.total-i > sinceAsked || !holds(engine.SentenceOf(*log.at(i), s.irKernel()), p.text)) {
			continue
		}
		if kind.has(log.at(i)) {
			return i
		}
	}
	return -1
}

// below is the oldest sentence at or after i that is shown, -1 for none.
func (p *logPane) below(s *scene, i int) int {
	log := &s.feed.log
	for ; i < log.total; i++ {
		if p.text != "" && p.held.text == p.text && i < p.held.upto {
			at := sort.SearchInts(p.held.hits, i)
			if at == len(p.held.hits) {
				i = p.held.upto - 1
				continue
			}
			i = p.held.hits[at]
		} else if p.text != "" && !holds(engine.SentenceOf(*log.at(i), s.irKernel()), p.text) {
			continue
		}
		if logKinds[p.kind].has(log.at(i)) {
			return i
		}
	}
	return -1
}

const logIndent = 8

func (p *logPane) draw(c canvas, s *scene) {
	p.height, p.rows = c.h, p.rows[:0]
	for range c.h {
		p.rows = append(p.rows, -1)
	}
	log := &s.feed.log
	if log.total == 0 {
		c.text(2, max(c.h/2-1, 0), quiet, "every decision of a run is written here, in one sentence")
		return
	}
	about, marked := p.aboutCursor(s)
	y, written := c.h, 0
	p.upper, p.lower, p.newest = p.upper[:0], p.lower[:0], log.total-1
	if p.narrowed() {
		for i := p.below(s, log.total-p.bottom(s)); i >= 0 && len(p.lower) < c.h; i = p.below(s, i+1) {
			p.lower = append(p.lower, i)
		}
	}
	for i := p.above(s, log.total-1-p.bottom(s)); i >= 0 && y > 0; i = p.above(s, i-1) {
		e := log.at(i)
		lines := wrap(engine.SentenceOf(*e, s.irKernel()), c.w-logIndent-1)
		y -= len(lines)
		written++
		p.upper = append(p.upper, i)
		for j, line := range lines {
			if y+j >= 0 {
				p.rows[y+j] = i
			}
			c.text(logIndent, y+j, logStyle(e.Kind), line)
		}
		if p.kind == 0 && p.text == "" && e.Kind != engine.EventPolicy && e.Kind != engine.EventLaunch || e.Turn == 0 {
			continue
		}
		c.right(logIndent-2, y, quiet, engine.Grouped(e.Turn))
		if marked && log.at(about).Turn == e.Turn {
			c.set(0, y, strong, s.glyphs.mark)
			c.restyle(1, y, logIndent-2, selected)
		}
	}
	if written == 0 {
		text := "no sentence of this kind"
		if p.text != "" {
			text = fmt.Sprintf("no sentence with %q; / looks for another text", p.text)
		}
		if p.kind > 0 {
			text += "; t shows another kind, now " + logKinds[p.kind].name
		}
		c.text(2, max(c.h/2-1, 0), quiet, text)
	}
}

// logStyle sets what happened to the user's samples apart from what the runner decided.
func logStyle(k engine.EventKind) style {
	switch k {
	case engine.EventRunStart, engine.EventRunEnd, engine.EventCancel, engine.EventPick:
		return strong
	case engine.EventFault, engine.EventGap, engine.EventNonFinite:
		return wrong
	case engine.EventCompaction, engine.EventCalibrate, engine.EventReorder, engine.EventLaneRefill:
		return quiet
	}
	return plain
}

// narrowed says that not all sentences are shown.
func (p *logPane) narrowed() bool { return p.kind > 0 || p.text != "" }

// scroll moves by sentences that are shown, downwards when by is positive.
func (p *logPane) scroll(by int) {
	switch {
	case !p.narrowed():
		p.back = max(p.back-by, 0)
	case by < 0 && len(p.upper) > 0:
		p.back = p.newest - p.upper[min(-by, len(p.upper)-1)]
	case by > 0 && len(p.lower) >= by:
		p.back = p.newest - p.lower[by-1]
	case by > 0:
		p.back = 0
	}
}

func (p *logPane) page() int { return max(p.height-1, 1) }
