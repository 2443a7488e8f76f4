// Command host runs eaglet's host engine beside hand-written C (bench/peers) on the same inputs, in one sitting, and
// says how they compare. It knows engines, kernels and the C programs' line protocol; it asserts nothing about speed.
//
//	go run ./bench/host -out bench/results/mine
//
// Read cells.go (what is run), peers.go (the C programs), eaglet.go (the engine), measure.go (how arms take turns),
// tables.go (what is written).
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// config is what the flags say.
type config struct {
	cells   []cell
	fmas    []string
	isa     string
	cc      string
	out     string
	rounds  int
	budget  time.Duration
	only    string
	interp  bool
	verbose bool
}

func main() {
	c, err := parseFlags(os.Args[1:])
	if err == nil {
		err = run(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (*config, error) {
	c := new(config)
	f := flag.NewFlagSet("host", flag.ExitOnError)
	cells := f.String("cells", "O:uniform,O:spread-1000,O:spread-100,S:steps-64,K:orbits", "workloads and how their stops are spread")
	sizes := f.String("n", "1000,10000,100000,1000000", "samples")
	most := f.Int("most-k", 100_000, "most samples of workload K")
	threads := f.String("threads", "", "threads (default: 1 and all)")
	fmas := f.String("fma", "off,contract", "fused multiply-adds")
	f.StringVar(&c.isa, "isa", "auto", "instruction set of the C arms and of eaglet: avx512, avx2, or auto for the best there is")
	f.StringVar(&c.cc, "cc", "gcc", "C compiler")
	f.StringVar(&c.out, "out", "", "folder for JSON lines, the table and the machine's facts (default: only print)")
	f.IntVar(&c.rounds, "rounds", 15, "most times that every arm takes its turn")
	f.DurationVar(&c.budget, "budget", 8*time.Second, "time for the rounds of one cell; there are at least three")
	f.StringVar(&c.only, "only", "", "C arms to run, by their start: tile4,refill (default: all but scalar beyond 1e8 steps)")
	f.BoolVar(&c.interp, "interp", false, "time eaglet's interpreter too, where it takes less than a second or so")
	f.BoolVar(&c.verbose, "v", false, "print every arm of every cell")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	ts := []int{1}
	if n := runtime.NumCPU(); n > 1 {
		ts = append(ts, n)
	}
	if *threads != "" {
		var err error
		if ts, err = numbers(*threads); err != nil {
			return nil, fmt.Errorf("-threads: %w", err)
		}
	}
	ns, err := numbers(*sizes)
	if err != nil {
		return nil, fmt.Errorf("-n: %w", err)
	}
	c.fmas = strings.Split(*fmas, ",")
	for _, fma := range c.fmas {
		if fma != "off" && fma != "contract" {
			return nil, fmt.Errorf("-fma %s: want off or contract", fma)
		}
	}
	if c.cells, err = makeCells(strings.Split(*cells, ","), ns, *most, ts); err != nil {
		return nil, err
	}
	if c.isa == "auto" {
		c.isa = bestISA()
	}
	if c.isa != "avx512" && c.isa != "avx2" {
		return nil, fmt.Errorf("-isa %s: want avx512, avx2 or auto; the C arms need one of them", c.isa)
	}
	return c, nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(s, 64) // so that 1e5 is a number too
		if err != nil || x < 1 || x > 1e9 || x != float64(int(x)) {
			return nil, fmt.Errorf("%q is no whole number from 1 on", s)
		}
		out = append(out, int(x))
	}
	return out, nil
}

// run measures every cell.
func run(c *config) error {
	if err := os.Setenv("EAGLET_HOST", c.isa); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "eaglet-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o, err := openOutput(c)
	if err != nil {
		return err
	}
	for _, fma := range c.fmas {
		p, err := startPeer(c, folder, fma)
		if err != nil {
			return err
		}
		err = runCells(c, o, p, folder, fma)
		if stopped := p.stop(); err == nil {
			err = stopped
		}
		if err != nil {
			return err
		}
	}
	if err := o.costs(); err != nil {
		return err
	}
	return o.close()
}

// runCells measures the cells of one kind of arithmetic. Cells of the same inputs share them.
func runCells(c *config, o *output, p *peer, folder, fma string) error {
	var in *inputs
	for _, cl := range c.cells {
		if in == nil || in.cell.workload != cl.workload || in.cell.dist != cl.dist || in.cell.n != cl.n {
			var err error
			if in, err = p.inputs(cl, folder); err != nil {
				return err
			}
		}
		arms, err := makeArms(c, p, in, cl, fma)
		if err != nil {
			return err
		}
		r, err := measure(c, cl, fma, arms)
		if err != nil {
			return err
		}
		if err := o.add(r); err != nil {
			return err
		}
	}
	return nil
}
