package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
)

// pickPane shows how the runner chooses between the two entries: the size rules as a ruler, the walls of the
// session's runs with the band that a challenger must get below, and what the lanes of the last run did.
type pickPane struct {
	top, height, rows int
}

func (p *pickPane) title(s *scene) string {
	b := &s.feed.books
	runs := pickRuns(s)
	switch {
	case s.state.Kernel == nil:
		return "Pick: no kernel"
	case b.picked:
		return fmt.Sprintf("Pick: %s, %s", b.pick.Entry, reasonInShort(&b.pick))
	case len(runs) > 0:
		last := &runs[len(runs)-1]
		return fmt.Sprintf("Pick: %s, %s", last.entry(), entryChosenBy(last))
	}
	return "Pick: fused or persistent, no run yet"
}

// keys scroll the pick where it does not have the focus alone.
func (p *pickPane) keys() []binding {
	off := func(m *model) string {
		switch {
		case !slices.Contains(m.onScreen(), panePick):
			return "the pick is not on screen"
		case p.rows <= p.height:
			return "all of the pick is on screen"
		}
		return ""
	}
	by := func(n int) func(*model) tea.Cmd {
		return func(*model) tea.Cmd {
			p.scroll(n)
			return nil
		}
	}
	return []binding{
		{name: "pick-down", keys: []string{"J"}, title: says("scroll the pick down"), off: off, do: by(+1)},
		{name: "pick-up", keys: []string{"K"}, title: says("scroll the pick up"), off: off, do: by(-1)},
	}
}

// reasonInShort is why an entry was taken, in a few words.
func reasonInShort(p *engine.Pick) string {
	switch p.Reason {
	case engine.PickAsked:
		return "asked for"
	case engine.PickLarge:
		return "the batch is large"
	case engine.PickSmall:
		return "the batch is small"
	case engine.PickFirst:
		return "the first run, timed"
	case engine.PickProbe:
		return "a probe, timed"
	case engine.PickSettled:
		return "the faster of both"
	case engine.PickCached:
		return "the faster of both, from the cache"
	case engine.PickReordering:
		return "reorder needs boundaries"
	}
	return fmt.Sprintf("reason %d", p.Reason)
}

// entryChosenBy is who chose the entry of a run without a pick.
func entryChosenBy(r *pastRun) string {
	if r.start.Fixed > 0 {
		return "a kernel of fixed steps has no other"
	}
	return fmt.Sprintf("policy %s is made of launches", r.start.Policy)
}

// pickRuns are the runs of the batch that is loaded, the oldest first.
func pickRuns(s *scene) []pastRun {
	b := &s.feed.books
	batch := b.batchOf(s.state.Generation)
	var out []pastRun
	for i := range b.runs {
		if b.runs[i].batch == batch {
			out = append(out, b.runs[i])
		}
	}
	return out
}

func (p *pickPane) draw(c canvas, s *scene) {
	if s.state.Kernel == nil {
		return
	}
	lines := pickLines(s, c.w)
	p.height, p.rows = c.h, len(lines)
	p.top = min(p.top, max(p.rows-p.height, 0))
	for y, line := range lines[p.top:] {
		if y >= c.h {
			break
		}
		c.spans(1, y, line...)
	}
	c.moreBelow(p.rows - p.top - c.h)
}

func (p *pickPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *pickPane) page() int     { return max(p.height-1, 1) }

