package counting

import (
	"math"
	"math/rand/v2"
)

// Shape names a distribution of stops to think about.
type Shape uint8

// The shapes.
const (
	Equal      Shape = iota // everybody after Longest steps
	Spread                  // evenly over the logarithm of Shortest..Longest
	Uniform                 // evenly over Shortest..Longest
	TwoGroups               // Share of the samples after Longest, the others after Shortest
	Stragglers              // Share of the samples after Longest, the others within a tenth of Shortest
	Half                    // every second sample after Longest, the others after Shortest
	Unending                // Share of the samples never, the others evenly over Shortest..Longest
	Shapes
)

// String names the shape.
func (s Shape) String() string {
	return [...]string{"all equal", "spread", "uniform", "two groups", "stragglers", "half and half", "never"}[s]
}

// Says is the shape in a clause.
func (s Shape) Says() string {
	return [...]string{
		"every sample stops at the same step",
		"stops evenly over the logarithm of the steps: many early, few late",
		"stops evenly over the steps",
		"some samples stop late, the others early, in no order",
		"a few samples stop much later than all others",
		"every second sample stops early, its neighbour late",
		"some samples never stop, the cap ends the run",
	}[s]
}

// Uses says which of the parameters a shape depends upon.
func (s Shape) Uses() (shortest, share bool) {
	switch s {
	case Equal:
		return false, false
	case Spread, Uniform, Half:
		return true, false
	}
	return true, true
}

// Shaping is a batch that is only thought of.
type Shaping struct {
	Shape             Shape
	N                 int
	Shortest, Longest uint32  // steps, 1 <= Shortest <= Longest
	Share             float64 // of the samples, 0 to 1
	Seed              uint64
}

// Stops makes the stops of the batch, in no order where the shape has none. Equal seeds give equal stops.
func (s *Shaping) Stops() []uint32 {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(s.Shape)))
	low, high := max(s.Shortest, 1), max(s.Longest, s.Shortest, 1)
	span := float64(high-low) + 1
	out := make([]uint32, s.N)
	for i := range out {
		u := rng.Float64()
		late := rng.Float64() < s.Share
		switch s.Shape {
		case Equal:
			out[i] = high
		case Spread:
			out[i] = uint32(math.Round(float64(low) * math.Pow(float64(high)/float64(low), u)))
		case Uniform:
			out[i] = low + uint32(u*span)
		case TwoGroups:
			out[i] = pick(late, high, low)
		case Stragglers:
			out[i] = pick(late, high, max(uint32(float64(low)*(0.9+0.2*u)), 1))
		case Half:
			out[i] = pick(i%2 == 1, high, low)
		case Unending:
			out[i] = pick(late, Never, low+uint32(u*span))
		}
	}
	return out
}

func pick(first bool, a, b uint32) uint32 {
	if first {
		return a
	}
	return b
}
