package kernels

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// defaultMask is the mask's plane name for a Step whose result has no name.
const defaultMask = "terminated"

// sample is the kernel's sample type with what its directive, tags and methods declare.
type sample struct {
	options
	named       *types.Named
	fields      []*field
	step        *types.Func
	init        *types.Func // nil when there is none
	observables []*types.Func
	mask        string // "" for a Step without a result
}

// field is one plane with its place in the source.
type field struct {
	ir.Plane
	ident  *ast.Ident
	tag    ast.Node // the tag, or the name of a field without one
	stated bool     // plane:"..." is there; Role is what it says
}

// sample finds the type with the directive and reads its declaration. It returns nil when there is none.
func (p *pkg) sample() *sample {
	var found *sample
	kernel := make(map[*ast.Comment]bool)
	for _, f := range p.syntax {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				continue
			}
			for _, s := range d.Specs {
				spec := s.(*ast.TypeSpec)
				c, args := kernelComment(d, spec)
				if c == nil {
					continue
				}
				kernel[c] = true
				body, ok := spec.Type.(*ast.StructType)
				switch {
				case !ok || spec.TypeParams != nil || spec.Assign.IsValid():
					p.at("E014", c)
				case found != nil:
					p.at("E013", spec.Name, "the package has a second kernel, %s beside %s", spec.Name.Name, found.named.Obj().Name())
				default:
					found = p.readSample(spec, body)
					found.options = p.kernelOptions(c, args)
				}
			}
		}
	}
	p.directives(kernel)
	if len(kernel) == 0 {
		p.directiveFix(p.at("E012", p.syntax[0].Name))
	}
	if found == nil || found.named == nil {
		return nil
	}
	p.methods(found)
	p.names(found)
	return found
}

// kernelComment is the //eaglet:kernel comment above a type, nil when there is none.
func kernelComment(d *ast.GenDecl, spec *ast.TypeSpec) (*ast.Comment, []string) {
	for _, g := range []*ast.CommentGroup{spec.Doc, d.Doc} {
		if g == nil || g == d.Doc && len(d.Specs) != 1 {
			continue
		}
		for _, c := range g.List {
			if word, args, ok := directive(c); ok && word == kernelDirective {
				return c, args
			}
		}
	}
	return nil, nil
}

func (p *pkg) readSample(spec *ast.TypeSpec, body *ast.StructType) *sample {
	s := &sample{}
	if obj, ok := p.info.Defs[spec.Name].(*types.TypeName); ok {
		s.named, _ = obj.Type().(*types.Named)
	}
	cells := 0
	for _, f := range body.Fields.List {
		if len(f.Names) == 0 {
			p.at("E051", f.Type)
			continue
		}
		for _, id := range f.Names {
			if pl := p.readField(f, id); pl != nil {
				if cells += pl.Width(); cells > maxCells {
					p.at("E065", id, "the planes have more than %d components together", maxCells)
					return s
				}
				s.fields = append(s.fields, pl)
			}
		}
	}
	return s
}

func (p *pkg) readField(f *ast.Field, id *ast.Ident) *field {
	out := &field{ident: id, tag: id}
	if f.Tag != nil {
		out.tag = f.Tag
	}
	out.Name, out.Field, out.Pos, out.Doc = snakeCase(id.Name), id.Name, p.position(id), fieldDoc(f)
	switch {
	case !id.IsExported():
		p.at("E017", id, "the field %s is not exported", id.Name)
		return nil
	case !ir.SnakeName(out.Name):
		d := p.at("E017", id, "the name %s cannot be typed on every command line", id.Name)
		d.Why, d.Rewrite = "plane names are lower-case ASCII letters, digits and single underscores", "use ASCII letters and digits"
		return nil
	}
	if !p.planeType(out, p.info.TypeOf(f.Type), f.Type) {
		return nil
	}
	p.tags(out, f)
	return out
}

// fieldDoc is the first line of a field's comment.
func fieldDoc(f *ast.Field) string {
	for _, g := range []*ast.CommentGroup{f.Comment, f.Doc} {
		if g != nil {
			line, _, _ := strings.Cut(strings.TrimSpace(g.Text()), "\n")
			return line
		}
	}
	return ""
}

