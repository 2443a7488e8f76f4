package generate

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// curvesSource holds the rules that need more than arithmetic, as a kernel. Its step is never run; what is
// evaluated are the observables, whose inputs are the drawn numbers.
const curvesSource = `// Package curves maps uniform numbers to other distributions.
package curves

import "math"

// Curves is one value to be generated.
//
//eaglet:kernel
type Curves struct {
	P, Q float64 ` + "`plane:\"param\"`" + `
	U, V float64
	X    float64
}

// Step stores the affine map.
func (s *Curves) Step() { s.X = s.P + s.Q*s.U + s.V }

// Log is ln u.
func (s *Curves) Log() float64 { return math.Log(s.U) }

// Exp is e^(p + q u).
func (s *Curves) Exp() float64 { return math.Exp(s.P + s.Q*s.U) }

// Normal is Box and Muller's map of two uniform numbers, with mean p and standard deviation q.
func (s *Curves) Normal() float64 {
	return s.P + s.Q*(math.Sqrt(-2*math.Log(1-s.U))*math.Cos(2*math.Pi*s.V))
}
`

// curve is one observable of curvesSource.
type curve uint8

const (
	curveLog curve = iota
	curveExp
	curveNormal
	curves
)

// compiled is the kernel of curvesSource on the interpreter, with the machines not in use at the moment.
type compiled struct {
	p, q, u, v, planes int // indices of planes, and their number
	machines           [curves]sync.Pool
}

var theCurves = sync.OnceValue(func() *compiled {
	k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "curves.go", Text: []byte(curvesSource)}}, "curves.go")
	if k == nil {
		var text strings.Builder
		_ = ds.Render(&text, false) // a Builder never fails
		panic("generate: its kernel does not load:\n" + text.String())
	}
	code := interp.Compile(k.IR)
	c := &compiled{p: k.IR.Plane("p"), q: k.IR.Plane("q"), u: k.IR.Plane("u"), v: k.IR.Plane("v"), planes: len(k.IR.Planes)}
	for i, f := range k.IR.Observables {
		var at curve
		switch f.Name {
		case "log":
			at = curveLog
		case "exp":
			at = curveExp
		case "normal":
			at = curveNormal
		default:
			panic(fmt.Sprintf("generate: its kernel has an observable %q", f.Name))
		}
		c.machines[at].New = func() any { return code.Observable(i).NewMachine() }
	}
	return c
})

// chunk is how many samples are drawn, mapped and stored at a time.
const chunk = 2048

// scratch is the memory of one [Fill].
type scratch struct {
	u, v, out [chunk]float64
	bytes     [2][8 * chunk]byte // u and v as planes
	params    [2][8]byte
}

// apply sets out[:n] to a curve with parameters p and q of u[:n] and v[:n].
func (s *scratch) apply(which curve, p, q float64, n int) {
	c := theCurves()
	for i := range n {
		binary.NativeEndian.PutUint64(s.bytes[0][8*i:], math.Float64bits(s.u[i]))
		binary.NativeEndian.PutUint64(s.bytes[1][8*i:], math.Float64bits(s.v[i]))
	}
	binary.NativeEndian.PutUint64(s.params[0][:], math.Float64bits(p))
	binary.NativeEndian.PutUint64(s.params[1][:], math.Float64bits(q))
	planes := make([][]byte, c.planes)
	planes[c.p], planes[c.q] = s.params[0][:], s.params[1][:]
	planes[c.u], planes[c.v] = s.bytes[0][:8*n], s.bytes[1][:8*n]
	m := c.machines[which].Get().(*interp.FuncMachine)
	m.Float64(0, planes, n, 0, s.out[:n], nil)
	c.machines[which].Put(m)
}

// logs gives ln a and ln b.
func (s *scratch) logs(a, b float64) (lnA, lnB float64) {
	s.u[0], s.u[1] = a, b
	s.v[0], s.v[1] = 0, 0
	s.apply(curveLog, 0, 0, 2)
	return s.out[0], s.out[1]
}
