package kernels

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// check type-checks the package and reports the type checker's errors in our form. It never fails as a
// whole: what has no type stays without one, and the checks that follow go on with what is there.
func (p *pkg) check() {
	refused := p.imports()
	p.info = &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Instances:  make(map[*ast.Ident]types.Instance),
		Implicits:  make(map[ast.Node]types.Object),
	}
	var errs []types.Error
	cfg := types.Config{
		Importer: mathImporter{},
		Sizes:    types.SizesFor("gc", "amd64"), // int is int64 on every machine
		Error:    func(err error) { errs = append(errs, err.(types.Error)) },
	}
	// The first error comes back again as the result; errs has them all.
	p.types, _ = cfg.Check(p.syntax[0].Name.Name, p.fset, p.syntax, p.info)
	unknown := p.unknownMath()
	for _, e := range errs {
		p.typeError(e, refused, unknown)
	}
	p.declarations()
}

// imports reports every import but math, and returns their specs.
func (p *pkg) imports() []*ast.ImportSpec {
	var refused []*ast.ImportSpec
	for _, f := range p.syntax {
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "math" {
				p.at("E009", spec.Path, "the import of %q is refused", path)
				refused = append(refused, spec)
			}
		}
	}
	return refused
}

// unknownMath reports math.X for X that is not in the language, and returns the selected names.
func (p *pkg) unknownMath() []*ast.Ident {
	var unknown []*ast.Ident
	for _, f := range p.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			if name, ok := p.info.Uses[x].(*types.PkgName); ok && name.Imported().Path() == "math" && name.Imported().Scope().Lookup(sel.Sel.Name) == nil {
				d := p.at("E010", sel.Sel, "math.%s is not in the kernel language", sel.Sel.Name)
				d.Rewrite = "use " + strings.Join(mathFunctions(), " ") + ", or write the function in the kernel"
				unknown = append(unknown, sel.Sel)
			}
			return true
		})
	}
	return unknown
}

func (p *pkg) typeError(e types.Error, refused []*ast.ImportSpec, unknown []*ast.Ident) {
	if strings.HasPrefix(e.Msg, "\t") || p.full(Error) { // goes on with the error before
		return
	}
	if slices.ContainsFunc(refused, func(s *ast.ImportSpec) bool { return s.Pos() <= e.Pos && e.Pos < s.End() }) {
		return
	}
	if p.strings && strings.Contains(e.Msg, "string") {
		return
	}
	if slices.ContainsFunc(unknown, func(id *ast.Ident) bool { return id.Pos() == e.Pos }) {
		return
	}
	p.conversionFix(p.at("E004", p.tokenAt(e.Pos), "type error: %s", oneLine(e.Msg)), e)
}

// tokenAt is the span of the smallest node that begins at pos.
func (p *pkg) tokenAt(pos token.Pos) span {
	best := between{pos, pos + 1}
	for _, f := range p.syntax {
		if pos < f.FileStart || pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || n.Pos() > pos || n.End() <= pos {
				return false
			}
			if n.Pos() == pos {
				best = between{pos, n.End()}
			}
			return true
		})
	}
	return best
}

// declarations finds the bodies of functions and the package variables.
func (p *pkg) declarations() {
	p.funcs = make(map[*types.Func]*ast.FuncDecl)
	p.vars = make(map[*types.Var]*packageVar)
	p.receivers = make(map[*types.Var]bool)
	for _, f := range p.syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if fn, ok := p.info.Defs[d.Name].(*types.Func); ok {
					p.funcs[fn] = d
					if r := fn.Signature().Recv(); r != nil && pointerReceiver(fn.Signature()) {
						p.receivers[r] = true
					}
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					p.packageVars(d)
				}
			}
		}
	}
}

// packageVars records the variables of one var declaration with their initial values.
func (p *pkg) packageVars(d *ast.GenDecl) {
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		for i, name := range s.Names {
			v, ok := p.info.Defs[name].(*types.Var)
			if !ok {
				continue
			}
			pv := &packageVar{name: name}
			switch {
			case len(s.Values) == len(s.Names):
				pv.value = s.Values[i]
			case len(s.Values) != 0:
				p.at("E047", name)
				continue
			}
			p.vars[v] = pv
		}
	}
}

// funcOf is the function that an identifier names; for an instance of a generic one, the generic one.
func funcOf(obj types.Object) *types.Func {
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	return fn.Origin()
}
