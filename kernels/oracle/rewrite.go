package oracle

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eaglet-workbench/eaglet/kernels"
)

// Names by which rewritten files know the packages that they use, chosen so that no kernel has them.
const (
	goMath    = "goMath__"
	ourMath   = "mathlib__"
	nativePkg = "native__"
)

// Mutant is a deliberate mistake of the rewriting, to see that comparisons notice it.
type Mutant string

// The mutants. None is the right rewriting.
const (
	None     Mutant = ""
	SwapMin  Mutant = "math.Min is math.Max"
	Fuse     Mutant = "products are fused in a kernel with fma=off"
	KeepMath Mutant = "math stays Go's own"
	Wild     Mutant = "conversions of floats to integers do what the machine does"
	LateCap  Mutant = "a cap allows one turn more"
	Unfused  Mutant = "products are not fused in a kernel with fma=contract"
)

// rewrittenMath says where a function of math is taken from; those not named are Go's own, which are exact.
var rewrittenMath = func() map[string]string {
	m := map[string]string{"Float64bits": nativePkg, "Signbit": nativePkg, "Copysign": nativePkg}
	for _, name := range strings.Fields(`Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Cos Cosh Dim Erf Erfc Exp Exp2 Expm1
		Hypot Log Log10 Log1p Log2 Mod Pow Round Sin Sincos Sinh Tan Tanh`) {
		m[name] = ourMath
	}
	return m
}()

// rewritten is a kernel as the Go compiler gets it: files without a package clause and imports.
type rewritten struct {
	files       []string
	sample      string   // the sample type's name
	observables []string // its methods
	mutated     bool     // the mutant found something to do wrong
}

// rewriting is the work on one kernel.
type rewriting struct {
	pkg     *types.Package
	info    *types.Info
	fset    *token.FileSet
	text    []byte // of the file at hand
	base    token.Pos
	prefix  string
	fuse    bool
	round   bool // products are rounded by force
	single  bool // float64 means float32
	mutant  Mutant
	mutated bool
	caps    map[ast.Stmt]counter // of loops that were not reached yet
	bodies  map[*ast.BlockStmt]counter

	unevaluated bool // in a constant
}

// standard gives package math to the type checker, from the Go installation's source.
var standard = sync.OnceValue(func() types.Importer {
	return &lockedImporter{inner: importer.ForCompiler(token.NewFileSet(), "source", nil)}
})

type lockedImporter struct {
	sync.Mutex
	inner types.Importer
}

// Import implements types.Importer.
func (l *lockedImporter) Import(path string) (*types.Package, error) {
	l.Lock()
	defer l.Unlock()
	return l.inner.Import(path)
}

// checked parses and type-checks a kernel's files.
func checked(files []kernels.SourceFile) (fset *token.FileSet, syntax []*ast.File, pkg *types.Package, info *types.Info, err error) {
	fset = token.NewFileSet()
	for _, f := range files {
		s, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		syntax = append(syntax, s)
	}
	info = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), Instances: make(map[*ast.Ident]types.Instance),
	}
	cfg := types.Config{Importer: standard(), Sizes: types.SizesFor("gc", "amd64")}
	pkg, err = cfg.Check("kernel", fset, syntax, info)
	return fset, syntax, pkg, info, err
}

// rewrite makes the native form of a kernel that eaglet accepts. Its package-level names get a prefix, so
// that many kernels fit into one package.
func rewrite(files []kernels.SourceFile, prefix string, fuse, single, round bool, m Mutant) (*rewritten, error) {
	fset, syntax, pkg, info, err := checked(files)
	if err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	r := &rewriting{pkg: pkg, info: info, fset: fset, prefix: prefix, fuse: fuse, single: single, round: round, mutant: m}
	switch m {
	case Fuse:
		r.fuse = true
	case Unfused:
		r.fuse = false
	}
	out := &rewritten{}
	for i, f := range syntax {
		r.text, r.base = files[i].Text, f.FileStart
		r.findCaps(f)
		var b strings.Builder
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				if g.Tok == token.IMPORT {
					continue
				}
				if name := sampleOf(g); name != nil {
					out.sample = prefix + name.Name
					out.observables = r.observables(name)
				}
			}
			b.WriteString(r.node(d))
			b.WriteString("\n\n")
		}
		out.files = append(out.files, b.String())
	}
	if out.sample == "" {
		return nil, fmt.Errorf("rewrite: there is no type with the directive //eaglet:kernel")
	}
	out.mutated = r.mutated
	return out, nil
}

