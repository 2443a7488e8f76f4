// Package mathlib is the part of Go's math that is more than one operation, written once in the kernel
// language, which is plain Go. It knows nothing of eaglet: it imports math for the operations that every
// engine has (square root, rounding, sign, bits), and nothing else.
//
// Kernels call math.Sin; the front end puts the body of this package's Sin there, from [Sources]. So a
// function gives the same bits on every engine, and as built by the Go compiler here. For that, every
// product that an addition could swallow is wrapped in float64(), which forbids the Go compilers of arm64,
// amd64 from GOAMD64=v3 on, and others, to fuse them; no function allocates, recurses or faults, indices of
// tables are masked, loops have constant bounds.
//
// # Accuracy
//
// The bound is 1 unit in the last place (ulp), 2 for Pow, Erf and Erfc; subnormal results included. Measured
// against a reference of 320 bits, at 10,000 to 25,000 arguments for each function, random bit patterns
// among them (go test ./kernels/mathlib -run Accuracy -v -samples 5000):
//
//	Exp   0.74   Log   0.69   Sin  0.75   Asin 0.50   Sinh 0.78   Asinh 0.50   Cbrt  0.50   Pow  0.63
//	Exp2  0.65   Log2  0.50   Cos  0.70   Acos 0.50   Cosh 0.74   Acosh 0.50   Hypot 0.57   Erf  0.98
//	Expm1 0.87   Log10 0.50   Tan  0.78   Atan 0.50   Tanh 0.69   Atanh 0.50   Atan2 0.50   Erfc 0.99
//	             Log1p 0.50   Mod, Round and Dim are exact
//
// Special cases are those of Go's math. Two of Go's own slips are not repeated: Atan2 keeps the sign of y
// where y/x underflows, and Sinh and Cosh overflow only where their values do.
//
// # Methods
//
// Each function names its own. Common to most: reduce the argument without loss, sum a Taylor series on a
// range so small that it is short, and add the large term last, without loss (double.go); Taylor rather than
// minimax coefficients, because they are exact fractions that anyone can check, for the price of one or two
// terms more.
package mathlib
