package kernels

import (
	"go/ast"
	"go/token"
	"go/types"
)

// subset reports everything in the package that is Go but not kernel language. It looks at all code, also
// what no step reaches, and each finding is something that is there: a file with type errors gets the
// findings that can be seen in spite of them.
func (p *pkg) subset() {
	for _, f := range p.syntax {
		for _, d := range f.Decls {
			w := &subsetWalk{pkg: p}
			if g, ok := d.(*ast.GenDecl); ok {
				w.tables = g.Tok == token.VAR
				if g.Tok == token.IMPORT {
					continue
				}
			}
			w.walk(d)
		}
	}
	p.recursion()
	p.unusedCaps()
}

// subsetWalk walks one declaration.
type subsetWalk struct {
	*pkg
	stack  []ast.Node // the nodes round the current one, the outermost first
	tables bool       // in a package variable: slices are tables
}

func (w *subsetWalk) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return false
		}
		if !w.node(n) {
			return false
		}
		w.stack = append(w.stack, n)
		return true
	})
}

// parent is the node i levels above the current one, nil when there is none.
func (w *subsetWalk) parent(i int) ast.Node {
	if i > len(w.stack) {
		return nil
	}
	return w.stack[len(w.stack)-i]
}

// node checks n and says whether to go on below it.
func (w *subsetWalk) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		w.funcDecl(n)
	case *ast.TypeSpec:
		if _, ok := n.Type.(*ast.InterfaceType); ok {
			return false // a constraint; as the type of a value it is found where it is used
		}
	case *ast.Field:
		return w.field(n)
	case *ast.ForStmt:
		w.cap(w.loopPos(n))
	case *ast.RangeStmt:
		w.cap(w.loopPos(n))
		w.rangeOver(n)
		w.written(n.Key)
		w.written(n.Value)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, l := range n.Lhs {
				w.written(l)
			}
		}
	case *ast.IncDecStmt:
		w.written(n.X)
	case *ast.CallExpr:
		w.call(n)
	case *ast.StarExpr:
		return w.star(n)
	case *ast.Ident:
		w.ident(n)
	case *ast.ArrayType:
		if n.Len == nil && !w.tables {
			w.at("E032", n)
			return false
		}
	default:
		return w.refused(n)
	}
	return true
}

// refused are the nodes that are wrong wherever they stand.
func (w *subsetWalk) refused(n ast.Node) bool {
	code := ""
	switch n := n.(type) {
	case *ast.MapType:
		code = "E033"
	case *ast.InterfaceType, *ast.TypeAssertExpr, *ast.TypeSwitchStmt:
		code = "E035"
	case *ast.FuncLit:
		code = "E036"
	case *ast.FuncType:
		if _, ok := w.parent(1).(*ast.FuncDecl); ok {
			return true
		}
		code = "E036"
	case *ast.GoStmt:
		code = "E037"
	case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
		code = "E038"
	case *ast.DeferStmt:
		code = "E039"
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			code = "E041"
		}
	case *ast.UnaryExpr:
		switch n.Op {
		case token.AND:
			code = "E030"
		case token.ARROW:
			code = "E038"
		}
	case *ast.SliceExpr:
		code = "E032"
	case *ast.Ellipsis:
		if _, ok := w.parent(1).(*ast.ArrayType); !ok { // not [...]T
			code = "E032"
		}
	case *ast.BasicLit:
		switch n.Kind {
		case token.STRING:
			code = "E034"
		case token.IMAG:
			code = "E045"
		}
	case *ast.SelectorExpr:
		code = w.selector(n)
	}
	if code == "" {
		return true
	}
	w.at(code, n)
	return false
}

// loopPos is where a directive above the loop is looked for: at its label, when it has one.
func (p *subsetWalk) loopPos(n ast.Stmt) token.Pos {
	if l, ok := p.parent(1).(*ast.LabeledStmt); ok {
		return l.Pos()
	}
	return n.Pos()
}

func (w *subsetWalk) funcDecl(n *ast.FuncDecl) {
	switch {
	case n.Body == nil:
		w.at("E052", n.Name)
	case n.Name.Name == "init" && n.Recv == nil:
		w.at("E053", n.Name)
	}
}

// field is a field, a parameter, a result, a type parameter or a receiver.
func (w *subsetWalk) field(n *ast.Field) bool {
	list, _ := w.parent(1).(*ast.FieldList)
	switch up := w.parent(2).(type) {
	case *ast.FuncDecl:
		if list == up.Recv {
			// The receiver may be a pointer; what it points to is declared elsewhere.
			return false
		}
	case *ast.FuncType:
		if list == up.TypeParams {
			return false // the constraints of a generic helper
		}
	case *ast.StructType:
		if w.isSample(w.parent(3)) {
			return false // its fields are planes, and checked as such
		}
		if len(n.Names) == 0 {
			w.at("E051", n.Type)
			return false
		}
		for _, id := range n.Names {
			if id.Name == "_" {
				w.at("E051", id, "a blank field is refused")
			}
		}
	}
	w.push(n, n.Type)
	return false // the tag is no string of the kernel
}

// isSample says whether a type declaration has the kernel directive.
func (w *subsetWalk) isSample(n ast.Node) bool {
	spec, ok := n.(*ast.TypeSpec)
	if !ok {
		return false
	}
	d, ok := w.parent(4).(*ast.GenDecl)
	if !ok {
		return false
	}
	c, _ := kernelComment(d, spec)
	return c != nil
}

// push walks a node below n, which is not on the stack yet.
func (w *subsetWalk) push(n, below ast.Node) {
	w.stack = append(w.stack, n)
	w.walk(below)
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *subsetWalk) rangeOver(n *ast.RangeStmt) {
	t := w.info.TypeOf(n.X)
	if t == nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Signature, *types.Pointer, *types.TypeParam:
		w.at("E050", n.X)
	}
}

