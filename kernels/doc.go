// Package kernels is the front end of the kernel language: it turns a Go file with the step of one sample
// into verified IR, or into diagnostics that say what to write instead.
// It knows no engine, no session and no terminal; a kernel file is data from a stranger, and nothing in it
// can make the package panic, hang or read another file.
//
// The way of a file:
//
//	load.go, parse.go, tame.go      bounded reading, go/parser, what could exhaust the type checker
//	check.go, mathpkg.go            go/types with a package math of declarations only
//	sample.go, directive.go, ...    the sample type: planes, tags, methods, names
//	subset.go                       what is Go, but not kernel language
//	lower.go and lower_*.go         partial evaluation into structured SSA (read lower.go first)
//	compile.go                      Step, Init and observables put together; roles; passes; digest
//	options.go                      options of an artifact, in the directive or beside it
//	sidecar.go, readfinish.go       the description of a kernel for other programs
//
// Diagnostics are values (diagnostic.go); their rules are one table (codes.go), mechanical rewrites are in
// fixes.go; fixtures under testdata/diagnostics earn each of them.
//
// A table plane ([]T in the sample type) is any number of cells that every sample reads. It gets its values
// from a file, or, when its field has both tags, from `init:"linspace(0, 1)" len:"64"`: an init rule over its
// own length.
package kernels
