package oracle

import (
	"fmt"
	"strings"
)

// expression is Go text with the precedence of its outermost operator; constant says that Go computes it.
type expression struct {
	text     string
	prec     int
	constant bool
}

const primary = 6

// in is the text as an operand that needs a precedence.
func (e expression) in(prec int) string {
	if e.prec < prec {
		return "(" + e.text + ")"
	}
	return e.text
}

var precedence = map[string]int{
	"*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5, "+": 4, "-": 4, "|": 4, "^": 4,
	"==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "&&": 2, "||": 1,
}

func infix(x expression, op string, y expression) expression {
	p := precedence[op]
	return expression{text: x.in(p) + " " + op + " " + y.in(p+1), prec: p}
}

func call(name string, args ...string) expression {
	return expression{text: name + "(" + strings.Join(args, ", ") + ")", prec: primary}
}

// spend counts work that the compiler and a step will have.
func (g *generator) spend(cost int) { g.cost += cost * g.times }

// poor says that what is left is for ending the kernel.
func (g *generator) poor() bool { return g.cost > g.limit }

func (g *generator) literal(t *typ) expression {
	list := literals[t.kind]
	if g.single && t.kind == float64s {
		list = literals[float32s]
	}
	if len(g.constant) > 0 && t.number() && g.one(4) {
		if list = g.constant; t.float() {
			list = append(list[:len(list):len(list)], "ratio")
		}
	}
	text := pick(g.choices, list)
	if t.float() && t.kind != param && g.one(2) {
		text = fmt.Sprintf("%d.%d", g.n(8), 1+g.n(255)*251)
	}
	g.noteMath(text)
	prec := primary
	if strings.ContainsAny(text, "-</ ") {
		prec = 0
	}
	return expression{text, prec, true}
}

func (g *generator) noteMath(text string) {
	if strings.Contains(text, "math.") {
		g.math = true
	}
}

// expr is any expression of type t.
func (g *generator) expr(t *typ, depth int) expression {
	if t.kind != composite && g.one(5) {
		return g.literal(t)
	}
	return g.varying(t, depth)
}

// value is an expression of exactly type t, also where Go would give a constant another one.
func (g *generator) value(t *typ, depth int) string {
	e := g.expr(t, depth)
	if e.constant && t.kind != boolean {
		return t.name + "(" + e.text + ")"
	}
	return e.text
}

// varying is an expression of type t that is no constant for Go.
func (g *generator) varying(t *typ, depth int) expression {
	g.spend(1)
	if depth <= 0 || g.poor() {
		return g.leaf(t)
	}
	if g.one(5) {
		if e, ok := g.callExpr(t, depth-1); ok {
			return e
		}
	}
	switch {
	case t.kind == boolean:
		return g.boolExpr(depth - 1)
	case t.integer():
		return g.intExpr(t, depth-1)
	case t.number():
		return g.floatExpr(t, depth-1)
	}
	return g.compositeExpr(t, depth-1)
}

// leaf reads a variable, or makes a value of what there is.
func (g *generator) leaf(t *typ) expression {
	if text, ok := g.read(t); ok {
		return expression{text: text, prec: primary}
	}
	switch {
	case t.kind == boolean:
		x := g.anyNumber()
		return infix(g.leaf(x), pick(g.choices, []string{"<", ">=", "!="}), g.literal(x))
	case t.number():
		return call(t.name, g.leaf(g.anyNumber()).text)
	}
	return g.compositeExpr(t, 0)
}

// anyNumber is the type of some number that a variable has.
func (g *generator) anyNumber() *typ {
	var found []*typ
	for _, v := range g.visible() {
		found = appendNumbers(found, v.t)
	}
	return pick(g.choices, found)
}

func appendNumbers(out []*typ, t *typ) []*typ {
	switch {
	case t.number():
		return append(out, t)
	case t.elem != nil:
		return appendNumbers(out, t.elem)
	}
	for _, f := range t.fields {
		out = appendNumbers(out, f.t)
	}
	return out
}

// visible are the variables in scope, those that another one hides left out.
func (g *generator) visible() []*variable {
	var out []*variable
	hidden := make(map[string]bool)
	for i := len(g.vars) - 1; i >= 0; i-- {
		if v := g.vars[i]; !hidden[v.name] {
			hidden[v.name] = true
			out = append(out, v)
		}
	}
	return out
}

// read is a path to a value of type t, ok when there is one.
func (g *generator) read(t *typ) (string, bool) { return g.path(t, false) }

