package tui

// The least size that the workbench draws in.
const (
	leastWidth  = 60
	leastHeight = 16
)

// paneID names a pane. Panes of one group share a number on screen and the focus.
type paneID uint8

const (
	paneLive paneID = iota
	paneBand
	paneWhy
	paneMask
	paneLanes
	paneCompact
	panePick
	paneRegret
	paneFinish
	paneSource
	panePlanes
	paneSample
	paneLog
	paneReport
	paneFork
	paneLab
	paneCount
)

// group is what a number key goes to: a tab on a small screen, the main area on a large one.
type group uint8

const (
	groupRun    group = iota // live, band, why
	groupMask                // mask strips, lanes
	groupCosts               // compaction, pick, regret
	groupFinish              // why live samples are not finished
	groupSource
	groupPlanes
	groupSample
	groupLog
	groupReport
	groupFork // this run over another
	groupLab  // batches that are only thought of
	groupCount
)

// groupNames are the tabs; groupKeys what goes to them.
var (
	groupNames = [groupCount]string{"Run", "Mask", "Costs", "Finish", "Source", "Planes", "Sample", "Log", "Report", "Fork", "Lab"}
	groupKeys  = [groupCount]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "d", "B"}
)

// groupSays is what help says of a group.
var groupSays = [groupCount]string{
	"run: live samples, steps per launch, why", "mask and lanes: who is live, what lanes do",
	"costs: what compaction paid, the band against the best, the pick of the entry",
	"finish: why live samples are not finished", "source and its finish line",
	"planes: values of every sample", "samples: how chosen ones went", "log of decisions", "report",
	"fork: this run over another with one thing changed", "lab: batches and orders that are only thought of",
}

// groupOf is the group of every pane.
var groupOf = [paneCount]group{
	paneLive: groupRun, paneBand: groupRun, paneWhy: groupRun,
	paneMask: groupMask, paneLanes: groupMask,
	paneCompact: groupCosts, panePick: groupCosts, paneRegret: groupCosts,
	paneFinish: groupFinish, paneSource: groupSource, panePlanes: groupPlanes, paneSample: groupSample,
	paneLog: groupLog, paneReport: groupReport, paneFork: groupFork, paneLab: groupLab,
}

// placed is a pane and its rectangle, title line included.
type placed struct {
	pane paneID
	rect
}

// layout says where everything is.
type layout struct {
	tooSmall              bool
	identity, state, tabs rect
	strip                 rect // one line of the mask, h 0 where there is no room
	status, footer        rect
	panes                 []placed
	bars                  []rect // vertical lines between columns: before the card, then behind the source
}

// columns is by how many cells the user has made the columns beside the main area wider.
type columns struct{ card, source int }

// The least widths that columns can be dragged to.
const (
	leastMain   = 50
	leastColumn = 24
)

// arrange places everything on a screen of w x h cells. Three forms: one group at a time; the group shown
// beside the formula card and the report, over the log; and the cockpit, with the source on the left and
// every timeline of a run on one axis. zoom shows the group alone on any size. A pane that stands in a
// column of its own is not repeated there when its group is shown.
func arrange(w, h int, shown group, zoom bool) layout {
	return arrangeColumns(w, h, shown, zoom, columns{})
}

// arrangeColumns is arrange with columns of the user's width, as far as there is room for it.
func arrangeColumns(w, h int, shown group, zoom bool, wider columns) layout {
	if w < leastWidth || h < leastHeight {
		return layout{tooSmall: true}
	}
	l := layout{
		identity: rect{0, 0, w, 1}, state: rect{0, 1, w, 1}, tabs: rect{0, 2, w, 1},
		status: rect{0, h - 2, w, 1}, footer: rect{0, h - 1, w, 1},
	}
	body := rect{0, 3, w, h - 5}
	switch {
	case zoom || w < 110 || h < 32:
		if shown != groupMask && body.h >= 18 {
			l.strip = rect{0, body.y + body.h - 1, w, 1}
			body.h--
		}
		l.alone(body, shown, zoom)
	case w < 170 || h < 45:
		log := max(7, h/5)
		if shown == groupLog {
			log = 0
		}
		left := min(max(w*2/3-1-wider.card, leastMain), w-1-leastColumn)
		top := rect{0, body.y, w, body.h - log}
		l.main(rect{0, top.y, left, top.h}, shown, true)
		right := rect{left + 1, top.y, w - left - 1, top.h}
		report := right.h - min(14, right.h/2)
		l.column(right, shown, paneWhy, report, paneReport)
		l.put(paneLog, rect{0, top.y + top.h, w, log})
		l.bars = []rect{{left, top.y, 1, top.h}}
	default:
		log := max(9, h/6)
		if shown == groupLog {
			log = 0
		}
		top := rect{0, body.y, w, body.h - log}
		source, card := max(w*3/10+wider.source, leastColumn), max(w*27/100+wider.card, leastColumn)
		if shown == groupSource {
			source = -1 // it has the middle
		}
		if over := source + card + 2 + leastMain - w; over > 0 {
			cut := min(over, card-leastColumn)
			card -= cut
			source -= over - cut
		}
		middle := w - source - card - 2
		l.put(paneSource, rect{0, top.y, source, top.h})
		x := source + 1
		l.main(rect{x, top.y, middle, top.h}, shown, true)
		x += middle + 1
		l.column(rect{x, top.y, card, top.h}, shown, paneWhy, min(top.h/2, 22), paneReport)
		l.put(paneLog, rect{0, top.y + top.h, w, log})
		l.bars = []rect{{x - 1, top.y, 1, top.h}}
		if source > 0 {
			l.bars = append(l.bars, rect{source, top.y, 1, top.h})
		}
	}
	return l
}

