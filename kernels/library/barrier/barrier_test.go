package barrier

import (
	"math"
	"testing"
)

// TestPhilox: known answers of the authors' reference implementation (Random123, kat_vectors).
func TestPhilox(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		k0, k1  uint32
		want    [4]uint32
	}{
		{[4]uint32{}, 0, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, ones, ones, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.k0, c.k1); got != c.want {
			t.Errorf("counter %#x: %#x, want %#x", c.counter, got, c.want)
		}
	}
}

func option() Barrier {
	return Barrier{Spot: 100, Strike: 100, Level: 90, Rate: 0.05, Vol: 0.25, Maturity: 1, Steps: 50, Seed: 11}
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// vanilla is the price without a barrier: Black, Scholes, "The pricing of options and corporate liabilities",
// Journal of Political Economy 81, 1973.
func vanilla(o Barrier) float64 {
	sd := o.Vol * math.Sqrt(o.Maturity)
	d := (math.Log(o.Spot/o.Strike)+o.Rate*o.Maturity)/sd + sd/2
	return o.Spot*normalCDF(d) - o.Strike*math.Exp(-o.Rate*o.Maturity)*normalCDF(d-sd)
}

// closed is the price with a barrier at or below the strike: Reiner, Rubinstein, "Breaking down the
// barriers", Risk 4, 1991. A path that touched the barrier is worth a vanilla option on the mirrored one.
func closed(o Barrier) float64 {
	lambda := o.Rate/(o.Vol*o.Vol) + 0.5
	mirrored := o
	mirrored.Spot = o.Level * o.Level / o.Spot
	return vanilla(o) - math.Pow(o.Level/o.Spot, 2*lambda-2)*vanilla(mirrored)
}

// TestClosedForm checks the reference itself: example 15.6 of Hull, "Options, Futures, and Other
// Derivatives", 10th edition 2018, a vanilla call worth 4.76; a barrier at the spot leaves nothing.
func TestClosedForm(t *testing.T) {
	hull := Barrier{Spot: 42, Strike: 40, Level: 1e-9, Rate: 0.1, Vol: 0.2, Maturity: 0.5}
	if got := closed(hull); math.Abs(got-4.76) > 0.005 {
		t.Errorf("vanilla call %v, want 4.76", got)
	}
	o := option()
	o.Level = o.Spot
	if got := closed(o); math.Abs(got) > 1e-12 {
		t.Errorf("a barrier at the spot leaves %v", got)
	}
}

// TestPrice: the mean over many paths lies within 4 of its standard errors of the closed form, for coarse
// and for fine steps.
func TestPrice(t *testing.T) {
	const paths = 20000
	for _, c := range []struct {
		name  string
		level float64
		steps int32
	}{
		{"no barrier to speak of", 1, 4},
		{"a low barrier", 80, 20},
		{"the default", 90, 50},
		{"a barrier close by, coarse steps", 97, 4},
		{"a barrier close by, fine steps", 97, 100},
	} {
		o := option()
		o.Level, o.Steps = c.level, c.steps
		want := closed(o)
		var sum, sum2 float64
		for i := range uint64(paths) {
			s := o
			s.Path = i
			for !s.Step() {
			}
			if s.Out == (s.K == s.Steps && s.Payoff() > 0) && s.Payoff() != 0 {
				t.Fatalf("path %d: out %v after %d steps, yet pays %v", i, s.Out, s.K, s.Payoff())
			}
			sum, sum2 = sum+s.Payoff(), sum2+s.Payoff()*s.Payoff()
		}
		mean := sum / paths
		se := math.Sqrt((sum2/paths - mean*mean) / paths)
		t.Logf("%s: %.4f +- %.4f, closed form %.4f", c.name, mean, se, want)
		if math.Abs(mean-want) > 4*se {
			t.Errorf("%s: price %v with standard error %v, want %v", c.name, mean, se, want)
		}
	}
}

// TestDatesAloneAreBiased is why there is a bridge: watched at the dates only, the option is worth more, and
// the test above would notice.
func TestDatesAloneAreBiased(t *testing.T) {
	const paths = 20000
	o := option()
	o.Level, o.Steps = 97, 4
	var sum, sum2 float64
	for i := range uint64(paths) {
		s := o
		s.Path = i
		for s.K < s.Steps && s.Price() > s.Level {
			s.Step()
			s.Out = false
		}
		s.Out = s.Price() <= s.Level
		sum, sum2 = sum+s.Payoff(), sum2+s.Payoff()*s.Payoff()
	}
	mean := sum / paths
	if se := math.Sqrt((sum2/paths - mean*mean) / paths); mean < closed(o)+4*se {
		t.Errorf("price %v without the bridge, closed form %v: no bias seen", mean, closed(o))
	}
}
