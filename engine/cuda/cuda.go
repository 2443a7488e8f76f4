package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Option is a choice of New.
type Option func(*cuda)

// WithDevice chooses a device by its number in the driver's list; 0 is the default.
func WithDevice(number int) Option { return func(c *cuda) { c.number = number } }

type cuda struct{ number int }

// New makes the engine. Nothing is opened before it is asked for something.
func New(opts ...Option) engine.Engine {
	c := &cuda{}
	for _, o := range opts {
		o(c)
	}
	return c
}

func (c *cuda) Name() string { return "cuda" }

// Devices lists the GPUs, the one that the engine runs on first. The error says what is missing.
func (c *cuda) Devices() ([]engine.Device, error) {
	lib, err := library()
	if err != nil {
		return nil, err
	}
	n, err := lib.CuDeviceGetCount()
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	if c.number < 0 || c.number >= n {
		return nil, fmt.Errorf("cuda: device %d: %w: there are %d, the first is number 0", c.number, engine.ErrNoDevice, n)
	}
	var list []engine.Device
	for i := range n {
		d, err := describe(lib, (c.number+i)%n)
		if err != nil && i == 0 {
			return nil, err
		}
		if err == nil {
			list = append(list, engine.Device{Name: d.name, Workers: d.multiprocessors})
		}
	}
	return list, nil
}

// Compile makes a program of a verified kernel.
func (c *cuda) Compile(k *ir.Kernel) (engine.Program, error) {
	start := time.Now()
	d, err := openDevice(c.number)
	if err != nil {
		return nil, err
	}
	text, err := ptx.Generate(k, ptx.Options{})
	if err != nil {
		return nil, fmt.Errorf("cuda: compile kernel %s: %w", k.Name, err)
	}
	p := &program{kernel: k, device: d, text: text, entries: map[ptx.Kind]uintptr{}}
	if err := d.do(p.load); err != nil {
		return nil, fmt.Errorf("cuda: compile kernel %s: %w", k.Name, err)
	}
	runtime.AddCleanup(p, func(module uintptr) {
		go func() { _ = d.do(func() error { return d.lib.CuModuleUnload(module) }) }() // nobody is left to tell
	}, p.module)
	p.textBytes = sync.OnceValue(func() map[string]int { return sizes(d, text.Text) })
	p.built = time.Since(start)
	return p, nil
}

type program struct {
	kernel  *ir.Kernel
	device  *device
	text    *ptx.Module
	built   time.Duration
	module  uintptr
	entries map[ptx.Kind]uintptr
	observe []uintptr

	textBytes func() map[string]int // code size by entry
}

// load brings the text to the device; the owner calls it.
func (p *program) load() (err error) {
	lib := p.device.lib
	if p.module, err = p.device.load(p.text.Text); err != nil {
		return err
	}
	for kind, name := range p.text.Entries {
		if p.entries[kind], err = lib.CuModuleGetFunction(p.module, name); err != nil {
			return err
		}
	}
	for _, name := range p.text.Observables {
		f, err := lib.CuModuleGetFunction(p.module, name)
		if err != nil {
			return err
		}
		p.observe = append(p.observe, f)
	}
	return nil
}

func (p *program) Kernel() *ir.Kernel       { return p.kernel }
func (p *program) BuildTime() time.Duration { return p.built }
