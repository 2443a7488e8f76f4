package oracle

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels"
)

// Source is a random kernel: a Go file that kernels.LoadSource accepts. Equal seeds give equal text on every
// machine.
func Source(seed uint64) []byte {
	return newGenerator(&choices{rng: rand.New(rand.NewPCG(seed, 0x6b65726e656c))}, "").kernel()
}

// SourceFMA is [Source] with fma=contract.
func SourceFMA(seed uint64) []byte {
	return newGenerator(&choices{rng: rand.New(rand.NewPCG(seed, 0x6b65726e656c))}, " fma=contract").kernel()
}

// SourceF32 is [Source] with precision=f32; it has no bits of floats.
func SourceF32(seed uint64) []byte {
	g := newGenerator(&choices{rng: rand.New(rand.NewPCG(seed, 0x6b65726e656c))}, " precision=f32")
	g.single = true
	return g.kernel()
}

// FromBytes is the kernel that a fuzzer's bytes choose.
func FromBytes(data []byte) []byte { return newGenerator(newChoices(data), "").kernel() }

// file is a kernel's text as LoadSource takes it.
func file(name string, text []byte) []kernels.SourceFile {
	return []kernels.SourceFile{{Name: name + ".go", Text: text}}
}

// generator writes one kernel. Its variables are those of the place that it has come to.
type generator struct {
	*choices
	options  string // of the directive
	single   bool   // float64 means float32
	head     []string
	lines    []string
	math     bool // math is imported
	named    []*typ
	funcs    []*function
	risks    int // places that may fault, still to be written
	names    int
	last     *variable // what was read last
	constant []string  // untyped integer constants of the package; ratio is there too

	vars      []*variable
	self      *variable // the receiver, in methods of the sample
	witnesses bool      // see witness
	mayMutate bool      // Step, Init and what they call may change the sample
	param     *typ      // the type parameter, in generic functions
	results   []*typ
	bare      bool // the results have names
	targets   []target
	depth     int
	scope     int // vars from here on are the innermost scope's
	loops     int
	still     bool // no indexes that are not constant, nothing dear
	indexing  bool // in an index
	left      bool // the block has ended with break, continue or return
	searches  bool // the function at hand has indexes that are not constant

	cost, limit, times int
}

func newGenerator(c *choices, options string) *generator {
	return &generator{choices: c, options: options, times: 1}
}

// kernel writes everything: types, tables, functions, the sample with its methods.
func (g *generator) kernel() []byte {
	if g.one(2) {
		g.risks = 1 + g.n(3)
	}
	g.types()
	g.tables()
	g.constants()
	for range g.n(4) {
		g.helper()
	}
	if g.one(2) {
		g.genericHelper()
	}
	for _, t := range g.named {
		if t.fields != nil {
			g.structMethods(t)
		}
	}
	g.sample()

	var b strings.Builder
	b.WriteString("// Package generated is a random kernel.\npackage generated\n\n")
	if g.math {
		b.WriteString("import \"math\"\n\n")
	}
	for _, l := range append(g.head, g.lines...) {
		if l != "" {
			b.WriteString(l + "\n")
		}
	}
	text := b.String()
	text = strings.ReplaceAll(text, "\nfunc ", "\n\nfunc ")
	out, err := format.Source([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("oracle: a generated kernel does not parse: %v\n%s", err, text))
	}
	return out
}

