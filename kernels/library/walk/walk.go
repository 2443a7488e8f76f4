// Package walk lets walkers on a line go at random until each is absorbed at one of the two ends.
//
// One sample is a walker on the places 0, 1, ..., L. A step moves it by one, to the right with probability P,
// otherwise to the left. This is the gambler's ruin: Feller, "An Introduction to Probability Theory and Its
// Applications", volume 1, 3rd edition 1968, chapter XIV, where the mean number of steps (section 3) and the
// probability of each end (section 2) are derived; they are the observables here.
//
// A sample finishes at 0 or at L. The number of steps has an exponential tail: about exp(-pi^2 k/(2 L^2)) of
// fair walkers take more than k steps, at L = 40 a share of 4e-14 more than 10,000.
package walk

import "math"

// Walk is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Walk struct {
	Sample uint64 `init:"index()"`        // stream of random numbers
	Start  int32  `init:"uniform(1, 40)"` // first place, between 0 and L

	L    int32   `plane:"param" init:"40"`  // the right end; the left one is 0
	P    float64 `plane:"param" init:"0.5"` // probability of a step to the right
	Seed uint64  `plane:"param" init:"1"`   // seed of the random numbers

	X int32  // place
	K uint64 // steps taken
}

// Init puts the walker on its first place.
func (s *Walk) Init() { s.X = s.Start }

// Random numbers: number k of a sample is a hash of (Seed, Sample, k), SplitMix64 of Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014.

const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is number k of the sample's stream, in [0, 1).
func (s *Walk) uniform(k uint64) float64 {
	key := mix(mix(s.Seed + (s.Sample+1)*golden))
	return float64(mix(key+k*golden)>>11) * 0x1p-53
}

// Step moves the walker by one place.
func (s *Walk) Step() (absorbed bool) {
	s.K++
	if s.uniform(s.K) < s.P {
		s.X++
	} else {
		s.X--
	}
	absorbed = s.X <= 0 || s.X >= s.L
	return
}

// AtRight says whether the walker is at the right end.
func (s *Walk) AtRight() bool { return s.X >= s.L }

// RightChance is the probability of ending at the right, from the start: its mean over a batch is what the
// mean of AtRight comes close to.
func (s *Walk) RightChance() float64 {
	x, l := float64(s.Start), float64(s.L)
	if s.P == 0.5 {
		return x / l
	}
	ratio := (1 - s.P) / s.P
	return (1 - math.Pow(ratio, x)) / (1 - math.Pow(ratio, l))
}

// MeanSteps is the expected number of steps from the start: its mean over a batch is what the mean of K
// comes close to.
func (s *Walk) MeanSteps() float64 {
	x, l := float64(s.Start), float64(s.L)
	if s.P == 0.5 {
		return x * (l - x)
	}
	return (x - l*s.RightChance()) / (1 - 2*s.P)
}
