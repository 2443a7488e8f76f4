package sir

import (
	"math"
	"testing"
)

// TestPublishedNumbers: the first outputs of SplitMix64 from the seed 1234567, as published with its
// reference implementation (Vigna, splitmix64.c).
func TestPublishedNumbers(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := draw(1234567, uint64(i)+1); got != want {
			t.Errorf("number %d is %d, want %d", i+1, got, want)
		}
	}
	if unit(0) <= 0 || unit(math.MaxUint64) != 1 {
		t.Errorf("unit ranges over %v to %v, want above 0 to 1", unit(0), unit(math.MaxUint64))
	}
}

func run(t *testing.T, sample uint64, r0 float64, n, i0 int32) SIR {
	t.Helper()
	s := SIR{Sample: sample, R0: r0, N: n, I0: i0, Gamma: 0.2, Seed: 1}
	s.Init()
	events := int32(0)
	for {
		done := s.Step()
		events++
		if s.S+s.I+s.Recovered() != n || s.S < 0 || s.I < 0 {
			t.Fatalf("sample %d: %d susceptible, %d infectious, %d recovered of %d", sample, s.S, s.I, s.Recovered(), n)
		}
		if done {
			break
		}
	}
	if want := i0 + 2*(n-i0-s.S); events != want {
		t.Fatalf("sample %d: finished after %d events, want %d", sample, events, want)
	}
	return s
}

// exact is what the Markov chain says, by recursion over its states: the probability of each final S, the
// mean and the variance of the time to extinction.
func exact(r0, gamma float64, n, i0 int) (final []float64, mean, variance float64) {
	type state struct{ t1, t2 float64 }
	// Forward for the probabilities: every event lowers S, or keeps it and lowers I.
	p := make([][]float64, n+1)
	for s := range p {
		p[s] = make([]float64, n+2)
	}
	p[n-i0][i0] = 1
	final = make([]float64, n+1)
	for s := n - i0; s >= 0; s-- {
		for i := n - s; i >= 1; i-- {
			infect := r0 * float64(s) / float64(n)
			infect /= infect + 1
			if s > 0 {
				p[s-1][i+1] += p[s][i] * infect
			}
			p[s][i-1] += p[s][i] * (1 - infect)
		}
		final[s] = p[s][0]
	}
	// Backward for the first two moments of the time.
	at := make([][]state, n+1)
	for s := 0; s <= n-i0; s++ {
		at[s] = make([]state, n+2)
		for i := 1; i <= n-s; i++ {
			infect := r0 * gamma * float64(s*i) / float64(n)
			rate := infect + gamma*float64(i)
			next := at[s][i-1]
			if s > 0 {
				a, b := at[s-1][i+1], at[s][i-1]
				w := infect / rate
				next = state{t1: w*a.t1 + (1-w)*b.t1, t2: w*a.t2 + (1-w)*b.t2}
			}
			at[s][i] = state{t1: 1/rate + next.t1, t2: 2/(rate*rate) + 2/rate*next.t1 + next.t2}
		}
	}
	m := at[n-i0][i0]
	return final, m.t1, m.t2 - m.t1*m.t1
}

// TestExactDistribution holds final sizes and times of many samples against the exact ones.
func TestExactDistribution(t *testing.T) {
	const n, samples = 12, 40000
	for _, c := range []struct {
		r0 float64
		i0 int32
	}{{0.6, 1}, {1, 2}, {2.5, 1}, {4, 3}} {
		want, mean, variance := exact(c.r0, 0.2, n, int(c.i0))
		var count [n + 1]float64
		sum := 0.0
		for i := range uint64(samples) {
			s := run(t, i, c.r0, n, c.i0)
			count[s.S]++
			sum += s.T
		}
		chi2, cells := 0.0, 0
		for s, p := range want {
			if e := samples * p; e > 5 {
				chi2 += (count[s] - e) * (count[s] - e) / e
				cells++
			}
		}
		// Mean and standard deviation of chi-square: its degrees of freedom d and sqrt(2d).
		if d := float64(cells - 1); chi2 > d+4.5*math.Sqrt(2*d) {
			t.Errorf("R0 %v: chi-square of the final sizes is %.1f in %d cells", c.r0, chi2, cells)
		}
		if miss := (sum/samples - mean) / math.Sqrt(variance/samples); math.Abs(miss) > 4 {
			t.Errorf("R0 %v: extinct after %v days on average, exactly %v: %.1f standard errors away", c.r0, sum/samples, mean, miss)
		}
	}
}

// TestTwoPeople has a closed form: the second is infected with probability (R0/2)/(R0/2 + 1).
func TestTwoPeople(t *testing.T) {
	want, _, _ := exact(3, 0.2, 2, 1)
	if math.Abs(want[0]-0.6) > 1e-15 {
		t.Errorf("the recursion gives %v for two people at R0 = 3, want 0.6", want[0])
	}
}

// TestLargeEpidemic: with many people the final size solves 1 - z = exp(-R0 z) (Kermack, McKendrick).
func TestLargeEpidemic(t *testing.T) {
	s := run(t, 7, 2, 200000, 100)
	z := 0.8
	for range 100 {
		z = 1 - math.Exp(-2*z)
	}
	// The standard deviation of the share is below 1/sqrt(N).
	if math.Abs(s.AttackRate()-z) > 5/math.Sqrt(200000) {
		t.Errorf("attack rate %v, want %v", s.AttackRate(), z)
	}
}

// TestNobodyInfectious: a population without a first case finishes at once and stays as it is.
func TestNobodyInfectious(t *testing.T) {
	s := SIR{R0: 2, N: 10, Gamma: 0.2}
	s.Init()
	if !s.Step() || s.S != 10 || s.T != 0 {
		t.Errorf("not extinct at once: %+v", s)
	}
}
