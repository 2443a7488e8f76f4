package generate

import (
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Fill fills count samples of a plane by its init tag. dst holds spec.Width() rows of count elements:
// element c*count+i is component c of sample first+i of a batch of total samples; it is overwritten as a whole.
// What a sample gets depends on its global index, not on first, count or the calls before.
//
// The error says which plane cannot be filled and why: dst of another length, samples beyond the batch, a rule
// that is not one of [ir.Init] or has arguments that it cannot have. dst is untouched then.
//
// Safe for concurrent use on parts of memory that do not overlap.
func Fill(spec *ir.Plane, dst []byte, seed uint64, first, count, total uint64) error {
	if err := check(spec, dst, first, count, total); err != nil {
		return err
	}
	if count == 0 {
		return nil
	}
	size := spec.Type.Bytes()
	row := int(count) * size
	s := new(scratch)
	fill := s.filler(spec.Init, total)
	put := putter(spec.Type, spec.Init)
	for c := range spec.Width() {
		values := newStream(seed, spec.Name, c)
		for done := uint64(0); done < count; done += chunk {
			n := int(min(chunk, count-done))
			if spec.Init.Kind == ir.InitIndex && spec.Type.Integer() {
				putIndices(dst[c*row+int(done)*size:], spec.Type, first+done, n)
				continue
			}
			fill(values, first+done, n)
			put(dst[c*row+int(done)*size:], s.out[:n])
		}
	}
	return nil
}

// check finds what is wrong with the arguments of Fill.
func check(spec *ir.Plane, dst []byte, first, count, total uint64) error {
	if size := spec.Type.Bytes(); size == 0 {
		return fmt.Errorf("plane %s cannot be filled: its type is not one of bool, i32, i64, u32, u64, f32, f64", spec.Name)
	} else if rows := uint64(spec.Width() * size); rows == 0 || uint64(len(dst))%rows != 0 || uint64(len(dst))/rows != count {
		return fmt.Errorf("plane %s cannot be filled: %d samples of %d x %s need %d bytes each, got %d bytes in all", spec.Name, count, spec.Width(), spec.Type, rows, len(dst))
	}
	if first > total || count > total-first {
		return fmt.Errorf("plane %s cannot be filled: samples %d to %d do not lie in a batch of %d", spec.Name, first, first+count, total)
	}
	if !validArgs(spec.Init) {
		return fmt.Errorf("plane %s cannot be filled: its init rule %s does not take the arguments %v", spec.Name, kindName(spec.Init.Kind), spec.Init.Args)
	}
	return nil
}

func kindName(k ir.InitKind) string {
	if k > ir.InitIndex {
		return fmt.Sprintf("of number %d", k)
	}
	return k.String()
}

// validArgs says whether the arguments are those of the rule.
func validArgs(in ir.Init) bool {
	a := in.Args
	for _, x := range a {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	switch in.Kind {
	case ir.InitConst:
		return len(a) <= 1
	case ir.InitUniform:
		return len(a) == 2 && a[0] <= a[1]
	case ir.InitLogUniform:
		return len(a) == 2 && 0 < a[0] && a[0] <= a[1]
	case ir.InitNormal:
		return len(a) == 2 && a[1] >= 0
	case ir.InitLinspace:
		return len(a) == 2
	case ir.InitLogspace:
		return len(a) == 2 && a[0] > 0 && a[1] > 0
	case ir.InitChoice:
		return len(a) >= 1
	case ir.InitIndex:
		return len(a) == 0
	}
	return false
}
