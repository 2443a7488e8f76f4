package ptxtest

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
	"github.com/eaglet-workbench/eaglet/kernels/library"
	"github.com/eaglet-workbench/eaglet/kernels/oracle"
)

// Random are kernels of random IR, so many from a seed on: every operation, type and shape of control flow.
func Random(first, count uint64) []Case {
	var list []Case
	for seed := first; seed < first+count; seed++ {
		list = append(list, newCase(fmt.Sprintf("random-%d", seed), seed, Case{Kernel: irtest.Kernel(seed, 5+int(seed%60))}))
	}
	return list
}

// newCase fills in what follows from the seed.
func newCase(name string, seed uint64, c Case) Case {
	c.Name, c.Seed, c.N, c.Steps = name, seed, 40+int(seed%31), 1+uint32(seed%5)
	c.Options = ptx.Options{Look: 1 << (seed % 4)}
	return c
}

// Generated are kernels as users write them, so many of each kind from a seed on: plain, with fused
// multiply-adds, and in float32. An error is a source that the compiler refuses.
func Generated(first, count uint64) ([]Case, error) {
	var list []Case
	for _, kind := range []struct {
		name   string
		source func(uint64) []byte
	}{{"plain", oracle.Source}, {"fused", oracle.SourceFMA}, {"single", oracle.SourceF32}} {
		for seed := first; seed < first+count; seed++ {
			name := fmt.Sprintf("%s-%d", kind.name, seed)
			files := []kernels.SourceFile{{Name: name + ".go", Text: kind.source(seed)}}
			k, ds := kernels.LoadSource(files, name)
			if k == nil {
				return nil, fmt.Errorf("%s: %w", name, ds)
			}
			list = append(list, newCase(name, seed, Case{Kernel: k.IR}))
		}
	}
	return list, nil
}

// Library are the bundled kernels, from the values of their init tags and from any; where they have a form
// in float32 and with fused multiply-adds, those too.
func Library() ([]Case, error) {
	var list []Case
	for i, name := range library.Names() {
		files, _ := library.Files(name)
		var sources []kernels.SourceFile
		for _, f := range files {
			sources = append(sources, kernels.SourceFile{Name: f.Name, Text: f.Text})
		}
		for _, o := range []struct {
			title   string
			options kernels.Options
		}{{"", kernels.Options{}}, {"-fused", kernels.Options{FMA: "contract"}}, {"-single", kernels.Options{Precision: "f32"}}} {
			k, ds := kernels.LoadSourceWith(sources, name, o.options)
			if k == nil {
				if o.title == "-single" {
					continue // one that works on the bits of float64
				}
				return nil, fmt.Errorf("%s: %w", name, ds)
			}
			list = append(list,
				newCase(name+o.title, uint64(i), Case{Kernel: k.IR, Defaults: true}),
				newCase(name+o.title+"-wild", uint64(i), Case{Kernel: k.IR}))
		}
	}
	return list, nil
}
