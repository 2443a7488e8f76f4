package kernels

import (
	"fmt"
	"go/ast"
	"math"
	"sync"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

// mathOps are the functions of math that are one operation on floats.
var mathOps = map[string]ir.Op{
	"Sqrt": ir.OpSqrt, "Abs": ir.OpAbs, "Floor": ir.OpFloor, "Ceil": ir.OpCeil, "Trunc": ir.OpTrunc,
	"RoundToEven": ir.OpRoundEven, "Copysign": ir.OpCopysign, "FMA": ir.OpFMA, "Min": ir.OpMin, "Max": ir.OpMax,
}

// mathForms are the functions of math that are a few operations.
var mathForms = map[string]func(l *lowering, at ast.Node, x []scalar) scalar{
	"Float64bits": func(l *lowering, at ast.Node, x []scalar) scalar {
		l.refuseBits(at)
		return l.emitFrom(at, ir.OpBits, ir.U64, ir.F64, x[0])
	},
	"Float64frombits": func(l *lowering, at ast.Node, x []scalar) scalar {
		l.refuseBits(at)
		return l.emitFrom(at, ir.OpFromBits, ir.F64, ir.U64, x[0])
	},
	"IsNaN":   func(l *lowering, at ast.Node, x []scalar) scalar { return l.emit(at, ir.OpNe, x[0].typ, x[0], x[0]) },
	"NaN":     func(l *lowering, _ ast.Node, _ []scalar) scalar { return l.float(math.NaN()) },
	"Inf":     mathInf,
	"IsInf":   mathIsInf,
	"Signbit": mathSignbit,
}

// refuseBits refuses the bits of float64 in a kernel whose float64 is f32.
func (l *lowering) refuseBits(at ast.Node) {
	if l.single() {
		l.fail("E067", at)
	}
}

func mathInf(l *lowering, at ast.Node, x []scalar) scalar {
	plus := l.emit(at, ir.OpGe, x[0].typ, x[0], scalar{typ: x[0].typ})
	return l.emit(at, ir.OpSelect, l.float(0).typ, plus, l.float(math.Inf(1)), l.float(math.Inf(-1)))
}

// mathIsInf is sign >= 0 && x == +Inf || sign <= 0 && x == -Inf.
func mathIsInf(l *lowering, at ast.Node, x []scalar) scalar {
	side := func(op ir.Op, inf float64) scalar {
		asked := l.emit(at, op, x[1].typ, x[1], scalar{typ: x[1].typ})
		if asked.isFalse() {
			return asked
		}
		return l.emit(at, ir.OpAnd, ir.Bool, asked, l.emit(at, ir.OpEq, x[0].typ, x[0], l.float(inf)))
	}
	return l.emit(at, ir.OpOr, ir.Bool, side(ir.OpGe, math.Inf(1)), side(ir.OpLe, math.Inf(-1)))
}

func mathSignbit(l *lowering, at ast.Node, x []scalar) scalar {
	if x[0].typ == ir.F32 {
		bits := l.emitFrom(at, ir.OpBits, ir.U32, ir.F32, x[0])
		return l.emit(at, ir.OpGe, ir.U32, bits, scalar{typ: ir.U32, bits: 1 << 31})
	}
	bits := l.emitFrom(at, ir.OpBits, ir.U64, ir.F64, x[0])
	return l.emit(at, ir.OpGe, ir.U64, bits, scalar{typ: ir.U64, bits: 1 << 63})
}

// mathCall lowers a call of package math: an operation, or the function of mathlib, expanded.
func (l *lowering) mathCall(e *ast.CallExpr, name string) [][]scalar {
	args := l.arguments(e)
	flat := make([]scalar, len(args))
	for i, a := range args {
		flat[i] = a[0]
	}
	if op, ok := mathOps[name]; ok {
		return [][]scalar{{l.emit(e, op, flat[0].typ, flat...)}}
	}
	if form, ok := mathForms[name]; ok {
		return [][]scalar{{form(l, e, flat)}}
	}
	lib := mathlibPackage()
	decl := lib.function(name)
	if l.single() {
		if decl = lib.function(name + "32"); decl == nil {
			l.fail("E062", e, "math.%s has no float32 form", name)
		}
	}
	if decl == nil {
		panic("kernels: mathlib lacks " + name)
	}
	top := len(l.mem)
	in := l.newFrame(lib, e)
	if in.site == nil {
		in.site = e
	}
	sig := funcOf(lib.info.Defs[decl.Name]).Signature()
	before := l.loaded // what the caller's statement has read; the expanded one has variables of its own
	l.loaded = nil
	l.frame = in
	for i := range sig.Params().Len() {
		l.write(l.declare(sig.Params().At(i), e), args[i])
	}
	out := l.body(decl, sig, e)
	l.frame = in.outer
	l.loaded = before
	l.shrink(top)
	return out
}

// mathlibPackage is the math library in the kernel language, checked once by the same front end. That it
// does not load is a mistake of eaglet.
var mathlibPackage = sync.OnceValue(func() *pkg {
	var files []SourceFile
	for _, f := range mathlib.Sources() {
		files = append(files, SourceFile{Name: "mathlib/" + f.Name, Text: f.Text})
	}
	if len(files) == 0 {
		return nil
	}
	r := newReporter(files)
	p := parse(r)
	if p != nil {
		p.trusts = true
		p.check()
		p.directives(nil)
		p.subset()
	}
	if r.errors() {
		panic(fmt.Sprintf("mathlib: %v", r.sorted()))
	}
	return p
})

// function is the declaration of an exported function, nil when the package has none of that name.
func (p *pkg) function(name string) *ast.FuncDecl {
	if p == nil {
		return nil
	}
	fn := funcOf(p.types.Scope().Lookup(name))
	if fn == nil {
		return nil
	}
	return p.funcs[fn]
}