func (g *generator) types() {
	if g.one(2) {
		g.named = append(g.named, &typ{name: "vec", elem: typF64, n: 2 + g.n(2)})
	}
	if g.one(3) {
		k := pick(g.choices, []*typ{typF64, typI64, typU32, typF32})
		g.named = append(g.named, &typ{name: "unit", kind: k.kind})
		g.head = append(g.head, "type unit "+k.name)
	}
	for i := range g.n(3) {
		t := &typ{name: fmt.Sprintf("pair%d", i+1)}
		for j := range 2 + g.n(3) {
			ft := pick(g.choices, basics)
			switch {
			case g.one(4):
				ft = arrayOf(2+g.n(2), ft)
			case g.one(4) && len(g.named) > 0:
				ft = pick(g.choices, g.named)
			}
			if t.cells()+ft.cells() < 14 {
				t.fields = append(t.fields, member{string(rune('a' + j)), ft})
			}
		}
		if len(appendNumbers(nil, t)) == 0 {
			t.fields = append(t.fields, member{"z", typF64})
		}
		g.named = append(g.named, t)
	}
	for _, t := range g.named {
		switch {
		case t.elem != nil:
			g.head = append(g.head, fmt.Sprintf("type %s [%d]%s", t.name, t.n, t.elem.name))
		case t.fields != nil:
			g.head = append(g.head, "type "+t.name+" struct {")
			for _, f := range t.fields {
				g.head = append(g.head, "\t"+f.name+" "+f.t.name)
			}
			g.head = append(g.head, "}")
		}
	}
}

// tables are package variables: arrays, slices and structs of constants.
func (g *generator) tables() {
	for i := range g.n(3) {
		name := fmt.Sprintf("table%d", i+1)
		elem := pick(g.choices, []*typ{typF64, typF64, typI64, typInt, typU32, typI32, typF32, typU64, typBool})
		n := 2 + g.n(5)
		t := arrayOf(n, elem)
		switch g.n(5) {
		case 0:
			t = &typ{name: "[]" + elem.name, elem: elem, n: n}
		case 1:
			t = arrayOf(2+g.n(2), t)
		case 2:
			if s := g.someStruct(); s != nil {
				t = arrayOf(2+g.n(2), s)
			}
		}
		g.head = append(g.head, fmt.Sprintf("var %s = %s", name, g.tableValue(t)))
		g.declare(&variable{name: name, t: t, table: true})
	}
	if g.one(4) {
		g.head = append(g.head, "var ragged = [][]float64{{1, 2.5}, {-3}, {0.25, 1e-3, 4}}")
		for _, at := range []string{"ragged[0][1]", "ragged[2][0]", "ragged[1][0]"} {
			g.declare(&variable{name: at, t: typF64, table: true})
		}
	}
	if g.one(4) {
		g.math = true
		g.head = append(g.head, "var gauge = math.Sqrt(2) * math.Exp(0.5)")
		g.declare(&variable{name: "gauge", t: typF64, table: true})
	}
}

func (g *generator) someStruct() *typ {
	for _, t := range g.named {
		if t.fields != nil {
			return t
		}
	}
	return nil
}

func (g *generator) tableValue(t *typ) string {
	var parts []string
	switch {
	case t.elem != nil:
		for range t.n {
			parts = append(parts, g.tableValue(t.elem))
		}
	case t.fields != nil:
		for _, f := range t.fields {
			if !g.one(5) {
				parts = append(parts, f.name+": "+g.tableValue(f.t))
			}
		}
	default:
		return g.literal(t).text
	}
	return t.name + "{" + strings.Join(parts, ", ") + "}"
}

// constants are untyped ones of the package, which then stand among the literals.
func (g *generator) constants() {
	if g.one(3) {
		g.head = append(g.head, "const (", "\tnone = iota", "\tfew", "\tmany = few << 3", "\tratio = 0.75 * 3", ")")
		g.constant = []string{"none", "few", "many"}
	}
}

// begin starts a function that may cost limit.
func (g *generator) begin(limit int) {
	g.cost, g.limit, g.times, g.searches = 0, limit, 1, false
	g.depth, g.loops, g.left, g.still, g.targets, g.scope = 1, 0, false, false, nil, len(g.vars)
}

// params declares parameters and gives their text.
func (g *generator) paramList(f *function, types []*typ) string {
	var parts []string
	for i, t := range types {
		name := fmt.Sprintf("p%d", i+1)
		f.params = append(f.params, t)
		g.declare(&variable{name: name, t: t, write: true})
		parts = append(parts, name+" "+t.name)
	}
	return strings.Join(parts, ", ")
}

