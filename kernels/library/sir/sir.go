// Package sir runs stochastic SIR epidemics, event by event, until nobody is infectious.
//
// One sample is a closed, well-mixed population of N people: S susceptible, I infectious, the rest recovered
// and immune (Kermack, McKendrick, "A contribution to the mathematical theory of epidemics", Proceedings of
// the Royal Society A 115, 1927; as a Markov process: Bartlett, "Some evolutionary stochastic processes",
// Journal of the Royal Statistical Society B 11, 1949). Two events happen, each at its own rate:
//
//	infection  S -> S-1, I -> I+1    at R0 Gamma S I/N
//	recovery   I -> I-1              at Gamma I
//
// A step is one event (Gillespie, "Exact stochastic simulation of coupled chemical reactions", Journal of
// Physical Chemistry 81, 1977): the time to it is exponential with the sum of the rates, and which of the two
// it is follows their ratio. The sample is exact, there is no time step.
//
// A sample finishes when I is 0, after I0 + 2 (S0 - S) events. At R0 <= 1 that is soon. Above, an epidemic
// dies early with probability about R0^-I0, or goes through the population until the susceptible are few.
//
// Random numbers are a function of (Seed, Sample, number of the draw), in random.go. So a sample does not
// depend on the batch that it runs in.
package sir

import "math"

// SIR is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type SIR struct {
	Sample uint64  `init:"index()"`            // stream of random numbers
	R0     float64 `init:"uniform(0.5, 4)"`    // people that one infectious person infects when all are susceptible
	N      int32   `init:"uniform(100, 1000)"` // people
	I0     int32   `init:"choice(1, 2, 5)"`    // infectious at the start, at most N

	Gamma float64 `plane:"param" unit:"1/d" init:"0.2"` // recovery rate: infectious for 5 days on average
	Seed  uint64  `plane:"param" init:"1"`              // seed of the random numbers

	S     int32   // susceptible
	I     int32   // infectious
	T     float64 `unit:"d"` // time of the last event
	Draws uint64  // random numbers drawn
}

// Init infects the first.
func (s *SIR) Init() {
	s.I = min(s.I0, s.N)
	s.S = s.N - s.I
}

// uniform draws the next number of the sample's stream.
func (s *SIR) uniform() float64 {
	s.Draws++
	return unit(draw(stream(s.Seed, s.Sample), s.Draws))
}

// Step makes one event happen.
func (s *SIR) Step() (extinct bool) {
	if s.I > 0 {
		recovery := s.Gamma * float64(s.I)
		infection := s.R0 * recovery * float64(s.S) / float64(s.N)
		wait := s.uniform()
		s.T -= math.Log(wait) / (infection + recovery)
		if which := s.uniform(); which*(infection+recovery) <= infection {
			s.S--
			s.I++
		} else {
			s.I--
		}
	}
	extinct = s.I <= 0
	return
}

// AttackRate is the share of the population that is or was infected.
func (s *SIR) AttackRate() float64 { return 1 - float64(s.S)/float64(s.N) }

// Recovered is the number of people who recovered.
func (s *SIR) Recovered() int32 { return s.N - s.S - s.I }