// sampleOf is the name of the sample type, when d declares it.
func sampleOf(d *ast.GenDecl) *ast.Ident {
	for _, s := range d.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		for _, g := range []*ast.CommentGroup{d.Doc, spec.Doc} {
			if g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//eaglet:kernel") }) {
				return spec.Name
			}
		}
	}
	return nil
}

// observables are the exported methods without parameters and with one number or bool, Step and Init aside.
func (r *rewriting) observables(name *ast.Ident) []string {
	var out []string
	named := r.info.Defs[name].Type().(*types.Named)
	for i := range named.NumMethods() {
		m := named.Method(i)
		sig := m.Signature()
		if !m.Exported() || m.Name() == "Step" || m.Name() == "Init" || sig.Params().Len() != 0 || sig.Results().Len() != 1 {
			continue
		}
		if _, ok := sig.Results().At(0).Type().Underlying().(*types.Basic); ok {
			out = append(out, m.Name())
		}
	}
	return out
}

// edit replaces the text from lo to hi.
type edit struct {
	lo, hi token.Pos
	with   string
}

// node is the source of n rewritten.
func (r *rewriting) node(n ast.Node) string {
	if with, ok := r.replaced(n); ok {
		return with
	}
	return r.inside(n)
}

// inside is the source of n with what lies below it rewritten, but not n itself.
func (r *rewriting) inside(n ast.Node) string {
	var edits []edit
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || m == n {
			return m != nil
		}
		with, ok := r.replaced(m)
		if ok {
			edits = append(edits, edit{m.Pos(), m.End(), with})
		}
		return !ok
	})
	return r.spliced(n.Pos(), n.End(), edits)
}

// spliced is the text from lo to hi after edits, which lie in it and do not overlap.
func (r *rewriting) spliced(lo, hi token.Pos, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return int(a.lo - b.lo) })
	var b strings.Builder
	for _, e := range edits {
		b.Write(r.text[lo-r.base : e.lo-r.base])
		b.WriteString(e.with)
		lo = e.hi
	}
	b.Write(r.text[lo-r.base : hi-r.base])
	return b.String()
}