// pickLines are all lines of the pane.
func pickLines(s *scene, w int) [][]span {
	var out [][]span
	say := func(look style, text string) {
		for _, line := range wrap(text, w-2) {
			out = append(out, []span{{look, line}})
		}
	}
	b, runs := &s.feed.books, pickRuns(s)
	if b.picked {
		out = append(out, ruler(&b.pick, s.glyphs, w-2)...)
		say(plain, engine.Sentence(b.pick.Event()))
		if b.pick.Reason == engine.PickCached || b.pick.Reason == engine.PickSettled {
			say(quiet, "kept for the process under: "+cacheKey(s))
		}
	} else if len(runs) == 0 {
		say(quiet, "before a run without a named policy the runner picks an entry: fused, a launch per turn, or persistent, one launch whose lanes take sample after sample; p switches to auto")
	} else if last := &runs[len(runs)-1]; true {
		say(plain, fmt.Sprintf("no pick: %s, and so it runs %s; p switches to auto, which picks", entryChosenBy(last), last.entry()))
	}
	out = append(out, wallLines(runs, s.glyphs, w-2)...)
	if probed := lastProbe(runs); probed != nil {
		say(plain, engine.Sentence(probed.probe.Event()))
	}
	if b.refilled {
		say(plain, engine.Sentence(b.refill.Event()))
		say(quiet, fmt.Sprintf("slot fill %s: %s sample-steps of %s in chunks of %s; the rest is half a chunk at each sample's end, and lanes that found nobody",
			figure(b.refill.SlotFill()), short(b.refill.SampleSteps), short(b.refill.LaneChunks*uint64(b.refill.Chunk)), counted(b.refill.Chunk, "step", "steps")))
	}
	for _, r := range entriesOf(s) {
		say(quiet, entryInWords(&r))
	}
	return out
}

// cacheKey is what a pick is kept under.
func cacheKey(s *scene) string {
	digest := s.state.Kernel.Digest
	if len(digest) > 8 {
		digest = digest[:8]
	}
	precision := strings.ToLower(s.state.Kernel.IR.Precision.String())
	return fmt.Sprintf("%s, %s, kernel %s %s, %s, n %s; bucket %s", s.state.Engine, s.state.Device, s.state.Kernel.IR.Name, digest,
		precision, engine.Grouped(s.n()), s.feed.books.pick.Bucket)
}

// ruler draws the size rules: fused up to a quarter of a wave, persistent from 8 times the resident lanes on,
// timed between, on a logarithmic scale with the batch marked.
func ruler(p *engine.Pick, g *glyphSet, w int) [][]span {
	const (
		persistMultiple = 8 // runner.md, section 6
		fusedDivisor    = 4
	)
	large, small := persistMultiple*float64(p.Resident), float64(p.Wave)/fusedDivisor
	if w < 24 || large <= 0 || p.N == 0 {
		return nil
	}
	low, high := math.Log2(max(min(small, float64(p.N), large)/4, 1)), math.Log2(max(large, float64(p.N), small)*4)
	at := func(n float64) int {
		return min(max(int((math.Log2(max(n, 1))-low)/(high-low)*float64(w)), 0), w-1)
	}
	first, last := -1, at(large)
	if small >= 1 {
		first = at(small)
	}
	cells := make([]rune, w)
	for x := range cells {
		cells[x] = '-'
		switch {
		case x <= first:
			cells[x] = '.'
		case x >= last:
			cells[x] = '='
		}
	}
	put := func(line []rune, x int, text string) {
		x = min(max(x, 0), max(w-len(text), 0))
		copy(line[x:], []rune(text))
	}
	if first > 7 {
		put(cells, (first-5)/2, " fused ")
	}
	if room := last - first; room > 9 {
		put(cells, first+(room-7)/2+1, " timed ")
	}
	if w-last > 14 {
		put(cells, last+(w-last-12)/2, " persistent ")
	}
	marks := []rune(strings.Repeat(" ", w))
	if first >= 0 {
		put(marks, first, "wave/4 = "+short(uint64(small)))
	}
	put(marks, last, "8x lanes = "+short(uint64(large)))
	batch := fmt.Sprintf("%s n = %s", string(g.cursor), short(p.N))
	over := []rune(strings.Repeat(" ", w))
	put(over, at(float64(p.N)), batch)
	return [][]span{{{bandTone, string(cells)}}, {{strong, strings.TrimRight(string(over), " ")}}, {{quiet, strings.TrimRight(string(marks), " ")}}}
}

