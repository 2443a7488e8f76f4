package ir

import (
	"errors"
	"fmt"
)

// Bounds that every kernel keeps, so that an engine can size its tables and a reader its memory.
const (
	MaxWidth = 1 << 16   // components of one plane
	MaxCells = 1 << 20   // components of all planes together
	MaxNest  = 1000      // regions inside each other, and nodes of a finish condition
	MaxTurns = 1<<31 - 1 // turns of a loop

	MaxTableLen   = 1 << 28 // cells of a table plane that is filled by its init rule
	MaxArrayCells = 1 << 16 // cells of all local arrays of a step or func together
)

// Verify says whether k keeps every rule that an engine relies on, and names the first place that does
// not. It accepts any value of the Go types, however malformed, without panicking; its cost grows with
// the size of k only.
//
// The rules: names are snake case, unique and not reserved; planes, tables and init rules are complete;
// every value is defined once, before its uses, in a region round them; types are those of the table of
// operations; fields that an operation does not use are zero; a load is in the head, init or an
// observable, in range, and in the head never of a carried cell; a fault is in the trip or in init; a
// lookup is of a plane that a step never writes; local arrays are used in the trip and in funcs, after and
// inside of what fills them;
// carried cells are distinct cells of state or output planes; the exit flag is a bool, and the constant
// false without a finish declaration; the finish condition's values are visible at the end of the trip.
func Verify(k *Kernel) error {
	if k == nil {
		return errors.New("ir: no kernel")
	}
	for _, check := range []func() error{
		k.verifyOptions, k.verifyPlanes, k.verifyTables, k.verifyNames,
		k.verifyStep, k.verifyInit, k.verifyObservables,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("ir: %w", err)
		}
	}
	return nil
}

func (k *Kernel) verifyOptions() error {
	switch {
	case !identifier(k.Name, false):
		return fmt.Errorf("kernel name %q is not an identifier", k.Name)
	case k.Guard > GuardActiveSet:
		return fmt.Errorf("guard %v is unknown", k.Guard)
	case k.Steps < 0:
		return fmt.Errorf("steps is %d, want at least 1, or 0 for auto", k.Steps)
	case k.StepsMax < 0 || k.Auto() && k.StepsMax == 0:
		return fmt.Errorf("steps_max is %d, want at least 1 for an auto kernel", k.StepsMax)
	case !k.Precision.Float():
		return fmt.Errorf("precision is %v, want f32 or f64", k.Precision)
	}
	return nil
}

func (k *Kernel) verifyPlanes() error {
	cells := 0
	for i := range k.Planes {
		p := &k.Planes[i]
		err := p.verify()
		if err == nil {
			err = p.Pos.verify(k)
		}
		if err != nil {
			return fmt.Errorf("plane %q: %w", p.Name, err)
		}
		if cells += p.Width(); cells > MaxCells {
			return fmt.Errorf("plane %q: the planes have more than %d components together", p.Name, MaxCells)
		}
	}
	return nil
}

func (p *Plane) verify() error {
	if !SnakeName(p.Name) {
		return errors.New("the name is not in snake case")
	}
	if p.Field != "" && !identifier(p.Field, false) {
		return fmt.Errorf("field name %q is not an identifier", p.Field)
	}
	if !p.Type.Valid() {
		return fmt.Errorf("type is %v", p.Type)
	}
	switch {
	case p.Role > RoleTable:
		return fmt.Errorf("role %v is unknown", p.Role)
	case p.Role != RoleTable && p.Len != 0:
		return fmt.Errorf("has a length, and is no table but %s", p.Role.plane())
	case p.Role == RoleTable && (p.Dims != nil || p.Len < 0 || p.Len > MaxTableLen):
		return fmt.Errorf("is a table of length %d and dimensions %v, want at most %d cells and no dimensions", p.Len, p.Dims, MaxTableLen)
	}
	width := 1
	for _, d := range p.Dims {
		if d < 1 || d > MaxWidth/width {
			return fmt.Errorf("dimensions %v: want each at least 1 and at most %d components", p.Dims, MaxWidth)
		}
		width *= d
	}
	return p.Init.verify()
}

