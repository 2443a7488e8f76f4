package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// planesPane is the batch as a table, a sample a row. Only the rows around the view are ever asked for; the column under
// the cursor is described below the table.
type planesPane struct {
	columns []session.Column // that can be shown
	digest  string           // of their kernel
	at      int              // the column under the cursor
	left    int              // the first column shown
	row     int              // under the cursor, from the first of the table
	top     int              // the first row shown
	shown   int              // rows and columns of the last drawing
	across  int
	labels  bool
	first   int // where the columns begin

	filter, sort string
	down, log    bool

	data    *session.Columns // the newest answer; nil: none yet
	why     string           // the last question had none
	ordered string           // filter and sort of the page
}

// follow takes the columns of the kernel that is loaded.
func (p *planesPane) follow(s *scene) {
	k := s.state.Kernel
	if k == nil || k.Digest == p.digest && p.columns != nil {
		return
	}
	before := ""
	if p.at < len(p.columns) {
		before = p.columns[p.at].Name
	}
	p.digest, p.columns, p.data, p.why = k.Digest, nil, nil, ""
	for _, c := range session.ColumnsOf(k.IR) {
		if !c.Param {
			p.columns = append(p.columns, c)
		}
	}
	p.at = max(slices.IndexFunc(p.columns, func(c session.Column) bool { return c.Name == before }), 0)
	if !slices.ContainsFunc(p.columns, func(c session.Column) bool { return c.Name == p.sort }) {
		p.sort = ""
	}
}

func (p *planesPane) title(s *scene) string {
	if s.state.Kernel == nil {
		return "Planes: no batch"
	}
	text := "Planes: " + engine.Grouped(s.n()) + " samples"
	if p.data != nil && p.filter != "" && p.ordered == p.ordering() {
		text = fmt.Sprintf("Planes: %s of %s", engine.Grouped(p.data.Matching), counted(p.data.N, "sample", "samples"))
	}
	if p.filter != "" {
		text += " with " + p.filter
	}
	if p.sort != "" {
		text += ", by " + p.sort + map[bool]string{false: " up", true: " down"}[p.down]
	}
	if p.data != nil && p.ordered != p.ordering() && p.why == "" {
		text += ": sorting"
	}
	return text
}

// ordering names which rows are shown in which order.
func (p *planesPane) ordering() string { return fmt.Sprintf("%q %q %t", p.filter, p.sort, p.down) }

// matching is how many rows the table has, as far as that is known.
func (p *planesPane) matching(s *scene) int {
	if p.data != nil && p.ordered == p.ordering() {
		return p.data.Matching
	}
	return int(s.n())
}

// focus is the column under the cursor.
func (p *planesPane) focus() *session.Column {
	if p.at < len(p.columns) {
		return &p.columns[p.at]
	}
	return nil
}

// wants asks for the rows around those shown, with the column under the cursor described.
func (p *planesPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	p.follow(s)
	rows := max(p.shown, firstRows)
	if p.focus() == nil || s.state.Phase == session.Working || s.n() == 0 {
		return "", nil
	}
	q := session.ColumnsQuery{
		Filter: p.filter, Sort: p.sort, Down: p.down, Focus: p.focus().Name, Bins: histogramBins, Log: p.log,
		From: max(p.top/rows-1, 0) * rows, Rows: min(4*rows, session.MostRows),
	}
	for _, c := range p.columns {
		q.Names = append(q.Names, c.Name)
	}
	if p.data != nil {
		q.Known = p.data.Order
	}
	key := fmt.Sprintf("%d/%d/%d/%s %s %s %t %d+%d", s.state.Generation, s.done(), len(s.state.History), s.state.Phase, p.ordering(), q.Focus, q.Log, q.From, q.Rows)
	ordered := p.ordering()
	return key, func(ctx context.Context, from Session) (any, error) {
		answer, err := from.Look(ctx, q)
		if err != nil {
			return nil, err
		}
		page, ok := answer.(*session.Columns)
		if !ok {
			return nil, fmt.Errorf("the session answered %T to a question about planes", answer)
		}
		return &planesAnswer{page, ordered}, nil
	}
}

// firstRows is how many rows are asked for at least: those of the first drawing are not known before it.
const firstRows = 20

// planesAnswer is a page, and which order of rows it is of.
type planesAnswer struct {
	page    *session.Columns
	ordered string
}

func (p *planesPane) answered(_ string, answer any, err error) {
	p.why = ""
	switch {
	case errors.Is(err, session.ErrOnePass):
		p.why = "the run is one pass over the batch: its planes are to be seen when it pauses"
	case err != nil:
		p.why = firstLine(err.Error())
	default:
		a := answer.(*planesAnswer)
		p.data, p.ordered = a.page, a.ordered
		p.labels = slices.ContainsFunc(a.page.Rows, func(r session.Row) bool { return r.Label != "" })
		p.row = max(min(p.row, p.data.Matching-1), 0)
	}
}

