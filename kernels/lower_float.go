package kernels

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// precision=f32: float64 in the kernel's source means f32. mathlib is not the kernel's source; there float64
// stays what it is, and a call of math.F is one of its F32.

// single says whether float64 means f32 where lowering is at work.
func (l *lowering) single() bool {
	return l.kernel.Precision == ir.F32 && (l.frame == nil || !l.frame.pkg.trusts)
}

// basic is the IR's type for a basic type of Go, Invalid for one that kernels do not have.
func (l *lowering) basic(t *types.Basic) ir.Type { return narrowed(basicType(t), l.single()) }

// narrowed is f32 for f64 when single holds.
func narrowed(t ir.Type, single bool) ir.Type {
	if t == ir.F64 && single {
		return ir.F32
	}
	return t
}

// float is a number as a constant of the type that float64 means.
func (l *lowering) float(f float64) scalar {
	switch {
	case l.single() && f != f:
		return scalar{typ: ir.F32, bits: uint64(ir.NaN32)}
	case l.single():
		return scalar{typ: ir.F32, bits: uint64(math.Float32bits(float32(f)))}
	case f != f:
		return scalar{typ: ir.F64, bits: ir.NaN64}
	}
	return scalar{typ: ir.F64, bits: math.Float64bits(f)}
}

// floatConstant is a constant of a float type, rounded once from its exact value.
func (l *lowering) floatConstant(e ast.Expr, v constant.Value, t ir.Type) scalar {
	if t == ir.F64 {
		f, _ := constant.Float64Val(constant.ToFloat(v))
		return scalar{typ: t, bits: math.Float64bits(f)}
	}
	if l.single() {
		v = l.exact(e, 0)
	}
	f, _ := constant.Float32Val(constant.ToFloat(v))
	if math.IsInf(float64(f), 0) {
		l.reporter.at("W005", e)
	}
	return scalar{typ: t, bits: uint64(math.Float32bits(f))}
}

// maxExact bounds the declarations and operations that an exact constant is followed through.
const maxExact = 200

// exact is the value of a constant expression before the type checker rounded it to float64: that of its
// literals and untyped constants. What is of a float type by itself, such as a constant declared with a
// type, is rounded to float32 there, as Go does with every typed operation.
func (l *lowering) exact(e ast.Expr, depth int) constant.Value {
	tv := l.frame.pkg.info.Types[e]
	if depth > maxExact {
		return tv.Value
	}
	var out constant.Value
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		out = constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		out = l.exactNamed(e, depth)
	case *ast.SelectorExpr:
		out = l.exactNamed(e.Sel, depth)
	case *ast.UnaryExpr:
		if e.Op == token.ADD || e.Op == token.SUB {
			if x := l.exact(e.X, depth+1); numeric(x) {
				out = constant.UnaryOp(e.Op, x, 0)
			}
		}
	case *ast.BinaryExpr:
		out = l.exactBinary(e, depth)
	case *ast.CallExpr:
		if l.frame.pkg.info.Types[e.Fun].IsType() {
			if x := l.exact(e.Args[0], depth+1); numeric(x) {
				out = round32(x)
			}
		}
	}
	if !numeric(out) {
		return tv.Value
	}
	return out
}

// exactNamed is the value of a named constant.
func (l *lowering) exactNamed(id *ast.Ident, depth int) constant.Value {
	c, ok := l.frame.pkg.info.Uses[id].(*types.Const)
	if !ok {
		return nil
	}
	b, ok := c.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 || b.Info()&types.IsFloat == 0 {
		return c.Val()
	}
	if decl := l.frame.pkg.constants()[c]; decl != nil {
		return round32(l.exact(decl, depth+1))
	}
	return c.Val()
}

func (l *lowering) exactBinary(e *ast.BinaryExpr, depth int) constant.Value {
	x, y := l.exact(e.X, depth+1), l.exact(e.Y, depth+1)
	if !numeric(x) || !numeric(y) {
		return nil
	}
	op := e.Op
	switch op {
	case token.ADD, token.SUB, token.MUL:
	case token.QUO:
		if constant.Sign(y) == 0 {
			return nil
		}
		if l.integral(e.X) && l.integral(e.Y) {
			op = token.QUO_ASSIGN // of integers
		}
	default:
		return nil
	}
	out := constant.BinaryOp(x, op, y)
	if l.ownFloat(e.X) || l.ownFloat(e.Y) {
		out = round32(out)
	}
	return out
}

// integral says whether a constant operand is of an integer type, or would be by itself.
func (l *lowering) integral(e ast.Expr) bool {
	b, ok := l.frame.pkg.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// ownFloat says whether a constant operand is of a float type by itself.
func (l *lowering) ownFloat(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return l.typedConst(e)
	case *ast.SelectorExpr:
		return l.typedConst(e.Sel)
	case *ast.UnaryExpr:
		return l.ownFloat(e.X)
	case *ast.BinaryExpr:
		return l.ownFloat(e.X) || l.ownFloat(e.Y)
	case *ast.CallExpr:
		return true
	}
	return false
}

func (l *lowering) typedConst(id *ast.Ident) bool {
	c, ok := l.frame.pkg.info.Uses[id].(*types.Const)
	if !ok {
		return false
	}
	b, ok := c.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUntyped == 0
}

func numeric(v constant.Value) bool {
	return v != nil && (v.Kind() == constant.Int || v.Kind() == constant.Float)
}

// round32 is a constant rounded to float32; one that overflows stays as it is.
func round32(v constant.Value) constant.Value {
	if !numeric(v) {
		return v
	}
	f, _ := constant.Float32Val(constant.ToFloat(v))
	if math.IsInf(float64(f), 0) {
		return v
	}
	return constant.MakeFloat64(float64(f))
}

// constants are the expressions of constants with a type that are declared with one, by constant.
func (p *pkg) constants() map[*types.Const]ast.Expr {
	if p.consts != nil {
		return p.consts
	}
	p.consts = make(map[*types.Const]ast.Expr)
	for _, f := range p.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				if c, ok := p.info.Defs[name].(*types.Const); ok {
					p.consts[c] = spec.Values[i]
				}
			}
			return true
		})
	}
	return p.consts
}