// most rows of runs.
const mostWalls = 6

// wallLines are the last runs with their wall per sample-step. Once there is a current entry, the walls lie on
// a scale around its own, with the band from 0.98 to 1 that a challenger must end before; until then they are
// bars from zero.
func wallLines(runs []pastRun, g *glyphSet, w int) [][]span {
	var shown []pastRun
	for i := range runs {
		if runs[i].perStep() > 0 {
			shown = append(shown, runs[i])
		}
	}
	shown = shown[max(len(shown)-mostWalls, 0):]
	if len(shown) == 0 {
		return nil
	}
	scale := newWallScale(shown)
	const label, figures = 19, 32
	bar := w - label - figures
	head := fmt.Sprintf("%-*s%s", label, "run", "wall per sample-step")
	if scale.current > 0 && bar >= 40 {
		head += fmt.Sprintf(", %s to %s of %s", factor(scale.low), factor(scale.high), perStepInWords(scale.current))
	}
	out := [][]span{{{quiet, head}}}
	for i := range shown {
		r := &shown[i]
		line := []span{{plain, fmt.Sprintf("%3d %-14s ", r.serial, r.entry())}}
		if bar >= 12 {
			line = append(line, scale.draw(r, bar, g)...)
		}
		line = append(line, span{plain, fmt.Sprintf(" %8s/step %9s", perStepInWords(r.perStep()), elapsed(r.end.Wall))})
		if badge := badges(r); badge != "" {
			line = append(line, span{strong, " " + badge})
		}
		out = append(out, line)
	}
	if scale.current > 0 && bar >= 12 {
		out = append(out, []span{
			{quiet, strings.Repeat(" ", label+1)},
			{want, string(bandRune(g))},
			{quiet, fmt.Sprintf(" %s to %s: the other entry must end below it", perStepInWords(engine.PickHysteresis*scale.current), perStepInWords(scale.current))},
		})
	}
	return out
}

// wallScale is an axis of walls per sample-step, in units of the current entry's.
type wallScale struct{ current, low, high, most float64 }

// newWallScale reaches from 0.9 to 1.1 of the current wall, or as far as the runs do.
func newWallScale(runs []pastRun) wallScale {
	s := wallScale{current: currentWall(runs), low: 0.9, high: 1.1}
	for i := range runs {
		s.most = max(s.most, runs[i].perStep())
		if s.current > 0 {
			ratio := runs[i].perStep() / s.current
			s.low, s.high = min(s.low, ratio*0.98), max(s.high, ratio*1.02)
		}
	}
	return s
}

// cell is where a ratio lies among n cells.
func (s *wallScale) cell(ratio float64, n int) int {
	return min(max(int((ratio-s.low)/(s.high-s.low)*float64(n)), 0), n-1)
}

// draw is one run in n cells: a letter on the scale, or a bar.
func (s *wallScale) draw(r *pastRun, n int, g *glyphSet) []span {
	if s.current == 0 {
		full := min(max(int(math.Round(r.perStep()/s.most*float64(n))), 1), n)
		return []span{{bandTone, strings.Repeat(string(g.full), full)}, {plain, strings.Repeat(" ", n-full)}}
	}
	letter := 'f'
	if r.entry() == engine.EntryPersistent {
		letter = 'p'
	}
	from, to := s.cell(engine.PickHysteresis, n), max(s.cell(1, n), s.cell(engine.PickHysteresis, n)+1)
	at := s.cell(r.perStep()/s.current, n)
	var out []span
	for x := range n {
		next, look := '-', quiet
		switch {
		case x == at:
			next, look = letter, strong
		case x >= from && x < to:
			next, look = bandRune(g), want
		}
		if k := len(out); k > 0 && out[k-1].s == look {
			out[k-1].text += string(next)
			continue
		}
		out = append(out, span{look, string(next)})
	}
	return out
}

