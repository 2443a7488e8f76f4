package ir

import (
	"errors"
	"fmt"
)

// checker verifies the code of one Step or Func. Values are visible from their definition to the end of
// the region that defines them; state tracks each through unknown, visible, hidden.
type checker struct {
	k       *Kernel
	v       *Values
	state   []scope // by Value
	regions map[*Region]bool
	depth   int

	loads   bool          // OpLoad is allowed
	faults  bool          // OpFault is allowed
	arrays  bool          // local arrays are allowed
	filled  []int         // by array: the regions round here that fill it
	carried map[Cell]bool // cells that the head may not load
	falses  map[Value]bool
}

type scope uint8

const (
	scopeUndefined scope = iota
	scopeVisible
	scopeHidden // its region has ended
)

func newChecker(k *Kernel, v *Values) *checker {
	return &checker{k: k, v: v, state: make([]scope, len(v.Types)), regions: make(map[*Region]bool), falses: make(map[Value]bool), filled: make([]int, len(v.Arrays))}
}

// region checks r, whose parameters have the given types. At depth 0 its values stay visible, so that
// the head's can be seen in the trip; an inner region's are hidden by the caller through leave.
func (v *checker) region(r *Region, params []Type) error {
	if v.regions[r] {
		return errors.New("a region hangs in two places")
	}
	v.regions[r] = true
	if v.depth > MaxNest {
		return fmt.Errorf("regions nest deeper than %d", MaxNest)
	}
	if len(r.Params) != len(params) {
		return fmt.Errorf("has %d parameters, want %d", len(r.Params), len(params))
	}
	for i, p := range r.Params {
		if err := v.define(p, params[i]); err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
	}
	for i, in := range r.Instrs {
		if in == nil {
			return fmt.Errorf("instruction %d is missing", i+1)
		}
		if err := v.instr(in); err != nil {
			return v.located(in, err)
		}
	}
	return nil
}

// inner checks a region of an instruction and then hides its values.
func (v *checker) inner(r *Region, name string, params, yields []Type) error {
	if r == nil {
		return fmt.Errorf("the %s region is missing", name)
	}
	v.depth++
	err := v.region(r, params)
	if err == nil {
		err = v.yields(r, yields)
	}
	v.depth--
	if err != nil {
		return within(name, err)
	}
	for _, p := range r.Params {
		v.state[p] = scopeHidden
	}
	for _, in := range r.Instrs {
		for _, x := range in.Results {
			v.state[x] = scopeHidden
		}
		if in.Op == OpArray {
			v.filled[in.Imm]--
		}
	}
	return nil
}

// body checks the outermost region of a trip or init with what it yields.
func (v *checker) body(r *Region, params, yields []Type) error {
	if err := v.region(r, params); err != nil {
		return err
	}
	return v.yields(r, yields)
}

// yields checks what r yields against types.
func (v *checker) yields(r *Region, types []Type) error {
	if len(r.Yield) != len(types) {
		return fmt.Errorf("yields %d values, want %d", len(r.Yield), len(types))
	}
	for i, y := range r.Yield {
		t, err := v.use(y)
		if err != nil {
			return fmt.Errorf("yield %d: %w", i+1, err)
		}
		if t != types[i] {
			return fmt.Errorf("yield %d is %v, want %v", i+1, t, types[i])
		}
	}
	return nil
}

// define makes x visible; x must be new and of type t.
func (v *checker) define(x Value, t Type) error {
	switch {
	case x <= 0 || int(x) >= len(v.v.Types):
		return fmt.Errorf("value %%%d does not exist", x)
	case v.state[x] != scopeUndefined:
		return fmt.Errorf("value %%%d is defined twice", x)
	case v.v.Types[x] != t:
		return fmt.Errorf("value %%%d is %v, want %v", x, v.v.Types[x], t)
	}
	v.state[x] = scopeVisible
	return nil
}

// use gives the type of x, which must be visible here.
func (v *checker) use(x Value) (Type, error) {
	if x <= 0 || int(x) >= len(v.v.Types) {
		return Invalid, fmt.Errorf("value %%%d does not exist", x)
	}
	switch v.state[x] {
	case scopeUndefined:
		return Invalid, fmt.Errorf("value %%%d is not defined before its use", x)
	case scopeHidden:
		return Invalid, fmt.Errorf("value %%%d is used outside of its region", x)
	}
	return v.v.Types[x], nil
}

// args checks the arguments of in against types.
func (v *checker) args(in *Instr, types ...Type) error {
	if len(in.Args) != len(types) {
		return fmt.Errorf("has %d arguments, want %d", len(in.Args), len(types))
	}
	for i, a := range in.Args {
		t, err := v.use(a)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		if t != types[i] {
			return fmt.Errorf("argument %d is %v, want %v", i+1, t, types[i])
		}
	}
	return nil
}

