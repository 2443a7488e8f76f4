package mathlib

import (
	"math"
	"math/big"
	"sync"
)

// The reference: elementary functions in math/big, written independently of the package, by series with
// argument reduction. Working precision is refBits; results are good to 200 bits and more wherever they are
// used.
const refBits = 320

func bf(x float64) *big.Float { return wide(refBits).SetFloat64(x) }

func wide(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

func newf() *big.Float { return wide(refBits) }

func add(a, b *big.Float) *big.Float { return newf().Add(a, b) }
func sub(a, b *big.Float) *big.Float { return newf().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return newf().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return newf().Quo(a, b) }
func sqrt(a *big.Float) *big.Float   { return newf().Sqrt(a) }
func neg(a *big.Float) *big.Float    { return newf().Neg(a) }

func shift(a *big.Float, k int) *big.Float { return newf().SetMantExp(a, k) }

// expOf is the exponent of a: |a| in [2^(e-1), 2^e).
func expOf(a *big.Float) int {
	if a.Sign() == 0 {
		return math.MinInt32
	}
	return a.MantExp(nil)
}

// bigPi is pi to 1500 bits, by Machin's formula: it must survive the reduction of 2^1024.
var bigPi = sync.OnceValue(func() *big.Float {
	const prec = 1500
	arccot := func(n int64) *big.Float {
		sum, term := wide(prec), wide(prec).Quo(wide(prec).SetInt64(1), wide(prec).SetInt64(n))
		square := wide(prec).SetInt64(n * n)
		for k := int64(1); expOf(term) > -prec; k += 2 {
			t := wide(prec).Quo(term, wide(prec).SetInt64(k))
			if k%4 == 1 {
				sum.Add(sum, t)
			} else {
				sum.Sub(sum, t)
			}
			term.Quo(term, square)
		}
		return sum
	}
	pi := wide(prec).Mul(wide(prec).SetInt64(16), arccot(5))
	return pi.Sub(pi, wide(prec).Mul(wide(prec).SetInt64(4), arccot(239)))
})

func refPi() *big.Float { return newf().Set(bigPi()) }

var refLn2 = sync.OnceValue(func() *big.Float { return shift(refAtanhSeries(quo(bf(1), bf(3))), 1) })

// refAtanhSeries is atanh(s) for small s.
func refAtanhSeries(s *big.Float) *big.Float {
	sum, term, square := newf(), newf().Set(s), mul(s, s)
	for k := 1.0; term.Sign() != 0 && expOf(term) > expOf(s)-refBits; k += 2 {
		sum.Add(sum, quo(term, bf(k)))
		term.Mul(term, square)
	}
	return sum
}

// refLog is ln x for x > 0.
func refLog(x *big.Float) *big.Float {
	m := newf()
	e := x.MantExp(m)
	m = newf().Set(m)
	if m.Cmp(bf(math.Sqrt2/2)) < 0 {
		m, e = shift(m, 1), e-1
	}
	// Roots bring m towards 1, where the series is short. Near 1 none is needed, and none would lose digits.
	roots := 0
	for expOf(sub(m, bf(1))) > -6 {
		m = sqrt(m)
		roots++
	}
	y := shift(refAtanhSeries(quo(sub(m, bf(1)), add(m, bf(1)))), 1+roots)
	return add(y, mul(bf(float64(e)), refLn2()))
}

// refLog1p is ln(1 + x).
func refLog1p(x *big.Float) *big.Float {
	if expOf(x) < -20 { // ln(1+x) = 2 atanh(x/(2+x))
		return shift(refAtanhSeries(quo(x, add(bf(2), x))), 1)
	}
	return refLog(add(bf(1), x))
}

// refExpm1Series is e^r - 1 for small r.
func refExpm1Series(r *big.Float) *big.Float {
	sum, term := newf(), newf().Set(r)
	for k := 2.0; term.Sign() != 0 && expOf(term) > expOf(r)-refBits; k++ {
		sum.Add(sum, term)
		term.Quo(term.Mul(term, r), bf(k))
	}
	return sum
}

// refExp is e^x for |x| < 2^20.
func refExp(x *big.Float) *big.Float {
	k, _ := quo(x, refLn2()).Float64()
	k = math.RoundToEven(k)
	r := shift(sub(x, mul(bf(k), refLn2())), -8)
	y := refExpm1Series(r)
	for range 8 { // e^2r - 1 = (e^r - 1)(e^r - 1 + 2)
		y = mul(y, add(y, bf(2)))
	}
	return shift(add(y, bf(1)), int(k))
}

// refExpm1 is e^x - 1.
func refExpm1(x *big.Float) *big.Float {
	if expOf(x) < -20 {
		return refExpm1Series(x)
	}
	return sub(refExp(x), bf(1))
}

// refSincos is sin x, cos x.
func refSincos(x *big.Float) (sin, cos *big.Float) {
	const prec = 1500
	half := wide(prec).Quo(bigPi(), wide(prec).SetInt64(2))
	q := wide(prec).Quo(wide(prec).Set(x), half)
	q.Add(q, wide(prec).SetFloat64(math.Copysign(0.5, float64(q.Sign()))))
	n, _ := q.Int(nil)
	r := newf().Set(wide(prec).Sub(wide(prec).Set(x), wide(prec).Mul(wide(prec).SetInt(n), half)))
	series := func(first *big.Float, k float64) *big.Float {
		sum, term, square := newf(), newf().Set(first), neg(mul(r, r))
		for ; term.Sign() != 0 && expOf(term) > expOf(first)-refBits; k += 2 {
			sum.Add(sum, term)
			term.Quo(term.Mul(term, square), bf((k+1)*(k+2)))
		}
		return sum
	}
	s, c := series(r, 1), series(bf(1), 0)
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 0:
		return s, c
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	}
	return neg(c), s
}

