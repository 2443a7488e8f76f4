package counting_test

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	. "github.com/eaglet-workbench/eaglet/engine/counting"
)

// What a pane asks for on a million samples: the profile once, then a policy, and everything beside it.
func BenchmarkMillion(b *testing.B) {
	s := Shaping{Shape: Spread, N: 1_000_000, Shortest: 100, Longest: 9000, Seed: 1}
	stops := s.Stops()
	p := NewProfile(stops)
	r := Rule{Policy: engine.PolicyBand, R: 0.125, StepsMax: 64, Cap: 10_000, Active: true}
	for name, f := range map[string]func() error{
		"what=profile": func() error { NewProfile(stops); return nil },
		"what=band":    func() error { _, err := Count(p, r, nil); return err },
		"what=oracle":  func() error { _, err := Oracle(p, r, nil); return err },
		"what=weigh":   func() error { _, err := Weigh(p, r); return err },
		"what=order":   func() error { _, err := OrderOf(stops, r, 0.5); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
