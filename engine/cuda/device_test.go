package cuda

import (
	"os"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// requireDevice skips a test where there is no GPU; EAGLET_REQUIRE=cuda makes that a failure.
func requireDevice(t testing.TB) *device {
	t.Helper()
	d, err := openDevice(0)
	if err != nil {
		if os.Getenv("EAGLET_REQUIRE") == "cuda" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return d
}

func TestOracles(t *testing.T) {
	requireDevice(t)
	enginetest.Run(t, func(*testing.T) engine.Engine { return New() })
}

// machine runs texts on the device, for the oracles of generated code.
type machine struct {
	d       *device
	heap    heap
	buffers []buffer
}

type buffer struct {
	host []byte
	at   uint64
}

func (m *machine) Load(text string) (ptxtest.Program, error) {
	p := &loaded{machine: m, functions: map[string]uintptr{}}
	return p, m.d.do(func() (err error) { p.module, err = m.d.load(text); return err })
}

// Map gives a buffer that was mapped before the address that it has.
func (m *machine) Map(b []byte) uint64 {
	for _, old := range m.buffers {
		if len(b) > 0 && len(b) == len(old.host) && &b[0] == &old.host[0] {
			return old.at
		}
	}
	var at uint64
	err := m.d.do(func() error {
		a, err := m.heap.alloc(m.d, len(b))
		at = uint64(a)
		return err
	})
	if err != nil {
		panic(err)
	}
	m.buffers = append(m.buffers, buffer{b, at})
	return at
}

func (m *machine) Reset() {
	m.buffers = nil
	if err := m.d.do(func() error { return m.heap.free(m.d) }); err != nil {
		panic(err)
	}
}

type loaded struct {
	machine   *machine
	module    uintptr
	functions map[string]uintptr
}

func (p *loaded) Launch(l ptxtest.Launch) error {
	m := p.machine
	return m.d.do(func() error {
		f, ok := p.functions[l.Entry]
		if !ok {
			var err error
			if f, err = m.d.lib.CuModuleGetFunction(p.module, l.Entry); err != nil {
				return err
			}
			p.functions[l.Entry] = f
		}
		for _, b := range m.buffers {
			if err := m.d.lib.CuMemcpyHtoD(driver.Address(b.at), b.host); err != nil {
				return err
			}
		}
		err := steps(
			func() error { return m.d.launch(f, l.GridX, l.GridY, l.Block, l.Args...) },
			func() error { return m.d.lib.CuStreamSynchronize(m.d.stream) },
		)
		for _, b := range m.buffers {
			if err == nil {
				err = m.d.lib.CuMemcpyDtoH(b.host, driver.Address(b.at))
			}
		}
		return err
	})
}

func (p *loaded) Close() error {
	return p.machine.d.do(func() error { return p.machine.d.lib.CuModuleUnload(p.module) })
}

func check(t *testing.T, cases []ptxtest.Case) {
	t.Helper()
	m := &machine{d: requireDevice(t)}
	bad := 0
	for _, c := range cases {
		if err := c.Check(m); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			if bad++; bad == 5 {
				t.Fatal("that is enough")
			}
		}
	}
}

func TestLibraryEqualsInterpreter(t *testing.T) {
	requireDevice(t)
	cases, err := ptxtest.Library()
	if err != nil {
		t.Fatal(err)
	}
	check(t, cases)
}

func TestRandomKernelsEqualInterpreter(t *testing.T) {
	requireDevice(t)
	check(t, ptxtest.Random(0, 150))
}

func TestGeneratedKernelsEqualInterpreter(t *testing.T) {
	requireDevice(t)
	cases, err := ptxtest.Generated(0, 20)
	if err != nil {
		t.Fatal(err)
	}
	check(t, cases)
}

func TestActiveSetKernelsEqualPlainLoops(t *testing.T) {
	if err := ptxtest.CheckActive(&machine{d: requireDevice(t)}, nil); err != nil {
		t.Fatal(err)
	}
}
