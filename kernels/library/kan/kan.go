// Package kan iterates a small Kolmogorov-Arnold network to its fixed point.
//
// In such a network every edge has a function of one variable of its own, and a node only adds (Liu et al.,
// "KAN: Kolmogorov-Arnold networks", 2024). Here the function of an edge is a sum of Chebyshev polynomials
// T_1 to T_4 (as in Sidharth, "Chebyshev polynomial-based Kolmogorov-Arnold networks", 2024):
//
//	h_j   = sum over i, k of inner[i][j][k-1] T_k(x_i)      4 inputs, 6 hidden nodes
//	f_l   = sum over j, k of outer[j][l][k-1] T_k(h_j)      4 outputs
//
// One sample is an input u, and the x that solves x = (1 - Gain) u + Gain f(x): a layer of infinite depth (Bai,
// Kolter, Koltun, "Deep equilibrium models", NeurIPS 2019). A step puts the current x into the right side.
//
// The coefficients (coefficients.go) are scaled so that |h| and |f| stay at most 1 for |x| at most 1, where
// |T_k| <= 1 and |T_k'| <= k^2, and that neither layer makes differences larger in the maximum norm. So every
// step shrinks the distance to the solution to Gain times what it was, or less (Banach's fixed-point theorem).
//
// A sample finishes when no component changed by more than Tol. Then x is wrong by Tol Gain/(1 - Gain) at most.
package kan

import "math"

const (
	width  = 4 // inputs and outputs
	hidden = 6 // nodes of the hidden layer
	orders = 4 // Chebyshev polynomials on an edge
)

// Kan is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Kan struct {
	U    [width]float64 `init:"uniform(-1, 1)"`     // input, each component in [-1, 1]
	Gain float64        `init:"uniform(0.1, 0.95)"` // weight of the network against the input, below 1

	Tol float64 `plane:"param" init:"1e-12"` // largest change of a finished sample

	X      [width]float64 // the current x
	Change float64        // largest change of a component in the last step
	K      int32          // steps taken
}

// Init starts at the input.
func (s *Kan) Init() { s.X = s.U }

// powers are T_1 to T_4 at x, by the recurrence T_k+1 = 2 x T_k - T_k-1.
func powers(x float64) [orders]float64 {
	var t [orders]float64
	before := 1.0
	t[0] = x
	for k := 1; k < orders; k++ {
		t[k] = 2*x*t[k-1] - before
		before = t[k-1]
	}
	return t
}

// network is f(x).
func network(x [width]float64) [width]float64 {
	var h [hidden]float64
	for i := 0; i < width; i++ {
		t := powers(x[i])
		for j := 0; j < hidden; j++ {
			for k := 0; k < orders; k++ {
				h[j] += inner[i][j][k] * t[k]
			}
		}
	}
	var f [width]float64
	for j := 0; j < hidden; j++ {
		t := powers(h[j])
		for l := 0; l < width; l++ {
			for k := 0; k < orders; k++ {
				f[l] += outer[j][l][k] * t[k]
			}
		}
	}
	return f
}

// Step makes one iteration.
func (s *Kan) Step() (settled bool) {
	f := network(s.X)
	change := 0.0
	for l := 0; l < width; l++ {
		next := (1-s.Gain)*s.U[l] + s.Gain*f[l]
		change = math.Max(change, math.Abs(next-s.X[l]))
		s.X[l] = next
	}
	s.Change = change
	s.K++
	settled = s.Change <= s.Tol
	return
}

// Bound is a bound of the error of every component of x.
func (s *Kan) Bound() float64 { return s.Change * s.Gain / (1 - s.Gain) }
