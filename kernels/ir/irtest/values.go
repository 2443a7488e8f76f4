package irtest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var floats = []float64{
	0, 1, -1, 2, 0.5, -4, 0.1, 3, math.Pi, 1e10, -1e19, 1e300, 1e-310, 0x1p-1022, 0x1p-1074, 0x1p1023,
	math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 2.5, -0.5, 1 << 31, 1 << 63,
}

var integers = []int64{
	0, 1, -1, 2, 3, 7, -8, 31, 32, 63, 64, 100, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64,
	math.MaxUint32,
}

// Bits is a value of type t as the Imm of an [ir.OpConst]: a special one more often than not, NaNs with
// payloads among them.
func Bits(r *rand.Rand, t ir.Type) uint64 {
	switch {
	case t == ir.Bool:
		return r.Uint64N(2)
	case t.Integer():
		if r.IntN(3) == 0 {
			return r.Uint64() >> r.IntN(64) & t.Mask()
		}
		return uint64(integers[r.IntN(len(integers))]) & t.Mask()
	}
	f := floats[r.IntN(len(floats))]
	switch r.IntN(6) {
	case 0:
		f = r.NormFloat64()
	case 1:
		return r.Uint64() & t.Mask() // any bits
	case 2:
		f = r.Float64() * 10
	}
	if t == ir.F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// Planes is memory for n samples of k, filled with [Bits]: one slice a plane, little-endian, component-
// major (element c*n+i is component c of sample i), one element per component for a param, some cells for a table. NaNs are
// canonical, as stores leave them.
func Planes(k *ir.Kernel, n int, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0x706c61))
	out := make([][]byte, len(k.Planes))
	for i := range k.Planes {
		p := &k.Planes[i]
		rows := n
		switch p.Role {
		case ir.RoleParam:
			rows = 1
		case ir.RoleTable:
			rows = r.IntN(9) // none, now and then
		}
		words := make([]byte, 0, rows*p.Width()*p.Type.Bytes()+8)
		for range rows * p.Width() {
			words = put(words, p.Type, Canonical(p.Type, Bits(r, p.Type)))
		}
		out[i] = words
	}
	return out
}

// Canonical gives the one NaN for any NaN of a float type, and other bits as they are.
func Canonical(t ir.Type, bits uint64) uint64 {
	switch {
	case t == ir.F64 && math.Float64frombits(bits) != math.Float64frombits(bits):
		return ir.NaN64
	case t == ir.F32 && uint32(bits)<<1 > 0xFF000000:
		return uint64(ir.NaN32)
	}
	return bits
}

func put(b []byte, t ir.Type, bits uint64) []byte {
	switch t.Bytes() {
	case 1:
		return append(b, byte(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(b, bits)
}
