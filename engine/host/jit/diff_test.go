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

// requireNative says whether the code must run on the processor itself.
func requireNative() bool { return strings.Contains(os.Getenv("EAGLET_REQUIRE"), "avx512") }

// machines are a new machine for a kernel, for each way of running it here: the emulator, and the
// processor where it can.
func machines(t testing.TB, x *text) map[string]*Machine {
	t.Helper()
	out := map[string]*Machine{}
	err := Supported()
	if err != nil && requireNative() {
		t.Fatal(err)
	}
	if err == nil {
		c, err := x.load()
		if err != nil {
			t.Fatal(err)
		}
		out["native"] = c.NewMachine()
	}
	m := x.newMachine(emulate(x.bytes))
	m.entry = 0x10000
	out["emulated"] = m
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
	for _, g := range groups {
		x, err := generateGroups(k, g)
		if err != nil {
			t.Fatalf("%v:\n%s", err, printed(k))
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

func TestRandomKernelsEqualInterpreter(t *testing.T) {
	refused, ran := 0, 0
	count := uint64(400)
	if s := os.Getenv("EAGLET_KERNELS"); s != "" {
		fmt.Sscan(s, &count)
	}
	if testing.Short() {
		count = 100
	}
	first := uint64(0)
	if s := os.Getenv("EAGLET_FIRST"); s != "" {
		fmt.Sscan(s, &first)
	}
	for seed := first; seed < first+count; seed++ {
		k := irtest.Kernel(seed, 5+int(seed%60))
		if _, err := generateGroups(k, 1); err != nil {
			refused++
			continue
		}
		ran++
		agree(t, k, randomBatch(k, 21, seed), 6, 1+int(seed%4))
	}
	t.Logf("%d ran, %d refused", ran, refused)
	if refused > ran/2 {
		t.Errorf("%d kernels have no code, %d ran", refused, ran)
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
			x, err := generateShape(k, sh)
			if err != nil {
				continue
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
