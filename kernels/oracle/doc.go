// Package oracle holds eaglet against the Go compiler: it writes random kernels, compiles their source
// natively with what Go leaves open filled in (package native), and says where the interpreter has other
// bits. It knows no engine; whoever has one can compare it with the interpreter on the same kernels.
//
// The way of a comparison:
//
//	choices.go, generate.go, gen_*.go   a kernel as Go source, from a seed or from a fuzzer's bytes
//	rewrite.go                          the same source for the Go compiler: mathlib for math, conversions
//	                                    that saturate, caps that count, fused products where fma=contract
//	program.go                          many of those in one program, built once by the go command
//	inputs.go, compare.go               one batch on both sides, bit by bit
//	shrink.go                           a disagreement made small
//
// What native compilation is asked to reproduce is said in kernels.md under "the same bits everywhere":
// amd64 at its default level, where the Go compiler does not fuse. Elsewhere products are rounded by force.
package oracle
