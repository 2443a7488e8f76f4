// Package control has every form of control flow.
package control

// Control is one sample.
//
//eaglet:kernel
type Control struct {
	X, Y, Z float64
	N, M    int64
	Count   int32
	Seen    [4]int64
}

// Step goes through them all.
func (s *Control) Step() (done bool) {
	s.Count++
	s.Y += s.early(s.X)
	s.Z = s.nested(s.Y)
	s.N += s.switches(int(s.N % 9))
	s.N += s.loops(s.N & 15)
	s.M = s.capped(s.N)
	s.ranges()
	s.Y = shadow(s.Y)
	if s.Y > 40 {
		s.X = -s.X
		return s.Count > 5
	}
	s.X += 0.25
	return s.Count > 12
}

func (s *Control) early(x float64) float64 {
	if x < 0 {
		return -x
	}
	if x > 10 {
		s.Seen[0]++
		if x > 20 {
			return 1
		}
		x -= 10
	} else if x > 5 {
		return x / 2
	}
	s.Seen[1]++
	return x
}

func (s *Control) nested(y float64) (out float64) {
	out = 1
	if y > 1 {
		if y > 2 {
			if y > 3 {
				out = 3
				return
			}
			out += 2
		} else {
			out += 1
			return out * 2
		}
		out += 10
	}
	out += 100
	return
}

func (s *Control) switches(n int) int64 {
	var out int64
	switch m := n + 1; m {
	case 0, 1:
		out = 10
	case 2:
		out = 20
		fallthrough
	case 3:
		out++
		if s.X > 1 {
			break
		}
		out += 5
	default:
		out = -1
	case 4, 5, 6:
		return 7
	}
	switch {
	case s.X > 3:
		out += 2
	case s.X > 2 && s.Y > 2:
		return out * 2
	}
	switch {
	default:
	}
	return out
}

func (s *Control) loops(n int64) int64 {
	var sum int64
	for i := int64(0); i < 6; i++ { // left early: one loop
		if i > n {
			break
		}
		if i == 2 {
			continue
		}
		sum += i
	}
	i := 0
	for i = 0; i < 20; i++ { // the counter is read after it
		if int64(i*i) > n {
			break
		}
	}
	sum += int64(i)
outer:
	for a := 0; a < 4; a++ {
		for b := 0; b < 3; b++ {
			if int64(a*b) == n {
				continue outer
			}
			if int64(a+b) == n {
				break outer
			}
			sum += s.Seen[a] & 3
			s.Seen[a] = sum
		}
		sum++
	}
	for c := 3; c > 0; c -= 2 {
		sum *= 3
	}
	for a := 0; a < 4; a++ { // returns from inside
		if s.Seen[a]&7 == n {
			return sum + int64(a)
		}
	}
	return -sum
}

func (s *Control) capped(n int64) int64 {
	steps := int64(0)
	//eaglet:cap 200
	for n > 1 || n < -1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = n/3 + 1
		}
		steps++
		if steps > 150 {
			break
		}
	}
	//eaglet:cap 40
	for {
		steps += 3
		if steps&7 == 5 {
			continue
		}
		if steps > 20 {
			return steps
		}
	}
}

func (s *Control) ranges() {
	for i := range 3 {
		s.Seen[i] += int64(i)
	}
	for range 2 {
		s.Seen[3] ^= s.Seen[0]
	}
	for i, v := range s.Seen { // over a copy
		s.Seen[3-i] += v
	}
	var k int
	for k = range s.Seen {
	}
	s.Seen[k] += int64(k)
	for i := range 40 { // rolled: left early
		s.Seen[0]++
		if s.Seen[0] > s.N+int64(i) {
			break
		}
	}
}

func shadow(x float64) float64 {
	y := x
	{
		x := y * 2
		y += x
	}
	if x := y - 1; x > 3 {
		y -= x
	} else if z := x + 1; z > 1 {
		y += z
	}
	return y
}