// verify checks that p names a file of k, or is none.
func (p Pos) verify(k *Kernel) error {
	if p != (Pos{}) && (p.File < 0 || int(p.File) >= len(k.Files) || p.Line < 1 || p.Col < 1 || p.End < p.Col) {
		return fmt.Errorf("position %v is in none of the %d source files", p, len(k.Files))
	}
	return nil
}

// plane is a plane of role r with its article.
func (r Role) plane() string {
	if r == RoleInput || r == RoleOutput {
		return "an " + r.String() + " plane"
	}
	return "a " + r.String() + " plane"
}

// initArgs is how many arguments a rule takes; choice takes one or more.
var initArgs = [...]int{
	InitConst: 1, InitUniform: 2, InitLogUniform: 2, InitNormal: 2,
	InitLinspace: 2, InitLogspace: 2, InitChoice: 1, InitIndex: 0,
}

func (in *Init) verify() error {
	if int(in.Kind) >= len(initArgs) {
		return fmt.Errorf("init rule %v is unknown", in.Kind)
	}
	n, want := len(in.Args), initArgs[in.Kind]
	if n < want || n > want && in.Kind != InitChoice {
		return fmt.Errorf("init rule %v has %d arguments, want %d", in.Kind, n, want)
	}
	return nil
}

func (k *Kernel) verifyTables() error {
	seen := make(map[string]bool, len(k.Tables))
	for i := range k.Tables {
		t := &k.Tables[i]
		switch {
		case !identifier(t.Name, true):
			return fmt.Errorf("table name %q is not an identifier", t.Name)
		case seen[t.Name]:
			return fmt.Errorf("table %q: the name is taken", t.Name)
		case !t.Type.Valid():
			return fmt.Errorf("table %q: type is %v", t.Name, t.Type)
		case len(t.Bits) == 0:
			return fmt.Errorf("table %q has no cells: a read out of range needs cell 0", t.Name)
		}
		for c, b := range t.Bits {
			if b&^t.Type.Mask() != 0 {
				return fmt.Errorf("table %q: cell %d has bits 0x%x above the width of %v", t.Name, c, b, t.Type)
			}
		}
		seen[t.Name] = true
	}
	return nil
}

