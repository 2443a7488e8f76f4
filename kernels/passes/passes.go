// Package passes makes the IR of a kernel smaller without changing a bit of what it computes; every NaN
// counts as the same value (kernels.md). It knows the IR and the interpreter's meaning of operations, no
// Go source and no engine.
//
// A pass is a function on a kernel of its own: [Run] clones once, then each pass rewrites that clone in
// place and carries the values of the finish declaration along. Passes are near-linear in the number of
// instructions.
package passes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// VerifyEach makes every run verify the kernel after each pass, not only after the last. Tests set it
// before their first run.
var VerifyEach = false

// pass is one line of the table.
type pass struct {
	name   string
	run    func(*ir.Kernel)
	needed bool // engines rely on it; the others may be left out
}

// table is all passes, in the order in which they run.
var table = []pass{
	{"fold", fold, false},
	{"hoist", hoist, false},
	{"cse", cse, false},
	{"dce", dce, false},
	{"number", number, true},
}

// constraint says that one pass comes before another, and why.
type constraint struct{ before, after, reason string }

// order is what table must keep.
var order = []constraint{
	{"fold", "hoist", "an if on a constant is inlined first, so that hoist sees its code at its real depth"},
	{"fold", "cse", "equal constants become one only when they are constants already"},
	{"hoist", "cse", "equal values from several regions meet in the head, where one of them can serve all"},
	{"fold", "dce", "fold leaves the operands of what it rewrote behind"},
	{"hoist", "dce", "hoist empties regions"},
	{"cse", "dce", "cse leaves unused arguments behind"},
	{"dce", "number", "numbers are given to what is left, and engines size their tables by them"},
}

func init() {
	if err := checkOrder(table, order); err != nil {
		panic(err)
	}
}

// checkOrder says whether passes keep every constraint, and that each constraint names two passes.
func checkOrder(passes []pass, order []constraint) error {
	at := func(name string) int {
		return slices.IndexFunc(passes, func(p pass) bool { return p.name == name })
	}
	for _, c := range order {
		b, a := at(c.before), at(c.after)
		if b < 0 || a < 0 {
			return fmt.Errorf("passes: the order of %s and %s is constrained, and one of them does not exist", c.before, c.after)
		}
		if b > a {
			return fmt.Errorf("passes: %s must come before %s: %s", c.before, c.after, c.reason)
		}
	}
	return nil
}

// Names are the passes in the order in which they run.
func Names() []string {
	var names []string
	for _, p := range table {
		names = append(names, p.name)
	}
	return names
}

// Run gives k after all passes; k stays as it is. The error says which rule of [ir.Verify] k breaks. A
// kernel that a pass broke is a mistake of this package and panics with the pass's name.
func Run(k *ir.Kernel) (*ir.Kernel, error) { return run(k, table) }

// RunUntil gives k after the passes up to and with the named one.
func RunUntil(k *ir.Kernel, name string) (*ir.Kernel, error) {
	for i, p := range table {
		if p.name == name {
			return run(k, table[:i+1])
		}
	}
	return nil, unknown(name)
}

// RunWithout gives k after all passes but the named ones, which must not be needed.
func RunWithout(k *ir.Kernel, names ...string) (*ir.Kernel, error) {
	var rest []pass
	for _, p := range table {
		if !slices.Contains(names, p.name) {
			rest = append(rest, p)
		} else if p.needed {
			return nil, fmt.Errorf("passes: %s cannot be left out: engines rely on it", p.name)
		}
	}
	for _, n := range names {
		if !slices.Contains(Names(), n) {
			return nil, unknown(n)
		}
	}
	return run(k, rest)
}

func unknown(name string) error {
	return fmt.Errorf("passes: there is no pass %q; the passes are %s", name, strings.Join(Names(), ", "))
}

func run(k *ir.Kernel, passes []pass) (*ir.Kernel, error) {
	if err := ir.Verify(k); err != nil {
		return nil, err
	}
	k = k.Clone()
	for i, p := range passes {
		p.run(k)
		if VerifyEach || i == len(passes)-1 {
			if err := ir.Verify(k); err != nil {
				panic(fmt.Sprintf("passes: after %s: %v", p.name, err))
			}
		}
	}
	return k, nil
}

// number gives values their numbers in order of definition and drops types without a value.
func number(k *ir.Kernel) { k.Renumber() }

// code is the part of a kernel that shares values: the step, init or an observable.
type code struct {
	values  *ir.Values
	regions []*ir.Region // the second sees the values of the first: head, trip
	finish  *ir.Finish   // of the step, nil elsewhere
}

// codes are the parts of k.
func codes(k *ir.Kernel) []code {
	s := &k.Step
	cs := []code{{&s.Values, []*ir.Region{&s.Head, &s.Trip}, k.Finish}}
	for _, f := range k.Funcs() {
		cs = append(cs, code{&f.Values, []*ir.Region{&f.Body}, nil})
	}
	return cs
}

// replacements says which value stands for another: entry x is x's replacement, 0 for none. Replacements
// are recorded in order of definition and resolved, so that one look is enough.
type replacements []ir.Value

func (r replacements) of(x ir.Value) ir.Value {
	if int(x) < len(r) && r[x] != 0 {
		return r[x]
	}
	return x
}

func (r replacements) all(xs []ir.Value) {
	for i, x := range xs {
		xs[i] = r.of(x)
	}
}