// rowAt is a row of the table, nil when it is not on the page.
func (p *planesPane) rowAt(i int) *session.Row {
	if p.data == nil || p.ordered != p.ordering() {
		return nil
	}
	if at := i - p.data.From; at >= 0 && at < len(p.data.Rows) {
		return &p.data.Rows[at]
	}
	return nil
}

// under is the row under the cursor.
func (p *planesPane) under() *session.Row { return p.rowAt(p.row) }

// Widths of what stands left of the columns, and of a column, with the blank before it.
const (
	stateWidth   = 6
	labelWidth   = 15
	columnWidth  = 13
	leastRows    = 3
	describeRows = 2
)

func (p *planesPane) draw(c canvas, s *scene) {
	p.follow(s)
	if s.state.Kernel == nil {
		c.text(2, max(c.h/2, 0), quiet, "load a kernel to begin")
		return
	}
	below := 0
	if c.h >= 1+leastRows+describeRows {
		below = describeRows
	}
	if c.h >= 16 {
		below = describeRows + min(c.h/4, 8)
	}
	p.shown = max(c.h-1-below, 1)
	p.row = max(min(p.row, p.matching(s)-1), 0)
	p.top = max(min(p.top, p.row), p.row-p.shown+1, 0)
	first := p.drawFixed(c, s)
	p.first = first
	p.across = max((c.w-first)/columnWidth, 1)
	p.left = max(min(p.left, p.at), p.at-p.across+1, 0)
	for k := range p.across {
		if i := p.left + k; i < len(p.columns) {
			p.drawColumn(c.sub(rect{first + k*columnWidth, 0, columnWidth, p.shown + 1}), i, s)
		}
	}
	if rest := len(p.columns) - p.left - p.across; rest > 0 {
		c.right(c.w, 0, quiet, fmt.Sprintf("%d>", rest))
	}
	if p.why != "" {
		c.text(2, min(2, c.h-1), waits, cut(p.why, c.w-3))
	} else if p.data != nil && p.ordered == p.ordering() && p.data.Matching == 0 {
		c.text(2, min(2, c.h-1), quiet, cut("no sample is left by the filter; esc takes it away", c.w-3))
	}
	if below > 0 && p.data != nil {
		p.drawFocus(c.sub(rect{0, c.h - below, c.w, below}), s)
	}
}

// drawFixed writes sample, state and label of every row, and says where the columns begin.
func (p *planesPane) drawFixed(c canvas, s *scene) int {
	number := max(len(engine.Grouped(s.n())), len("sample")) + 2
	c.right(number, 0, quiet, "sample")
	c.text(number+1, 0, quiet, "state")
	first := number + 1 + stateWidth
	if p.labels && c.w >= first+labelWidth+2*columnWidth {
		c.text(first, 0, quiet, cut(s.state.LabelName, labelWidth-1))
		first += labelWidth
	}
	for y := range p.shown {
		i := p.top + y
		if i >= p.matching(s) {
			break
		}
		if i == p.row {
			c.set(0, y+1, strong, s.glyphs.mark)
		}
		r := p.rowAt(i)
		if r == nil {
			c.right(number, y+1, quiet, "...")
			continue
		}
		if slices.Contains(s.chosen, r.Sample) {
			c.set(1, y+1, strong, '*')
		}
		c.right(number, y+1, plain, engine.Grouped(r.Sample))
		word, look := "live", liveTone
		switch r.Mask {
		case 1:
			word, look = "done", doneTone
		case 2:
			word, look = "fault", wrong
		}
		c.text(number+1, y+1, look, word)
		if first > number+1+stateWidth {
			c.text(number+1+stateWidth, y+1, plain, cut(r.Label, labelWidth-1))
		}
	}
	return first
}

// drawColumn writes a column, its name first.
func (p *planesPane) drawColumn(c canvas, i int, s *scene) {
	col := &p.columns[i]
	name, look := col.Name, quiet
	switch {
	case col.Name == p.sort && p.down:
		name += " v"
	case col.Name == p.sort:
		name += " ^"
	}
	if i == p.at {
		look = focus
	}
	c.right(c.w, 0, look, cut(name, c.w-1))
	for y := range p.shown {
		r := p.rowAt(p.top + y)
		if r == nil || p.data.Names == nil {
			continue
		}
		at := slices.Index(p.data.Names, col.Name)
		if at < 0 {
			continue
		}
		text, look := cellText(r.Cells[at], col), plain
		if v := r.Cells[at].Value; v-v != 0 {
			text, look = "! "+text, wrong
		}
		c.right(c.w, y+1, look, text)
		if i == p.at && p.top+y == p.row {
			c.restyle(c.w-width(text), y+1, width(text), selected)
		}
	}
}

// cellText is a value in the width of a column.
func cellText(v session.Cell, col *session.Column) string {
	if v.Value-v.Value != 0 {
		return figure(v.Value)
	}
	if len(v.Text) < columnWidth {
		return v.Text
	}
	if !col.Type.Float() {
		return cut(v.Text, columnWidth-1)
	}
	return digits(v.Value, 6)
}

