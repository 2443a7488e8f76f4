// Package mixed has combinations: loops in calls in loops, computed indexes into structs, generic code.
package mixed

type cell struct {
	x    float64
	hits [3]int64
}

type real interface{ ~float32 | ~float64 }

func power[T real](x T, n int) T {
	out := T(1)
	for range n {
		out *= x
	}
	return out + T(n)/2
}

var steps = [6]int64{1, 4, 9, 16, 25, 36}

func find(n int64) (at int, ok bool) {
	for i, s := range steps {
		switch {
		case s == n:
			return i, true
		case s > n:
			return i, false
		case s*2 == n:
			continue
		}
		at += i
		if at > 7 {
			break
		}
	}
	return
}

func collatz(n int64) (turns int64) {
	//eaglet:cap 60
	for n > 1 {
		turns++
		if n&1 == 0 {
			n >>= 1
			continue
		}
		for k := 0; k < 9; k++ {
			if n%7 == int64(k) {
				break
			}
			turns += int64(k) & 1
		}
		n = (n*3 + 1) & 0x3fff
		if turns > 45 {
			return -turns
		}
	}
	return turns
}

// Mixed is one sample.
//
//eaglet:kernel
type Mixed struct {
	N, K  int64
	U     uint
	S     int32
	X     float64
	F     float32
	Rows  [3][2]float64
	Hits  [4]int64
	Limit int32
}

// Step combines them.
func (s *Mixed) Step() bool {
	var grid [3]cell
	for i, row := range s.Rows {
		grid[i].x = row[0] - row[1]
	}
	j := s.N & 1
	grid[j].hits[s.K&1]++
	grid[j+1].x += grid[j].x * float64(grid[j].hits[s.K&1])
	grid[j].hits[2] -= s.N
	s.Rows[j][s.K&1] = grid[j+1].x
	at, ok := find(s.N & 31)
	if ok {
		s.Hits[at&3]++
	} else if at > 2 {
		s.Hits[s.next()&3] += int64(at)
	}
	s.N += collatz(s.N&1023) & 15
	s.X = power(s.X/8, 3) - float64(power(float32(s.F)/2, 2))
	s.F = float32(s.X) + power(s.F, 1)
	one := 1 << s.U
	s.K ^= int64(one) + int64(uint32(1)<<31)
	s.S = -s.S - s.S>>1&-4
	s.U = s.U*3 + uint(s.S&1)
	s.Hits[0], s.Hits[1], s.Hits[2] = s.Hits[1], s.Hits[2], s.Hits[0]+grid[0].hits[2]
	if s.S < 0 && s.walk(2) > 3 || s.walk(1) < 0 {
		s.Limit++
	}
	for i := range s.Hits {
		if s.Hits[i] < 0 {
			continue
		}
		//eaglet:cap 1
		for s.Hits[i] > 100 && i < 3 {
			s.Hits[i] = 100
			break
		}
		s.Hits[i]--
	}
	s.Limit++
	return s.Limit > 25
}

func (s *Mixed) next() int64 {
	s.K++
	return s.K
}

func (s *Mixed) walk(n int) (sum int64) {
	sum = 1
	defer0 := sum
	for i := n; i >= 0; i-- {
		if s.Hits[i]&1 == 0 {
			s.Hits[i]++
			sum -= defer0
			continue
		}
		if i == 1 && s.X > 0 {
			return
		}
		sum += s.Hits[i]
	}
	sum *= 2
	return sum
}