// planeType sets the element type and dimensions of a plane from its Go type.
func (p *pkg) planeType(out *field, t types.Type, at ast.Expr) bool {
	if t == nil || t == types.Typ[types.Invalid] {
		return false
	}
	for width := int64(1); ; {
		switch u := t.Underlying().(type) {
		case *types.Array:
			if u.Len() == 0 {
				p.at("E018", at, "the array of a plane has no elements")
				return false
			}
			if u.Len() > ir.MaxWidth/width {
				p.at("E065", at, "a plane has more than %d components", ir.MaxWidth)
				return false
			}
			width *= u.Len()
			out.Dims = append(out.Dims, int(u.Len()))
			t = u.Elem()
			continue
		case *types.Slice:
			b, ok := u.Elem().Underlying().(*types.Basic)
			if !ok || basicType(b) == ir.Invalid || out.Dims != nil {
				p.at("E018", at, "the field's type %s is refused", types.TypeString(t, types.RelativeTo(p.types))).Rewrite = "a table is a slice of numbers or bools; give each number of a row a table of its own"
				return false
			}
			out.Type, out.Role = basicType(b), ir.RoleTable
			return true
		case *types.Basic:
			if out.Type = basicType(u); out.Type != ir.Invalid {
				return true
			}
		}
		p.at("E018", at, "the field's type %s is refused", types.TypeString(t, types.RelativeTo(p.types)))
		return false
	}
}

// tags reads the struct tag of a field.
func (p *pkg) tags(out *field, f *ast.Field) {
	bad := func(rewrite, what string, args ...any) {
		p.at("E019", f.Tag, append([]any{"the tag is malformed: " + what}, args...)...).Rewrite = rewrite
	}
	out.Init = ir.Init{Args: []float64{0}}
	if f.Tag == nil {
		return
	}
	text, err := strconv.Unquote(f.Tag.Value)
	tag := reflect.StructTag(text)
	if err != nil || !wellFormed(text) {
		bad("write key:\"value\" pairs with one blank between them, as in `unit:\"m\" init:\"0\"`", "it is no list of key:\"value\" pairs")
		return
	}
	if role, ok := tag.Lookup("plane"); ok {
		roles := []string{"state", "input", "param", "output", "table"}
		switch i := slices.Index(roles, role); {
		case i < 0:
			bad("the roles are state, input, param, output and table", "plane is %q", role)
		case (out.Role == ir.RoleTable) != (role == "table"):
			d := p.at("E021", f.Tag, "%s is stated as %s, and is %s", out.Field, role, map[bool]string{true: "a slice, which is a table", false: "no slice"}[out.Role == ir.RoleTable])
			d.Rewrite = "a table is a slice: write []float64 for it, and leave the role out"
		default:
			out.Role, out.stated = ir.Role(i), true
		}
	}
	if unit, ok := tag.Lookup("unit"); ok {
		out.Unit = unit
		if strings.IndexFunc(unit, func(r rune) bool { return shown(r) != r }) >= 0 || len(unit) > 64 {
			bad("write a short unit such as m/s", "unit is %q", unit)
		}
	}
	if text, ok := tag.Lookup("len"); ok {
		n, err := strconv.Atoi(text)
		switch {
		case out.Role != ir.RoleTable:
			bad("leave len out; the length of an array is part of its type", "len is given for a field that is no table")
		case err != nil || n < 1 || n > ir.MaxTableLen:
			bad("write a number of cells, as in `init:\"linspace(0, 1)\" len:\"64\"`", "len is %q, want 1 to %d", text, ir.MaxTableLen)
		default:
			out.Len = n
		}
		if _, ok := tag.Lookup("init"); !ok {
			bad("add an init tag, or leave len out; values may then come from a file of any length", "len is there without init")
		}
	}
	text, ok := tag.Lookup("init")
	if !ok {
		return
	}
	if _, ok := tag.Lookup("len"); out.Role == ir.RoleTable && !ok {
		bad("add len:\"64\", or leave init out; values must then come from a file", "init of a table needs a length")
	}
	in, err := parseInit(text)
	switch {
	case err != nil:
		bad("write "+initForms, "%v", err)
	case out.stated && out.Role == ir.RoleParam && in.Kind != ir.InitConst:
		bad("write a number, or leave plane:\"param\" out", "a param plane has one value for the batch, init is %q", text)
	default:
		out.Init = in
	}
}

