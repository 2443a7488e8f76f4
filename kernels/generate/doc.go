// Package generate fills planes by their init tags, with the same bits on every machine, for every cut of a
// batch into parts and every order of filling. It knows planes as bytes and their rules; it knows nothing
// of a batch's owner, of engines or of files.
//
// # Random numbers
//
// A value depends on the seed, the plane's name, the global index of its sample and its component, on
// nothing else: there is no stream to be advanced. The generator is Philox4x32-10 (philox.go) with
//
//	key      word 0, 1   the seed, low half first
//	counter  word 0, 1   the global index of the sample, low half first
//	         word 2      the 32-bit FNV-1a hash of the plane's name
//	         word 3      the component
//
// The four words of its result make two 64-bit numbers r, each low half first, and those two numbers
// u = (r >> 11) 2^-53 in [0, 1): u from words 0 and 1, v from words 2 and 3. Only normal uses v.
//
// # Rules
//
//	a number          that number
//	uniform(a, b)     a + (b - a) u
//	loguniform(a, b)  exp(ln a + (ln b - ln a) u)
//	normal(m, s)      m + s sqrt(-2 ln(1 - u)) cos(2 pi v)       Box and Muller 1958
//	linspace(a, b)    a + (b - a) i / (n - 1)                    i: global index, n: size of the whole batch
//	logspace(a, b)    exp(ln a + (ln b - ln a) i / (n - 1))
//	choice(a, ...)    the argument of number floor(u * how many)
//	index()           i
//
// uniform and loguniform stay in [a, b), whatever is rounded on the way; linspace and logspace give a and b
// exactly at their ends; a batch of one sample gets a. Every component of a sample gets the same value from
// the rules without u. exp, ln and cos are those of the kernel language, run on the interpreter.
//
// # Types
//
// The value is computed in float64 and then put into the plane's type:
//
//	float32    the nearest float32 (for uniform and loguniform one below b)
//	integers   the floor of the value, cut to the type's range; index is exact
//	bool       whether the value is at least 1/2: uniform(0, 1) is a fair coin
package generate