func (l *layout) put(p paneID, r rect) {
	if r.h > 1 && r.w > 0 {
		l.panes = append(l.panes, placed{p, r})
	}
}

// column puts two panes over one another; the one whose group has the main area gives its place up.
func (l *layout) column(r rect, shown group, upper paneID, height int, lower paneID) {
	if groupOf[lower] == shown {
		height = r.h
	}
	l.put(upper, rect{r.x, r.y, r.w, height})
	l.put(lower, rect{r.x, r.y + height, r.w, r.h - height})
}

// main gives an area to a group. beside says that the card stands elsewhere.
func (l *layout) main(r rect, shown group, beside bool) {
	switch shown {
	case groupRun:
		if !beside {
			l.stackRun(r)
			return
		}
		if r.h < 30 {
			l.stack(r, portion{paneLive, 9}, portion{paneBand, 11})
			return
		}
		l.stack(r, portion{paneLive, 10}, portion{paneBand, 14}, portion{paneMask, 9}, portion{paneLanes, 8}, portion{paneCompact, 7})
	case groupMask:
		l.stack(r, portion{paneMask, 10}, portion{paneLanes, 10})
	case groupCosts:
		if r.h < 15 {
			l.stack(r, portion{paneRegret, 9}, portion{paneCompact, 8})
			return
		}
		l.stack(r, portion{paneRegret, 10}, portion{paneCompact, 10}, portion{panePick, 10})
	default:
		for p, g := range groupOf {
			if g == shown {
				l.put(paneID(p), r)
			}
		}
	}
}

// portion is a pane and its part of a stack.
type portion struct {
	pane paneID
	part int
}

// stack puts panes over one another, each with its share of the height.
func (l *layout) stack(r rect, panes ...portion) {
	whole := 0
	for _, p := range panes {
		whole += p.part
	}
	y, sum := r.y, 0
	for _, p := range panes {
		sum += p.part
		end := r.y + r.h*sum/whole
		l.put(p.pane, rect{r.x, y, r.w, end - y})
		y = end
	}
}

// alone gives the whole body to one group; a tall one has room for the log below.
func (l *layout) alone(body rect, shown group, zoom bool) {
	if shown == groupRun && body.h >= 34 && !zoom {
		log := body.h / 3
		l.stackRun(rect{body.x, body.y, body.w, body.h - log})
		l.put(paneLog, rect{body.x, body.y + body.h - log, body.w, log})
		return
	}
	if shown == groupRun && zoom && body.w >= 110 && body.h >= 36 {
		const card = 16 // with the curve of the cost
		l.main(rect{body.x, body.y, body.w, body.h - card}, shown, true)
		l.put(paneWhy, rect{body.x, body.y + body.h - card, body.w, card})
		return
	}
	l.main(body, shown, false)
}

// stackRun puts live over band over the card. The card has its lines first, for it says why; where the
// rest is too low for two plots the band has it alone.
func (l *layout) stackRun(r rect) {
	card := 6 // title and five lines: h, k*, k and what would have changed it
	switch {
	case r.w < 76:
		card = 10
	case r.h >= 33: // full screen: with the curve of the cost
		card = 17
	case r.h >= 24:
		card = 7
	}
	card = min(card, r.h-6)
	rest := r.h - card
	live := 0
	if rest >= 11 {
		live = rest * 9 / 20
	}
	l.put(paneLive, rect{r.x, r.y, r.w, live})
	l.put(paneBand, rect{r.x, r.y + live, r.w, rest - live})
	l.put(paneWhy, rect{r.x, r.y + rest, r.w, card})
}