// replaced is the new text of n when n itself changes; its parts are rewritten in it.
func (r *rewriting) replaced(n ast.Node) (string, bool) {
	if e, ok := n.(ast.Expr); ok && r.single {
		if with, ok := r.narrowed(e); ok {
			return with, true
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		if r.single && r.info.Uses[n] == types.Universe.Lookup("float64") {
			return "float32", true
		}
		if obj := r.object(n); obj != nil && obj.Parent() == r.pkg.Scope() {
			return r.prefix + n.Name, true
		}
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok {
			if p, ok := r.info.Uses[id].(*types.PkgName); ok && p.Imported().Path() == "math" {
				_, function := r.info.Uses[n.Sel].(*types.Func)
				return r.mathName(n.Sel.Name, function), true
			}
		}
	case *ast.CallExpr:
		if r.constant(n) && !r.unevaluated { // len of what is not evaluated, as long as no function is called in it
			r.unevaluated = true
			defer func() { r.unevaluated = false }()
			return r.inside(n), true
		}
		return r.conversion(n)
	case *ast.BinaryExpr:
		return r.binary(n)
	case *ast.AssignStmt:
		return r.assign(n)
	case *ast.LabeledStmt:
		return r.capped(n, n.Stmt)
	case *ast.ForStmt:
		return r.capped(n, n)
	case *ast.RangeStmt:
		return r.capped(n, n)
	case *ast.BlockStmt:
		if c, ok := r.bodies[n]; ok {
			return fmt.Sprintf("{ %s.Turn(&%s, %d);%s", nativePkg, c.name, c.turns, r.inside(n)[1:]), true
		}
	}
	return "", false
}

// narrowed is what changes in a kernel whose float64 is float32, beside that name: constants that would be
// float64 by default, and unions that would name float32 twice.
func (r *rewriting) narrowed(e ast.Expr) (string, bool) {
	tv := r.info.Types[e]
	switch b, _ := e.(*ast.BinaryExpr); {
	case tv.Value != nil && tv.Type == types.Typ[types.Float64] && !r.unevaluated:
		if f, _ := constant.Float32Val(tv.Value); math.IsInf(float64(f), 0) {
			return fmt.Sprintf("%s.Inf32(%d)", nativePkg, constant.Sign(tv.Value)), true
		}
		r.unevaluated = true
		defer func() { r.unevaluated = false }()
		return "float32(" + r.node(e) + ")", true
	case b != nil && b.Op == token.OR && (tv.IsType() || !tv.IsValue()):
		var terms []string
		var split func(e ast.Expr)
		split = func(e ast.Expr) {
			if b, ok := e.(*ast.BinaryExpr); ok {
				split(b.X)
				split(b.Y)
				return
			}
			if term := r.node(e); !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
		split(e)
		return strings.Join(terms, " | "), true
	}
	return "", false
}

func (r *rewriting) object(id *ast.Ident) types.Object {
	if obj := r.info.Defs[id]; obj != nil {
		return obj
	}
	return r.info.Uses[id]
}

// mathName is what a function or constant of math becomes.
func (r *rewriting) mathName(name string, function bool) string {
	from := rewrittenMath[name]
	switch {
	case r.mutant == SwapMin && name == "Min":
		r.mutated = true
		return goMath + ".Max"
	case r.mutant == KeepMath && from == ourMath:
		r.mutated = true
		return goMath + "." + name
	case r.single && from == ourMath:
		return ourMath + "." + name + "32"
	case r.single && function:
		return nativePkg + "." + name + "32"
	case from != "":
		return from + "." + name
	}
	return goMath + "." + name
}

// conversion replaces a conversion that may be from a float to an integer.
func (r *rewriting) conversion(e *ast.CallExpr) (string, bool) {
	if tv := r.info.Types[e.Fun]; !tv.IsType() || len(e.Args) != 1 || r.unevaluated || r.constant(e) || r.constant(e.Args[0]) {
		return "", false
	}
	to, from := r.info.TypeOf(e.Fun), r.info.TypeOf(e.Args[0])
	if !may(to, types.IsInteger) || !may(from, types.IsFloat) {
		return "", false
	}
	if r.mutant == Wild {
		r.mutated = true
		return "", false
	}
	return fmt.Sprintf("%s.Convert[%s](%s)", nativePkg, r.node(e.Fun), r.node(e.Args[0])), true
}

// may says whether a type is basic with a property, or a type parameter, which may be.
func may(t types.Type, property types.BasicInfo) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&property != 0
}

func (r *rewriting) constant(e ast.Expr) bool { return r.info.Types[e].Value != nil }

// binary replaces a sum that is fused, and a product that must be kept from being fused.
func (r *rewriting) binary(e *ast.BinaryExpr) (string, bool) {
	if r.constant(e) || r.unevaluated {
		return "", false
	}
	if sum := e.Op == token.ADD || e.Op == token.SUB; sum && r.mutant == Unfused {
		r.mutated = r.mutated || r.product(e.X) != nil || r.product(e.Y) != nil
	} else if sum && r.fuse {
		if out, ok := r.fused(e.Op, e.X, e.Y); ok {
			return out, true
		}
	}
	if r.round && r.product(e) != nil {
		return nativePkg + ".Round(" + r.inside(e) + ")", true
	}
	return "", false
}

// assign replaces x += a*b and x -= a*b.
func (r *rewriting) assign(s *ast.AssignStmt) (string, bool) {
	op, ok := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB}[s.Tok]
	if !r.fuse || !ok || r.product(s.Rhs[0]) == nil {
		return "", false
	}
	x := r.node(s.Lhs[0])
	p := r.product(s.Rhs[0])
	r.mutated = r.mutated || r.mutant == Fuse
	return fmt.Sprintf("%s = %s.%s(%s, %s, %s)", x, nativePkg, productLast[op], x, r.node(p.X), r.node(p.Y)), true
}