func (g *generator) path(t *typ, write bool) (string, bool) {
	type way struct {
		v     *variable
		steps []step
	}
	var all []way
	for _, v := range g.visible() {
		if write && !v.write {
			continue
		}
		for _, w := range ways(v.t, t, write) {
			all = append(all, way{v, w})
		}
	}
	if len(all) == 0 {
		return "", false
	}
	w := pick(g.choices, all)
	if !write {
		if w.v == g.last { // x-x and x/x say little
			w = pick(g.choices, all)
		}
		w.v.used, g.last = true, w.v
	}
	return g.follow(w.v, w.steps), true
}

// maxSearch is how many elements an index that is not constant may choose among.
const maxSearch = 64

func (g *generator) follow(v *variable, steps []step) string {
	text, fields, product := v.name, 0, 1
	for _, s := range steps {
		if s.field != "" {
			fields++
		}
	}
	first, memory := true, false
	for _, s := range steps {
		if s.field != "" {
			text += "." + s.field
			continue
		}
		if first { // an array of one type of numbers can lie in memory, however long it is
			first, memory = false, s.elem.plain()
		}
		free := memory || !g.still && product*s.n <= maxSearch
		if v.table {
			free = fields == 0 && s.elem.plain()
		}
		index, searches := g.index(s.n, free)
		if searches && !v.table && !memory {
			product *= s.n
			g.searches = true
		}
		text += "[" + index + "]"
	}
	return text
}

// index is an index into n elements. searches says that it is not constant.
func (g *generator) index(n int, free bool) (text string, searches bool) {
	if !free || n == 1 || g.indexing || g.one(3) {
		return fmt.Sprint(g.n(n)), false
	}
	if g.one(2) {
		for _, v := range g.visible() {
			if v.limit > 0 && v.limit <= n {
				v.used = true
				return v.name, true
			}
		}
	}
	t := pick(g.choices, integers)
	g.indexing = true // no index inside an index
	defer func() { g.indexing = false }()
	x := g.leaf(t)
	mask := 1
	for mask*2+1 < n {
		mask = mask*2 + 1
	}
	switch {
	case g.risk():
		return x.text, true
	case t.unsigned() && g.one(2):
		return infix(x, "%", expression{text: fmt.Sprint(n), prec: primary}).text, true
	}
	return infix(x, "&", expression{text: fmt.Sprint(mask), prec: primary}).text, true
}

// risk says whether to write what may fault here; a kernel has a few such places, or none.
func (g *generator) risk() bool {
	if g.risks > 0 && g.one(4) {
		g.risks--
		return true
	}
	return false
}

func (g *generator) boolExpr(depth int) expression {
	switch g.n(9) {
	case 0, 1:
		return infix(g.varying(typBool, depth), pick(g.choices, []string{"&&", "||"}), g.varying(typBool, depth))
	case 2:
		return expression{text: "!" + g.varying(typBool, depth).in(primary), prec: primary}
	case 3:
		return infix(g.varying(typBool, depth), pick(g.choices, []string{"==", "!="}), g.expr(typBool, depth))
	case 4:
		if t := g.readable(func(t *typ) bool { return t.kind == composite && t.comparable() && t.cells() <= 12 }); t != nil {
			e := infix(g.leaf(t), pick(g.choices, []string{"==", "!="}), g.leaf(t))
			return expression{text: "(" + e.text + ")", prec: primary} // a literal may not begin a condition
		}
	case 5:
		g.math = true
		x := g.varying(typF64, depth)
		switch g.n(3) {
		case 0:
			return call("math.IsNaN", x.text)
		case 1:
			return call("math.Signbit", x.text)
		}
		sign := pick(g.choices, []string{"0", "1", "-1"})
		if g.one(3) {
			sign = g.varying(typInt, depth).text
		}
		return call("math.IsInf", x.text, sign)
	}
	t := g.anyNumber()
	if g.one(3) {
		t = typF64
	}
	op := pick(g.choices, []string{"<", "<=", ">", ">=", "==", "!="})
	if g.one(4) {
		return infix(g.expr(t, depth), op, g.varying(t, depth))
	}
	return infix(g.varying(t, depth), op, g.expr(t, depth))
}

