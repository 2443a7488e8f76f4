package jit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// batch is everything a run reads and writes.
type batch struct {
	k      *ir.Kernel
	n      int
	planes [][]byte
	mask   []byte
	taken  []uint32
}

func randomBatch(k *ir.Kernel, n int, seed uint64) *batch {
	b := &batch{k: k, n: n, planes: irtest.Planes(k, n, seed), mask: make([]byte, n), taken: make([]uint32, n)}
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range n { // ragged, and some not to be touched
		b.taken[i] = uint32(r.IntN(8))
		b.mask[i] = []byte{0, 0, 0, 0, 1, 2, 7}[r.IntN(7)]
	}
	return b
}

func (b *batch) clone() *batch {
	c := *b
	c.planes = make([][]byte, len(b.planes))
	for i := range b.planes {
		c.planes[i] = bytes.Clone(b.planes[i])
	}
	c.mask, c.taken = bytes.Clone(b.mask), append([]uint32(nil), b.taken...)
	return &c
}

func (b *batch) work(upto uint32) *interp.Work {
	return &interp.Work{Planes: b.planes, N: b.n, Mask: b.mask, Taken: b.taken, Next: interp.NewCursor(0, b.n), Upto: upto}
}

// difference says where two batches differ, "" when they do not.
func (b *batch) difference(want *batch) string {
	for i := range b.planes {
		if !bytes.Equal(b.planes[i], want.planes[i]) {
			s := b.k.Planes[i].Type.Bytes()
			for at := 0; at < len(b.planes[i]); at += s {
				if g, w := b.planes[i][at:at+s], want.planes[i][at:at+s]; !bytes.Equal(g, w) {
					return fmt.Sprintf("plane %s (%v), element %d of n %d: got %x, want %x", b.k.Planes[i].Name, b.k.Planes[i].Type, at/s, b.n, g, w)
				}
			}
		}
	}
	for i := range b.mask {
		if b.mask[i] != want.mask[i] || b.taken[i] != want.taken[i] {
			return fmt.Sprintf("sample %d: mask %d, steps %d, want %d, %d", i, b.mask[i], b.taken[i], want.mask[i], want.taken[i])
		}
	}
	return ""
}

// required says whether tests must run code of a target on the processor itself.
func required(target Target) bool {
	return strings.Contains(os.Getenv("EAGLET_REQUIRE"), target.String())
}

// machines are a new machine for a kernel, for each way of running it here: the processor where it can,
// and for AVX-512 the emulator. None: the processor has no AVX2.
func machines(t testing.TB, x *text) map[string]*Machine {
	t.Helper()
	out := map[string]*Machine{}
	err := Supported(x.target)
	if err != nil && required(x.target) {
		t.Fatal(err)
	}
	if err == nil {
		c, err := x.load()
		if err != nil {
			t.Fatal(err)
		}
		out[x.target.String()] = c.NewMachine()
	}
	if x.target == AVX512 && !raceDetector {
		m := x.newMachine(emulate(x.bytes))
		m.entry = 0x10000
		if x.row1 != nil {
			m.addRowStepper(emulate(x.row1.bytes), 0x20000)
		}
		out["emulated"] = m
	}
	return out
}

func printed(k *ir.Kernel) string {
	var text strings.Builder
	_ = ir.Print(&text, k, false) // a strings.Builder refuses nothing
	return text.String()
}

// agree runs a batch with machine code for some numbers of groups and compares with the interpreter.
func agree(t *testing.T, k *ir.Kernel, start *batch, upto uint32, groups ...int) {
	t.Helper()
	want := start.clone()
	result := *interp.Compile(k).NewMachine().Run(want.work(upto))
	for _, target := range Targets {
		for _, g := range groups {
			x, err := generateGroups(k, target, g)
			if err != nil {
				t.Fatalf("%v: %v:\n%s", target, err, printed(k))
			}
			for way, m := range machines(t, x) {
				got := start.clone()
				r := *m.Run(got.work(upto))
				if d := got.difference(want); d != "" {
					t.Fatalf("%s, %d groups: %s\n%s", way, g, d, printed(k))
				}
				if r != result {
					t.Fatalf("%s, %d groups: the result is %+v, want %+v\n%s", way, g, r, result, printed(k))
				}
			}
		}
	}
}

// seeds are the kernels to try: so many from 0 on, or as EAGLET_FIRST and EAGLET_KERNELS say.
func seeds(t testing.TB, usual uint64) (first, count uint64) {
	t.Helper()
	count = usual
	for name, to := range map[string]*uint64{"EAGLET_FIRST": &first, "EAGLET_KERNELS": &count} {
		if s := os.Getenv(name); s != "" {
			if _, err := fmt.Sscan(s, to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return first, count
}

func TestRandomKernelsEqualInterpreter(t *testing.T) {
	first, count := seeds(t, 400)
	if testing.Short() {
		count = 100
	}
	for seed := first; seed < first+count; seed++ {
		k := irtest.Kernel(seed, 5+int(seed%60))
		agree(t, k, randomBatch(k, 21, seed), 6, 1+int(seed%4))
	}
}

// TestShapesEqualInterpreter runs kernels with groups that take turns in several ways.
func TestShapesEqualInterpreter(t *testing.T) {
	for seed := range uint64(120) {
		k := irtest.Kernel(seed+9000, 5+int(seed%50))
		start := randomBatch(k, 45, seed)
		want := start.clone()
		interp.Compile(k).NewMachine().Run(want.work(9))
		for _, sh := range []shape{{4, 4, 1}, {4, 2, 3}, {3, 3, 7}, {2, 2, 1}, {4, 1, 1}} {
			for _, target := range Targets {
				x, err := generateShape(k, target, sh)
				if err != nil {
					t.Fatal(err)
				}
				for way, m := range machines(t, x) {
					got := start.clone()
					m.Run(got.work(9))
					if d := got.difference(want); d != "" {
						t.Fatalf("seed %d, %s, shape %v: %s\n%s", seed, way, sh, d, printed(k))
					}
				}
			}
		}
	}
}