// verifyNames checks the names that share the space of planes in files: planes, the mask, observables.
func (k *Kernel) verifyNames() error {
	owner := make(map[string]string)
	take := func(name, as string) error {
		switch {
		case !SnakeName(name):
			return fmt.Errorf("%s name %q is not in snake case", as, name)
		case Reserved(name):
			return fmt.Errorf("%s %q: the name is reserved for the runner", as, name)
		case owner[name] != "":
			return fmt.Errorf("%s %q: the name is taken by the %s of that name", as, name, owner[name])
		}
		owner[name] = as
		return nil
	}
	for i := range k.Planes {
		if err := take(k.Planes[i].Name, "plane"); err != nil {
			return err
		}
	}
	if k.Finish != nil {
		if err := take(k.Finish.Name, "mask"); err != nil {
			return err
		}
	}
	for i, f := range k.Observables {
		if f == nil {
			return fmt.Errorf("observable %d is missing", i)
		}
		if err := take(f.Name, "observable"); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) verifyStep() error {
	s := &k.Step
	carried, err := k.verifyCells("carry", s.Carry, func(r Role) bool { return r == RoleState || r == RoleOutput })
	if err != nil {
		return err
	}
	v := newChecker(k, &s.Values)
	v.loads, v.carried = true, carried
	if len(s.Head.Params) != 0 || len(s.Head.Yield) != 0 {
		return errors.New("head: has parameters or yields, want neither")
	}
	if err := v.region(&s.Head, nil); err != nil {
		return fmt.Errorf("head: %w", err)
	}
	v.loads, v.faults, v.arrays = false, true, true
	if err := s.verifyArrays(); err != nil {
		return fmt.Errorf("trip: %w", err)
	}
	params := k.cellTypes(s.Carry)
	if err := v.body(&s.Trip, params, append([]Type{Bool}, params...)); err != nil {
		return fmt.Errorf("trip: %w", err)
	}
	return v.finish(k.Finish, s.Trip.Yield[0])
}

func (k *Kernel) verifyInit() error {
	f := k.Init
	if f == nil {
		return nil
	}
	if f.Name != "init" {
		return fmt.Errorf("init: is called %q", f.Name)
	}
	if _, err := k.verifyCells("init: stores", f.Stores, func(r Role) bool { return r != RoleParam && r != RoleTable }); err != nil {
		return err
	}
	v := newChecker(k, &f.Values)
	v.loads, v.faults, v.arrays = true, true, true
	if err := f.verifyArrays(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if err := v.body(&f.Body, nil, k.cellTypes(f.Stores)); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	return nil
}

func (k *Kernel) verifyObservables() error {
	for _, f := range k.Observables {
		if err := k.verifyObservable(f); err != nil {
			return fmt.Errorf("observable %s: %w", f.Name, err)
		}
	}
	return nil
}

func (k *Kernel) verifyObservable(f *Func) error {
	if len(f.Body.Yield) != 1 || f.Stores != nil {
		return fmt.Errorf("yields %d values and has %d stores, want one and none", len(f.Body.Yield), len(f.Stores))
	}
	v := newChecker(k, &f.Values)
	v.loads, v.arrays = true, true
	if err := f.verifyArrays(); err != nil {
		return err
	}
	if err := v.region(&f.Body, nil); err != nil {
		return err
	}
	_, err := v.use(f.Body.Yield[0])
	return err
}

// verifyArrays checks the declarations of local arrays.
func (v *Values) verifyArrays() error {
	seen := make(map[string]bool, len(v.Arrays))
	cells := 0
	for _, a := range v.Arrays {
		switch {
		case !identifier(a.Name, true):
			return fmt.Errorf("array name %q is not an identifier", a.Name)
		case seen[a.Name]:
			return fmt.Errorf("array %q: the name is taken", a.Name)
		case !a.Type.Valid():
			return fmt.Errorf("array %q: type is %v", a.Name, a.Type)
		case a.Len < 1 || a.Len > MaxArrayCells-cells:
			return fmt.Errorf("array %q has %d cells, want at least 1 and at most %d in all arrays", a.Name, a.Len, MaxArrayCells)
		}
		seen[a.Name] = true
		cells += a.Len
	}
	return nil
}

// verifyCells checks that cells exist, are distinct and lie on planes whose role is writable.
func (k *Kernel) verifyCells(place string, cells []Cell, writable func(Role) bool) (map[Cell]bool, error) {
	seen := make(map[Cell]bool, len(cells))
	for i, c := range cells {
		switch {
		case c.Plane < 0 || c.Plane >= len(k.Planes):
			return nil, fmt.Errorf("%s: cell %d: plane %d does not exist", place, i, c.Plane)
		case c.Comp < 0 || int(c.Comp) >= k.Planes[c.Plane].Width():
			return nil, fmt.Errorf("%s: cell %d: component %d of plane %q is out of range", place, i, c.Comp, k.Planes[c.Plane].Name)
		case seen[c]:
			return nil, fmt.Errorf("%s: cell %d: %s is there twice", place, i, k.cellName(c))
		case !writable(k.Planes[c.Plane].Role):
			return nil, fmt.Errorf("%s: cell %d: %s is %s", place, i, k.cellName(c), k.Planes[c.Plane].Role.plane())
		}
		seen[c] = true
	}
	return seen, nil
}

func (k *Kernel) cellTypes(cells []Cell) []Type {
	var ts []Type
	for _, c := range cells {
		ts = append(ts, k.Planes[c.Plane].Type)
	}
	return ts
}

// cellName is how the text form writes c: x, or pos[2] for an array.
func (k *Kernel) cellName(c Cell) string {
	if c.Plane < 0 || c.Plane >= len(k.Planes) {
		return fmt.Sprintf("?%d[%d]", c.Plane, c.Comp)
	}
	p := &k.Planes[c.Plane]
	if len(p.Dims) == 0 && c.Comp == 0 {
		return p.Name
	}
	return fmt.Sprintf("%s[%d]", p.Name, c.Comp)
}