// readable is the type of some part of a variable that is as wanted, nil when there is none.
func (g *generator) readable(wanted func(t *typ) bool) *typ {
	var found []*typ
	var visit func(t *typ)
	visit = func(t *typ) {
		if wanted(t) {
			found = append(found, t)
		}
		if t.elem != nil {
			visit(t.elem)
		}
		for _, f := range t.fields {
			visit(f.t)
		}
	}
	for _, v := range g.visible() {
		if !v.table {
			visit(v.t)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return pick(g.choices, found)
}

func (g *generator) intExpr(t *typ, depth int) expression {
	switch g.n(14) {
	case 0:
		return g.quotient(t, pick(g.choices, []string{"/", "%"}), depth)
	case 1, 2:
		return g.shift(t, depth)
	case 3:
		return expression{text: pick(g.choices, []string{"-", "^", "+"}) + "(" + g.varying(t, depth).text + ")", prec: primary}
	case 4, 5:
		return g.convert(t, depth)
	case 6:
		return g.least(t, depth)
	case 7:
		if t == typU64 && !g.single {
			g.math = true
			return call("math.Float64bits", g.varying(typF64, depth).text)
		}
	case 8:
		if a := g.readable(func(t *typ) bool { return t.elem != nil && !t.slice }); t == typInt && a != nil {
			over := ""
			if tables := g.self.tableNames(); len(tables) > 0 && g.one(2) {
				over = tables[0]
			} else {
				over = g.leaf(a).text
			}
			return infix(g.varying(t, depth), "+", call("len", over))
		}
	}
	op := pick(g.choices, []string{"+", "-", "*", "&", "|", "^", "&^", "+", "-"})
	if g.one(4) {
		return infix(g.expr(t, depth), op, g.varying(t, depth))
	}
	return infix(g.varying(t, depth), op, g.expr(t, depth))
}

// quotient divides by what is zero seldom or never.
func (g *generator) quotient(t *typ, op string, depth int) expression {
	x := g.varying(t, depth)
	switch {
	case g.risk():
		return infix(x, op, g.varying(t, depth))
	case g.one(2):
		return infix(x, op, infix(g.varying(t, depth), "|", expression{text: "1", prec: primary}))
	}
	return infix(x, op, expression{text: pick(g.choices, []string{"2", "3", "7", "10"}), prec: primary})
}

func (g *generator) shift(t *typ, depth int) expression {
	op := pick(g.choices, []string{"<<", ">>"})
	by := pick(g.choices, integers)
	var count expression
	switch {
	case g.one(3):
		count = expression{text: pick(g.choices, []string{"0", "1", "3", "31", "32", "63", "64", "70"}), prec: primary}
	case by.unsigned() && g.one(2), g.risk():
		count = g.varying(by, depth)
	default:
		count = infix(g.varying(by, depth), "&", expression{text: pick(g.choices, []string{"7", "31", "127"}), prec: primary})
	}
	return infix(g.varying(t, depth), op, count)
}

// convert converts from another type of number.
func (g *generator) convert(t *typ, depth int) expression {
	from := pick(g.choices, append([]*typ{typF64, typF32}, integers...))
	if g.one(3) {
		from = g.anyNumber()
	}
	return call(t.name, g.varying(from, depth).text)
}

func (g *generator) least(t *typ, depth int) expression {
	args := []string{g.varying(t, depth).text, g.expr(t, depth).text}
	if g.one(3) {
		args = append(args, g.varying(t, depth).text)
	}
	if g.one(3) {
		args[0], args[1] = args[1], args[0]
	}
	return call(pick(g.choices, []string{"min", "max"}), args...)
}

// Functions of math by their cost.
var (
	cheapMath  = []string{"Sqrt", "Abs", "Floor", "Ceil", "Trunc", "RoundToEven", "Round"}
	dearMath   = []string{"Cbrt", "Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Erf", "Erfc"}
	cheapMath2 = []string{"Copysign", "Min", "Max", "Dim"}
	dearMath2  = []string{"Mod", "Hypot", "Pow", "Atan2"}
)

const dear = 90 // what an expanded function of math costs, beside other expressions

func (g *generator) mathExpr(depth int) expression {
	g.math = true
	afford := g.cost+dear*g.times < g.limit && !g.still
	switch n := g.n(14); {
	case n < 3:
		return call("math."+pick(g.choices, cheapMath), g.expr(typF64, depth).text)
	case n < 5:
		return call("math."+pick(g.choices, cheapMath2), g.varying(typF64, depth).text, g.expr(typF64, depth).text)
	case n == 5:
		return call("math.FMA", g.varying(typF64, depth).text, g.varying(typF64, depth).text, g.expr(typF64, depth).text)
	case n == 6:
		return call("math.Inf", g.varying(typInt, depth).text)
	case n == 7 && !g.single:
		return call("math.Float64frombits", g.varying(typU64, depth).text)
	case !afford:
		return call("math.Sqrt", g.varying(typF64, depth).text)
	case n < 10:
		g.spend(dear)
		return call("math."+pick(g.choices, dearMath2), g.varying(typF64, depth).text, g.expr(typF64, depth).text)
	}
	g.spend(dear)
	return call("math."+pick(g.choices, dearMath), g.varying(typF64, depth).text)
}

func (g *generator) floatExpr(t *typ, depth int) expression {
	switch g.n(16) {
	case 0:
		return expression{text: "-(" + g.varying(t, depth).text + ")", prec: primary}
	case 1, 2:
		if t.kind != param || g.one(3) {
			return g.convert(t, depth)
		}
	case 3:
		return g.least(t, depth)
	case 4, 5:
		if t == typF64 {
			return g.mathExpr(depth)
		}
	case 6, 7: // what may be fused, in all forms
		p := infix(g.varying(t, depth), "*", g.expr(t, depth))
		if g.one(5) {
			p = call(t.name, p.text)
		}
		op := pick(g.choices, []string{"+", "-"})
		if g.one(2) {
			return infix(p, op, g.expr(t, depth))
		}
		return infix(g.expr(t, depth), op, p)
	}
	op := pick(g.choices, []string{"+", "-", "*", "*", "/"})
	if op == "/" && t.kind == param && !t.frac {
		op = "-"
	}
	if g.one(4) {
		return infix(g.expr(t, depth), op, g.varying(t, depth))
	}
	if op == "/" { // Go refuses a constant that is zero for type parameters only, and for them there is none
		return infix(g.varying(t, depth), op, g.varying(t, depth))
	}
	return infix(g.varying(t, depth), op, g.expr(t, depth))
}

// compositeExpr is an array or a struct.
func (g *generator) compositeExpr(t *typ, depth int) expression {
	if depth > 0 && g.one(2) {
		if text, ok := g.read(t); ok {
			return expression{text: text, prec: primary}
		}
	}
	var parts []string
	if t.elem != nil {
		for i := range t.n {
			switch g.n(6) {
			case 0: // left out
			default:
				if t.n > 12 && !g.one(t.n/4) {
					continue
				}
				parts = append(parts, fmt.Sprintf("%d: %s", i, g.expr(t.elem, depth).text))
			}
		}
		if len(parts) == t.n {
			for i := range parts {
				_, parts[i], _ = strings.Cut(parts[i], ": ")
			}
		}
	}
	for _, f := range t.fields {
		if !f.t.slice && !g.one(5) {
			parts = append(parts, f.name+": "+g.expr(f.t, depth).text)
		}
	}
	// In parentheses, since a literal may not begin a condition.
	return expression{text: "(" + t.name + "{" + strings.Join(parts, ", ") + "})", prec: primary}
}

// callExpr calls a function with one result of type t that changes nothing.
func (g *generator) callExpr(t *typ, depth int) (expression, bool) {
	var fit []*function
	for _, f := range g.funcs {
		if f.mutates || f.cost*g.times+g.cost > g.limit || len(f.results) != 1 || g.still && f.searches || !g.reachable(f) {
			continue
		}
		if f.results[0].name == t.name || part(f.results[0], t) != "" || f.generic && f.results[0].kind == param && t.kind != param && t.number() && (t.float() || !f.frac) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return expression{}, false
	}
	f := pick(g.choices, fit)
	text := g.callText(f, t, depth)
	if f.results[0].name != t.name {
		text += part(f.results[0], t)
	}
	return expression{text: text, prec: primary}, true
}

// part is how to get a value of type want out of one of type t that is a struct or an array.
func part(t, want *typ) string {
	if t.elem != nil && t.elem.name == want.name {
		return fmt.Sprintf("[%d]", t.n-1)
	}
	for _, f := range t.fields {
		if f.t.name == want.name {
			return "." + f.name
		}
	}
	return ""
}

// reachable says whether there is a receiver for f.
func (g *generator) reachable(f *function) bool {
	switch {
	case f.self:
		return g.self != nil && (g.mayMutate || !f.mutates)
	case f.recv == nil:
		return true
	case f.mutates:
		_, ok := g.constantPath(f.recv)
		return ok
	}
	return g.readable(func(t *typ) bool { return t.name == f.recv.name }) != nil
}

// constantPath is a path to something of type t that can be changed, all its indexes constant.
func (g *generator) constantPath(t *typ) (string, bool) {
	still := g.still
	g.still = true
	defer func() { g.still = still }()
	return g.path(t, true)
}

// callText is a call of f; for a generic function t is what its type parameter becomes.
func (g *generator) callText(f *function, t *typ, depth int) string {
	g.spend(f.cost)
	g.searches = g.searches || f.searches
	var args []string
	for _, p := range f.params {
		if p.kind == param {
			p = t
		}
		args = append(args, g.value(p, depth))
	}
	name := f.name
	switch {
	case f.self:
		g.self.used = true
		name = g.self.name + "." + name
	case f.recv != nil && f.mutates:
		at, _ := g.constantPath(f.recv)
		name = at + "." + name
	case f.recv != nil:
		at, _ := g.read(f.recv)
		name = at + "." + name
	case f.generic && g.one(4):
		name += "[" + t.name + "]"
	}
	return call(name, args...).text
}