// histogramBins is how many bins are asked for; they are put together to fit.
const histogramBins = 240

// drawFocus describes the column under the cursor: what it holds in words, and its histogram.
func (p *planesPane) drawFocus(c canvas, s *scene) {
	f := &p.data.Focus
	if f.Name != p.focus().Name {
		return
	}
	head := f.Name
	if f.Unit != "" {
		head += " (" + f.Unit + ")"
	}
	head += ": " + counted(f.Count, "value", "values")
	if bad := f.NaN + f.Inf; bad > 0 {
		head += fmt.Sprintf(", %s not finite (%s NaN, %s Inf)", engine.Grouped(bad), engine.Grouped(f.NaN), engine.Grouped(f.Inf))
	} else {
		head += ", all finite"
	}
	x := c.text(1, 0, strong, cut(head, c.w-2))
	if f.Count > f.NaN+f.Inf {
		text := fmt.Sprintf("min %s   quarters %s, %s, %s   max %s   mean %s", figure(f.Min), figure(f.Quartiles[0]), figure(f.Quartiles[1]), figure(f.Quartiles[2]), figure(f.Max), figure(f.Mean))
		if x+3+width(text) < c.w && c.h < 2 {
			c.text(x+3, 0, plain, text)
		} else {
			c.text(1, 1, plain, cut(text, c.w-2))
		}
	}
	if c.h > describeRows {
		drawHistogram(c.sub(rect{0, describeRows, c.w, c.h - describeRows}), s.glyphs, f)
	}
}

// drawHistogram draws bars over the range of a column.
func drawHistogram(c canvas, g *glyphSet, f *session.Statistics) {
	if len(f.Bins) == 0 || c.h < 2 || c.w < gutterWidth+20 {
		return
	}
	area := rect{gutterWidth, 0, c.w - gutterWidth - 1, c.h - 1}
	together := (len(f.Bins) + area.w - 1) / area.w // bins in a column, the same for all
	bins := make([]int, (len(f.Bins)+together-1)/together)
	for i, n := range f.Bins {
		bins[i/together] += n
	}
	most := slices.Max(bins)
	wide := max(area.w/len(bins), 1)
	for i, n := range bins {
		height := float64(n) / float64(most) * float64(area.h)
		for y := range area.h {
			v := height - float64(area.h-1-y)
			if n > 0 && y == area.h-1 {
				v = math.Max(v, 0.1)
			}
			for k := range wide {
				if v > 0 {
					c.set(area.x+i*wide+k, y, bandTone, g.level(math.Min(v, 1)))
				}
			}
		}
	}
	for y := range area.h {
		c.set(area.x-1, y, quiet, g.axis)
	}
	c.right(area.x-1, 0, quiet, short(most))
	y, end := area.h, area.x+wide*len(bins)
	scale := " linear"
	if f.Log {
		scale = " log"
		if f.Left > 0 {
			scale += fmt.Sprintf(", %s not above 0", engine.Grouped(f.Left))
		}
	}
	x := c.text(area.x, y, quiet, figure(f.From))
	c.text(x+1, y, quiet, f.Unit+scale+" (H)")
	c.right(end, y, quiet, figure(f.To))
}

func (p *planesPane) scroll(by int) { p.row = max(p.row+by, 0) }
func (p *planesPane) page() int     { return max(p.shown-1, 1) }

// leave takes the filter away, then the order.
func (p *planesPane) leave() bool {
	switch {
	case p.filter != "":
		p.filter = ""
	case p.sort != "":
		p.sort, p.down = "", false
	default:
		return false
	}
	p.row, p.top = 0, 0
	return true
}

// click sorts by a column whose name is clicked, and puts the cursor on a cell.
func (p *planesPane) click(s *scene, x, y int) {
	if x >= p.first {
		if i := p.left + (x-p.first)/columnWidth; i < len(p.columns) {
			p.at = i
		}
	}
	switch {
	case y == 0 && x >= p.first:
		p.cycleSort()
	case y > 0 && y <= p.shown && p.top+y-1 < p.matching(s):
		p.row = p.top + y - 1
	}
}

// cycleSort goes from no order to up, to down.
func (p *planesPane) cycleSort() {
	name := p.focus().Name
	switch {
	case p.sort != name:
		p.sort, p.down = name, false
	case !p.down:
		p.down = true
	default:
		p.sort, p.down = "", false
	}
	p.row, p.top = 0, 0
}

// table is the rows that the pane has been told, every digit of them.
func (p *planesPane) table(*scene) func(row func(cells ...string)) error {
	page := p.data
	return func(row func(cells ...string)) error {
		if page == nil {
			row("sample", "label", "state")
			return nil
		}
		row(append([]string{"sample", "label", "state"}, page.Names...)...)
		for _, r := range page.Rows {
			cells := []string{strconv.Itoa(r.Sample), r.Label, []string{"live", "finished", "faulted"}[min(r.Mask, 2)]}
			for _, v := range r.Cells {
				cells = append(cells, v.Text)
			}
			row(cells...)
		}
		return nil
	}
}
