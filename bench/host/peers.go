package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// bestISA is the widest instruction set of this machine that the C arms are written for, "" for none.
func bestISA() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return "avx512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "avx2"
	}
	return ""
}

// peersFolder is where the C sources lie.
func peersFolder() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "peers")
}

// compileFlags are gcc's for an instruction set.
func compileFlags(isa string) []string {
	if isa == "avx2" {
		return []string{"-O3", "-march=x86-64-v3", "-mtune=native", "-DAVX2"}
	}
	return []string{"-O3", "-march=native"}
}

// peer is a running C program; its protocol is described in peers/cpu.c.
type peer struct {
	label string // nofma, fma
	flags []string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
}

// startPeer compiles and starts the C arms of one kind of arithmetic.
func startPeer(c *config, folder, fma string) (*peer, error) {
	label, contract := "nofma", "off"
	if fma == "contract" {
		label, contract = "fma", "fast"
	}
	p := &peer{label: label, flags: append(compileFlags(c.isa), "-ffp-contract="+contract)}
	object, program := filepath.Join(folder, "workloads.o"), filepath.Join(folder, "cpu-"+label)
	for _, args := range [][]string{
		append(append([]string{}, compileFlags(c.isa)...), "-ffp-contract=off", "-c", "workloads.c", "-o", object),
		append(append([]string{}, p.flags...), "cpu.c", object, "-o", program, "-lm", "-lpthread"),
	} {
		cc := exec.Command(c.cc, args...)
		cc.Dir = peersFolder()
		if text, err := cc.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s", c.cc, strings.Join(args, " "), err, text)
		}
	}
	p.cmd = exec.Command(program, label, "serve")
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *peer) stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// ask sends a line and returns the answer.
func (p *peer) ask(format string, args ...any) (string, error) {
	line := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return "", fmt.Errorf("the C arms, %s: %w", line, err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the C arms, %s: %w", line, err)
	}
	answer = strings.TrimSpace(answer)
	if text, bad := strings.CutPrefix(answer, "error "); bad {
		return "", fmt.Errorf("the C arms, %s: %s", line, text)
	}
	return answer, nil
}

// inputs are the initial planes of a cell, and what the scalar reference makes of them, as C has them.
type inputs struct {
	cell      cell
	planes    [][]float64 // om, ze, x, v, nstop; or y, 6 planes
	reference [][]float64 // x, v, k; or y, 6 planes, t, h, k. nil: too long to wait for
}

// mostReference is the most samples that the scalar reference is run on.
const mostReference = 10_000

func (p *peer) inputs(c cell, folder string) (*inputs, error) {
	if _, err := p.ask("cell %s %s %d", c.workload, c.dist, c.n); err != nil {
		return nil, err
	}
	in, rows, results := &inputs{cell: c}, 5, 3
	if c.workload == "K" {
		rows, results = 6, 9
	}
	var err error
	if in.planes, err = p.planes("inputs", folder, c.n, rows); err != nil {
		return nil, err
	}
	if c.n <= mostReference {
		in.reference, err = p.planes("reference", folder, c.n, results)
	}
	return in, err
}

// planes has the C program write planes of n numbers and reads them.
func (p *peer) planes(what, folder string, n, rows int) ([][]float64, error) {
	path := filepath.Join(folder, "planes")
	if _, err := p.ask("%s %s", what, path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) != 8*n*rows {
		return nil, fmt.Errorf("the C arms, %s: %d bytes, want %d planes of %d numbers", what, len(data), rows, n)
	}
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, n)
		for j := range out[i] {
			out[i][j] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*(i*n+j):]))
		}
	}
	return out, nil
}

// scalarSteps is the number of sample-steps beyond which the scalar arm is left out.
const scalarSteps = 1e8

// arms are the C arms of a cell.
func (p *peer) arms(c *config, in *inputs, cl cell) ([]arm, error) {
	names, err := p.ask("arms %s", cl.workload)
	if err != nil {
		return nil, err
	}
	useful := 500 * float64(cl.n)
	if cl.workload != "K" {
		useful = sum(in.planes[4])
	}
	var out []arm
	for _, name := range strings.Fields(names) {
		if c.only != "" && cl.workload != "S" && !startsWithAny(name, strings.Split(c.only, ",")) || c.only == "" && name == "scalar" && useful > scalarSteps {
			continue
		}
		out = append(out, arm{
			name: "c-" + name + "-" + p.label,
			turn: func() (outcome, error) { return p.turn(name, cl.threads) },
		})
	}
	return out, nil
}

func startsWithAny(name string, starts []string) bool {
	for _, s := range starts {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

func (p *peer) turn(name string, threads int) (outcome, error) {
	answer, err := p.ask("run %s %d", name, threads)
	if err != nil {
		return outcome{}, err
	}
	var ms, cpu, useful, worst float64
	var steps, bits int
	if _, err := fmt.Sscan(answer, &ms, &cpu, &useful, &steps, &bits, &worst); err != nil {
		return outcome{}, fmt.Errorf("the C arm %s: %q: %w", name, answer, err)
	}
	return outcome{
		wall: time.Duration(ms * float64(time.Millisecond)), cpu: time.Duration(cpu * float64(time.Millisecond)), useful: useful, stepsDiffer: steps, bitsDiffer: bits,
	}, nil
}

func sum(row []float64) (s float64) {
	for _, x := range row {
		s += x
	}
	return s
}
