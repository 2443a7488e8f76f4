package kernels

import (
	"go/ast"
	"go/token"
)

// The type checker is safe with any source, but not bounded in time and memory. What follows keeps the
// known ways to make it explode away from it: constants that double a string, and types whose parts double.

// noStrings reports strings and takes them out of the syntax tree: a few lines of constants that double a
// string would fill any memory as soon as an error message prints it.
func (p *pkg) noStrings() {
	for _, f := range p.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == f.Name { // a package may be called string
				return false
			}
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				if n.Tag != nil { // a tag is no string of the kernel
					for _, id := range n.Names {
						p.noString(id)
					}
					ast.Inspect(n.Type, func(n ast.Node) bool { p.noString(n); return true })
					return false
				}
			}
			p.noString(n)
			return true
		})
	}
}

func (p *pkg) noString(n ast.Node) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			p.at("E034", n)
			p.strings = true
			n.Value = `""`
		}
	case *ast.Ident:
		if n.Name == "string" {
			p.at("E034", n)
			p.strings = true
			n.Name = "int32"
		}
	}
}

// maxParts bounds the parts of a type that is written out in full.
const maxParts = 10_000

// expandable says whether every type declaration of the package has a bounded number of parts, and none is
// generic, which would multiply them: the type checker visits each part, and twenty declarations of a struct
// with two fields of the one before have a million. It reports those that are not.
func (p *pkg) expandable() bool {
	c := &partsCount{decls: make(map[string][]ast.Expr), known: make(map[string]int)}
	var specs []*ast.TypeSpec
	for _, f := range p.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				specs = append(specs, s)
				c.decls[s.Name.Name] = append(c.decls[s.Name.Name], s.Type)
			}
			return true
		})
	}
	ok := true
	for _, s := range specs {
		if s.TypeParams != nil {
			p.at("E044", s.Name)
			ok = false
		}
	}
	for _, s := range specs {
		if ok && c.named(s.Name.Name) > maxParts {
			p.at("E065", s.Name, "the type %s has too many parts", s.Name.Name)
			ok = false
		}
	}
	return ok
}

// partsCount counts the parts of types by name; types of one name in different scopes are added up.
type partsCount struct {
	decls map[string][]ast.Expr
	known map[string]int // 0: being counted, which ends circles
}

func (c *partsCount) named(name string) int {
	if n, ok := c.known[name]; ok {
		return max(n, 1)
	}
	if c.decls[name] == nil {
		return 1
	}
	c.known[name] = 0
	sum := 0
	for _, t := range c.decls[name] {
		sum = min(sum+c.parts(t), maxParts+1)
	}
	c.known[name] = sum
	return sum
}

// parts counts a type expression, at most maxParts+1.
func (c *partsCount) parts(n ast.Node) int {
	sum := 1
	add := func(n, times int) { sum = min(sum+n*times, maxParts+1) }
	switch n := n.(type) {
	case *ast.Ident:
		return c.named(n.Name)
	case *ast.StructType:
		for _, f := range n.Fields.List {
			add(c.parts(f.Type), max(len(f.Names), 1))
		}
	default:
		ast.Inspect(n, func(m ast.Node) bool {
			if m == nil || m == n {
				return m == n
			}
			add(c.parts(m), 1)
			return false
		})
	}
	return sum
}
