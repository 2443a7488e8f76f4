package tui

import "testing"

func TestRectanglesNeverOverlap(t *testing.T) {
	for w := 1; w <= 230; w++ {
		for h := 1; h <= 70; h++ {
			for g := range groupCount {
				for _, zoom := range []bool{false, true} {
					l := arrange(w, h, g, zoom)
					if l.tooSmall != (w < leastWidth || h < leastHeight) {
						t.Fatalf("%dx%d: too small is %v", w, h, l.tooSmall)
					}
					if !l.tooSmall {
						checkRects(t, w, h, g, &l)
					}
				}
			}
		}
	}
}

func checkRects(t *testing.T, w, h int, g group, l *layout) {
	t.Helper()
	all := []rect{l.identity, l.state, l.tabs, l.strip, l.status, l.footer}
	found := false
	for _, p := range l.panes {
		all = append(all, p.rect)
		found = found || groupOf[p.pane] == g
		if p.h < 2 {
			t.Fatalf("%dx%d: pane %d has no room below its title", w, h, p.pane)
		}
	}
	if !found {
		t.Fatalf("%dx%d: the group shown, %d, is not on screen", w, h, g)
	}
	all = append(all, l.bars...)
	for i, a := range all {
		if a.h == 0 {
			continue
		}
		if a.x < 0 || a.y < 0 || a.x+a.w > w || a.y+a.h > h {
			t.Fatalf("%dx%d: %v leaves the screen", w, h, a)
		}
		for _, b := range all[i+1:] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Fatalf("%dx%d: %v and %v overlap", w, h, a, b)
			}
		}
	}
}

func TestTheCockpitHoldsEveryTimeline(t *testing.T) {
	standing := func(l layout, panes ...paneID) {
		t.Helper()
		for _, p := range panes {
			count := 0
			for _, q := range l.panes {
				if q.pane == p {
					count++
				}
			}
			if count != 1 {
				t.Errorf("pane %d is there %d times", p, count)
			}
		}
	}
	standing(arrange(200, 60, groupRun, false), paneSource, paneLive, paneBand, paneMask, paneLanes, paneCompact, paneWhy, paneReport, paneLog)
	standing(arrange(120, 40, groupRun, false), paneLive, paneBand, paneWhy, paneReport, paneLog)
	standing(arrange(80, 24, groupRun, false), paneLive, paneBand, paneWhy)
	for g := range groupCount { // what stands in a column is not repeated
		for _, size := range [][2]int{{200, 60}, {120, 40}, {80, 24}} {
			l := arrange(size[0], size[1], g, false)
			for _, p := range l.panes {
				standing(l, p.pane)
			}
		}
	}
}
