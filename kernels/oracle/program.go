package oracle

import (
	"bytes"
	"context"
	"embed"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
	"github.com/eaglet-workbench/eaglet/kernels/oracle/native"
)

//go:embed native/*.go
var nativeSource embed.FS

// Unit is one kernel of a [Program].
type Unit struct {
	Name   string
	Kernel *kernels.Kernel
	Mutant Mutant // None, but for tests of the comparison itself
}

// Program is many kernels compiled by the Go compiler.
type Program struct {
	binary string
	units  []Unit
}

// perPackage is how many kernels share a package: compiling has a cost for each.
const perPackage = 24

// Build writes a module with the native form of all units into dir, which is empty, and compiles it once.
// goCommand is the go command. Nothing is downloaded, and the machine's settings of Go play no part.
func Build(goCommand, dir string, units []Unit) (*Program, error) {
	p := &Program{binary: filepath.Join(dir, "program"), units: units}
	w := &moduleWriter{dir: dir}
	w.write("go.mod", "module native.test\n\ngo 1.24\n")
	w.runtime()
	rewrites, errs := make([]*rewritten, len(units)), make([]error, len(units))
	each(len(units), func(i int) { rewrites[i], errs[i] = units[i].native(fmt.Sprintf("k%d__", i)) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var packages []string
	for from := 0; from < len(units); from += perPackage {
		name := fmt.Sprintf("k%d", from/perPackage)
		packages = append(packages, name)
		list := "package " + name + "\n\nimport native__ \"native.test/native\"\n\nvar List = []native__.Kernel{\n"
		for at, r := range rewrites[from:min(from+perPackage, len(units))] {
			for j, text := range r.files {
				w.write(fmt.Sprintf("%s/%d_%d.go", name, from+at, j), fileHead(name)+text)
			}
			list += fmt.Sprintf("\t{func() any { return new(%s) }, %#v},\n", r.sample, r.observables)
		}
		w.write(name+"/list.go", list+"}\n")
	}
	w.write("main.go", mainText(packages))
	if w.err != nil {
		return nil, w.err
	}
	cmd := exec.Command(goCommand, "build", "-buildvcs=false", "-ldflags=-s -w", "-o", p.binary, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOAMD64=v1", "GOOS=", "GOARCH=", "GOEXPERIMENT=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return p, nil
}

// native is the unit's kernel rewritten for the Go compiler.
func (u *Unit) native(prefix string) (*rewritten, error) {
	k := u.Kernel.IR
	r, err := rewrite(u.Kernel.Sources, prefix, k.FMA, k.Precision == ir.F32, runtime.GOARCH != "amd64", u.Mutant)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Name, err)
	}
	if len(k.Observables) != len(r.observables) {
		return nil, fmt.Errorf("%s: eaglet sees %d observables, the source has %v", u.Name, len(k.Observables), r.observables)
	}
	return r, nil
}

// fileHead begins every rewritten file.
func fileHead(name string) string {
	return "package " + name + `

import (
	goMath__ "math"

	mathlib__ "native.test/mathlib"
	native__ "native.test/native"
)

var _, _, _ = goMath__.Sqrt, mathlib__.Sin, native__.Signbit

`
}

func mainText(packages []string) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"log\"\n\t\"os\"\n\n\t\"native.test/native\"\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q\n", "native.test/"+p)
	}
	b.WriteString(")\n\nfunc main() {\n\tvar all []native.Kernel\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\tall = append(all, %s.List...)\n", p)
	}
	b.WriteString("\tif err := native.Serve(all, os.Stdin, os.Stdout); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n")
	return b.String()
}

// moduleWriter writes files below a folder; the first error sticks.
type moduleWriter struct {
	dir string
	err error
}

func (w *moduleWriter) write(name, text string) {
	if w.err != nil {
		return
	}
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err = os.MkdirAll(filepath.Dir(path), 0o755); w.err == nil {
		w.err = os.WriteFile(path, []byte(text), 0o644)
	}
}

// runtime copies package native and mathlib into the module.
func (w *moduleWriter) runtime() {
	entries, err := nativeSource.ReadDir("native")
	w.err = errors.Join(w.err, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			text, err := nativeSource.ReadFile("native/" + e.Name())
			w.err = errors.Join(w.err, err)
			w.write("native/"+e.Name(), string(text))
		}
	}
	for _, f := range mathlib.Sources() {
		w.write("mathlib/"+f.Name, string(f.Text))
	}
}

// patience is how long a program may run: a loop without an end would be a mistake of the comparison.
const patience = 2 * time.Minute

// run runs one batch for each unit; batch i belongs to unit i and takes up to steps[i] steps.
func (p *Program) run(batches []*batch, steps []uint32) ([]*outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary)
	cmd.Env = append(os.Environ(), "GODEBUG=", "GOMAXPROCS=1")
	var requests, stderr bytes.Buffer
	enc := gob.NewEncoder(&requests)
	for i, b := range batches {
		if err := enc.Encode(request(i, b, steps[i])); err != nil {
			return nil, err
		}
	}
	cmd.Stdin, cmd.Stderr = &requests, &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the native program: %w\n%s", err, stderr.String())
	}
	dec := gob.NewDecoder(bytes.NewReader(stdout))
	var out []*outcome
	for i := range batches {
		var a native.Response
		if err := dec.Decode(&a); err != nil {
			return nil, fmt.Errorf("the native program's answer %d: %w", i, err)
		}
		if a.Trouble != "" {
			return nil, fmt.Errorf("%s, compiled natively, panics: %s", p.units[i].Name, a.Trouble)
		}
		out = append(out, &outcome{a.Planes, a.Mask, a.Taken, a.Faulted, a.Observables, a.Panicked})
	}
	return out, nil
}

func request(i int, b *batch, steps uint32) *native.Request {
	q := &native.Request{Kernel: i, N: b.n, Steps: steps, Init: b.k.Init != nil}
	for j := range b.k.Planes {
		p := &b.k.Planes[j]
		q.Planes = append(q.Planes, native.Plane{Field: p.Field, Shared: p.Role == ir.RoleParam || p.Role == ir.RoleTable, Data: b.planes[j]})
	}
	return q
}
