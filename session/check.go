package session

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// maxN keeps sample numbers within 32 bits.
const maxN = math.MaxInt32

// checkBatch gives everything that is wrong with a batch for a kernel and can be known without reading a
// file, one sentence each.
func checkBatch(k *ir.Kernel, c *SetBatch) (problems []error) {
	problems = append(problems, checkN(c.N)...)
	for _, m := range c.Mappings {
		if err := snapshots.Fit(m, k.Planes); err != nil {
			problems = append(problems, err)
			continue
		}
		if _, both := c.Values[m.Plane]; both {
			problems = append(problems, fmt.Errorf("plane %s is given a value and a column (%s): keep one", m.Plane, m.Column))
		}
		if overwritten(k, k.Plane(m.Plane)) {
			problems = append(problems, fmt.Errorf("plane %s cannot come from a column: the kernel's Init computes it and would overwrite it", m.Plane))
		}
	}
	for i := range k.Planes {
		p := &k.Planes[i]
		mapped := slices.ContainsFunc(c.Mappings, func(m snapshots.Mapping) bool { return m.Plane == p.Name })
		if p.Role == ir.RoleTable && p.Len == 0 && !mapped {
			problems = append(problems, fmt.Errorf("table %s has no cells: map a column of any length onto it (--plane %s=FILE#COLUMN), or give its field init and len tags", p.Name, p.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		if err := checkValue(k, name, c.Values[name]); err != nil {
			problems = append(problems, err)
		} else if overwritten(k, k.Plane(name)) {
			problems = append(problems, fmt.Errorf("plane %s cannot be given a value: the kernel's Init computes it and would overwrite it", name))
		}
	}
	return problems
}

// checkN refuses a number of samples that no batch has; 0 means that none is given.
func checkN(n int) []error {
	switch {
	case n < 0:
		return []error{fmt.Errorf("a batch of %s samples cannot be: n is at least 1, or 0 to have it taken from the mapped columns", engine.Grouped(n))}
	case n > maxN:
		return []error{fmt.Errorf("a batch of %s samples is more than the %s that can be numbered: run it in shards", engine.Grouped(n), engine.Grouped(maxN))}
	}
	return nil
}

// checkValue says whether a plane or param of that name can hold v in every element.
func checkValue(k *ir.Kernel, name string, v float64) error {
	i := k.Plane(name)
	if i < 0 {
		var names []string
		for i := range k.Planes {
			names = append(names, k.Planes[i].Name)
		}
		return fmt.Errorf("kernel %s has no plane or param %q%s; it has %s", k.Name, name, snapshots.DidYouMean(name, names), strings.Join(names, ", "))
	}
	return checkElement(&k.Planes[i], v)
}

// checkElement says whether v is exactly an element of the plane; floats are rounded once, as ever.
func checkElement(p *ir.Plane, v float64) error {
	whole := v == math.Trunc(v) && math.Abs(v) <= 1<<53
	fits := true
	switch p.Type {
	case ir.F64:
		return nil
	case ir.F32:
		if math.IsInf(float64(float32(v)), 0) && !math.IsInf(v, 0) {
			return fmt.Errorf("%s is float32 and cannot hold %v: it is out of range", p.Name, v)
		}
		return nil
	case ir.Bool:
		if v != 0 && v != 1 {
			return fmt.Errorf("%s is bool and cannot hold %v: give 0 or 1", p.Name, v)
		}
		return nil
	case ir.I32:
		fits = v >= math.MinInt32 && v <= math.MaxInt32
	case ir.U32:
		fits = v >= 0 && v <= math.MaxUint32
	case ir.U64:
		fits = v >= 0
	}
	switch {
	case !whole:
		return fmt.Errorf("%s is %s and cannot hold %v: give a whole number, at most 2^53 in size", p.Name, p.Type.GoName(), v)
	case !fits:
		return fmt.Errorf("%s is %s and cannot hold %v: it is out of range", p.Name, p.Type.GoName(), v)
	}
	return nil
}

// setElements makes every element of plane i v, which checkElement has passed.
func setElements(p *engine.Planes, i int, v float64) {
	switch p.Spec[i].Type {
	case ir.Bool:
		fillWith(p.Bytes(i), byte(v))
	case ir.I32:
		fillWith(engine.View[int32](p, i), int32(v))
	case ir.I64:
		fillWith(engine.View[int64](p, i), int64(v))
	case ir.U32:
		fillWith(engine.View[uint32](p, i), uint32(v))
	case ir.U64:
		fillWith(engine.View[uint64](p, i), uint64(v))
	case ir.F32:
		x := float32(v)
		if x != x {
			x = math.Float32frombits(ir.NaN32)
		}
		fillWith(engine.View[float32](p, i), x)
	default:
		if v != v {
			v = math.Float64frombits(ir.NaN64)
		}
		fillWith(engine.View[float64](p, i), v)
	}
}

func fillWith[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// stored says whether Init stores into a plane.
func stored(k *ir.Kernel, plane int) bool {
	return k.Init != nil && slices.ContainsFunc(k.Init.Stores, func(c ir.Cell) bool { return c.Plane == plane })
}

// overwritten says whether Init stores every component of a plane without reading any: what a caller put
// into it would be lost.
func overwritten(k *ir.Kernel, plane int) bool {
	if !stored(k, plane) || loads(&k.Init.Body, plane) {
		return false
	}
	comps := map[int32]bool{}
	for _, c := range k.Init.Stores {
		if c.Plane == plane {
			comps[c.Comp] = true
		}
	}
	return len(comps) == k.Planes[plane].Width()
}

// loads says whether a region reads a plane.
func loads(r *ir.Region, plane int) bool {
	if r == nil {
		return false
	}
	for _, in := range r.Instrs {
		if in.Op == ir.OpLoad && in.Imm == uint64(plane) || loads(in.Then, plane) || loads(in.Else, plane) || loads(in.Body, plane) {
			return true
		}
	}
	return false
}

// writable says whether a run, or Init, changes a plane.
func writable(k *ir.Kernel, plane int) bool {
	role := k.Planes[plane].Role
	return role == ir.RoleState || role == ir.RoleOutput || stored(k, plane)
}