var (
	productFirst = map[token.Token]string{token.ADD: "FMA", token.SUB: "FMS"}
	productLast  = map[token.Token]string{token.ADD: "AddProduct", token.SUB: "SubProduct"}
)

// fused is x op y with the product among its operands fused, the left one when both are (kernels.md).
func (r *rewriting) fused(op token.Token, x, y ast.Expr) (string, bool) {
	name, args := productFirst[op], []ast.Expr(nil)
	if p := r.product(x); p != nil {
		args = []ast.Expr{p.X, p.Y, y}
	} else if p := r.product(y); p != nil {
		name, args = productLast[op], []ast.Expr{x, p.X, p.Y}
	} else {
		return "", false
	}
	r.mutated = r.mutated || r.mutant == Fuse
	return fmt.Sprintf("%s.%s(%s, %s, %s)", nativePkg, name, r.node(args[0]), r.node(args[1]), r.node(args[2])), true
}

// product is e as a product that may be of floats and is no constant.
func (r *rewriting) product(e ast.Expr) *ast.BinaryExpr {
	p, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || p.Op != token.MUL || r.constant(p) || !may(r.info.TypeOf(p), types.IsFloat) {
		return nil
	}
	return p
}

// counter is the variable that counts the turns of a capped loop.
type counter struct {
	name  string
	turns int
}

// findCaps reads the //eaglet:cap directives of a file: the loop, or its label, is on the line after the
// comment's last.
func (r *rewriting) findCaps(f *ast.File) {
	byLine := make(map[int]int)
	for _, g := range f.Comments {
		for _, c := range g.List {
			rest, ok := strings.CutPrefix(c.Text, "//eaglet:cap ")
			if n, err := strconv.Atoi(strings.TrimSpace(rest)); ok && err == nil {
				byLine[r.fset.Position(g.End()-1).Line+1] = n
			}
		}
	}
	labeled := make(map[ast.Stmt]bool)
	r.caps, r.bodies = make(map[ast.Stmt]counter), make(map[*ast.BlockStmt]counter)
	found := func(at token.Pos, loop ast.Stmt) {
		body := bodyOf(loop)
		n := byLine[r.fset.Position(at).Line]
		if n == 0 || body == nil {
			return
		}
		if r.mutant == LateCap {
			n, r.mutated = n+1, true
		}
		c := counter{fmt.Sprintf("turns%d__", len(r.caps)), n}
		r.caps[loop], r.bodies[body] = c, c
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			labeled[n.Stmt] = true
			found(n.Pos(), n.Stmt)
		case ast.Stmt:
			if !labeled[n] {
				found(n.Pos(), n)
			}
		}
		return true
	})
}

// bodyOf is the body of a loop, nil for any other statement.
func bodyOf(s ast.Stmt) *ast.BlockStmt {
	switch s := s.(type) {
	case *ast.ForStmt:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	}
	return nil
}

// capped puts the counter round a capped loop with its label.
func (r *rewriting) capped(s, loop ast.Stmt) (string, bool) {
	c, ok := r.caps[loop]
	if !ok {
		return "", false
	}
	delete(r.caps, loop) // its label has it now
	return fmt.Sprintf("{ var %s int; %s }", c.name, r.inside(s)), true
}
