package oracle

import (
	"fmt"
	"strings"
)

// roleTags are written at fields that nothing assigns.
var roleTags = []string{"", "", "`init:\"uniform(-1, 1)\"`", "`plane:\"input\" unit:\"m\"`", "`plane:\"param\" init:\"0.5\"`", "`init:\"linspace(0, 3)\"`"}

// sample writes the sample type and its methods.
func (g *generator) sample() {
	tables := g.vars
	t := &typ{name: "Sample"}
	var text []string
	fixed := make(map[string]bool) // fields that nothing may assign
	field := func(name string, ft *typ, tag string) {
		t.fields = append(t.fields, member{name, ft})
		text = append(text, strings.TrimSpace(fmt.Sprintf("\t%s %s %s", name, ft.name, tag)))
	}
	field("X", typF64, pick(g.choices, []string{"", "`unit:\"m\"`"}))
	field("Y", typF64, "")
	field("Z", pick(g.choices, []*typ{typF64, typF32}), "")
	fixed["Count"] = true
	field("N", pick(g.choices, integers), "")
	for i := range 1 + g.n(5) {
		name := fmt.Sprintf("F%d", i+1)
		ft, tag := g.planeType(), ""
		if g.one(3) {
			fixed[name], tag = true, pick(g.choices, roleTags)
		}
		field(name, ft, tag)
	}
	if g.one(4) {
		elem := pick(g.choices, []*typ{typF64, typF64, typI64, typU32, typF32, typBool})
		tag := pick(g.choices, []string{"", "`init:\"linspace(0, 3)\" len:\"5\"`", "`plane:\"table\" init:\"uniform(0, 9)\" len:\"7\"`"})
		fixed["Wind"] = true
		field("Wind", &typ{name: "[]" + elem.name, elem: elem, n: 5, slice: true}, tag)
	}
	if g.witnesses = !g.one(3); g.witnesses {
		field("Hash", typU64, "")
	}
	field("Count", typI32, pick(g.choices, []string{"", "`plane:\"state\"`"}))
	guard := pick(g.choices, []string{"", " guard=active_set", " steps=4", " steps=auto guard=mask"})
	g.head = append(g.head, "// Sample is one sample.", "//", "//eaglet:kernel"+guard+g.options, "type Sample struct {")
	g.head = append(g.head, text...)
	g.head = append(g.head, "}")

	// The receiver is s: its fields, and the whole of it when it is no pointer.
	enter := func(pointer, mutate bool) {
		g.self, g.mayMutate = &variable{name: "s", t: t}, mutate || !pointer
		if !pointer {
			g.self.write = true
			g.declare(g.self)
			return
		}
		for _, f := range t.fields {
			g.declare(&variable{name: "s." + f.name, t: f.t, write: mutate && !fixed[f.name]})
		}
	}
	for range g.n(4) {
		g.sampleMethod(t, enter)
	}
	g.stepMethod(enter)
	if g.one(3) {
		g.initMethod(enter)
	}
	for i := range g.n(3) {
		g.observable(i, enter)
	}
	g.vars = tables
}

// planeType is the type of a field.
func (g *generator) planeType() *typ {
	ft := pick(g.choices, basics)
	switch g.n(6) {
	case 0:
		return arrayOf(2+g.n(4), ft)
	case 1:
		return arrayOf(2, arrayOf(2+g.n(2), ft))
	case 2:
		for _, n := range g.named {
			if n.fields == nil {
				return n
			}
		}
	}
	return ft
}

// sampleMethod is a method that Step may call: one that changes the sample, one that reads it, or one on a
// copy.
func (g *generator) sampleMethod(t *typ, enter func(pointer, mutate bool)) {
	f := &function{name: fmt.Sprintf("part%d", len(g.funcs)+1), recv: t, self: true}
	top := len(g.vars)
	g.begin(250)
	star := "*"
	switch g.n(4) {
	case 0:
		enter(true, false)
	case 1:
		star = ""
		enter(false, true)
	default:
		f.mutates = true
		enter(true, true)
	}
	params := g.paramList(f, g.typeList(2))
	var results []*typ
	if !f.mutates || g.one(2) {
		results = []*typ{g.scalarOrNamed()}
	}
	g.emit("func (s %s%s) %s(%s) %s {", star, t.name, f.name, params, g.resultList(f, results))
	for range 1 + g.n(4) {
		g.stmtUnlessPoor()
	}
	g.finish(f, top)
	g.self = nil
}

// stepMethod is Step, with a result in one of its forms or without.
func (g *generator) stepMethod(enter func(pointer, mutate bool)) {
	top := len(g.vars)
	g.begin(900)
	enter(true, true)
	g.results, g.bare = []*typ{typBool}, false
	result := "bool"
	switch g.n(8) {
	case 0:
		g.results, result = nil, ""
	case 1, 2, 3:
		g.bare, result = true, "("+pick(g.choices, []string{"done", "terminated"})+" bool)"
		g.declare(&variable{name: strings.Fields(result[1:])[0], t: typBool, write: true})
	}
	g.emit("func (s *Sample) Step() %s {", result)
	g.emit("s.Count++")
	for _, f := range []string{"X", "Y", "Z"} { // values that run away hide everything
		if !g.one(4) {
			g.emit("if !(s.%[1]s > -1e3 && s.%[1]s < 1e3) {\ns.%[1]s = %[2]s\n}", f, pick(g.choices, []string{"0.7", "1.3", "-2.9", "0.0625"}))
		}
	}
	for range g.n(3) {
		g.math = true
		g.spend(dear)
		g.emit("s.%s += 0.25 * math.%s(%s)", pick(g.choices, []string{"X", "Y"}), pick(g.choices, dearMath), g.varying(typF64, 1).text)
	}
	for range 3 + g.n(8) {
		g.stmtUnlessPoor()
	}
	g.witness(top)
	if len(g.results) > 0 {
		end := fmt.Sprintf("s.Count >= %d", 3+g.n(20))
		if g.one(2) {
			end += " || " + g.varying(typBool, 2).in(2)
		}
		g.emit("return %s", end)
	}
	g.emit("}")
	g.endScope(top)
	g.self = nil
}

func (g *generator) initMethod(enter func(pointer, mutate bool)) {
	top := len(g.vars)
	g.begin(300)
	enter(true, true)
	g.results, g.bare = nil, false
	g.emit("func (s *Sample) Init() {")
	for range 1 + g.n(3) {
		g.stmtUnlessPoor()
	}
	g.emit("}")
	g.endScope(top)
	g.self = nil
}

// observable reads the sample.
func (g *generator) observable(i int, enter func(pointer, mutate bool)) {
	top := len(g.vars)
	g.begin(200)
	enter(true, false)
	g.results, g.bare = []*typ{pick(g.choices, []*typ{typF64, typBool, typI64, typF32})}, false
	g.emit("func (s *Sample) Seen%d() %s {", i+1, g.results[0].name)
	for range g.n(3) {
		g.stmtUnlessPoor()
	}
	g.returnStmt()
	g.emit("}")
	g.endScope(top)
	g.self = nil
}
