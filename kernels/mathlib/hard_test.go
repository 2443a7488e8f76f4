package mathlib

import (
	"math"
	"math/big"
)

// tiny are the arguments round the smallest numbers and the smallest normal one.
var tiny = []float64{0x1p-1074, 3 * 0x1p-1074, 0x1p-1050, 0x1p-1022 - 0x1p-1074, 0x1p-1022, 0x1p-1022 + 0x1p-1074, 0x1.fffffffffffffp-1022, 0x1p-969}

// hard lists for each function the arguments where its result or its method changes: overflow, underflow,
// the first subnormal result, results near 0, and every bound in the code. Each is tried with its neighbours,
// two on either side.
var hard = map[string][]float64{
	"Exp":   {709.782712893384, -708.3964185322641, -745.1332191019411, 0x1p-54, -0x1p-54, 0.34657359027997264, -0.34657359027997264, 1.0397207708399179, 1},
	"Exp2":  {1023.9999999999999, -1022, -1074, -1074.9999999999998, 0.5, -0.5, 1.5, 0x1p-54, -0x1p-54},
	"Expm1": {0.3968214784058008, 0.5, -0.5, 709.782712893384, 60, -40, 36.7, 37.4, -37.4, 0.34657359027997264, -0.34657359027997264, 1.0397207708399179, -1.0397207708399179, 0x1p-54, -0x1p-54},
	"Log":   {1, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, 0x1p1023, 2, 0.5, math.E},
	"Log2":  {1, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, 0x1p1023, 2, 0.5, 0x1p-1000},
	"Log10": {1, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, 0x1p1023, 10, 1e22, 1e-5},
	"Log1p": {-0.29, 0.41, 0x1p-54, -0x1p-54, 1, 0x1p53, -0.9999999999999996, 0x1p1023},
	"Sin":   trigHard,
	"Cos":   trigHard,
	"Tan":   trigHard,
	"Asin":  {0.9999999999999998, 0.5, -0.5, math.Sqrt2 / 2, 0x1p-27, 0.0625, 0.1875},
	"Acos":  {0.9999999999999998, -0.9999999999999998, 0.5, -0.5, math.Sqrt2 / 2, 0x1p-27, -0x1p-60, 0x1p-60, -0.9999},
	"Atan":  {1, 0.0625, 0.1875, 0.9375, 0x1p60, 0x1p-27, 16, 0x1p53, 0x1p1023},
	"Sinh":  {1, 22, 710.4758600739439, 709.782712893384, 0x1p-27},
	"Cosh":  {22, 710.4758600739439, 709.782712893384, 0x1p-27, 0x1p-26},
	"Tanh":  {22, 0x1p-28, 0.17328679513998632, 0.5198603854199589, 19.06154746539849},
	"Asinh": {0.35, 0x1p30, 0x1p-28, 0x1p1023, 0x1p512, 1},
	"Acosh": {1.0000000000000004, 1.06, 0x1p30, 0x1p1023, 0x1p512, 2},
	"Atanh": {0.9999999999999997, 0.17, 0x1p-28, 0.5},
	"Erf":   {0.5, 6, 0x1p-28, 5.863584748755167, 1},
	"Erfc":  {0.5, -0.5, 26.543258454250786, 27.2, 0x1p-28, -6, 1, 2.2},
	"Cbrt":  {27, 8, 1, 0x1p-1022, 0x1p1023, 0x1p-1074},
}

// takesTiny says which functions are tried on the smallest numbers, of both signs where they take those.
var takesTiny = map[string]int{
	"Exp": 2, "Exp2": 2, "Expm1": 2, "Log": 1, "Log2": 1, "Log10": 1, "Log1p": 2, "Sin": 2, "Cos": 2, "Tan": 2, "Asin": 2, "Acos": 2, "Atan": 2,
	"Sinh": 2, "Cosh": 2, "Tanh": 2, "Asinh": 2, "Atanh": 2, "Erf": 2, "Erfc": 2, "Cbrt": 2,
}

// hardArguments are the arguments of hard and takesTiny for a function.
func hardArguments(name string) []float64 {
	var out []float64
	for _, x := range hard[name] {
		a, b := math.Nextafter(x, math.Inf(-1)), math.Nextafter(x, math.Inf(1))
		for _, y := range []float64{math.Nextafter(a, math.Inf(-1)), a, x, b, math.Nextafter(b, math.Inf(1))} {
			if y != 0 && !math.IsInf(y, 0) {
				out = append(out, y)
			}
		}
	}
	for _, x := range tiny {
		if takesTiny[name] > 0 {
			out = append(out, x)
		}
		if takesTiny[name] > 1 {
			out = append(out, -x)
		}
	}
	return out
}

// trigHard: near multiples of pi/4 and pi/2, the limits of the two reductions, the float64 closest to a multiple
// of pi/2 of all (Muller, "Elementary Functions", 2nd edition, section 9.3: 6381956970095103 * 2^797), and for
// every tenth exponent the closest there.
var trigHard = func() []float64 {
	out := []float64{6381956970095103 * 0x1p797, 0x1p20, math.MaxFloat64, 0x1p1023, 1e22, 0.5, 355, 52174, 5419351 * 0.5}
	for n := 1.0; n < 40; n++ {
		out = append(out, n*math.Pi/4, 0x1p15*n*math.Pi/4, 0x1p60*n*math.Pi/4)
	}
	for e := -50; e <= 971; e += 10 {
		out = append(out, closestToQuarterTurn(e))
	}
	return out
}()

// closestToQuarterTurn is a float64 m 2^e, m below 2^53, that is extremely near to a multiple of pi/2: m is the
// last denominator below 2^53 among the convergents of the continued fraction of 2^e 2/pi (Kahan, "Minimizing
// q*m - n", 1983).
func closestToQuarterTurn(e int) float64 {
	const prec = 1500
	a := wide(prec).Quo(wide(prec).SetInt64(2), bigPi())
	a.SetMantExp(a, e)
	before, q := big.NewInt(1), big.NewInt(0) // denominators
	for {
		whole, _ := a.Int(nil)
		next := new(big.Int).Add(new(big.Int).Mul(whole, q), before)
		if next.BitLen() > 53 {
			break
		}
		before, q = q, next
		a.Quo(wide(prec).SetInt64(1), a.Sub(a, wide(prec).SetInt(whole)))
	}
	m, _ := new(big.Float).SetInt(q).Float64()
	return math.Ldexp(m, e)
}
