package host

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Option is a choice of New.
type Option func(*host)

// WithWorkers makes the team n workers strong; less than 1 gives the default, one per core that Go uses.
// Results do not depend on it.
func WithWorkers(n int) Option { return func(h *host) { h.workers = n } }

// WithBackEnd chooses the back end by its name, one of [BackEnds], instead of EAGLET_HOST.
func WithBackEnd(name string) Option {
	return func(h *host) { h.backEnd = chooseBackEnd("the back end", name, targets) }
}

type host struct {
	workers int
	backEnd backEnd
}

// New makes the engine. Which back end it has, machine code for the best instruction set of this processor or the
// interpreter, is settled here; EAGLET_HOST overrides it with avx512, avx2 or interp. A value that cannot be had is
// an error of Devices and Compile.
func New(opts ...Option) engine.Engine {
	h := &host{backEnd: theBackEnd()}
	for _, o := range opts {
		o(h)
	}
	if h.workers < 1 {
		h.workers = runtime.GOMAXPROCS(0)
	}
	return h
}

func (h *host) Name() string { return "host" }

// Devices lists the one device there is: the processor.
func (h *host) Devices() ([]engine.Device, error) {
	if h.backEnd.err != nil {
		return nil, h.backEnd.err
	}
	cores := "1 core"
	if n := runtime.NumCPU(); n > 1 {
		cores = fmt.Sprintf("%d cores", n)
	}
	name := fmt.Sprintf("%s, %s, %s", processor(), cores, h.backEnd)
	return []engine.Device{{Name: name, Workers: h.workers}}, nil
}

// processor is the maker's name of the CPU where the system tells it, else its architecture.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	return processorName(string(text))
}

// processorName finds the name in the text of /proc/cpuinfo.
func processorName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// Compile makes a program of a verified kernel.
func (h *host) Compile(k *ir.Kernel) (p engine.Program, err error) {
	defer catch("compile", k, &err)
	start := time.Now()
	c, err := h.backEnd.compile(k)
	if err != nil {
		return nil, err
	}
	return &program{kernel: k, code: c, workers: h.workers, built: time.Since(start)}, nil
}

type program struct {
	kernel  *ir.Kernel
	code    code
	workers int
	built   time.Duration
}

func (p *program) Kernel() *ir.Kernel       { return p.kernel }
func (p *program) BuildTime() time.Duration { return p.built }

// Notes says what a user of the program should know: that it is not machine code where that is what the engine
// makes.
func (p *program) Notes() []string {
	if i, ok := p.code.(interpreted); ok && i.refused {
		return []string{fmt.Sprintf("kernel %s runs on the interpreter: %s", p.kernel.Name, i.why)}
	}
	return nil
}
