package tui

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// codeView is what became of the source: its values in the intermediate representation, and instructions. All stand
// beside the source; a line of it is chosen, and what came from that line is marked in each.
//
//	30 |> s.V += s.Dt * a    30 >%18 = mul.f64 %12, %15    30 > 1a4 vmulpd zmm3, zmm1, zmm2
type codeView struct {
	kernel  *kernels.Kernel // that all of this is of
	sources [][]sourceLine  // by file
	places  []codePlace     // lines that something came from, sorted
	at      int             // index of the chosen one
	values  codeColumn
	machine codeColumn
	about   string // target and figures of the machine code; "" before it is told
	why     string // there is none; "" when there is
	height  int    // of the last drawing
	rooms   []codeRoom
}

// sourceMode is what the pane shows.
type sourceMode uint8

const (
	modeText sourceMode = iota
	modeValues
	modeMachine
	sourceModes
)

// codePlace is a line of the kernel's source. Line 0 is no place.
type codePlace struct{ file, line int32 }

func placeOf(p ir.Pos) codePlace { return codePlace{p.File, p.Line} }

// codeColumn is a listing.
type codeColumn struct {
	rows []codeRow
	top  int
	mark int // 1 + index of the row that was looked for, 0 for none
}

// codeRow is one line of it.
type codeRow struct {
	place    codePlace
	lead     string // address
	text     string
	trailing string // what it is for
}

// codeRoom is where a column was drawn.
type codeRoom struct {
	from, to int
	column   *codeColumn // nil: the source
}

// positionText is how the printed form writes a place, and docText a comment.
var (
	positionText = regexp.MustCompile(` @(\d+):(\d+):\d+-\d+`)
	docText      = regexp.MustCompile(` doc "(?:[^"\\]|\\.)*"`)
)

// valueRows is a kernel in its printed form, each line with its place.
func valueRows(k *ir.Kernel) []codeRow {
	var text bytes.Buffer
	if err := ir.Print(&text, k, true); err != nil {
		return nil // a buffer takes all
	}
	var rows []codeRow
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "file ") {
			continue
		}
		var r codeRow
		if at := positionText.FindStringSubmatch(line); at != nil && !strings.HasPrefix(line, "plane ") {
			file, _ := strconv.Atoi(at[1])
			number, _ := strconv.Atoi(at[2])
			r.place = codePlace{int32(file), int32(number)}
		}
		r.text = docText.ReplaceAllString(positionText.ReplaceAllString(line, ""), "")
		rows = append(rows, r)
	}
	return rows
}

// machineRows is a listing.
func machineRows(l *engine.Listing) []codeRow {
	rows := make([]codeRow, len(l.Lines))
	for i := range l.Lines {
		in := &l.Lines[i]
		r := codeRow{place: placeOf(in.Pos), text: in.Text, trailing: in.Note}
		if in.Offset >= 0 {
			r.lead = fmt.Sprintf("%4x", in.Offset)
		}
		if r.trailing == "" && in.Op != "" {
			r.trailing = in.Op
			if in.Result != 0 {
				r.trailing = fmt.Sprintf("%%%d %s", in.Result, in.Op)
			}
		}
		rows[i] = r
	}
	return rows
}

