// Package values has arrays and structs as values, methods, generic helpers and several results.
package values

type vec [3]float64

func (v vec) dot(w vec) float64 {
	sum := 0.0
	for i := range v {
		sum += v[i] * w[i]
	}
	v[0] = 0 // of the copy
	return sum
}

func (v *vec) scale(f float64) {
	for i := range 3 {
		v[i] *= f
	}
}

type body struct {
	pos, vel vec
	mass     float64
	tag      struct{ id, kind int64 }
}

func (b *body) kick(by vec, dt float64) {
	b.vel = add(b.vel, by)
	b.pos[0], b.pos[1], b.pos[2] = b.pos[0]+dt*b.vel[0], b.pos[1]+dt*b.vel[1], b.pos[2]+dt*b.vel[2]
	b.tag.id++
}

func add(a, b vec) (sum vec) {
	for i, x := range a {
		sum[i] = x + b[i]
	}
	return
}

func both(x, y float64) (float64, float64) { return x + y, x - y }

func third(x, y float64) float64 { return x*2 - y }

type number interface{ ~int64 | ~float64 }

func largest[T number](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func sum[T number, A ~[3]T](a A) T {
	var out T
	for _, x := range a {
		out += x
	}
	return out
}

// Values is one sample.
//
//eaglet:kernel
type Values struct {
	P, V [3]float64
	M    [2][3]float64
	I    int64
	Idx  [5]int64
	On   bool
	T    float64
}

// Step uses them.
func (s *Values) Step() (done bool) {
	b := body{pos: s.P, vel: vec(s.V), mass: 2}
	c := b // a copy
	c.kick(vec{2: 0.5, 0: 1}, 0.125)
	b.vel.scale(0.5)
	s.T += b.vel.dot(c.pos) + third(both(s.T, 1))
	s.P, s.V = c.pos, b.vel
	s.M[0], s.M[1] = s.M[1], [3]float64(add(vec(s.M[0]), b.pos))
	s.M[1][2], s.M[0][0] = s.M[0][0], s.M[1][2]
	rows := s.M
	rows[0][1] = 7
	if rows == s.M {
		s.T++
	}
	j := int(s.I & 3)
	s.Idx[j], s.I = s.I, s.Idx[4-j]+1
	s.Idx[4-j] += int64(j)
	s.M[j&1][j%3] += s.T
	s.T = largest(s.T, s.M[0][j%3]) - float64(largest(s.I, 3)) + sum(s.P)
	whole := *s
	whole.T = 99
	whole.bump()
	s.T += whole.T / 100
	bodies := [2]body{{mass: 1}, c}
	bodies[1].kick(bodies[0].pos, 1)
	s.T -= bodies[1].tagged().vel[1] + float64(bodies[1].tag.id)
	s.On = s.On != (s.I&1 == 0)
	if s.On {
		s.bump()
	}
	x, y := 1.0, 2.0
	x, y = y, x
	_, z := both(x, y)
	s.T += z
	return s.I > 200
}

func (b body) tagged() body {
	b.tag = struct{ id, kind int64 }{5, 6}
	return b
}

func (s *Values) bump() { s.I += 2 }
