package orbits

// The coefficients of the Runge-Kutta-Fehlberg method 7(8): Fehlberg, "Classical fifth-, sixth-, seventh-,
// and eighth-order Runge-Kutta formulas with stepsize control", NASA TR R-287, 1968. Two-body motion does
// not depend on time explicitly, so the nodes of the stages are not needed.

// weights[i][j] is the weight of the derivative of stage j in the argument of stage i.
var weights = [13][13]float64{
	{},
	{2.0 / 27},
	{1.0 / 36, 1.0 / 12},
	{1.0 / 24, 0, 1.0 / 8},
	{5.0 / 12, 0, -25.0 / 16, 25.0 / 16},
	{1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5},
	{-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
	{31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
	{2, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3},
	{-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
	{2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41},
	{3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41},
	{-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0, 1},
}

// result holds the weights of the eighth-order result.
var result = [13]float64{
	0, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840, 41.0 / 840,
}

// estimate is the weight of the error estimate: the seventh-order result differs from the eighth-order one
// by it times the derivatives of stages 0 + 10 - 11 - 12.
const estimate = 41.0 / 840
