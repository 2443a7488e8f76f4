package tui

import (
	"context"
	"math/rand/v2"
	"testing"
)

// What panes count from the stops of a million samples while a run is on, after 60 launches.
func BenchmarkPicturesOfAMillion(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	stops := &runStops{at: make([]uint32, 1_000_000), done: 60 * 64}
	for i := range stops.at {
		stops.at[i] = uint32(rng.IntN(5000))
	}
	q := maskQuestion{stops: stops, step: stops.done, cells: 110, rows: 8, shown: stretch{to: 5000}, active: true}
	b.Run("mask", func(b *testing.B) {
		for b.Loop() {
			if _, err := q.picture(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lanes", func(b *testing.B) {
		for b.Loop() {
			var m lanePicture
			for l := range uint32(countedWorkDuring / len(stops.at)) {
				m.count(stops.at, nil, laneQuestion{first: 64 * l, upto: 64*l + 64})
			}
		}
	})
}
