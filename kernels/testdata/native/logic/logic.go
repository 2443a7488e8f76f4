// Package logic has conditions whose right side must not always run.
package logic

// Logic is one sample.
//
//eaglet:kernel guard=active_set steps=4
type Logic struct {
	A, B  int64
	Calls int64
	T     [4]int64
	On    bool
	X     float64
}

// Step asks.
func (s *Logic) Step() (done bool) {
	if s.B != 0 && s.A/s.B > 2 {
		s.A -= s.B
	}
	if s.A < 0 || s.A > 3 || s.T[s.A] > 5 {
		s.X++
	} else {
		s.T[s.A] += 2
	}
	if s.A > 1 && s.counted() || s.B > 1 && !s.counted() {
		s.B--
	}
	s.On = !s.On && (s.B&1 == 0 || s.A%s.B != 0)
	var deep bool
	deep = s.On || deep || s.X > 3 && s.X < 7 && s.A != 2
	if deep {
		s.A++
	}
	switch s.A {
	case s.B, s.Calls:
		s.X += 0.5
	case 100 / s.A:
		s.X -= 0.25
	}
	s.A += s.Calls & 1
	done = s.Calls > 20 && s.X > 2 || s.X > 30
	return
}

func (s *Logic) counted() bool {
	s.Calls++
	return s.Calls&3 == 0
}
