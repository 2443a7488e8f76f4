package library_test

import (
	"encoding/binary"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/library"
)

// load loads a bundled kernel as a user's session would: without an error, and without a warning. It reads
// the folder, since the embedded text is another one in the build that TestBitsWithMathlib makes.
func load(t *testing.T, name string) *kernels.Kernel {
	t.Helper()
	k, ds := kernels.Load("./" + name)
	if len(ds) > 0 {
		_ = ds.Render(os.Stderr, false)
		t.Fatalf("%s does not load without a word", name)
	}
	return k
}

// TestRunsFromDefaults generates a batch from the init tags, runs it to the end on the interpreter, and
// holds every cell against the same samples stepped by the Go compiler's build: the same bits. Where a step
// calls functions of math, this build computes them by Go's math, whose last place may differ: those kernels
// are compared by TestBitsWithMathlib.
func TestRunsFromDefaults(t *testing.T) {
	const n, most = 200, 10000
	for _, name := range library.Names() {
		t.Run(name, func(t *testing.T) {
			k := load(t, name)
			planes := fill(t, k.IR, n)
			native := make([]stepper, n)
			for i := range native {
				native[i] = samples[name]()
				each(k.IR, native[i], func(p, c int, cell reflect.Value) { set(cell, at(k.IR, planes, p, c, i, n)) })
			}
			mask, taken := make([]byte, n), make([]uint32, n)
			interp.Compile(k.IR).NewMachine().Run(&interp.Work{Planes: planes, N: n, Mask: mask, Taken: taken, Next: interp.NewCursor(0, n), Upto: most})

			compared := !fuses(1+0x1p-30, 1-0x1p-30, -1) && (withMathlib() || !callsMath(t, name))
			var sum, longest, missed int
			for i, s := range native {
				sum, longest = sum+int(taken[i]), max(longest, int(taken[i]))
				if mask[i] > 1 {
					t.Fatalf("sample %d faults in step %d", i, taken[i]+1)
				}
				if !compared {
					each(k.IR, s, func(p, c int, cell reflect.Value) { set(cell, at(k.IR, planes, p, c, i, n)) })
				} else {
					stepAlong(t, i, s, int(taken[i]), mask[i] == 1)
				}
				stuck := lost[name] != nil && lost[name](s)
				if (mask[i] == 0) != stuck {
					t.Fatalf("sample %d has mask %d after %d steps; that it cannot finish is %v", i, mask[i], taken[i], stuck)
				}
				if stuck {
					missed++
				}
				each(k.IR, s, func(p, c int, cell reflect.Value) {
					got := at(k.IR, planes, p, c, i, n)
					if cell.CanFloat() && math.IsNaN(cell.Float()) && !stuck {
						t.Errorf("sample %d: %s ends as NaN", i, k.IR.Planes[p].Name)
					}
					if want := get(cell); got != want {
						t.Errorf("sample %d after %d steps: component %d of %s is %#x on the interpreter, %#x native", i, taken[i], c, k.IR.Planes[p].Name, got, want)
					}
				})
			}
			if missed != lostCount[name] {
				t.Errorf("%d samples cannot finish, want %d", missed, lostCount[name])
			}
			t.Logf("%.1f steps a sample, %d at most; bits compared: %v", float64(sum)/n, longest, compared)
		})
	}
}

// fill makes a batch of n samples by the init tags, seed 1, and the kernel's Init.
func fill(t *testing.T, k *ir.Kernel, n int) [][]byte {
	t.Helper()
	planes := make([][]byte, len(k.Planes))
	for i := range k.Planes {
		p := &k.Planes[i]
		count := uint64(n)
		if p.Role == ir.RoleParam {
			count = 1
		}
		planes[i] = make([]byte, int(count)*p.Width()*p.Type.Bytes())
		if err := generate.Fill(p, planes[i], 1, 0, count, count); err != nil {
			t.Fatal(err)
		}
	}
	if init := interp.Compile(k).Init(); init != nil {
		if faults, _ := init.NewMachine().Store(planes, n, interp.NewCursor(0, n), nil); len(faults) > 0 {
			t.Fatalf("Init faults: %v", faults)
		}
	}
	return planes
}

// stepAlong steps a native sample as often as the interpreter did, and checks when it finishes.
func stepAlong(t *testing.T, i int, s stepper, taken int, finishes bool) {
	t.Helper()
	for step := 1; step <= taken; step++ {
		if done := s.Step(); done != (finishes && step == taken) {
			t.Fatalf("sample %d: step %d says %v; on the interpreter it takes %d steps and finishes: %v", i, step, done, taken, finishes)
		}
	}
}

// fuses says whether this build fuses multiply-adds; bits differ from the interpreter's then.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// each hands out every component of every plane as a cell of the struct.
func each(k *ir.Kernel, sample stepper, f func(plane, component int, cell reflect.Value)) {
	for p := range k.Planes {
		component := 0
		var walk func(v reflect.Value)
		walk = func(v reflect.Value) {
			if v.Kind() != reflect.Array {
				f(p, component, v)
				component++
				return
			}
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
		walk(reflect.ValueOf(sample).Elem().FieldByName(k.Planes[p].Field))
	}
}

// at is the bits of component c of sample i in plane p, as they lie in memory.
func at(k *ir.Kernel, planes [][]byte, p, c, i, n int) uint64 {
	if k.Planes[p].Role == ir.RoleParam {
		i, n = 0, 1
	}
	switch k.Planes[p].Type.Bytes() {
	case 1:
		return uint64(planes[p][c*n+i])
	case 4:
		return uint64(binary.NativeEndian.Uint32(planes[p][4*(c*n+i):]))
	}
	return binary.NativeEndian.Uint64(planes[p][8*(c*n+i):])
}

// set stores the bits of a plane's cell in a cell of the struct.
func set(cell reflect.Value, bits uint64) {
	switch cell.Kind() {
	case reflect.Float64:
		cell.SetFloat(math.Float64frombits(bits))
	case reflect.Float32:
		cell.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case reflect.Int32:
		cell.SetInt(int64(int32(bits)))
	case reflect.Int64, reflect.Int:
		cell.SetInt(int64(bits))
	case reflect.Bool:
		cell.SetBool(bits != 0)
	default:
		cell.SetUint(bits)
	}
}

// get is the reverse of set; NaN is one value.
func get(cell reflect.Value) uint64 {
	switch cell.Kind() {
	case reflect.Float64:
		if math.IsNaN(cell.Float()) {
			return ir.NaN64
		}
		return math.Float64bits(cell.Float())
	case reflect.Float32:
		if math.IsNaN(cell.Float()) {
			return uint64(ir.NaN32)
		}
		return uint64(math.Float32bits(float32(cell.Float())))
	case reflect.Int32:
		return uint64(uint32(cell.Int()))
	case reflect.Int64, reflect.Int:
		return uint64(cell.Int())
	case reflect.Bool:
		if cell.Bool() {
			return 1
		}
		return 0
	}
	return cell.Uint()
}
