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
	all := []rect{l.identity, l.state, l.tabs, l.status, l.footer}
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

func TestEverythingIsOnALargeScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		l := arrange(size[0], size[1], groupRun, false)
		if len(l.panes) != int(paneCount)-1 || l.tabs.h != 0 { // log and finish share a place
			t.Errorf("%v: %d panes, %d lines of tabs", size, len(l.panes), l.tabs.h)
		}
		asked := arrange(size[0], size[1], groupFinish, false)
		if len(asked.panes) != len(l.panes) || asked.panes[len(asked.panes)-1].pane != paneFinish {
			t.Errorf("%v: the finish pane is not in the log's place", size)
		}
	}
	l := arrange(80, 24, groupRun, false)
	if len(l.panes) != 3 || l.tabs.h != 1 {
		t.Errorf("80x24: %d panes, %d lines of tabs", len(l.panes), l.tabs.h)
	}
}
