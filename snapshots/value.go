package snapshots

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// value is one number of a file, as exactly as the file has it.
type value struct {
	kind valueKind
	f    float64
	i    int64
	u    uint64
}

type valueKind uint8

const (
	floatValue valueKind = iota // f
	intValue                    // i
	uintValue                   // u
)

// float is the number rounded once to float64.
func (v value) float() float64 {
	switch v.kind {
	case intValue:
		return float64(v.i)
	case uintValue:
		return float64(v.u)
	default:
		return v.f
	}
}

// target is the plane that values go to; component c of sample i is element c*N+i.
type target struct {
	planes *engine.Planes
	plane  int
	conv   conversion
}

func (t *target) typ() ir.Type { return t.planes.Spec[t.plane].Type }

// put stores v as component c of sample i. The error is the end of a sentence: what is wrong with v for
// this plane. A float plane takes the number rounded once, after a conversion if there is one, and any
// NaN as the canonical one; an integer plane takes whole numbers in its range only; a bool plane 0 and 1.
func (t *target) put(i, c int, v value) error {
	e := c*t.planes.N + i
	switch typ := t.typ(); typ {
	case ir.F64:
		x := v.float()
		if t.conv.trivial() {
			engine.View[float64](t.planes, t.plane)[e] = canonical64(x)
			return nil
		}
		y := t.conv.apply(x)
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			return errors.New("is out of range for float64 once converted")
		}
		engine.View[float64](t.planes, t.plane)[e] = canonical64(y)
	case ir.F32:
		y, x := t.single(v)
		if math.IsInf(float64(y), 0) && !math.IsInf(x, 0) {
			return errors.New("is out of range for float32")
		}
		engine.View[float32](t.planes, t.plane)[e] = canonical32(y)
	case ir.Bool:
		x := t.conv.apply(v.float())
		if x != 0 && x != 1 {
			return errors.New("is neither 0 nor 1, true nor false")
		}
		t.planes.Bytes(t.plane)[e] = byte(x)
	default:
		w, err := whole(v, t.conv)
		if err != nil {
			return err
		}
		return t.putWhole(e, w, typ)
	}
	return nil
}

// single is v as float32, and the number it came from.
func (t *target) single(v value) (y float32, x float64) {
	x = v.float()
	if !t.conv.trivial() {
		return float32(t.conv.apply(x)), x
	}
	switch v.kind {
	case intValue:
		return float32(v.i), x
	case uintValue:
		return float32(v.u), x
	}
	return float32(x), x
}

// putWhole stores an integer; w.kind is intValue or uintValue.
func (t *target) putWhole(e int, w value, typ ir.Type) error {
	low, high := int64(math.MinInt64), uint64(math.MaxUint64)
	switch typ {
	case ir.I32:
		low, high = math.MinInt32, math.MaxInt32
	case ir.I64:
		high = math.MaxInt64
	case ir.U32:
		low, high = 0, math.MaxUint32
	case ir.U64:
		low = 0
	}
	if w.kind == intValue && w.i < low || w.kind == intValue && w.i > 0 && uint64(w.i) > high || w.kind == uintValue && w.u > high {
		return errors.New("is out of range for " + typ.GoName())
	}
	bits := w.u
	if w.kind == intValue {
		bits = uint64(w.i)
	}
	switch typ {
	case ir.I32:
		engine.View[int32](t.planes, t.plane)[e] = int32(bits)
	case ir.I64:
		engine.View[int64](t.planes, t.plane)[e] = int64(bits)
	case ir.U32:
		engine.View[uint32](t.planes, t.plane)[e] = uint32(bits)
	default:
		engine.View[uint64](t.planes, t.plane)[e] = bits
	}
	return nil
}

// whole is v as an integer value after the conversion, refused when it is not exactly one. A float holds
// every whole number only up to 2^53; beyond that it is not known which one was meant.
func whole(v value, conv conversion) (value, error) {
	if v.kind != floatValue && conv.trivial() {
		return v, nil
	}
	x := v.float()
	if !conv.trivial() {
		x = conv.apply(x)
	}
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0) || x != math.Trunc(x):
		return value{}, errors.New("is no whole number")
	case math.Abs(x) > 1<<53:
		return value{}, errors.New("is a float beyond 2^53, where not every whole number has one")
	}
	return value{kind: intValue, i: int64(x)}, nil
}

// parseValue reads a cell for a plane of type t; the error is the end of a sentence. float32 planes
// without a conversion get the nearest float32 of the text, not of its float64.
func parseValue(cell string, t ir.Type, converted bool) (value, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return value{}, errors.New("is empty")
	}
	switch {
	case t == ir.Bool:
		switch {
		case strings.EqualFold(cell, "true"):
			return value{f: 1}, nil
		case strings.EqualFold(cell, "false"):
			return value{}, nil
		}
	case t.Integer():
		if i, err := strconv.ParseInt(cell, 10, 64); err == nil {
			return value{kind: intValue, i: i}, nil
		}
		if u, err := strconv.ParseUint(cell, 10, 64); err == nil {
			return value{kind: uintValue, u: u}, nil
		}
	}
	bits := 64
	if t == ir.F32 && !converted {
		bits = 32
	}
	f, err := strconv.ParseFloat(cell, bits)
	if errors.Is(err, strconv.ErrRange) {
		return value{}, errors.New("is out of range for " + t.GoName())
	}
	if err != nil {
		return value{}, errNoNumber
	}
	return value{f: f}, nil
}

var errNoNumber = errors.New("is no number")

func canonical64(x float64) float64 {
	if x != x {
		return math.Float64frombits(ir.NaN64)
	}
	return x
}

func canonical32(x float32) float32 {
	if x != x {
		return math.Float32frombits(ir.NaN32)
	}
	return x
}
