package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// emit appends a line and gives its number.
func (g *generator) emit(format string, args ...any) int {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
	return len(g.lines) - 1
}

// declare puts a variable into scope.
func (g *generator) declare(v *variable) *variable {
	g.vars = append(g.vars, v)
	return v
}

// fresh is a name for a local variable; now and then one that hides another.
func (g *generator) fresh(prefix string) string {
	if g.depth > 1 && g.one(12) {
		for _, v := range g.vars[:g.scope] {
			if v.line > 0 && v.limit == 0 && !g.here(v.name) {
				return v.name
			}
		}
	}
	return g.unique(prefix)
}

// unique is a name that no other variable has.
func (g *generator) unique(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// here says whether the innermost scope has a variable of this name.
func (g *generator) here(name string) bool {
	return slices.ContainsFunc(g.vars[g.scope:], func(v *variable) bool { return v.name == name })
}

// local declares a variable at the line that was emitted last.
func (g *generator) local(name string, t *typ) *variable {
	return g.declare(&variable{name: name, t: t, write: true, line: len(g.lines) - 1})
}

// block generates a list of statements in a scope of its own.
func (g *generator) block(most int) {
	top, scope := len(g.vars), g.scope
	g.scope = top
	g.depth++
	for range 1 + g.n(most) {
		if g.poor() || g.left {
			break
		}
		g.stmt()
	}
	g.depth--
	if !g.left {
		g.witness(top)
	}
	g.left = false
	g.endScope(top)
	g.scope = scope
}

// witness folds the variables from top on into the sample's Hash, in some kernels, so that a wrong bit shows
// even where nothing else comes of it.
func (g *generator) witness(top int) {
	if !g.witnesses || g.self == nil || !g.mayMutate || g.still {
		return
	}
	for _, v := range g.vars[top:] {
		word := ""
		switch {
		case v.line == 0 || !v.t.number() || v.t.kind == param || g.hidden(v):
			continue
		case v.t.float() && g.single:
			word = "uint64(" + v.name + " * 256)"
		case v.t.name == "float64":
			g.math = true
			word = "math.Float64bits(" + v.name + ")"
		case v.t.float():
			g.math = true
			word = "math.Float64bits(float64(" + v.name + "))"
		default:
			word = "uint64(" + v.name + ")"
		}
		v.used = true
		g.emit("%[1]s.Hash = %[1]s.Hash*31 + %[2]s", g.self.name, word)
	}
}

// hidden says whether another variable has v's name here.
func (g *generator) hidden(v *variable) bool {
	i := slices.IndexFunc(g.vars, func(w *variable) bool { return w == v })
	return slices.ContainsFunc(g.vars[i+1:], func(w *variable) bool { return w.name == v.name })
}

// endScope ends the scope of the variables from top on. Go refuses those that nothing reads.
func (g *generator) endScope(top int) {
	for _, v := range g.vars[top:] {
		if !v.used && v.line > 0 {
			g.lines[v.line] += "\n_ = " + v.name
		}
	}
	g.vars = g.vars[:top]
}

const exprDepth = 3

func (g *generator) stmt() {
	g.spend(1)
	nest := g.depth < 4
	switch n := g.n(40); {
	case n < 8:
		g.assignStmt()
	case n < 12:
		g.opAssign()
	case n < 16:
		g.declareStmt()
	case n < 18:
		g.swap()
	case n < 20:
		g.callStmt()
	case n < 24 && nest:
		g.ifStmt()
	case n < 27 && nest:
		g.switchStmt()
	case n < 32 && nest && g.loops < 2:
		g.loopStmt()
	case n == 32 && nest && g.loops < 1 && !g.still:
		g.bigLoop()
	case n == 34 && nest:
		g.emit("{")
		g.block(3)
		g.emit("}")
	case n == 35 && g.depth > 1:
		g.leave()
	case n == 36:
		g.several()
	case n == 37 && g.self != nil && !g.still:
		g.copySelf()
	default:
		g.assignStmt()
	}
}

// target is a path to something that can be assigned, with its type.
func (g *generator) target(wanted func(t *typ) bool) (string, *typ) {
	var found []*typ
	var visit func(t *typ)
	visit = func(t *typ) {
		if t.slice {
			return
		}
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
		if v.write {
			visit(v.t)
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	t := pick(g.choices, found)
	text, _ := g.path(t, true)
	return text, t
}

func (g *generator) assignStmt() {
	at, t := g.target(func(t *typ) bool { return t.kind != composite || t.cells() <= 12 })
	if t == nil {
		return
	}
	g.emit("%s = %s", at, g.expr(t, exprDepth).text)
}

func (g *generator) opAssign() {
	at, t := g.target(func(t *typ) bool { return t.number() })
	if t == nil {
		return
	}
	if g.one(4) {
		g.emit("%s%s", at, pick(g.choices, []string{"++", "--"}))
		return
	}
	if !t.integer() {
		if g.one(3) {
			g.emit("%s %s %s", at, pick(g.choices, []string{"+=", "-="}), infix(g.varying(t, 1), "*", g.expr(t, 1)).text)
			return
		}
		op := pick(g.choices, []string{"+", "-", "*"})
		g.emit("%s %s= %s", at, op, g.expr(t, exprDepth).text)
		return
	}
	switch op := pick(g.choices, []string{"+", "-", "*", "&", "|", "^", "&^", "<<", ">>", "/", "%"}); op {
	case "<<", ">>":
		g.emit("%s %s= %s", at, op, infix(g.varying(pick(g.choices, integers), 1), "&", expression{text: "15", prec: primary}).text)
	case "/", "%":
		g.emit("%s %s= %s", at, op, infix(g.varying(t, 1), "|", expression{text: "1", prec: primary}).in(0))
	default:
		g.emit("%s %s= %s", at, op, g.expr(t, exprDepth).text)
	}
}

// someType is a type for a new variable.
func (g *generator) someType() *typ {
	switch g.n(7) {
	case 0:
		return arrayOf(2+g.n(4), pick(g.choices, basics))
	case 1:
		if len(g.named) > 0 {
			return pick(g.choices, g.named)
		}
	case 2:
		return arrayOf(2+g.n(2), arrayOf(2, pick(g.choices, basics)))
	case 3:
		if g.one(3) {
			return arrayOf(65+g.n(40), pick(g.choices, basics)) // too long to choose among its elements
		}
	}
	return pick(g.choices, basics)
}

func (g *generator) declareStmt() {
	t := g.someType()
	if g.param != nil && g.one(2) {
		t = g.param
	}
	if t.kind != composite && t.integer() && g.one(8) {
		by := g.varying(pick(g.choices, []*typ{typU32, typUint, typU64}), 1)
		name := g.fresh("v")
		g.emit("var %s %s = %s", name, t.name, infix(expression{text: "1", prec: primary}, "<<", by).text)
		g.local(name, t)
		return
	}
	text := ""
	switch g.n(5) {
	case 0:
		name := g.fresh("v")
		g.emit("var %s %s", name, t.name)
		g.local(name, t)
		return
	case 1:
		text = g.expr(t, exprDepth).text
		name := g.fresh("v")
		g.emit("var %s %s = %s", name, t.name, text)
		g.local(name, t)
		return
	}
	text = g.value(t, exprDepth)
	if t.kind == boolean {
		text = "bool(" + text + ")"
	}
	name := g.fresh("v")
	g.emit("%s := %s", name, text)
	g.local(name, t)
}

func (g *generator) swap() {
	a, t := g.target(func(t *typ) bool { return t.kind != composite || t.cells() <= 6 })
	if t == nil {
		return
	}
	b, ok := g.path(t, true)
	if !ok {
		return
	}
	x, y := b, a
	if g.one(2) {
		x, y = g.expr(t, 2).text, g.expr(t, 2).text
	}
	g.emit("%s, %s = %s, %s", a, b, x, y)
}

// callStmt calls what changes something, in a statement of its own: Go leaves open when its changes are
// seen by the rest of an expression.
func (g *generator) callStmt() {
	var fit []*function
	for _, f := range g.funcs {
		if f.cost*g.times+g.cost <= g.limit && f.mutates && (!g.still || !f.searches) && g.reachable(f) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		g.assignStmt()
		return
	}
	f := pick(g.choices, fit)
	text := g.callText(f, nil, 2)
	if len(f.results) != 1 || f.results[0].kind == composite || g.one(3) {
		g.emit("%s", text)
		return
	}
	t := f.results[0]
	if t.number() && g.one(3) { // && has an order
		g.emit("if %s {", infix(g.varying(typBool, 2), "&&", infix(expression{text: text, prec: primary}, ">", g.literal(t))).text)
		g.block(2)
		g.emit("}")
		return
	}
	name := g.fresh("v")
	g.emit("%s := %s", name, text)
	g.local(name, t)
}

// several takes the results of a function with more than one.
func (g *generator) several() {
	for _, f := range g.funcs {
		if len(f.results) != 2 || f.mutates || f.cost*g.times+g.cost > g.limit || g.still && f.searches || !g.reachable(f) || f.generic {
			continue
		}
		text := g.callText(f, nil, 2)
		a, b := g.fresh("v"), g.fresh("w")
		if a == b || g.one(4) {
			a = "_"
		}
		g.emit("%s, %s := %s", a, b, text)
		if a != "_" {
			g.local(a, f.results[0])
		}
		g.local(b, f.results[1])
		return
	}
	g.assignStmt()
}

// copySelf works on a copy of the sample.
func (g *generator) copySelf() {
	name, star := g.fresh("c"), "*"
	if slices.ContainsFunc(g.vars, func(v *variable) bool { return v == g.self }) {
		star = "" // the receiver is no pointer
	}
	g.emit("%s := %s%s", name, star, g.self.name)
	v := g.local(name, g.self.t)
	v.write = g.mayMutate || g.one(2)
}

func (g *generator) ifStmt() {
	cond := ""
	top := len(g.vars)
	if g.one(5) {
		t := pick(g.choices, []*typ{typF64, typInt, typI32, typU64})
		text := g.value(t, 2)
		name := g.fresh("v")
		v := g.declare(&variable{name: name, t: t, write: true})
		cond = fmt.Sprintf("%s := %s; ", name, text)
		test := g.varying(typBool, exprDepth)
		if !v.used {
			test = infix(test, "&&", infix(expression{text: name, prec: primary}, "!=", g.literal(t)))
		}
		cond += test.text
	} else {
		cond = g.varying(typBool, exprDepth).text
	}
	g.emit("if %s {", cond)
	g.block(3)
	for g.one(4) {
		g.emit("} else if %s {", g.varying(typBool, 2).text)
		g.block(2)
	}
	if g.one(2) {
		g.emit("} else {")
		g.block(3)
	}
	g.emit("}")
	g.endScope(top)
}

func (g *generator) switchStmt() {
	if g.one(3) {
		g.emit("switch {")
		g.clauses(2+g.n(2), func(int) string { return g.varying(typBool, 2).text })
		return
	}
	t := pick(g.choices, integers)
	if g.one(8) {
		t = typF64
	}
	tag := g.varying(t, 2)
	if t.integer() && g.one(2) {
		tag = infix(tag, "&", expression{text: "7", prec: primary})
	}
	init := ""
	top := len(g.vars)
	if g.one(4) {
		name := g.fresh("v")
		init, tag = fmt.Sprintf("%s := %s; ", name, tag.text), expression{text: name, prec: primary}
		g.declare(&variable{name: name, t: t, used: true, write: true})
	}
	g.emit("switch %s%s {", init, tag.text)
	next := 0
	g.clauses(2+g.n(3), func(int) string {
		var list []string
		for range 1 + g.n(2) {
			if g.one(6) {
				list = append(list, g.varying(t, 1).text)
				continue
			}
			list = append(list, fmt.Sprint(next))
			next += 1 + g.n(2)
		}
		return strings.Join(list, ", ")
	})
	g.endScope(top)
}

// clauses are those of a switch, with a default somewhere.
func (g *generator) clauses(n int, match func(i int) string) {
	fallback := g.n(n + 2)
	g.targets = append(g.targets, target{})
	for i := range n {
		if i == fallback {
			g.emit("default:")
		} else {
			g.emit("case %s:", match(i))
		}
		g.block(2)
		if i+1 < n && g.one(6) {
			g.emit("fallthrough")
		}
	}
	g.targets = g.targets[:len(g.targets)-1]
	g.emit("}")
}

// target is a statement that break and continue leave.
type target struct {
	loop  bool
	label string
	line  int // of the label
	used  bool
}

// leave is break, continue or return, the last statement of its block.
func (g *generator) leave() {
	if len(g.targets) == 0 || g.one(3) {
		g.returnStmt()
		g.left = true
		return
	}
	i := len(g.targets) - 1
	word := "break"
	if g.one(2) {
		word = "continue"
		for i >= 0 && !g.targets[i].loop {
			i--
		}
		if i < 0 {
			g.assignStmt()
			return
		}
	}
	if i > 0 && g.one(3) {
		if j := slices.IndexFunc(g.targets, func(t target) bool { return t.label != "" }); j >= 0 {
			g.targets[j].used = true
			g.emit("%s %s", word, g.targets[j].label)
			g.left = true
			return
		}
	}
	g.emit("%s", word)
	g.left = true
}

func (g *generator) returnStmt() {
	var vals []string
	if !g.bare || !g.one(3) {
		for _, t := range g.results {
			if t.number() && !g.one(4) {
				vals = append(vals, g.varying(t, 2).text)
				continue
			}
			vals = append(vals, g.expr(t, 2).text)
		}
	}
	g.emit("return %s", strings.Join(vals, ", "))
}

// loopStmt is a loop over constant bounds, over a value, or under a cap.
func (g *generator) loopStmt() {
	top, times := len(g.vars), g.times
	g.loops++
	tg := target{loop: true, line: -1}
	label := func() {
		if g.one(4) {
			g.names++
			tg.label = fmt.Sprintf("outer%d", g.names)
			tg.line = g.emit("%s:", tg.label)
		}
	}
	v := &variable{used: true}
	turns := 2 + g.n(4)
	switch g.n(7) {
	case 0, 1:
		label()
		*v = variable{name: g.unique("i"), t: typInt, limit: turns}
		v.line = g.emit("for %s := range %d {", v.name, turns)
	case 2:
		label()
		t := pick(g.choices, []*typ{typInt, typI64, typI32, typU32})
		*v = variable{name: g.unique("i"), t: t, used: true}
		switch g.n(3) {
		case 0:
			v.limit = turns
			g.emit("for %[1]s := %[2]s(0); %[1]s < %[3]d; %[1]s++ {", v.name, t.name, turns)
		case 1:
			v.limit = turns + 1
			g.emit("for %[1]s := %[2]s(%[3]d); %[1]s > 0; %[1]s-- {", v.name, t.name, turns)
		default:
			g.emit("for %[1]s := %[2]s(1); %[1]s <= %[3]d; %[1]s += 2 {", v.name, t.name, 2*turns)
		}
	case 3, 4:
		t := g.readable(func(t *typ) bool { return t.elem != nil && !t.slice && t.n <= 6 && t.elem.cells() <= 6 })
		if t == nil {
			label()
			g.emit("for range %d {", turns)
			break
		}
		over := ""
		if tables := g.self.tableNames(); len(tables) > 0 && g.one(2) {
			over = tables[0]
			for _, f := range g.self.t.fields {
				if f.t.slice {
					t = f.t
				}
			}
			g.emit("//eaglet:cap %d", 4+g.n(4))
		} else {
			over, _ = g.read(t)
		}
		label()
		turns = t.n
		e := &variable{name: g.unique("e"), t: t.elem, write: true}
		*v = variable{name: g.unique("i"), t: typInt, limit: t.n}
		if g.one(3) {
			*v = variable{name: "_", used: true}
		}
		e.line = g.emit("for %s, %s := range %s {", v.name, e.name, over)
		v.line = e.line
		g.declare(e)
	default:
		most := 1 + g.n(12)
		turns = 3
		g.emit("//eaglet:cap %d", most)
		label()
		t := pick(g.choices, integers)
		switch g.n(3) {
		case 0:
			*v = variable{name: g.unique("i"), t: t, used: true}
			g.emit("for %[1]s := %[2]s(0); %[1]s < %[3]s; %[1]s++ {", v.name, t.name, infix(g.varying(t, 2), "&", expression{text: g.capMask(most), prec: primary}).in(4))
		case 1:
			g.emit("for %s {", g.varying(typBool, 2).text)
		default:
			*v = variable{name: g.unique("i"), t: t}
			v.line = g.emit("for %s := range %s {", v.name, infix(g.varying(t, 2), "&", expression{text: g.capMask(most), prec: primary}).text)
		}
	}
	if v.name != "" && v.name != "_" {
		g.declare(v)
	}
	g.times *= turns
	g.targets = append(g.targets, tg)
	g.block(4)
	tg = g.targets[len(g.targets)-1]
	g.targets = g.targets[:len(g.targets)-1]
	if tg.line >= 0 && !tg.used {
		g.lines[tg.line] = "" // Go refuses labels that nothing names
	}
	g.emit("}")
	g.times = times
	g.loops--
	g.endScope(top)
}

// capMask bounds the turns of a loop with a cap: by the cap, or now and then by more.
func (g *generator) capMask(most int) string {
	mask := 1
	for mask*2+1 <= most {
		mask = mask*2 + 1
	}
	if g.one(3) {
		mask = mask*2 + 1
	}
	return fmt.Sprint(mask)
}

// bigLoop has many turns, so that it stays a loop; its body is cheap and has constant indexes only.
func (g *generator) bigLoop() {
	top, times := len(g.vars), g.times
	turns := 20 + g.n(100)
	g.loops++
	g.still = true
	v := &variable{name: g.unique("i"), t: typInt, used: true}
	g.emit("for %[1]s := 0; %[1]s < %[2]d; %[1]s++ {", v.name, turns)
	g.declare(v)
	g.targets = append(g.targets, target{loop: true, line: -1})
	g.times *= turns / 4
	g.depth = max(g.depth, 3)
	depth := g.depth
	g.block(3)
	g.depth = depth
	g.targets = g.targets[:len(g.targets)-1]
	g.emit("}")
	g.still = false
	g.times = times
	g.loops--
	g.endScope(top)
}
