package tui

import (
	"fmt"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

// BenchmarkScreen is one drawing of everything, without the time that the terminal takes.
func BenchmarkScreen(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for _, launches := range []int{100, 100_000} {
			b.Run(fmt.Sprintf("size=%dx%d/launches=%d", size[0], size[1], launches), func(b *testing.B) {
				m := newTestModel(newScript(10), size[0], size[1], GlyphsBraille)
				fill(m.feed, launches)
				b.ReportAllocs()
				for b.Loop() {
					m.version++
					m.View()
				}
			})
		}
	}
}

// fill gives a feed a run of many launches, without a trace.
func fill(f *feed, launches int) {
	start := engine.RunStart{N: 1_000_000, MaxSteps: 1 << 30, StepsMax: 64, Policy: engine.PolicyBand, R: 0.125, Active: true}.Event()
	start.Generation = f.generation
	f.take(&start)
	done := uint32(0)
	for i := range launches {
		word := uint32(8 << (i / 1000 % 4))
		done += word
		newly := uint32(i * 7 % 10)
		l := engine.Launch{Number: uint32(i + 1), Word: word, Live: uint32(1_000_000 - 10*i), Newly: newly, Done: done}.Event()
		h := engine.FinishShare(newly, 1_000_000, word)
		p := engine.PolicyDecision{
			N: 1_000_000, Newly: newly, Word: word, R: 0.125, H: h, KStar: engine.KStar(0.125, h), K: 64, Next: 64, StepsMax: 64,
		}.Event()
		for _, e := range []engine.Event{l, p} {
			e.Generation, e.Turn = f.generation, uint64(i+1)
			f.take(&e)
		}
	}
}
