package kernels

import (
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// maxCells bounds the scalars of one value, and of all variables alive at once.
const maxCells = 1 << 16

// basicType is the IR's type for a basic type of Go, Invalid for one that kernels do not have. int is 64
// bits wide everywhere (go/types is given the sizes of gc/amd64).
func basicType(t *types.Basic) ir.Type {
	switch t.Kind() {
	case types.Bool, types.UntypedBool:
		return ir.Bool
	case types.Int32, types.UntypedRune:
		return ir.I32
	case types.Int, types.Int64, types.UntypedInt:
		return ir.I64
	case types.Uint32:
		return ir.U32
	case types.Uint, types.Uint64:
		return ir.U64
	case types.Float32:
		return ir.F32
	case types.Float64, types.UntypedFloat:
		return ir.F64
	}
	return ir.Invalid
}

// layouts says how values lie in the flat memory of lowering: every array and struct as its scalars, in
// the order of the source. The zero value is ready.
type layouts struct {
	sizes  map[types.Type]int
	sample types.Type // the struct type of the sample: its slices are tables, which take no cell
}

// isSample says whether a struct type is the sample's.
func (l *layouts) isSample(s *types.Struct) bool { return l.sample == types.Type(s) }

// cellsOf is the number of scalars of field i of a struct type.
func (l *layouts) cellsOf(s *types.Struct, i int) int {
	if _, ok := s.Field(i).Type().Underlying().(*types.Slice); ok && l.isSample(s) {
		return 0
	}
	return l.size(s.Field(i).Type())
}

// Sizes that are no sizes.
const (
	sizeRefused = -1 // the type has no layout
	sizeTooBig  = -2 // more than maxCells
)

// size is the number of scalars of a value of type t, or sizeRefused or sizeTooBig.
func (l *layouts) size(t types.Type) int {
	if n, ok := l.sizes[t]; ok {
		return n
	}
	if l.sizes == nil {
		l.sizes = make(map[types.Type]int)
	}
	l.sizes[t] = sizeRefused // a type that contains itself has no size
	n := l.compute(t)
	l.sizes[t] = n
	return n
}

func (l *layouts) compute(t types.Type) int {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if basicType(u) != ir.Invalid {
			return 1
		}
	case *types.Array:
		n := l.size(u.Elem())
		switch {
		case n < 0:
			return n
		case n > 0 && u.Len() > int64(maxCells/n):
			return sizeTooBig
		}
		return int(u.Len()) * n
	case *types.Struct:
		sum := 0
		for i := range u.NumFields() {
			n := l.cellsOf(u, i)
			if n < 0 {
				return n
			}
			if sum += n; sum > maxCells {
				return sizeTooBig
			}
		}
		return sum
	}
	return sizeRefused
}

// offset is where field i of a struct type begins.
func (l *layouts) offset(s *types.Struct, i int) int {
	sum := 0
	for j := range i {
		sum += l.cellsOf(s, j)
	}
	return sum
}

// scalars appends the types of the scalars of a value of type t, which has a size; single says that float64
// means f32.
func (l *layouts) scalars(out []ir.Type, t types.Type, single bool) []ir.Type {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return append(out, narrowed(basicType(u), single))
	case *types.Array:
		if u.Len() == 0 {
			return out
		}
		from := len(out)
		out = l.scalars(out, u.Elem(), single)
		elem := out[from:]
		for range u.Len() - 1 {
			out = append(out, elem...)
		}
	case *types.Struct:
		for i := range u.NumFields() {
			out = l.scalars(out, u.Field(i).Type(), single)
		}
	}
	return out
}
