package bugmargin

import (
	"math"
	"testing"
)

// root is the real root of x^3 - 2 x + 2 by Cardano's formula.
func root() float64 {
	d := math.Sqrt(1 - 8.0/27)
	return math.Cbrt(-1+d) + math.Cbrt(-1-d)
}

// TestTheBug: a start converges to the root, or falls into the cycle 0, 1 and stays there for ever; both are
// common.
func TestTheBug(t *testing.T) {
	const n = 601
	if math.Abs(root()+1.7692923542386314) > 1e-15 {
		t.Fatalf("the root is %v", root())
	}
	cycles, slowest := 0, int32(0)
	for i := range n {
		s := Bugmargin{X: -3 + 6*float64(i)/(n-1), Tol: 1e-12}
		start, done := s.X, false
		for s.Iter < 1000 && !done {
			done = s.Step()
		}
		switch {
		case done && math.Abs(s.X-root()) < 1e-15*4:
			slowest = max(slowest, s.Iter)
		case !done && (s.X == 0 && s.Last == 1 || s.X == 1 && s.Last == -1):
			cycles++
		default:
			t.Errorf("from %v: at %v after %d iterations, finished %v", start, s.X, s.Iter, done)
		}
	}
	t.Logf("%d of %d starts cycle; the others take at most %d iterations", cycles, n, slowest)
	if cycles < n/20 || cycles > n/3 {
		t.Errorf("%d of %d starts cycle, want a sizeable minority", cycles, n)
	}
}
