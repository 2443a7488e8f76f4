package tui

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/session"
)

// stopsOf are stops of samples, of which the ones beyond done are live.
func stopsOf(done uint32, at ...uint32) *runStops {
	s := &session.Stops{Done: done, Taken: make([]uint32, len(at)), Mask: make([]byte, len(at))}
	for i, stop := range at {
		s.Taken[i] = min(stop, done)
		if stop <= done {
			s.Mask[i] = 1
		}
	}
	return &runStops{at: stopSteps(s), done: done}
}

// The picture of the mask is what one gets by asking each sample.
func TestMaskPictureCountsEverySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.Uint32Range(1, 60), 1, 300).Draw(t, "stops")
		done, step := rapid.Uint32Range(0, 80).Draw(t, "done"), rapid.Uint32Range(0, 80).Draw(t, "step")
		step = min(step, done)
		s := stopsOf(done, at...)
		q := maskQuestion{step: step, cells: rapid.IntRange(1, 90).Draw(t, "cells"), rows: rapid.IntRange(1, 12).Draw(t, "rows"), stops: s, active: true, shown: stretch{to: 80}}
		p, err := q.picture(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		live, groups := 0, 0
		for first := 0; first < len(at); first += groupLanes {
			in := 0
			for _, stop := range at[first:min(first+groupLanes, len(at))] {
				if stop > step {
					in++
				}
			}
			live += in
			groups += min(in, 1)
		}
		if p.live != live || p.plain.live != live || p.plain.groups != groups || p.mapped.groups != (live+groupLanes-1)/groupLanes {
			t.Fatalf("%d live, %+v, %+v; want %d in %d groups", p.live, p.plain, p.mapped, live, groups)
		}
		for r, row := range p.raster {
			for c, got := range row {
				now := uint32((float64(c) + 0.5) / float64(q.cells) * 80)
				in, size := 0, 0
				for i, stop := range at {
					if i*len(p.raster)/len(at) == r {
						size++
						if stop > now {
							in++
						}
					}
				}
				want := float64(in) / float64(size)
				if now > done {
					want = math.NaN()
				}
				if got != want && !(got != got && want != want) {
					t.Fatalf("row %d, column %d, step %d: %v, want %v", r, c, now, got, want)
				}
			}
		}
	})
}

func TestSlotOrderIsAStablePartition(t *testing.T) {
	s := stopsOf(100, 10, 90, 30, 80, 20, 70)
	if got := slotOrder(s.at, []uint32{25, 75}, 24); got != nil {
		t.Errorf("before the first reorder the order is %v", got)
	}
	if got := slotOrder(s.at, []uint32{25, 75}, 30); !slices.Equal(got, []uint32{1, 2, 3, 5, 0, 4}) {
		t.Errorf("after one: %v", got)
	}
	if got := slotOrder(s.at, []uint32{25, 75}, 90); !slices.Equal(got, []uint32{1, 3, 2, 5, 0, 4}) {
		t.Errorf("after two: %v", got)
	}
}

// A group pays for its longest sample; through the map live samples fill groups.
func TestLanesPayForTheLongestOfTheirGroup(t *testing.T) {
	at := make([]uint32, 64)
	for i := range at {
		at[i] = 10
		if i%32 == 0 {
			at[i] = 40
		}
	}
	s := stopsOf(40, at...)
	var m lanePicture
	m.count(s.at, nil, laneQuestion{first: 0, upto: 16})
	if m.useful != 62*10+2*16 || m.paid != [2]float64{64 * 16, 64 * 16} {
		t.Errorf("the first launch: %v useful, %v paid", m.useful, m.paid)
	}
	m = lanePicture{}
	m.count(s.at, nil, laneQuestion{first: 16, upto: 32}) // two live, one in each group
	if m.useful != 32 || m.paid != [2]float64{64 * 16, 32 * 16} {
		t.Errorf("a later one: %v useful, %v paid", m.useful, m.paid)
	}
}

func TestMaskAndLanesOnScreen(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille).typed("2", "[").settled()
	text := m.screen().String(nil)
	for _, want := range []string{"Mask: ", "samples live at step", "lane-steps paid for one useful through the map", "lanes live in a group, 1 to 32"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on screen:\n%s", want, text)
		}
	}
	running := newTestModel(after(41), 120, 40, GlyphsBraille).typed("2").settled()
	if text := running.screen().String(nil); !strings.Contains(text, "samples live at step") || !strings.Contains(text, "lanes live in a group") {
		t.Errorf("while a run is on:\n%s", text)
	}
	small := newTestModel(over(), 80, 24, GlyphsASCII).typed("[").settled()
	if lines := strings.Split(small.screen().String(nil), "\n"); !strings.Contains(lines[21], "mask |") {
		t.Errorf("the mask line is %q", lines[21])
	}
}
