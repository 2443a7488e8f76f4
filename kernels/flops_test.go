package kernels

import "testing"

// TestKeplerHasTheOperationsOfItsScheme counts an attempt of RKF7(8) by hand, as kepler.go writes it, and
// compares with the compiled step. Comparisons, conversions, selects and integer work are no floating-point
// operations; abs, min, max and sqrt are one each.
//
// A figure of 1106 is quoted for the attempt of the reference system (eagle). Its source is not at hand, so
// it is not known which operations it counts beyond the 1046 of the scheme as written here; of those the
// compiler leaves out 18, and both kinds are listed below.
func TestKeplerHasTheOperationsOfItsScheme(t *testing.T) {
	const (
		components = 6  // position and velocity
		stages     = 13 // evaluations of the acceleration

		// r2 = x*x + y*y + z*z is 3 products and 2 sums, then sqrt, its product with r2, the quotient, and
		// three products with the position. The sign of mu does not change from step to step.
		acceleration = 3 + 2 + 1 + 1 + 1 + 3

		// Each stage from the second on: a product for each weight that is not zero, one sum less, the
		// product with h, and the sum with y.
		weights   = 1 + 2 + 2 + 3 + 3 + 4 + 4 + 6 + 7 + 8 + 6 + 9
		arguments = components * (2*weights + (stages - 1))

		result = components * (7 + 6 + 1 + 1) // 7 weights

		// h*estimate once; then a sum, a sum, their difference, the product and its size; the tolerance:
		// two sizes, their maximum, a product and a sum; the quotient, and the worst so far.
		norm = 1 + components*(5+5+1+1)

		// The time left, the time after, three roots, 0.9/root, at most 5, and the next step.
		control = 1 + 1 + 3 + 1 + 1 + 1

		scheme = stages*acceleration + arguments + result + norm + control

		// What the compiler leaves out, keeping every bit: 1*k in the last stage is k, and the products of
		// stages 3 and 4 with -341/164 and 4496/1025 are the same in stages 10 and 12.
		one    = components
		shared = 2 * components
	)
	if scheme != 1046-6 && scheme != 1046 {
		t.Errorf("the scheme has %d operations", scheme)
	}
	k, ds := Load("kepler")
	if k == nil {
		t.Fatal(ds)
	}
	if got, want := k.Sidecar().Step.Flops, uint64(scheme-one-shared); got != want {
		t.Errorf("the step has %d operations, want %d: %d of the scheme, less %d", got, want, scheme, one+shared)
	}
}