// resultList makes the results of f, named in some functions.
func (g *generator) resultList(f *function, types []*typ) string {
	f.results, g.results = types, types
	g.bare = g.one(3) && len(types) > 0
	var parts []string
	for i, t := range types {
		if g.bare {
			name := fmt.Sprintf("r%d", i+1)
			g.declare(&variable{name: name, t: t, write: true})
			parts = append(parts, name+" "+t.name)
			continue
		}
		parts = append(parts, t.name)
	}
	if len(parts) == 1 && !g.bare {
		return parts[0]
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// finish writes the end of f, whose scope began at top.
func (g *generator) finish(f *function, top int) {
	if len(f.results) > 0 {
		g.returnStmt()
	}
	g.emit("}")
	g.endScope(top)
	f.cost, f.searches = g.cost+3, g.searches
	g.funcs = append(g.funcs, f)
}

// scalarOrNamed is a type for parameters and results.
func (g *generator) scalarOrNamed() *typ {
	if len(g.named) > 0 && g.one(3) {
		return pick(g.choices, g.named)
	}
	return pick(g.choices, basics)
}

func (g *generator) helper() {
	f := &function{name: fmt.Sprintf("helper%d", len(g.funcs)+1)}
	top := len(g.vars)
	g.begin(120)
	params := g.paramList(f, append([]*typ{pick(g.choices, []*typ{typF64, typI64, typF32, typU64})}, g.typeList(2)...))
	results := []*typ{g.scalarOrNamed()}
	if g.one(4) {
		results = append(results, pick(g.choices, basics))
	}
	g.emit("func %s(%s) %s {", f.name, params, g.resultList(f, results))
	for range g.n(4) {
		g.stmtUnlessPoor()
	}
	g.finish(f, top)
}

func (g *generator) typeList(most int) []*typ {
	var out []*typ
	for range g.n(most + 1) {
		out = append(out, g.scalarOrNamed())
	}
	return out
}

func (g *generator) stmtUnlessPoor() {
	if !g.poor() && !g.left {
		g.stmt()
	}
}

func (g *generator) genericHelper() {
	f := &function{name: fmt.Sprintf("generic%d", len(g.funcs)+1), generic: true, frac: g.one(2)}
	top, tables := len(g.vars), g.vars
	constraint := "number"
	if f.frac {
		constraint = "real"
		g.head = append(g.head, "type real interface{ ~float32 | ~float64 }")
	} else {
		g.head = append(g.head, "type number interface {", "\t~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~float32 | ~float64", "}")
	}
	g.param = &typ{name: "T", kind: param, frac: f.frac}
	g.begin(60)
	types := []*typ{g.param, g.param}
	if g.one(2) {
		types = append(types, typInt)
	}
	params := g.paramList(f, types)
	g.emit("func %s[T %s](%s) %s {", f.name, constraint, params, g.resultList(f, []*typ{g.param}))
	for range 1 + g.n(3) {
		g.stmtUnlessPoor()
	}
	g.finish(f, top)
	g.param = nil
	g.vars = tables
}

// structMethods are a method on a value and one on a pointer.
func (g *generator) structMethods(t *typ) {
	for _, mutates := range []bool{false, true} {
		if g.one(2) {
			continue
		}
		f := &function{name: fmt.Sprintf("m%d", len(g.funcs)+1), recv: t, mutates: mutates}
		top := len(g.vars)
		g.begin(100)
		star := ""
		if mutates {
			star = "*"
		}
		if !mutates {
			g.declare(&variable{name: "t", t: t, write: true})
		} else if t.fields != nil {
			for _, f := range t.fields {
				g.declare(&variable{name: "t." + f.name, t: f.t, write: true})
			}
		}
		params := g.paramList(f, []*typ{pick(g.choices, basics)})
		g.emit("func (t %s%s) %s(%s) %s {", star, t.name, f.name, params, g.resultList(f, []*typ{pick(g.choices, basics)}))
		for range 1 + g.n(3) {
			g.stmtUnlessPoor()
		}
		g.finish(f, top)
	}
}
