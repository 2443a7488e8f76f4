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
// Each function has a twin in float32, Sin32 for Sin: the name is the function's with 32 behind it, also where
// that gives Log232. The twins compute in float32 and integers, two float32 for one number where needed, because
// many GPUs are slow in float64.
//
// # Accuracy
//
// The bound is 1 unit in the last place (ulp), 2 for Pow, Erf and Erfc; subnormal results included; of float32
// units for the twins. Measured errors, operation counts and how they are found are in docs/math.md, whose
// table TestDocs writes and checks.
//
// Special cases are those of Go's math. Two of Go's own slips are not repeated: Atan2 keeps the sign of y
// where y/x underflows, and Sinh and Cosh overflow only where their values do. The twins return one NaN,
// 0x7FC00000, natively too.
//
// # Methods
//
// Each function names its own. Common to most: reduce the argument without loss, sum a Taylor series on a
// range so small that it is short, and add the large term last, without loss (double.go); Taylor rather than
// minimax coefficients, because they are exact fractions that anyone can check, for the price of one or two
// terms more.
package mathlib