// wellFormed says whether a struct tag is what reflect.StructTag reads to its end, each key once.
func wellFormed(tag string) bool {
	var keys []string
	for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
		key, rest, ok := strings.Cut(tag, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \"") || slices.Contains(keys, key) {
			return false
		}
		value, err := strconv.QuotedPrefix(rest)
		if err != nil || value[0] != '"' {
			return false
		}
		keys, tag = append(keys, key), rest[len(value):]
	}
	return true
}

// methods finds Step, Init and the observables of the sample type.
func (p *pkg) methods(s *sample) {
	for i := range s.named.NumMethods() {
		m := s.named.Method(i)
		d := p.funcs[m]
		if d == nil {
			continue
		}
		switch name := m.Name(); {
		case name == "Step":
			s.step = m
			p.stepShape(s, m, d)
		case name == "Init":
			s.init = m
			if sig := m.Signature(); !pointerReceiver(sig) || sig.Params().Len()+sig.Results().Len() > 0 {
				p.at("E016", d.Name)
			}
		case m.Exported() && observableShape(m.Signature()):
			s.observables = append(s.observables, m)
		}
	}
	if s.step == nil {
		p.at("E015", s.at(p), "the kernel %s has no method Step", s.named.Obj().Name())
	}
}

// at is where the sample type is declared.
func (s *sample) at(p *pkg) span {
	pos := s.named.Obj().Pos()
	return between{pos, pos + token.Pos(len(s.named.Obj().Name()))}
}

func (p *pkg) stepShape(s *sample, m *types.Func, d *ast.FuncDecl) {
	sig := m.Signature()
	results := sig.Results()
	wrong := results.Len() > 1 || sig.Params().Len() > 0
	if results.Len() == 1 {
		b, ok := results.At(0).Type().Underlying().(*types.Basic)
		wrong = wrong || !ok || b.Kind() != types.Bool
		if s.mask = snakeCase(results.At(0).Name()); s.mask == "" || s.mask == "_" {
			s.mask = defaultMask
		}
	}
	switch {
	case wrong:
		p.at("E015", d.Name, "Step has another shape")
	case !pointerReceiver(sig):
		diag := p.at("E015", d.Name, "Step changes a copy of the sample")
		diag.Why = "its receiver is no pointer, so nothing that it assigns would be kept"
		if len(d.Recv.List) == 1 {
			diag.fix("make the receiver a pointer", p.insert(d.Recv.List[0].Type.Pos(), "*")...)
		}
	}
}

func pointerReceiver(sig *types.Signature) bool {
	_, ok := types.Unalias(sig.Recv().Type()).(*types.Pointer)
	return ok
}

// observableShape says whether a method takes nothing and returns one number or bool.
func observableShape(sig *types.Signature) bool {
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 {
		return false
	}
	b, ok := sig.Results().At(0).Type().Underlying().(*types.Basic)
	return ok && basicType(b) != ir.Invalid
}

// names checks the one space of names that planes, the mask and observables share.
func (p *pkg) names(s *sample) {
	owner := make(map[string]string)
	take := func(name, as string, at span) {
		switch {
		case ir.Reserved(name):
			p.at("E020", at, "the name %q is reserved for the runner", name)
		case owner[name] != "":
			p.at("E020", at, "the name %q is taken by %s", name, owner[name])
		default:
			owner[name] = as
		}
	}
	if s.mask != "" {
		at := span(p.funcs[s.step].Type.Results)
		if !ir.SnakeName(s.mask) {
			d := p.at("E020", at, "the mask cannot be called %q", s.mask)
			d.Why = "names are lower-case ASCII letters, digits and single underscores"
			d.Rewrite = "rename the result of Step"
		}
		take(s.mask, "the mask", at)
	}
	for _, f := range s.fields {
		take(f.Name, "the field "+f.Field, f.ident)
	}
	for _, m := range s.observables {
		d := p.funcs[m]
		name := snakeCase(m.Name())
		if !ir.SnakeName(name) {
			p.at("E020", d.Name, "the observable cannot be called %q", name).Why = "names are lower-case ASCII letters, digits and single underscores"
		}
		take(name, "the observable "+m.Name(), d.Name)
	}
}
