package kernels

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"sync"
)

// mathSource declares package math as kernels see it: signatures and constants, no bodies. It is
// compiled into the binary, so that checking a kernel needs no Go installation.
//
//go:embed math.go.txt
var mathSource string

// mathPackage is the package of mathSource.
var mathPackage = sync.OnceValue(func() *types.Package {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "math.go", mathSource, parser.SkipObjectResolution)
	if err != nil {
		panic(fmt.Sprintf("kernels: the declarations of math: %v", err))
	}
	cfg := types.Config{Sizes: types.SizesFor("gc", "amd64")}
	p, err := cfg.Check("math", fset, []*ast.File{f}, nil)
	if err != nil {
		panic(fmt.Sprintf("kernels: the declarations of math: %v", err))
	}
	return p
})

// mathFunctions are the functions of math that kernels may call, sorted.
func mathFunctions() []string {
	scope := mathPackage().Scope()
	return slices.DeleteFunc(scope.Names(), func(name string) bool {
		_, ok := scope.Lookup(name).(*types.Func)
		return !ok
	})
}

// mathImporter knows math only.
type mathImporter struct{}

// Import implements types.Importer.
func (mathImporter) Import(path string) (*types.Package, error) {
	if path != "math" {
		return nil, fmt.Errorf("the import of %q is refused", path)
	}
	return mathPackage(), nil
}