// written reports an assignment to a package variable.
func (w *subsetWalk) written(e ast.Expr) {
	if id := w.root(e); id != nil {
		if v, ok := w.info.Uses[id].(*types.Var); ok && w.vars[v] != nil {
			w.at("E043", id, "the package variable %s is written", id.Name)
		}
	}
}

// root is the variable that an addressable expression is a part of, nil for any other expression.
func (p *pkg) root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// builtinRewrites say what to write instead of a builtin.
var builtinRewrites = map[string]string{
	"append": "use an array of fixed length and a count", "cap": "use len", "clear": "assign a zero value",
	"close": "leave it out", "complex": "keep real and imaginary part in two variables", "copy": "assign the array",
	"delete": "leave it out", "imag": "keep real and imaginary part in two variables", "make": "declare an array",
	"new": "declare a variable", "panic": "set a state such as Failed, and finish on it", "print": "keep the value in a plane",
	"println": "keep the value in a plane", "real": "keep real and imaginary part in two variables", "recover": "leave it out",
}

func (w *subsetWalk) call(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := w.info.Uses[id].(*types.Builtin); ok && b.Name() != "min" && b.Name() != "max" && b.Name() != "len" {
			d := w.at("E042", id, "the builtin function %s is refused", b.Name())
			d.Rewrite = builtinRewrites[b.Name()]
			if b.Name() == "cap" {
				d.fix("use len", Edit{d.Line, d.Column, d.EndColumn, "len"})
			}
		}
	}
	// A method with a pointer receiver changes what it is called on.
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			if m, ok := s.Obj().(*types.Func); ok && m.Signature().Recv() != nil && pointerReceiver(m.Signature()) {
				w.written(sel.X)
			}
		}
	}
}

// star is a pointer type, or *s for the sample.
func (w *subsetWalk) star(n *ast.StarExpr) bool {
	if tv, ok := w.info.Types[n]; ok && !tv.IsType() {
		if _, ok := ast.Unparen(n.X).(*ast.Ident); ok {
			return true
		}
	}
	w.at("E030", n)
	return false
}

func (w *subsetWalk) selector(n *ast.SelectorExpr) string {
	s := w.info.Selections[n]
	if s != nil && s.Kind() == types.MethodExpr {
		return "E036"
	}
	if _, ok := w.info.Uses[n.Sel].(*types.Func); ok && !w.called(n) {
		return "E036"
	}
	return ""
}

// called says whether the current node is the function of a call.
func (w *subsetWalk) called(n ast.Expr) bool {
	for i := 1; ; i++ {
		switch up := w.parent(i).(type) {
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr: // an instance of a generic function
			continue
		case *ast.CallExpr:
			return up.Fun.Pos() <= n.Pos() && n.End() <= up.Fun.End()
		case *ast.SelectorExpr: // pkg.f: the selector answers for both
			return up.Sel == n
		}
		return false
	}
}

func (w *subsetWalk) ident(n *ast.Ident) {
	switch obj := w.info.Uses[n].(type) {
	case *types.Nil:
		w.at("E030", n, "nil is refused")
	case *types.TypeName:
		w.typeName(n, obj)
	case *types.Func:
		if !w.called(n) {
			w.at("E036", n)
		}
	case *types.Var:
		if w.receivers[obj] && !w.dereferenced(n) {
			w.at("E030", n, "the receiver %s is used as a pointer", n.Name)
		}
	}
}

// dereferenced says whether the current identifier is s in s.X or *s.
func (w *subsetWalk) dereferenced(n *ast.Ident) bool {
	i := 1
	for {
		if _, ok := w.parent(i).(*ast.ParenExpr); !ok {
			break
		}
		i++
	}
	switch up := w.parent(i).(type) {
	case *ast.SelectorExpr:
		return up.Sel != n
	case *ast.IndexExpr:
		return up.Index != n // the receiver may point to an array
	case *ast.StarExpr:
		return true
	}
	return false
}

// typeName checks a type named in the source, below its own name: int8, string, error, an alias.
func (w *subsetWalk) typeName(n *ast.Ident, obj *types.TypeName) {
	switch t := types.Unalias(obj.Type()).Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			w.at("E034", n)
		case t.Info()&types.IsComplex != 0:
			w.at("E045", n)
		case basicType(t) == 0 && t.Kind() != types.Invalid:
			w.at("E046", n, "the type %s is refused", n.Name)
		}
	case *types.Interface:
		if _, param := obj.Type().(*types.TypeParam); !param {
			w.at("E035", n)
		}
	}
}

// recursion reports every call that closes a circle of calls.
func (p *pkg) recursion() {
	const (
		unseen = iota
		open
		done
	)
	state := make(map[*types.Func]int)
	var visit func(fn *types.Func)
	visit = func(fn *types.Func) {
		state[fn] = open
		ast.Inspect(p.funcs[fn], func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			id, _ := calledIdent(call)
			callee := funcOf(p.info.Uses[id])
			if callee == nil || p.funcs[callee] == nil {
				return true
			}
			switch state[callee] {
			case open:
				if callee == fn {
					p.at("E040", id, "%s calls itself", fn.Name())
				} else {
					p.at("E040", id, "%s calls %s, which calls it again", fn.Name(), callee.Name())
				}
			case unseen:
				visit(callee)
			}
			return true
		})
		state[fn] = done
	}
	for _, f := range p.syntax {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := p.info.Defs[d.Name].(*types.Func); ok && state[fn] == unseen {
					visit(fn)
				}
			}
		}
	}
}
