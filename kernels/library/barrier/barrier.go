// Package barrier prices a down-and-out call option by Monte Carlo: one sample is one path of the share.
//
// The share follows geometric Brownian motion under the risk-neutral measure,
//
//	dS = Rate S dt + Vol S dW
//
// The option pays max(S - Strike, 0) at Maturity, unless S has touched the barrier before: then it is worth
// nothing (Merton, "Theory of rational option pricing", Bell Journal of Economics 4, 1973).
//
// A step is Maturity/Steps years. The logarithm of S takes its exact normal increment. Between two dates the
// path is a Brownian bridge, which touches the barrier with probability exp(-2 a b/(Vol^2 dt)), a and b being
// the distances of its ends from it, in the logarithm (Beaglehole, Dybvig, Zhou, "Going to extremes:
// correcting simulation bias in exotic option valuation", Financial Analysts Journal 53, 1997). One more
// random number decides it. So the barrier is watched all the time and not only at the dates, and the mean
// of the payoff has no bias whatever the number of steps.
//
// A sample finishes when the option is knocked out, or at maturity. The price is the mean of the observable
// Payoff over the batch; its standard error falls with the root of the number of samples.
package barrier

import "math"

// Barrier is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Barrier struct {
	Path uint64 `init:"index()"` // stream of random numbers

	Spot     float64 `plane:"param" init:"100"`             // price of the share today
	Strike   float64 `plane:"param" init:"100"`             // price at which the option buys
	Level    float64 `plane:"param" init:"90"`              // the barrier, below Spot
	Rate     float64 `plane:"param" unit:"1/a" init:"0.05"` // interest rate, continuously compounded
	Vol      float64 `plane:"param" init:"0.25"`            // volatility, for the root of a year
	Maturity float64 `plane:"param" unit:"a" init:"1"`      // years to maturity
	Steps    int32   `plane:"param" init:"252"`             // steps to maturity: trading days
	Seed     uint64  `plane:"param" init:"1"`               // seed of the random numbers

	X   float64 // ln(S/Spot)
	K   int32   // steps taken
	Out bool    // knocked out
}

// Step advances the share by one day.
func (s *Barrier) Step() (over bool) {
	dt := s.Maturity / float64(s.Steps)
	normal, chance := s.random()
	before := s.X
	s.X += (s.Rate-0.5*s.Vol*s.Vol)*dt + s.Vol*math.Sqrt(dt)*normal
	s.K++

	level := math.Log(s.Level / s.Spot)
	if s.X <= level {
		s.Out = true
	} else if chance < math.Exp(-2*(before-level)*(s.X-level)/(s.Vol*s.Vol*dt)) {
		s.Out = true
	}
	over = s.Out || s.K >= s.Steps
	return
}

// Price is the price of the share.
func (s *Barrier) Price() float64 { return s.Spot * math.Exp(s.X) }

// Payoff is what the option pays, discounted to today. It has a meaning for finished samples only.
func (s *Barrier) Payoff() float64 {
	if s.Out {
		return 0
	}
	return math.Exp(-s.Rate*s.Maturity) * math.Max(0, s.Price()-s.Strike)
}
