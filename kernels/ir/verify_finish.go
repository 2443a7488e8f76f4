package ir

import (
	"errors"
	"fmt"
)

// finish checks the finish declaration; exit is the trip's exit flag.
func (v *checker) finish(f *Finish, exit Value) error {
	if f == nil {
		if !v.falses[exit] {
			return fmt.Errorf("trip: the exit flag %%%d is not the constant false, and there is no finish declaration", exit)
		}
		return nil
	}
	if f.Cond == nil {
		return fmt.Errorf("finish %s: the condition is missing", f.Name)
	}
	if err := f.Pos.verify(v.k); err != nil {
		return fmt.Errorf("finish %s: %w", f.Name, err)
	}
	if f.Cond.Result != exit {
		return fmt.Errorf("finish %s: the condition is %%%d, and the trip's exit flag is %%%d", f.Name, f.Cond.Result, exit)
	}
	if err := v.cond(f.Cond, 0, make(map[*Cond]bool)); err != nil {
		return fmt.Errorf("finish %s: %w", f.Name, err)
	}
	return nil
}

// cond checks a node of the condition and those below it.
func (v *checker) cond(c *Cond, depth int, seen map[*Cond]bool) error {
	switch {
	case c == nil:
		return errors.New("a node is missing")
	case seen[c]:
		return errors.New("a node hangs in two places")
	case depth > MaxNest:
		return fmt.Errorf("nodes nest deeper than %d", MaxNest)
	case c.Kind > CondOpaque:
		return fmt.Errorf("the kind %v is unknown", c.Kind)
	}
	seen[c] = true
	if err := c.Pos.verify(v.k); err != nil {
		return fmt.Errorf("%v: %w", c.Kind, err)
	}
	t, err := v.use(c.Result)
	if err != nil {
		return fmt.Errorf("%v: %w", c.Kind, err)
	}
	if t != Bool {
		return fmt.Errorf("%v: its result %%%d is %v, want bool", c.Kind, c.Result, t)
	}
	if err := v.operands(c); err != nil {
		return fmt.Errorf("%v %%%d: %w", c.Kind, c.Result, err)
	}
	for _, kid := range c.Kids {
		if err := v.cond(kid, depth+1, seen); err != nil {
			return err
		}
	}
	return nil
}

// operands checks what a node has besides its result: a comparison two values, the others nodes.
func (v *checker) operands(c *Cond) error {
	kids := map[CondKind]string{CondAnd: "two or more", CondOr: "two or more", CondNot: "one"}[c.Kind]
	switch n := len(c.Kids); {
	case kids == "" && n != 0:
		return fmt.Errorf("has %d nodes below it, want none", n)
	case kids == "one" && n != 1, kids == "two or more" && n < 2:
		return fmt.Errorf("has %d nodes below it, want %s", n, kids)
	}
	if c.Kind != CondCompare {
		if c.Op != OpInvalid || c.LHS != 0 || c.RHS != 0 || c.RHSText != "" {
			return errors.New("has the fields of a comparison")
		}
		return nil
	}
	if !c.Op.Compare() {
		return fmt.Errorf("%v is no comparison", c.Op)
	}
	l, err := v.use(c.LHS)
	if err != nil {
		return fmt.Errorf("left side: %w", err)
	}
	r, err := v.use(c.RHS)
	if err != nil {
		return fmt.Errorf("right side: %w", err)
	}
	if l != r || !c.Op.Takes(l) {
		return fmt.Errorf("compares %v with %v by %v", l, r, c.Op)
	}
	return nil
}