// take begins anew when the kernel is another one. The chosen line stays chosen where it still has code, else the one
// of the finish declaration is.
func (v *codeView) take(k *kernels.Kernel, tab string) {
	if k == v.kernel {
		return
	}
	was, had := v.chosen()
	*v = codeView{kernel: k}
	if k == nil {
		return
	}
	for i := range k.Sources {
		v.sources = append(v.sources, highlight(k.Sources[i].Text, tab))
	}
	v.values.rows = valueRows(k.IR)
	for i := range v.values.rows {
		if p := v.values.rows[i].place; p.line > 0 {
			v.places = append(v.places, p)
		}
	}
	slices.SortFunc(v.places, func(a, b codePlace) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	v.places = slices.Compact(v.places)
	if !had && k.IR.Finish != nil {
		was = placeOf(k.IR.Finish.Pos)
	}
	v.choose(was)
}

// chosen is the chosen line; false where nothing came from any.
func (v *codeView) chosen() (codePlace, bool) {
	if v.at < 0 || v.at >= len(v.places) {
		return codePlace{}, false
	}
	return v.places[v.at], true
}

// choose goes to a line, or the next one that something came from.
func (v *codeView) choose(p codePlace) {
	v.at, _ = slices.BinarySearchFunc(v.places, p, func(a, b codePlace) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	v.at = max(min(v.at, len(v.places)-1), 0)
	v.show()
}

// step goes to the next line before or behind that something in the listing shown came from; there may be none.
func (v *codeView) step(by int, mode sourceMode) {
	for at := v.at + by; at >= 0 && at < len(v.places); at += by {
		if v.came(v.listing(mode), v.places[at]) > 0 {
			v.at = at
			v.show()
			return
		}
	}
}

// listing is the column that a mode is about.
func (v *codeView) listing(mode sourceMode) *codeColumn {
	if mode == modeMachine {
		return &v.machine
	}
	return &v.values
}

// show brings the first row of the chosen line into each column.
func (v *codeView) show() {
	p, ok := v.chosen()
	if !ok {
		return
	}
	for _, c := range []*codeColumn{&v.values, &v.machine} {
		if i := slices.IndexFunc(c.rows, func(r codeRow) bool { return r.place == p }); i >= 0 {
			c.top = i - v.height/3
		}
	}
}

// came is how many rows of a column came from a line.
func (v *codeView) came(c *codeColumn, p codePlace) int {
	n := 0
	for i := range c.rows {
		if c.rows[i].place == p {
			n++
		}
	}
	return n
}

// name is a line with its file, as a title has it.
func (v *codeView) name(p codePlace) string {
	if p.file < 0 || int(p.file) >= len(v.kernel.IR.Files) {
		return fmt.Sprintf("line %d", p.line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(v.kernel.IR.Files[p.file]), p.line)
}

// title says how much came from the chosen line.
func (v *codeView) title(mode sourceMode) string {
	p, ok := v.chosen()
	switch {
	case v.kernel == nil:
		return "Code: no kernel"
	case mode == modeMachine && v.why != "":
		return "Code: none"
	case mode == modeMachine && v.about == "":
		return "Code: waiting for the listing"
	case !ok:
		return "Code: nothing came from the source"
	case mode == modeValues:
		return fmt.Sprintf("IR: %s from %s", counted(v.came(&v.values, p), "line", "lines"), v.name(p))
	}
	return fmt.Sprintf("Code: %s from %s, %s", counted(v.came(&v.machine, p), "instruction", "instructions"), v.name(p), v.about)
}

// Widths from which there is room for two columns, and for three.
const (
	twoColumns   = 72
	threeColumns = 132
)

// draw puts the columns side by side.
func (v *codeView) draw(c canvas, s *scene, mode sourceMode) {
	if c.h != v.height {
		v.height = c.h
		v.show()
	}
	v.rooms = v.rooms[:0]
	listing, at := v.listing(mode), 0
	put := func(w int, column *codeColumn) {
		v.rooms = append(v.rooms, codeRoom{at, at + w, column})
		inner := c.sub(rect{at, 0, w, c.h})
		switch {
		case column == nil:
			v.drawSource(inner, s)
		case column == &v.machine && len(column.rows) == 0:
			text := v.why
			if text == "" {
				text = "waiting for the listing"
			}
			for y, line := range wrap(text, max(w-2, 8)) {
				inner.text(1, y, quiet, line)
			}
		default:
			v.drawColumn(inner, s, column)
		}
		at += w
		if at < c.w {
			c.down(at, 0, c.h, quiet, s.glyphs.bar)
			at++
		}
	}
	switch {
	case c.w >= threeColumns:
		put(c.w*3/10, nil)
		put(c.w*3/10, &v.values)
		put(c.w-at, &v.machine)
	case c.w >= twoColumns:
		put(c.w*2/5, nil)
		put(c.w-at, listing)
	default:
		put(c.w, listing)
	}
}

// drawSource is the file of the chosen line, with that line in sight.
func (v *codeView) drawSource(c canvas, s *scene) {
	p, ok := v.chosen()
	if !ok || p.file < 0 || int(p.file) >= len(v.sources) {
		c.text(1, 0, quiet, "the source is not at hand")
		return
	}
	lines := v.sources[p.file]
	top := max(min(int(p.line)-1-c.h/3, len(lines)-c.h), 0)
	for y := 0; y < c.h && top+y < len(lines); y++ {
		l := &lines[top+y]
		v.gutter(c, s, y, codePlace{p.file, int32(l.number)})
		c.spans(sourceGutter+1, y, l.pieces...)
		v.clipped(c, y, sourceGutter+1+spansWidth(l.pieces))
	}
}

// gutter is the number of a line, and the mark where it is the chosen one. Lines of other files have no number.
func (v *codeView) gutter(c canvas, s *scene, y int, p codePlace) {
	at, ok := v.chosen()
	if p.line <= 0 || ok && p.file != at.file {
		return
	}
	look := quiet
	if ok && p == at {
		look = selected
		c.set(sourceGutter-1, y, strong, s.glyphs.mark)
	}
	c.right(sourceGutter-1, y, look, strconv.Itoa(int(p.line)))
}

// clipped marks a row that is longer than its column.
func (v *codeView) clipped(c canvas, y, end int) {
	if end > c.w {
		c.set(c.w-1, y, quiet, '~')
	}
}

func (v *codeView) drawColumn(c canvas, s *scene, column *codeColumn) {
	column.top = max(min(column.top, len(column.rows)-c.h), 0)
	at, ok := v.chosen()
	for y := 0; y < c.h && column.top+y < len(column.rows); y++ {
		r := &column.rows[column.top+y]
		v.gutter(c, s, y, r.place)
		look := plain
		if ok && r.place == at {
			look = strong
		}
		if column.top+y == column.mark-1 {
			c.set(0, y, strong, '/')
		}
		x := sourceGutter + 1
		if r.lead != "" {
			x = c.text(x, y, quiet, r.lead) + 1
		}
		end := c.text(x, y, look, r.text)
		if r.trailing != "" {
			if note := max(end+2, x+40); note+width(r.trailing) <= c.w {
				c.text(note, y, comment, r.trailing)
			}
		}
		v.clipped(c, y, x+width(r.text))
	}
}

// scroll goes to the line before or behind that has code by 1, and moves the listing by more.
func (v *codeView) scroll(by int, mode sourceMode) {
	if by == 1 || by == -1 {
		v.step(by, mode)
		return
	}
	v.values.top = max(v.values.top+by, 0)
	v.machine.top = max(v.machine.top+by, 0)
}

// seek finds a row of the listing and chooses the line that it came from.
func (v *codeView) seek(text string, by int, mode sourceMode) bool {
	column := v.listing(mode)
	step, at := by, column.mark-1+by
	if by == 0 {
		step, at = 1, 0
	}
	for ; at >= 0 && at < len(column.rows); at += step {
		if r := &column.rows[at]; holds(r.text+" "+r.trailing, text) {
			if r.place.line > 0 {
				v.choose(r.place)
			}
			column.mark, column.top = at+1, at-v.height/2
			return true
		}
	}
	return false
}

// click chooses the line of a row.
func (v *codeView) click(x, y int) {
	for _, room := range v.rooms {
		if x < room.from || x >= room.to {
			continue
		}
		if room.column != nil {
			if i := room.column.top + y; i >= 0 && i < len(room.column.rows) && room.column.rows[i].place.line > 0 {
				top := room.column.top
				v.choose(room.column.rows[i].place)
				room.column.top = top
			}
			return
		}
		if p, ok := v.chosen(); ok && int(p.file) < len(v.sources) {
			top := max(min(int(p.line)-1-v.height/3, len(v.sources[p.file])-v.height), 0)
			v.choose(codePlace{p.file, int32(top + y + 1)})
		}
		return
	}
}

// table is the listing for a file.
func (v *codeView) table(mode sourceMode) func(row func(...string)) error {
	rows := v.listing(mode).rows
	names := make([]string, len(rows))
	for i := range rows {
		if rows[i].place.line > 0 {
			names[i] = v.name(rows[i].place)
		}
	}
	return func(row func(...string)) error {
		row("source", "address", "text", "note")
		for i := range rows {
			row(names[i], strings.TrimSpace(rows[i].lead), rows[i].text, rows[i].trailing)
		}
		return nil
	}
}

// keys of the pane: what it shows.
func (p *sourcePane) keys() []binding {
	return []binding{
		{name: "code-view", keys: []string{"v"}, title: says("the source, what became of it as values (IR), and as instructions"), brief: says("code"), off: codeOff, do: p.nextMode},
	}
}

func codeOff(m *model) string {
	if m.state.Kernel == nil {
		return "no kernel is loaded"
	}
	return ""
}

func (p *sourcePane) nextMode(m *model) tea.Cmd {
	p.mode = (p.mode + 1) % sourceModes
	p.code.take(m.state.Kernel, "  ")
	return nil
}

// wants asks for the machine code where it is shown, again when the kernel or the engine is another one.
func (p *sourcePane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	k := s.state.Kernel
	if p.mode == modeText || k == nil {
		return "", nil
	}
	p.code.take(k, "  ")
	return fmt.Sprintf("code %p %s %s", k, s.state.Engine, s.state.Device), func(ctx context.Context, from Session) (any, error) {
		return from.Look(ctx, session.ListingQuery{})
	}
}

// answered takes the listing.
func (p *sourcePane) answered(_ string, answer any, err error) {
	v := &p.code
	l, ok := answer.(*engine.Listing)
	if err != nil || !ok {
		v.machine, v.about, v.why = codeColumn{}, "", "there is no code"
		if err != nil {
			v.why = err.Error()
		}
		return
	}
	v.machine, v.about, v.why = codeColumn{rows: machineRows(l)}, l.Target+": "+l.About, ""
	v.show()
}

// click chooses a line where code is shown.
func (p *sourcePane) click(_ *scene, x, y int) {
	if p.mode != modeText {
		p.code.click(x, y)
	}
}
