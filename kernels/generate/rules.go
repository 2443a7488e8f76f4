package generate

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// filler sets s.out[:n] to the values of the samples from the global index at on.
type filler func(values stream, at uint64, n int)

// filler returns the filler of a rule with valid arguments in a batch of total samples.
func (s *scratch) filler(in ir.Init, total uint64) filler {
	a := in.Args
	switch in.Kind {
	case ir.InitUniform:
		return s.uniform(a[0], a[1])
	case ir.InitLogUniform:
		return s.logUniform(a[0], a[1])
	case ir.InitNormal:
		return s.normal(a[0], a[1])
	case ir.InitLinspace:
		return s.linspace(a[0], a[1], total)
	case ir.InitLogspace:
		return s.logspace(a[0], a[1], total)
	case ir.InitChoice:
		return s.choice(a)
	case ir.InitIndex:
		return func(_ stream, at uint64, n int) {
			for i := range n {
				s.out[i] = float64(at + uint64(i))
			}
		}
	}
	value := 0.0
	if len(a) > 0 {
		value = a[0]
	}
	return func(_ stream, _ uint64, n int) {
		for i := range n {
			s.out[i] = value
		}
	}
}

// draw sets u and v of n samples.
func (s *scratch) draw(values stream, at uint64, n int) {
	for i := range n {
		s.u[i], s.v[i] = values.draw(at + uint64(i))
	}
}

// Products that feed a sum are wrapped in float64() here, so that no Go compiler fuses the two.

func (s *scratch) uniform(a, b float64) filler {
	return func(values stream, at uint64, n int) {
		s.draw(values, at, n)
		for i := range n {
			x := a + float64((b-a)*s.u[i])
			if math.IsInf(b-a, 0) {
				x = 2 * (a/2 + float64((b/2-a/2)*s.u[i]))
			}
			s.out[i] = within(x, a, b)
		}
	}
}

// within cuts x to [a, b); where that is empty, a is the value.
func within(x, a, b float64) float64 {
	if x >= b {
		x = math.Nextafter(b, math.Inf(-1))
	}
	return max(a, x)
}

func (s *scratch) logUniform(a, b float64) filler {
	lnA, lnB := s.logs(a, b)
	return func(values stream, at uint64, n int) {
		s.draw(values, at, n)
		s.apply(curveExp, lnA, lnB-lnA, n)
		for i := range n {
			s.out[i] = within(s.out[i], a, b)
		}
	}
}

func (s *scratch) normal(mean, deviation float64) filler {
	return func(values stream, at uint64, n int) {
		s.draw(values, at, n)
		s.apply(curveNormal, mean, deviation, n)
	}
}

func (s *scratch) linspace(a, b float64, total uint64) filler {
	last := float64(total - 1)
	return func(_ stream, at uint64, n int) {
		for i := range n {
			// The product first: of whole numbers it is exact, and then so is a quotient that is whole.
			k := float64(at + uint64(i))
			x := a + float64((b-a)*k)/last
			if math.IsInf(b-a, 0) || math.IsInf((b-a)*k, 0) {
				x = float64(a*(1-k/last)) + float64(b*(k/last))
			}
			s.out[i] = ends(x, a, b, at+uint64(i), total)
		}
	}
}

// ends replaces the values at the first and the last sample by a and b.
func ends(x, a, b float64, index, total uint64) float64 {
	switch index {
	case 0:
		return a
	case total - 1:
		return b
	}
	return x
}

func (s *scratch) logspace(a, b float64, total uint64) filler {
	lnA, lnB := s.logs(a, b)
	last := float64(total - 1)
	return func(_ stream, at uint64, n int) {
		for i := range n {
			s.u[i], s.v[i] = float64(at+uint64(i))/last, 0
		}
		s.apply(curveExp, lnA, lnB-lnA, n)
		for i := range n {
			s.out[i] = ends(s.out[i], a, b, at+uint64(i), total)
		}
	}
}

func (s *scratch) choice(values []float64) filler {
	return func(draws stream, at uint64, n int) {
		s.draw(draws, at, n)
		for i := range n {
			// u <= 1 - 2^-53, so the product could round up to the number of values only for 2^52 of them.
			s.out[i] = values[int(s.u[i]*float64(len(values)))]
		}
	}
}
