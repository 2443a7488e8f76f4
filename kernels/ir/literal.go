package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// appendLiteral writes the constant of type t with the given bits so that it reads back to the same
// bits: the shortest decimal that does, -0, inf, -inf, nan for the canonical NaN, nan(0x...) for any
// other. Bits above the width of t are left out.
func appendLiteral(b []byte, t Type, bits uint64) []byte {
	switch t {
	case Bool:
		return strconv.AppendBool(b, bits&1 == 1)
	case I32:
		return strconv.AppendInt(b, int64(int32(bits)), 10)
	case I64:
		return strconv.AppendInt(b, int64(bits), 10)
	case U32, U64:
		return strconv.AppendUint(b, bits&t.Mask(), 10)
	case F32:
		return appendFloat(b, float64(math.Float32frombits(uint32(bits))), 32, bits&t.Mask(), uint64(NaN32))
	case F64:
		return appendFloat(b, math.Float64frombits(bits), 64, bits, NaN64)
	}
	return fmt.Appendf(b, "?0x%x", bits)
}

func appendFloat(b []byte, f float64, size int, bits, nan uint64) []byte {
	switch {
	case bits == nan:
		return append(b, "nan"...)
	case f != f:
		return fmt.Appendf(b, "nan(0x%x)", bits)
	case math.IsInf(f, 0):
		return append(b, strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, size)
}

// FormatLiteral is the constant of type t with the given bits as the text form writes it.
func FormatLiteral(t Type, bits uint64) string { return string(appendLiteral(nil, t, bits)) }

// ParseLiteral reads what [FormatLiteral] writes, and any decimal that rounds to a value of t.
func ParseLiteral(t Type, s string) (bits uint64, err error) {
	switch t {
	case Bool:
		if s == "true" {
			bits = 1
		} else if s != "false" {
			err = strconv.ErrSyntax
		}
	case I32, I64:
		var i int64
		i, err = strconv.ParseInt(s, 10, 8*t.Bytes())
		bits = uint64(i) & t.Mask()
	case U32, U64:
		bits, err = strconv.ParseUint(s, 10, 8*t.Bytes())
	case F32, F64:
		bits, err = parseFloat(t, s)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		return 0, fmt.Errorf("%q is no %v", s, t)
	}
	return bits, nil
}

func parseFloat(t Type, s string) (uint64, error) {
	if s == "nan" {
		if t == F32 {
			return uint64(NaN32), nil
		}
		return NaN64, nil
	}
	if hex, ok := strings.CutPrefix(s, "nan(0x"); ok {
		bits, err := strconv.ParseUint(strings.TrimSuffix(hex, ")"), 16, 8*t.Bytes())
		if err != nil || !strings.HasSuffix(hex, ")") || !isNaN(t, bits) {
			return 0, strconv.ErrSyntax
		}
		return bits, nil
	}
	f, err := strconv.ParseFloat(s, 8*t.Bytes())
	switch {
	case err != nil:
		return 0, err
	case f != f:
		return 0, strconv.ErrSyntax
	case t == F32:
		return uint64(math.Float32bits(float32(f))), nil
	}
	return math.Float64bits(f), nil
}

// isNaN says whether bits are a NaN of the float type t.
func isNaN(t Type, bits uint64) bool {
	if t == F32 {
		return bits&0x7FFFFFFF > 0x7F800000
	}
	return bits&(1<<63-1) > 0x7FF0000000000000
}
