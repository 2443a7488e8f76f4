package reentry

import "math"

// The atmosphere of table 8-4 of Vallado, "Fundamentals of Astrodynamics and Applications", 4th edition 2013,
// from 80 to 500 km: at the height bases[i] (km) the density is densities[i] (kg/m^3), and from there up to
// the next base it falls by e every scales[i] (km). Outside, the first and the last row go on.
var (
	bases     = [...]float64{80, 90, 100, 110, 120, 130, 140, 150, 180, 200, 250, 300, 350, 400, 450, 500}
	densities = [...]float64{
		1.905e-5, 3.396e-6, 5.297e-7, 9.661e-8, 2.438e-8, 8.484e-9, 3.845e-9, 2.070e-9,
		5.464e-10, 2.789e-10, 7.248e-11, 2.418e-11, 9.518e-12, 3.725e-12, 1.585e-12, 6.967e-13,
	}
	scales = [...]float64{
		5.799, 5.382, 5.877, 7.263, 9.473, 12.636, 16.149, 22.523,
		29.740, 37.105, 45.546, 53.628, 53.298, 58.515, 60.828, 63.822,
	}
)

// density at a height in km, in kg/m^3.
func density(height float64) float64 {
	row := 0
	for i := 1; i < len(bases); i++ {
		if height >= bases[i] {
			row = i
		}
	}
	return densities[row] * math.Exp((bases[row]-height)/scales[row])
}