// currentWall is the wall per sample-step that a challenger is measured by: the current entry's of the last
// comparison, else that of the first run.
func currentWall(runs []pastRun) float64 {
	if r := lastProbe(runs); r != nil && r.probe.CurrentWork > 0 {
		return float64(r.probe.CurrentWall) / float64(r.probe.CurrentWork)
	}
	for i := range runs {
		if runs[i].pick.Timed {
			return runs[i].perStep()
		}
	}
	return 0
}

func lastProbe(runs []pastRun) *pastRun {
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].probed {
			return &runs[i]
		}
	}
	return nil
}

func bandRune(g *glyphSet) rune {
	if g.kind == GlyphsASCII {
		return ':'
	}
	return '▒'
}

// badges say what a run's wall was for.
func badges(r *pastRun) string {
	var out []string
	if r.picked {
		switch r.pick.Reason {
		case engine.PickFirst:
			out = append(out, "timed")
		case engine.PickProbe:
			out = append(out, "probe")
		case engine.PickCached:
			out = append(out, "cached")
		case engine.PickAsked:
			out = append(out, "asked")
		}
	}
	if r.end.Status > engine.StatusMaxSteps {
		out = append(out, "cut")
	}
	if len(out) == 0 {
		return ""
	}
	return "[" + strings.Join(out, " ") + "]"
}

// perStepInWords is a wall per sample-step.
func perStepInWords(ns float64) string {
	switch {
	case ns <= 0:
		return "-"
	case ns < 1000:
		return digits(ns, 3) + " ns"
	}
	return digits(ns/1000, 3) + " us"
}

// entriesOf is what the compiler made of the entries, one line for both where they are the same code.
func entriesOf(s *scene) []engine.EntryReport {
	rs := s.state.Entries
	if len(rs) == 2 {
		a, b := rs[0], rs[1]
		b.Entry = a.Entry
		if a == b {
			a.Entry = rs[0].Entry + " and " + rs[1].Entry
			return []engine.EntryReport{a}
		}
	}
	return rs
}

// entryInWords is the compiler's report on an entry; figures that the engine does not have are left out.
func entryInWords(r *engine.EntryReport) string {
	parts := []string{}
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, counted(n, one, many))
		}
	}
	if r.Code != "" {
		parts = append(parts, r.Code)
	}
	add(r.Lanes, "lane per worker", "lanes per worker")
	if r.Unroll > 1 {
		parts = append(parts, fmt.Sprintf("%d interleaved groups of lanes", r.Unroll))
	}
	add(r.Registers, "register", "registers")
	if r.Registers > 0 || r.Spills > 0 {
		parts = append(parts, counted(r.Spills, "spill", "spills"))
	}
	add(r.LocalBytes, "byte of local memory", "bytes of local memory")
	add(r.TextBytes, "byte of code", "bytes of code")
	if r.Demand > 0 && r.Demand != r.Lanes {
		parts = append(parts, fmt.Sprintf("asks for %s per multiprocessor", counted(r.Demand, "thread", "threads")))
	}
	if len(parts) == 0 {
		parts = append(parts, "the engine says nothing of its code")
	}
	return "entry " + r.Entry + ": " + strings.Join(parts, ", ")
}

// explain is the paragraph about the pick.
func (p *pickPane) explain(s *scene) []string {
	b, runs := &s.feed.books, pickRuns(s)
	var out []string
	if b.picked {
		out = append(out, engine.Sentence(b.pick.Event()))
	}
	if r := lastProbe(runs); r != nil {
		out = append(out, engine.Sentence(r.probe.Event()))
	}
	return append(out, "which entry is faster depends on how the samples' steps are spread, and nobody knows before the batch has run: a batch between the size rules runs once on each, and the other entry takes over only below 0.98 of the current wall, so that noise does not flip the pick")
}
