package kernels

import (
	"go/ast"
	"go/types"
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// call lowers a conversion, a builtin, a function of math or of the package. It gives the values of its
// results.
func (l *lowering) call(e *ast.CallExpr) [][]scalar {
	l.tick(1, e)
	info := l.frame.pkg.info
	fun := ast.Unparen(e.Fun)
	if tv := info.Types[fun]; tv.IsType() {
		return [][]scalar{l.conversion(e)}
	}
	id, sel := calledIdent(e)
	if id == nil {
		l.fail("E036", e.Fun)
	}
	switch obj := info.Uses[id].(type) {
	case *types.Builtin:
		return [][]scalar{l.builtin(e, obj.Name())}
	case *types.Func:
		if obj.Pkg() != nil && obj.Pkg().Path() == "math" && obj.Pkg() == mathPackage() {
			return l.mathCall(e, obj.Name())
		}
		return l.callFunc(e, obj, id, sel)
	}
	l.fail("E036", e.Fun)
	return nil
}

// calledIdent is the name that a call goes by, and the selector it stands in; nil when it has none.
func calledIdent(e *ast.CallExpr) (*ast.Ident, *ast.SelectorExpr) {
	fun := ast.Unparen(e.Fun)
	switch f := fun.(type) { // an instance of a generic function
	case *ast.IndexExpr:
		fun = ast.Unparen(f.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(f.X)
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return f, nil
	case *ast.SelectorExpr:
		return f.Sel, f
	}
	return nil, nil
}

func (l *lowering) conversion(e *ast.CallExpr) []scalar {
	vals := l.expr(e.Args[0])
	b, ok := l.typeOf(e).Underlying().(*types.Basic)
	if !ok {
		return vals // between struct or array types of one shape
	}
	t := l.basic(b)
	if t == ir.Invalid {
		l.fail("E046", e, "the type %s is refused", b)
	}
	return []scalar{l.convert(e, vals[0], t)}
}

func (l *lowering) builtin(e *ast.CallExpr, name string) []scalar {
	switch name {
	case "len":
		return []scalar{l.length(e.Args[0])}
	case "min", "max":
		op := ir.OpMin
		if name == "max" {
			op = ir.OpMax
		}
		out := l.one(e.Args[0])
		for _, a := range e.Args[1:] {
			out = l.least(e, op, out, l.one(a))
		}
		return []scalar{out}
	}
	l.fail("E042", e)
	return nil
}

func (l *lowering) length(e ast.Expr) scalar {
	if p := l.place(e); p != nil && (p.table != nil || p.plane > 0) {
		return l.lengthOf(e, p)
	}
	a, ok := l.typeOf(e).Underlying().(*types.Array)
	if !ok {
		l.fail("E032", e)
	}
	l.expr(e) // a call in it is made
	return integer(a.Len())
}

// least is the builtin min or max. For floats it differs from math.Min, which is OpMin, where an infinity
// meets a NaN: there the builtin gives NaN.
func (l *lowering) least(at ast.Node, op ir.Op, x, y scalar) scalar {
	out := l.emit(at, op, x.typ, x, y)
	if !x.typ.Float() {
		return out
	}
	for _, v := range []scalar{x, y} {
		other := x
		if v == x {
			other = y
		}
		if other.constant() && !infinite(other) {
			continue // OpMin of NaN and a finite constant is NaN already
		}
		out = l.emit(at, ir.OpSelect, x.typ, l.emit(at, ir.OpNe, v.typ, v, v), v, out)
	}
	return out
}

// infinite says whether a constant is an infinity or NaN.
func infinite(s scalar) bool {
	f := math.Float64frombits(s.bits)
	if s.typ == ir.F32 {
		f = float64(math.Float32frombits(uint32(s.bits)))
	}
	return math.IsInf(f, 0) || math.IsNaN(f)
}

// callFunc expands a call of a function or method of the package.
func (l *lowering) callFunc(e *ast.CallExpr, fn *types.Func, id *ast.Ident, sel *ast.SelectorExpr) [][]scalar {
	p := l.frame.pkg
	decl := p.funcs[fn.Origin()]
	if decl == nil || decl.Body == nil {
		l.fail("E099", e, "%s has no body", fn.Name())
	}
	top, settled := len(l.mem), len(l.loaded)
	in := l.newFrame(p, e)
	if inst, ok := p.info.Instances[id]; ok {
		in.instantiate(fn.Origin().Signature(), inst, l.frame)
	}
	sig := fn.Origin().Signature()
	// Receiver and arguments are evaluated in the caller before the new frame is entered.
	var recv []scalar
	recvBase := -1
	if r := sig.Recv(); r != nil {
		recvBase, recv = l.receiver(sel, sig, r)
	}
	args := l.arguments(e)
	here := l.here
	before := l.loaded[:settled] // the arguments are copied: the call cannot change them any more
	l.loaded = nil
	l.frame = in
	if r := sig.Recv(); r != nil {
		if recvBase >= 0 {
			in.vars[r] = recvBase
		} else {
			l.write(l.declare(r, e), recv)
		}
	}
	for i := range sig.Params().Len() {
		l.write(l.declare(sig.Params().At(i), e), args[i])
	}
	out := l.body(decl, sig, e)
	l.frame = in.outer
	l.shrink(top)
	l.loaded, l.here = before, here
	l.orderMatters(e)
	return out
}

// orderMatters refuses a call that changed what the same statement has read before: Go leaves the order of
// the two open, and its compilers make the call first.
func (l *lowering) orderMatters(call *ast.CallExpr) {
	l.tick(len(l.loaded)/8, call)
	for _, c := range l.loaded {
		if c.cell < 0 && l.puts[-1-c.cell] != int(c.old.bits) {
			l.reread(call)
			return
		}
		if c.cell >= 0 && c.cell < len(l.mem) && l.mem[c.cell] != c.old {
			l.reread(call)
			return
		}
	}
}

// reread refuses a call that changes what was read before it.
func (l *lowering) reread(call *ast.CallExpr) {
	l.soft("E054", call)
	if n := len(l.list); n > 0 && l.list[n-1].Code == "E054" { // reported just now
		l.callFix(&l.list[n-1], call, l.here)
	}
}

// newFrame makes the frame of a call, which is not entered yet.
func (l *lowering) newFrame(p *pkg, e ast.Node) *frame {
	in := &frame{pkg: p, outer: l.frame, vars: make(map[*types.Var]int)}
	if l.frame != nil {
		in.depth, in.site = l.frame.depth+1, l.frame.site
	}
	if in.depth > maxCalls {
		l.fail("E006", e, "calls nest deeper than %d", maxCalls)
	}
	return in
}

// instantiate binds the type parameters of a generic function.
func (fr *frame) instantiate(sig *types.Signature, inst types.Instance, caller *frame) {
	fr.types = make(map[*types.TypeParam]types.Type)
	for i := range sig.TypeParams().Len() {
		fr.types[sig.TypeParams().At(i)] = caller.subst(inst.TypeArgs.At(i))
	}
}

// receiver is the receiver of a method call: the cells that a pointer points to, or a copied value.
func (l *lowering) receiver(sel *ast.SelectorExpr, sig *types.Signature, r *types.Var) (base int, vals []scalar) {
	if !pointerReceiver(sig) {
		return -1, l.expr(sel.X)
	}
	p := l.place(sel.X)
	switch {
	case p == nil || p.table != nil || p.plane > 0:
		l.fail("E030", sel.X, "the method changes a value that lies nowhere")
	case len(p.index) > 0:
		l.fail("E061", sel.X)
	}
	return p.base, nil
}

// arguments evaluates the arguments of a call, in order; f(g()) passes on the results of g.
func (l *lowering) arguments(e *ast.CallExpr) [][]scalar {
	var out [][]scalar
	for _, a := range e.Args {
		out = append(out, l.exprs(a)...)
	}
	return out
}

// body runs the body of a function in its frame and gives its results.
func (l *lowering) body(decl *ast.FuncDecl, sig *types.Signature, at ast.Node) [][]scalar {
	fr := l.frame
	for i := range sig.Results().Len() {
		v := sig.Results().At(i)
		t := fr.subst(v.Type())
		r := result{base: l.alloc(t, at), typ: t}
		r.size = len(l.mem) - r.base
		l.own(v, r.base, r.size, at)
		fr.results = append(fr.results, r)
		fr.vars[v] = r.base
	}
	fr.returned = l.flag()
	l.sequence(decl.Body.List)
	out := make([][]scalar, len(fr.results))
	for i, r := range fr.results {
		out[i] = l.cellsFrom(r.base, r.size, at)
	}
	return out
}