// instr checks one instruction and defines its results.
func (v *checker) instr(in *Instr) error {
	if in.Op == OpInvalid || int(in.Op) >= NumOps {
		return errors.New("the operation is unknown")
	}
	if err := in.Pos.verify(v.k); err != nil {
		return err
	}
	if err := unused(in); err != nil {
		return err
	}
	switch in.Op {
	case OpIf:
		return v.ifInstr(in)
	case OpLoop:
		return v.loop(in)
	case OpFault:
		return v.fault(in)
	case OpArray, OpGet, OpPut:
		return v.onArray(in)
	}
	if !in.Op.Takes(in.Type) {
		return fmt.Errorf("works on no %v", in.Type)
	}
	if len(in.Results) != 1 {
		return fmt.Errorf("has %d results, want 1", len(in.Results))
	}
	if err := v.simple(in); err != nil {
		return err
	}
	return v.define(in.Results[0], in.Op.ResultType(in.Type))
}

// simple checks the arguments and fields of a pure operation.
func (v *checker) simple(in *Instr) error {
	t := in.Type
	switch in.Op {
	case OpConst:
		if in.Imm&^t.Mask() != 0 {
			return fmt.Errorf("bits 0x%x are above the width of %v", in.Imm, t)
		}
		if t == Bool && in.Imm == 0 {
			v.falses[in.Results[0]] = true
		}
	case OpLoad:
		if err := v.load(in); err != nil {
			return err
		}
	case OpLookup, OpLen:
		if err := v.lookup(in); err != nil {
			return err
		}
	case OpTable:
		if in.Imm >= uint64(len(v.k.Tables)) {
			return fmt.Errorf("table %d does not exist", in.Imm)
		}
		if tab := &v.k.Tables[in.Imm]; tab.Type != t {
			return fmt.Errorf("table %q is %v", tab.Name, tab.Type)
		}
	case OpConvert, OpBits, OpFromBits:
		if !in.Op.TakesFrom(t, in.From) {
			return fmt.Errorf("does not convert from %v", in.From)
		}
	}
	var types [3]Type
	n := in.Op.Arity()
	for i := range n {
		types[i] = in.Op.ArgType(t, in.From, i)
	}
	return v.args(in, types[:n]...)
}

func (v *checker) load(in *Instr) error {
	if !v.loads {
		return errors.New("a load belongs to the head")
	}
	if in.Imm >= uint64(len(v.k.Planes)) {
		return fmt.Errorf("plane %d does not exist", in.Imm)
	}
	p := &v.k.Planes[in.Imm]
	switch {
	case p.Role == RoleTable:
		return fmt.Errorf("plane %q is a table: it is read by lookup", p.Name)
	case in.Comp < 0 || int(in.Comp) >= p.Width():
		return fmt.Errorf("component %d of plane %q is out of range", in.Comp, p.Name)
	case p.Type != in.Type:
		return fmt.Errorf("plane %q is %v", p.Name, p.Type)
	case v.carried[Cell{int(in.Imm), in.Comp}]:
		return fmt.Errorf("%s is carried: its value changes from step to step, the trip's parameter has it", v.k.cellName(Cell{int(in.Imm), in.Comp}))
	}
	return nil
}

// lookup checks the plane of an OpLookup or OpLen.
func (v *checker) lookup(in *Instr) error {
	if in.Imm >= uint64(len(v.k.Planes)) {
		return fmt.Errorf("plane %d does not exist", in.Imm)
	}
	p := &v.k.Planes[in.Imm]
	switch {
	case in.Op == OpLen && p.Role != RoleTable:
		return fmt.Errorf("plane %q is no table but %s", p.Name, p.Role.plane())
	case p.Role != RoleTable && p.Role != RoleInput && p.Role != RoleParam:
		return fmt.Errorf("plane %q is %s, which a step writes", p.Name, p.Role.plane())
	case in.Op == OpLookup && p.Type != in.Type:
		return fmt.Errorf("plane %q is %v", p.Name, p.Type)
	}
	return nil
}

// onArray checks an operation on a local array.
func (v *checker) onArray(in *Instr) error {
	if !v.arrays {
		return errors.New("a local array belongs to the trip, to init or to an observable")
	}
	if in.Imm >= uint64(len(v.v.Arrays)) {
		return fmt.Errorf("local array %d does not exist", in.Imm)
	}
	a := &v.v.Arrays[in.Imm]
	results := 0
	if in.Op == OpGet {
		results = 1
	}
	switch {
	case a.Type != in.Type:
		return fmt.Errorf("local array %q is %v", a.Name, a.Type)
	case in.Op != OpArray && v.filled[in.Imm] == 0:
		return fmt.Errorf("local array %q is used before it is filled, or outside of where it is", a.Name)
	case len(in.Results) != results:
		return fmt.Errorf("has %d results, want %d", len(in.Results), results)
	}
	switch in.Op {
	case OpArray:
		if err := v.args(in, a.Type); err != nil {
			return err
		}
		v.filled[in.Imm]++
		return nil
	case OpPut:
		return v.args(in, I64, a.Type)
	}
	if err := v.args(in, I64); err != nil {
		return err
	}
	return v.define(in.Results[0], a.Type)
}