// refAtan is atan x.
func refAtan(x *big.Float) *big.Float {
	if expOf(x) > 1 {
		y := refAtan(quo(bf(1), newf().Abs(x)))
		y = sub(shift(refPi(), -1), y)
		if x.Sign() < 0 {
			return neg(y)
		}
		return y
	}
	t, halvings := newf().Set(x), 0
	for t.Sign() != 0 && expOf(t) > -6 { // tan(a/2) = t/(1 + sqrt(1 + t^2))
		t = quo(t, add(bf(1), sqrt(add(bf(1), mul(t, t)))))
		halvings++
	}
	sum, term, square := newf(), newf().Set(t), neg(mul(t, t))
	for k := 1.0; term.Sign() != 0 && expOf(term) > expOf(t)-refBits; k += 2 {
		sum.Add(sum, quo(term, bf(k)))
		term.Mul(term, square)
	}
	return shift(sum, halvings)
}

// refAngle is the angle of (x, y).
func refAngle(y, x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return shift(newf().Copy(refPi()).Mul(refPi(), bf(float64(y.Sign()))), -1)
	}
	a := refAtan(quo(y, x))
	if x.Sign() < 0 {
		if y.Sign() >= 0 {
			return add(a, refPi())
		}
		return sub(a, refPi())
	}
	return a
}

// refCosine is sqrt(1 - x^2).
func refCosine(x *big.Float) *big.Float {
	return sqrt(mul(sub(bf(1), x), add(bf(1), x)))
}

// refCbrt is the cube root of x, by Newton's method from the float64 one.
func refCbrt(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return newf()
	}
	m := newf()
	e := x.MantExp(m)
	for e%3 != 0 {
		m, e = shift(m, -1), e+1
	}
	f, _ := m.Float64()
	y := bf(math.Cbrt(f))
	for range 4 {
		y = quo(add(shift(y, 1), quo(m, mul(y, y))), bf(3))
	}
	return shift(y, e/3)
}

// refErf is erf(x) for |x| < 7, by its Taylor series; the terms reach 2^70 there, which leaves 250 bits.
func refErf(x *big.Float) *big.Float {
	sum, term, square := newf(), newf().Set(x), neg(mul(x, x))
	for k := 1.0; term.Sign() != 0 && expOf(term) > expOf(x)-refBits; k++ {
		sum.Add(sum, quo(term, bf(2*k-1)))
		term.Quo(term.Mul(term, square), bf(k))
	}
	return quo(shift(sum, 1), sqrt(refPi()))
}

// refErfc is erfc(x). For large x the continued fraction e^(-x^2)/sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x
// + ...)))), from its end; 400 levels give 130 bits at x = 3, more beyond.
func refErfc(x *big.Float) *big.Float {
	if x.Cmp(bf(3)) < 0 {
		if x.Cmp(bf(-7)) < 0 {
			return bf(2)
		}
		return sub(bf(1), refErf(x))
	}
	d := newf().Set(x)
	for k := 400.0; k >= 1; k-- {
		d = add(x, quo(bf(k/2), d))
	}
	return quo(refExp(neg(mul(x, x))), mul(d, sqrt(refPi())))
}
