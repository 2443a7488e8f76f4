package oracle

import "fmt"

// kind is what a basic type computes with.
type kind int

const (
	composite kind = iota
	boolean
	int32s
	int64s
	uint32s
	uint64s
	float32s
	float64s
	param // a type parameter: any number, or any float when frac is set
)

// typ is a type of a generated kernel. Types of one name are one type.
type typ struct {
	name   string
	kind   kind
	frac   bool // param
	elem   *typ // of an array
	n      int
	slice  bool     // a table plane; n is the least length it is given
	fields []member // of a struct
}

type member struct {
	name string
	t    *typ
}

func (t *typ) number() bool   { return t.kind >= int32s }
func (t *typ) integer() bool  { return t.kind >= int32s && t.kind <= uint64s }
func (t *typ) unsigned() bool { return t.kind == uint32s || t.kind == uint64s }
func (t *typ) float() bool {
	return t.kind == float32s || t.kind == float64s || t.kind == param && t.frac
}

// comparable says whether == is defined.
func (t *typ) comparable() bool {
	ok := !t.slice && (t.elem == nil || t.elem.comparable())
	for _, f := range t.fields {
		ok = ok && f.t.comparable()
	}
	return ok
}

// plain says whether t is a number or a bool, or arrays of those.
func (t *typ) plain() bool { return t.fields == nil && (t.elem == nil || t.elem.plain()) }

// cells is how many scalars a value has.
func (t *typ) cells() int {
	switch {
	case t.elem != nil:
		return t.n * t.elem.cells()
	case t.fields != nil:
		sum := 0
		for _, f := range t.fields {
			sum += f.t.cells()
		}
		return sum
	}
	return 1
}

func arrayOf(n int, elem *typ) *typ {
	return &typ{name: fmt.Sprintf("[%d]%s", n, elem.name), elem: elem, n: n}
}

var (
	typBool  = &typ{name: "bool", kind: boolean}
	typI32   = &typ{name: "int32", kind: int32s}
	typI64   = &typ{name: "int64", kind: int64s}
	typInt   = &typ{name: "int", kind: int64s}
	typU32   = &typ{name: "uint32", kind: uint32s}
	typU64   = &typ{name: "uint64", kind: uint64s}
	typUint  = &typ{name: "uint", kind: uint64s}
	typF32   = &typ{name: "float32", kind: float32s}
	typF64   = &typ{name: "float64", kind: float64s}
	basics   = []*typ{typF64, typF64, typF64, typI64, typI32, typU32, typU64, typInt, typUint, typF32, typBool}
	integers = []*typ{typInt, typI64, typI32, typU32, typU64, typUint}
)

// literals by kind. They fit every type of their kind.
var literals = map[kind][]string{
	boolean:  {"true", "false"},
	int32s:   {"0", "1", "-1", "2", "3", "7", "-5", "100", "31", "2147483647", "-2147483648", "1 << 20"},
	int64s:   {"0", "1", "-1", "2", "3", "-6", "17", "1000", "63", "9223372036854775807", "-9223372036854775808", "1 << 40", "math.MinInt32"},
	uint32s:  {"0", "1", "2", "5", "0xff", "4294967295", "32", "0x9e3779b9"},
	uint64s:  {"0", "1", "2", "9", "0xffff", "18446744073709551615", "64", "0x9e3779b97f4a7c15", "1 << 33"},
	float32s: {"0", "1", "-1", "0.5", "2", "-3.25", "0.1", "1e-3", "1e30", "16777217", "1e-40", "math.Pi"},
	float64s: {"0", "1", "-1", "0.5", "2", "-3.25", "0.1", "1e-3", "1e300", "9007199254740993", "1e-310", "math.Pi", "math.MaxFloat64", "1 / 3.0"},
	param:    {"1", "2", "3", "7"},
}

// step is one part of the way from a variable to a value in it: a field, or any element of an array.
type step struct {
	field string
	n     int
	elem  *typ
}

// ways are all ways from a value of type t to parts of type want; write says that those will be assigned.
func ways(t, want *typ, write bool) [][]step {
	if t.slice && (write || t.name == want.name) {
		return nil
	}
	if t.name == want.name {
		return [][]step{nil}
	}
	var out [][]step
	add := func(s step, inner *typ) {
		for _, w := range ways(inner, want, write) {
			out = append(out, append([]step{s}, w...))
		}
	}
	if t.elem != nil {
		add(step{n: t.n, elem: t.elem}, t.elem)
	}
	for _, f := range t.fields {
		add(step{field: f.name}, f.t)
	}
	return out
}

// variable is something with a name that expressions can read.
type variable struct {
	name  string
	t     *typ
	write bool
	table bool // constant: indexes that are not constant must lead straight to a number
	limit int  // a loop variable in [0, limit)
	used  bool
	line  int // where it is declared
}

// function is a function or method of a generated kernel.
type function struct {
	name     string
	recv     *typ // nil for a function
	self     bool // of the sample
	mutates  bool
	params   []*typ
	results  []*typ
	generic  bool // the first parameter is of the type parameter, and decides it
	frac     bool
	cost     int
	searches bool // it has indexes that are not constant
}

// tableNames are the table planes of the receiver v, which may be nil.
func (v *variable) tableNames() []string {
	var out []string
	if v != nil {
		for _, f := range v.t.fields {
			if f.t.slice {
				out = append(out, v.name+"."+f.name)
			}
		}
	}
	return out
}
