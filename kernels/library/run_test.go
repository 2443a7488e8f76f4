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
	"github.com/eaglet-workbench/eaglet/kernels/library/kepler"
	"github.com/eaglet-workbench/eaglet/kernels/library/lorenz"
	"github.com/eaglet-workbench/eaglet/kernels/library/oscillator"
)

// stepper is a sample as Go has it.
type stepper interface{ Step() bool }

// samples makes one native sample of each bundled kernel.
var samples = map[string]func() stepper{
	"kepler":     func() stepper { return new(kepler.Kepler) },
	"lorenz":     func() stepper { return new(lorenz.Lorenz) },
	"oscillator": func() stepper { return new(oscillator.Oscillator) },
}

// load loads a bundled kernel as a user's session would.
func load(t *testing.T, name string) *kernels.Kernel {
	t.Helper()
	files, ok := library.Files(name)
	if !ok {
		t.Fatalf("no kernel %s", name)
	}
	var sources []kernels.SourceFile
	for _, f := range files {
		sources = append(sources, kernels.SourceFile{Name: f.Name, Text: f.Text})
	}
	k, ds := kernels.LoadSource(sources, name)
	if len(ds) > 0 {
		_ = ds.Render(os.Stderr, false)
		t.Fatalf("%s does not load without a word", name)
	}
	return k
}

// TestRunsFromDefaults generates a batch from the init tags, runs it to the end on the interpreter, and
// holds every cell against the same samples stepped by the Go compiler's build: the same bits.
func TestRunsFromDefaults(t *testing.T) {
	const n, most = 200, 10000
	for _, name := range library.Names() {
		t.Run(name, func(t *testing.T) {
			k := load(t, name)
			planes := make([][]byte, len(k.IR.Planes))
			for i := range k.IR.Planes {
				p := &k.IR.Planes[i]
				count := uint64(n)
				if p.Role == ir.RoleParam {
					count = 1
				}
				planes[i] = make([]byte, int(count)*p.Width()*p.Type.Bytes())
				if err := generate.Fill(p, planes[i], 1, 0, count, count); err != nil {
					t.Fatal(err)
				}
			}
			code := interp.Compile(k.IR)
			if init := code.Init(); init != nil {
				if faults, _ := init.NewMachine().Store(planes, n, interp.NewCursor(0, n), nil); len(faults) > 0 {
					t.Fatalf("Init faults: %v", faults)
				}
			}
			native := make([]stepper, n)
			for i := range native {
				native[i] = samples[name]()
				each(k.IR, native[i], func(p, c int, cell reflect.Value) { set(cell, k.IR.Planes[p].Type, at(k.IR, planes, p, c, i, n)) })
			}

			mask, taken := make([]byte, n), make([]uint32, n)
			code.NewMachine().Run(&interp.Work{Planes: planes, N: n, Mask: mask, Taken: taken, Next: interp.NewCursor(0, n), Upto: most})
			longest := uint32(0)
			for i, s := range native {
				if mask[i] != 1 {
					t.Fatalf("sample %d has mask %d after %d steps, want 1: finished", i, mask[i], taken[i])
				}
				longest = max(longest, taken[i])
				for step := uint32(1); !s.Step(); step++ {
					if step == taken[i] {
						t.Fatalf("sample %d is not finished after %d steps, where the interpreter was", i, step)
					}
				}
				each(k.IR, s, func(p, c int, cell reflect.Value) {
					got := at(k.IR, planes, p, c, i, n)
					if math.IsNaN(math.Float64frombits(got)) && k.IR.Planes[p].Type == ir.F64 {
						t.Errorf("sample %d: %s ends as NaN", i, k.IR.Planes[p].Name)
					}
					if want := get(cell); got != want && !fuses(1+0x1p-30, 1-0x1p-30, -1) {
						t.Errorf("sample %d after %d steps: component %d of %s is %#x on the interpreter, %#x native", i, taken[i], c, k.IR.Planes[p].Name, got, want)
					}
				})
			}
			t.Logf("longest sample: %d steps", longest)
		})
	}
}

// fuses says whether this build fuses multiply-adds; bits differ from the interpreter's then.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// each hands out every component of every plane as a cell of the struct.
func each(k *ir.Kernel, sample stepper, f func(plane, component int, cell reflect.Value)) {
	for p := range k.Planes {
		field := reflect.ValueOf(sample).Elem().FieldByName(k.Planes[p].Field)
		if field.Kind() != reflect.Array {
			f(p, 0, field)
			continue
		}
		for c := range field.Len() {
			f(p, c, field.Index(c))
		}
	}
}

// at is the bits of component c of sample i in plane p, as they lie in memory.
func at(k *ir.Kernel, planes [][]byte, p, c, i, n int) uint64 {
	if k.Planes[p].Role == ir.RoleParam {
		i, n = 0, 1
	}
	if k.Planes[p].Type.Bytes() == 4 {
		return uint64(binary.NativeEndian.Uint32(planes[p][4*(c*n+i):]))
	}
	return binary.NativeEndian.Uint64(planes[p][8*(c*n+i):])
}

func set(cell reflect.Value, t ir.Type, bits uint64) {
	if t == ir.F64 {
		cell.SetFloat(math.Float64frombits(bits))
	} else {
		cell.SetInt(int64(int32(bits)))
	}
}

func get(cell reflect.Value) uint64 {
	if cell.Kind() == reflect.Float64 {
		return math.Float64bits(cell.Float())
	}
	return uint64(uint32(cell.Int()))
}
