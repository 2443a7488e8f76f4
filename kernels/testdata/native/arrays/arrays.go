// Package arrays indexes arrays when the step runs: long ones, in loops that stay loops, and tables.
package arrays

// Arrays is one sample.
//
//eaglet:kernel
type Arrays struct {
	In   [70]float64
	Grid [9][11]int64
	Ring [66]float64
	Pos  int
	N    int32
	X    float64
	Sum  float64
	Hits uint32
	Wind []float64
	Cost []int32
}

// squash is a cheap stand-in for an activation.
func squash(x float64) float64 { return x / (1 + x*x) }

// layer is a sum over a long array, left in the middle for small inputs.
func (s *Arrays) layer() (out [5]float64) {
	for i := 0; i < 70; i++ {
		x := squash(s.In[i])
		for j := range out {
			out[j] += x * float64(i*j+1)
		}
		if x > 0.49 {
			out[1] = x
			break
		}
	}
	return out
}

// wrap makes an index of any integer.
func wrap(i, n int) int { return ((i % n) + n) % n }

// histogram counts in an array of its own, filled anew in every call.
func histogram(v [70]float64, bins int) (most int) {
	var count [80]int
	for i := 0; i < 70; i++ {
		b := 0 // where Go and kernels convert alike
		if x := v[i] * 3; x > -1000 && x < 1000 {
			b = int(x)
		}
		count[wrap(b, bins)]++
	}
	for i := 0; i < 80; i++ {
		if count[i] > count[most] {
			most = i
		}
	}
	return most
}

// Step is one step.
func (s *Arrays) Step() (done bool) {
	out := s.layer()
	s.Sum = out[0] + out[4]

	// A ring buffer: a state plane written at a computed index.
	s.Pos = wrap(s.Pos+1, 66)
	s.Ring[s.Pos] = s.X
	old := s.Ring[wrap(s.Pos-7, 66)]

	// Two dimensions, read and written in a loop that stays one.
	for i := 0; i < 99; i++ {
		r, c := i/11, i%11
		s.Grid[r][c] += int64(i)
		if s.Grid[r][c] > 1000 && c > 0 {
			s.Grid[r][c-1] -= s.Grid[r][c]
			s.Grid[r][c] = 0
			continue
		}
		if s.Grid[r][c] < -1000 {
			s.Hits++
		}
	}
	row := s.Grid[wrap(int(s.Hits), 9)]
	s.X += float64(row[wrap(s.Pos, 11)]) * 1e-3

	// A range is over a copy, also when the body changes what it goes over.
	var a [100]float64
	for i := 0; i < 100; i++ {
		a[i] = s.X + float64(i)
	}
	total := 0.0
	for i, v := range a {
		a[99-i] = -v
		total += v
		if total > 200 {
			break
		}
	}
	s.X = total/1000 + a[wrap(s.Pos, 100)]*0.01 + old*0.5

	s.Hits += uint32(histogram(s.In, 80))

	// Tables of any length; an index out of range faults.
	w := 0.0
	//eaglet:cap 64
	for i, v := range s.Wind {
		w += v * float64(i)
	}
	lo := min(max(s.Pos/4, 0), len(s.Wind)-1)
	s.X += squash(w) + s.Wind[lo]
	if s.N > 0 {
		s.Sum += float64(s.Cost[s.N])
	}
	s.N++
	done = s.X > 50 || s.Hits > 4000
	return
}