func (v *checker) ifInstr(in *Instr) error {
	if err := v.args(in, Bool); err != nil {
		return err
	}
	types, err := v.resultTypes(in)
	if err != nil {
		return err
	}
	if err := v.inner(in.Then, "then", nil, types); err != nil {
		return err
	}
	if err := v.inner(in.Else, "else", nil, types); err != nil {
		return err
	}
	return v.results(in, types)
}

func (v *checker) loop(in *Instr) error {
	if in.Imm < 1 || in.Imm > MaxTurns {
		return fmt.Errorf("takes at most %d turns, want 1 to %d", in.Imm, MaxTurns)
	}
	types, err := v.resultTypes(in)
	if err != nil {
		return err
	}
	if err := v.args(in, types...); err != nil {
		return err
	}
	if err := v.inner(in.Body, "body", types, append([]Type{Bool}, types...)); err != nil {
		return err
	}
	return v.results(in, types)
}

func (v *checker) fault(in *Instr) error {
	switch {
	case !v.faults:
		return errors.New("a fault belongs to the trip or to init")
	case in.Imm == uint64(FaultNone) || in.Imm >= uint64(len(faultNames)):
		return fmt.Errorf("fault kind %d is unknown", in.Imm)
	case len(in.Results) != 0:
		return fmt.Errorf("has %d results, want 0", len(in.Results))
	}
	return v.args(in, Bool)
}

// resultTypes are the types that the results of in claim to have.
func (v *checker) resultTypes(in *Instr) ([]Type, error) {
	types := make([]Type, 0, len(in.Results))
	for i, x := range in.Results {
		if x <= 0 || int(x) >= len(v.v.Types) || !v.v.Types[x].Valid() {
			return nil, fmt.Errorf("result %d: value %%%d does not exist", i+1, x)
		}
		types = append(types, v.v.Types[x])
	}
	return types, nil
}

func (v *checker) results(in *Instr, types []Type) error {
	for i, x := range in.Results {
		if err := v.define(x, types[i]); err != nil {
			return err
		}
	}
	return nil
}

// unused refuses a field that in's operation does not use and that is not zero: what the text form
// leaves out must not exist.
func unused(in *Instr) error {
	typed := in.Op.Pure() || in.Op.OnArray()
	imm := in.Op == OpConst || in.Op == OpLoad || in.Op == OpTable || in.Op == OpLookup || in.Op == OpLen || in.Op.OnArray() || in.Op == OpLoop || in.Op == OpFault
	for _, f := range []struct {
		name    string
		used    bool
		present bool
	}{
		{"Type", typed, in.Type != Invalid},
		{"From", in.Op.Converts(), in.From != Invalid},
		{"Comp", in.Op == OpLoad, in.Comp != 0},
		{"Imm", imm, in.Imm != 0},
		{"Then", in.Op == OpIf, in.Then != nil},
		{"Else", in.Op == OpIf, in.Else != nil},
		{"Body", in.Op == OpLoop, in.Body != nil},
	} {
		if f.present && !f.used {
			return fmt.Errorf("the field %s is set, and the operation does not use it", f.name)
		}
	}
	return nil
}

// placed is an error that already names its instruction.
type placed struct{ error }

// located adds the instruction to err, unless an instruction inside it is named already.
func (v *checker) located(in *Instr, err error) error {
	if _, done := err.(placed); done {
		return err
	}
	return placed{fmt.Errorf("%s: %w", v.label(in), err)}
}

// within adds the name of a region to err, unless an instruction in it is named already.
func within(name string, err error) error {
	if _, done := err.(placed); done {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// label is in as the text form begins it, with its source position when it has one.
func (v *checker) label(in *Instr) string {
	s := in.Op.String()
	if in.Op.Pure() || in.Op.OnArray() {
		s += "." + in.Type.String()
	}
	if len(in.Results) > 0 {
		s = fmt.Sprintf("%%%d = %s", in.Results[0], s)
	}
	if p := in.Pos; p != (Pos{}) && p.verify(v.k) == nil {
		s += fmt.Sprintf(" (%s:%d:%d)", v.k.Files[p.File], p.Line, p.Col)
	}
	return s
}
