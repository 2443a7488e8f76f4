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
	paneSource
	paneLog
	paneReport
	paneFinish
	paneCount
)

// group is what a number key goes to: a tab on a small screen, the focus on a large one.
type group uint8

const (
	groupRun group = iota // live, band, why
	groupSource
	groupLog
	groupReport
	groupFinish
	groupCount
)

var groupNames = [groupCount]string{"Run", "Source", "Log", "Report", "Finish"}

// groupOf is the group of every pane.
var groupOf = [paneCount]group{
	paneLive: groupRun, paneBand: groupRun, paneWhy: groupRun,
	paneSource: groupSource, paneLog: groupLog, paneReport: groupReport, paneFinish: groupFinish,
}

// placed is a pane and its rectangle, title line included.
type placed struct {
	pane paneID
	rect
}

// layout says where everything is.
type layout struct {
	tooSmall              bool
	identity, state, tabs rect // tabs.h is 0 where every group is on screen at once
	status, footer        rect
	panes                 []placed
	bars                  []rect // vertical lines between columns
}

// arrange places everything on a screen of w x h cells. Three forms: one group at a time with tabs; two
// columns over the log with everything at once; three columns over the log. zoom shows the group shown
// alone on any size.
func arrange(w, h int, shown group, zoom bool) layout {
	l := layout{
		identity: rect{0, 0, w, 1}, state: rect{0, 1, w, 1},
		status: rect{0, h - 2, w, 1}, footer: rect{0, h - 1, w, 1},
	}
	if w < leastWidth || h < leastHeight {
		return layout{tooSmall: true}
	}
	body := rect{0, 2, w, h - 4}
	bottom := paneLog // the finish pane takes its place while it has the focus
	if shown == groupFinish {
		bottom = paneFinish
	}
	switch {
	case zoom || w < 110 || h < 32:
		l.tabs = rect{0, 2, w, 1}
		body.y, body.h = 3, h-5
		l.alone(body, shown, zoom)
	case w < 170 || h < 45:
		log := max(7, h/5)
		if bottom == paneFinish {
			log = max(11, h/4)
		}
		left := w*2/3 - 1
		top := rect{0, body.y, w, body.h - log}
		l.stackRun(rect{0, top.y, left, top.h})
		right := rect{left + 1, top.y, w - left - 1, top.h}
		report := min(14, right.h/2)
		l.put(paneSource, rect{right.x, right.y, right.w, right.h - report})
		l.put(paneReport, rect{right.x, right.y + right.h - report, right.w, report})
		l.put(bottom, rect{0, top.y + top.h, w, log})
		l.bars = []rect{{left, top.y, 1, top.h}}
	default:
		log := max(10, h/4)
		top := rect{0, body.y, w, body.h - log}
		source, card := w*3/10, w*27/100
		middle := w - source - card - 2
		l.put(paneSource, rect{0, top.y, source, top.h})
		x := source + 1
		l.put(paneLive, rect{x, top.y, middle, top.h * 2 / 5})
		l.put(paneBand, rect{x, top.y + top.h*2/5, middle, top.h - top.h*2/5})
		x += middle + 1
		tall := min(top.h/2, 18)
		l.put(paneWhy, rect{x, top.y, card, tall})
		l.put(paneReport, rect{x, top.y + tall, card, top.h - tall})
		l.put(bottom, rect{0, top.y + top.h, w, log})
		l.bars = []rect{{source, top.y, 1, top.h}, {x - 1, top.y, 1, top.h}}
	}
	return l
}

func (l *layout) put(p paneID, r rect) {
	if r.h > 1 && r.w > 0 {
		l.panes = append(l.panes, placed{p, r})
	}
}

// alone gives the whole body to one group; a tall one has room for the log below.
func (l *layout) alone(body rect, shown group, zoom bool) {
	switch shown {
	case groupRun:
		if body.h >= 34 && !zoom {
			log := body.h / 3
			l.stackRun(rect{body.x, body.y, body.w, body.h - log})
			l.put(paneLog, rect{body.x, body.y + body.h - log, body.w, log})
			return
		}
		l.stackRun(body)
	case groupSource:
		l.put(paneSource, body)
	case groupLog:
		l.put(paneLog, body)
	case groupFinish:
		l.put(paneFinish, body)
	default:
		l.put(paneReport, body)
	}
}

// stackRun puts live over band over the card. The card has its lines first, for it says why; where the
// rest is too low for two plots the band has it alone.
func (l *layout) stackRun(r rect) {
	card := 6 // title and five lines: h, k*, k and what would have changed it
	switch {
	case r.w < 76:
		card = 10
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
