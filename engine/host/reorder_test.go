package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var _ engine.Reorderer = (*bound)(nil)

// withAllSizes adds to the count kernel state and input planes of every element size and of several
// widths. Every step adds the input to the state, so that a sample that meets a foreign value shows it.
func withAllSizes(k *ir.Kernel) {
	s := &k.Step
	plane := func(name string, t ir.Type, width int, role ir.Role) int {
		p := ir.Plane{Name: name, Field: name, Type: t, Role: role, Init: ir.Init{Args: []float64{0}}}
		if width > 1 {
			p.Dims = []int{width}
		}
		k.Planes = append(k.Planes, p)
		return len(k.Planes) - 1
	}
	for i, t := range []ir.Type{ir.Bool, ir.I32, ir.F32, ir.U64, ir.F64} {
		width, op := 1+i%3, ir.OpAdd
		if t == ir.Bool {
			op = ir.OpXor
		}
		state := plane("sum_"+t.String(), t, width, ir.RoleState)
		input := plane("more_"+t.String(), t, width, ir.RoleInput)
		for c := range int32(width) {
			old, more, sum := s.New(t), s.New(t), s.New(t)
			s.Head.Instrs = append(s.Head.Instrs, &ir.Instr{Op: ir.OpLoad, Type: t, Imm: uint64(input), Comp: c, Results: []ir.Value{more}})
			s.Trip.Instrs = append(s.Trip.Instrs, &ir.Instr{Op: op, Type: t, Args: []ir.Value{old, more}, Results: []ir.Value{sum}})
			s.Trip.Params = append(s.Trip.Params, old)
			s.Trip.Yield = append(s.Trip.Yield, sum)
			s.Carry = append(s.Carry, ir.Cell{Plane: state, Comp: c})
		}
	}
	plane("gain", ir.F64, 2, ir.RoleParam) // this one and the next belong to the batch and stay
	k.Planes[plane("curve", ir.F32, 1, ir.RoleTable)].Len = 5
	f := &ir.Func{Name: "place"}
	x := f.New(ir.F64)
	f.Body.Instrs = []*ir.Instr{{Op: ir.OpLoad, Type: ir.F64, Imm: 0, Results: []ir.Value{x}}}
	f.Body.Yield = []ir.Value{x}
	k.Observables = []*ir.Func{f}
}

// early is spread over few steps, since a batch that reorders is a long one.
func early(rng *rand.Rand) int32 { return 1 + rng.Int32N(20) }

// newSorted is newBatch with planes of all sizes, filled.
func newSorted(t *testing.T, workers, n int, stop stops) *batch {
	t.Helper()
	b := newBatch(t, workers, n, stop, withAllSizes, func(k *ir.Kernel) {
		if err := ir.Verify(k); err != nil {
			t.Fatal(err)
		}
	})
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	nstop := engine.View[int32](b.planes, 2)
	for i := range n { // faults are spread over the whole run
		if rng.IntN(10) == 0 {
			bad := rng.Int32N(nstop[i])
			engine.View[int32](b.planes, 3)[i], engine.View[int32](b.want, 3)[i] = bad, bad
		}
	}
	for i := 4; i < len(b.planes.Spec); i++ {
		bits := b.planes.Bytes(i)
		for e := range b.planes.Elements(i) {
			switch b.planes.Spec[i].Type {
			case ir.Bool:
				bits[e] = byte(rng.IntN(2))
			case ir.F32:
				engine.View[float32](b.planes, i)[e] = rng.Float32()
			case ir.F64:
				engine.View[float64](b.planes, i)[e] = rng.Float64()
			case ir.U64:
				engine.View[uint64](b.planes, i)[e] = rng.Uint64()
			default:
				engine.View[int32](b.planes, i)[e] = rng.Int32()
			}
		}
	}
	return b
}

// twin is the same batch again.
func twin(t *testing.T, b *batch) *bound {
	t.Helper()
	bd, err := b.Bind(b.planes.Clone(), slices.Clone(b.mask))
	if err != nil {
		t.Fatal(err)
	}
	return bd.(*bound)
}

// turn is a launch, and when it was not stopped a compaction and a reorder.
func (b *bound) turn(stop *engine.Stop, upto uint32, theta float32) (launch engine.LaunchStats, reorder engine.ReorderStats, err error) {
	if launch, err = b.Launch(stop, upto); err != nil || launch.Stopped {
		return launch, reorder, err
	}
	if _, err = b.Compact(); err != nil {
		return launch, reorder, err
	}
	reorder, err = b.Reorder(theta)
	return launch, reorder, err
}

// differs says where two batches differ: planes, mask, steps, counters but for the map, faults.
func differs(got, want *bound) error {
	for i := range want.planes.Spec {
		if !bytes.Equal(got.planes.Bytes(i), want.planes.Bytes(i)) {
			for e := range want.planes.Elements(i) {
				if g, w := got.planes.Float(i, e), want.planes.Float(i, e); g != w {
					return fmt.Errorf("plane %s, element %d of %d samples: got %v, want %v", want.planes.Spec[i].Name, e, want.planes.N, g, w)
				}
			}
			return fmt.Errorf("plane %s differs in the bits", want.planes.Spec[i].Name)
		}
	}
	for i := range want.mask {
		if got.mask[i] != want.mask[i] || got.taken[i] != want.taken[i] {
			return fmt.Errorf("sample %d: got mask %d after %d steps, want %d after %d", i, got.mask[i], got.taken[i], want.mask[i], want.taken[i])
		}
	}
	g, w := got.counters, want.counters
	if g.Active = w.Active; g != w {
		return fmt.Errorf("got counters %+v, want %+v", g, w)
	}
	if !slices.Equal(got.Faults(), want.Faults()) {
		return fmt.Errorf("got faults %+v, want %+v", got.Faults(), want.Faults())
	}
	return nil
}

// sorted says what is wrong with the order of a batch after a reorder.
func sorted(b *bound) error {
	o := &b.order
	for slot, sample := range o.perm {
		if int(o.inv[sample]) != slot {
			return fmt.Errorf("sample %d lies in slot %d, inv says %d", sample, slot, o.inv[sample])
		}
	}
	if o.span != b.counters.Active {
		return fmt.Errorf("span %d, want %d live samples", o.span, b.counters.Active)
	}
	for i, slot := range b.ActiveMap() {
		if int(slot) != i || b.mask[i] != 0 || (i > 0 && o.perm[i] < o.perm[i-1]) {
			return fmt.Errorf("place %d of the map: slot %d, mask %d, sample %d", i, slot, b.mask[i], o.perm[i])
		}
	}
	if i := slices.Index(b.mask[o.span:], 0); i >= 0 {
		return fmt.Errorf("slot %d lies behind the span of %d and is live", int(o.span)+i, o.span)
	}
	return nil
}

// reordered runs a batch in turns of word steps up to upto and back to sample order, and its twin without
// a reorder; it says how many reorders there were, and where the two differ.
func reordered(t *testing.T, b *bound, plain *bound, word, upto uint32) (fired int, err error) {
	t.Helper()
	for to := word; to <= upto; to += word {
		_, r, err := b.turn(nil, to, engine.ThetaDefault)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plain.Launch(nil, to); err != nil {
			t.Fatal(err)
		}
		if r.Fired {
			fired++
			if err := sorted(b); err != nil {
				return fired, fmt.Errorf("after %d steps: %w", to, err)
			}
		}
		if got, want := b.Faults(), plain.Faults(); !slices.Equal(got, want) {
			return fired, fmt.Errorf("after %d steps: faults %+v, want %+v", to, got, want)
		}
	}
	if err := b.Restore(); err != nil {
		t.Fatal(err)
	}
	for i, s := range b.order.perm {
		if s != uint32(i) || b.order.inv[i] != s {
			return fired, fmt.Errorf("restored, and slot %d holds sample %d, which lies in slot %d", i, s, b.order.inv[i])
		}
	}
	return fired, differs(b, plain)
}

func TestAReorderedRunHasTheSameBits(t *testing.T) {
	for _, n := range []int{4096, 20000} {
		for _, workers := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(t *testing.T) {
				b := newSorted(t, workers, n, early)
				fired, err := reordered(t, b.bound, twin(t, b), 2, 24)
				if err != nil {
					t.Error(err)
				}
				// Each reorder leaves less than half of its span, and none begins under 4096.
				if want := map[int]int{4096: 1, 20000: 3}[n]; fired != want {
					t.Errorf("%d reorders, want %d", fired, want)
				}
			})
		}
	}
}

func TestAReorderThatForgetsARowFails(t *testing.T) {
	count := 1
	for i := 0; i < count; i++ {
		b := newSorted(t, 2, 4096, early)
		plain := twin(t, b)
		b.keepOrder()
		count = len(b.order.rows)
		b.order.rows = slices.Delete(b.order.rows, i, i+1)
		if fired, err := reordered(t, b.bound, plain, 2, 24); fired == 0 || err == nil {
			t.Errorf("row %d of %d was forgotten in %d reorders, and nobody noticed", i, count, fired)
		}
	}
	// Count's own, state and input of withAllSizes, mask, steps and perm; not its param, nor its table.
	if count != 4+2*(1+2+3+1+2)+3 {
		t.Errorf("%d rows", count)
	}
}

func TestReorderFiresWhen(t *testing.T) {
	at := func(every int) func(int) bool { return func(i int) bool { return i%every == 0 } }
	for _, c := range []struct {
		name  string
		n     int
		theta float32
		live  func(i int) bool
		fires bool
	}{
		{"a batch of 4095 is too short", 4095, 0.5, at(7), false},
		{"a batch of 4096 is long enough", 4096, 0.5, at(7), true},
		{"the live ones lie together", 8192, 0.5, func(i int) bool { return i < 1000 }, false},
		{"the live ones lie anywhere", 8192, 0.5, func(i int) bool { return (uint32(i)*2654435761)>>28 < 4 }, true},
		{"everybody is live", 8192, 0.75, func(int) bool { return true }, false},
		{"nobody is live", 8192, 0.75, func(int) bool { return false }, false},
		{"every group is just half full", 8192, 0.5, at(2), false},
		{"one group is not even half full", 8192, 0.5, func(i int) bool { return i%2 == 0 && i != 320 }, true},
		{"half full is under three quarters", 8192, 0.75, at(2), true},
		{"a quarter full is not under a quarter", 8192, 0.25, at(4), false},
		{"an eighth is", 8192, 0.25, at(8), true},
		// 192 live in 10 groups: 0.6 as a float32 is 0.60000002384, times 320 it is 192.0000076; in float32
		// that would be 192.
		{"the product is taken in float64", 8192, 0.6, func(i int) bool { return i < 320 && i%5 < 3 }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newSorted(t, 2, c.n, never)
			var live, groups, last uint32
			for i := range c.n {
				b.mask[i] = 1
				if c.live(i) {
					b.mask[i] = 0
					live++
					if g := uint32(i/32 + 1); g != last {
						groups, last = groups+1, g
					}
				}
			}
			if _, err := b.Begin(false); err != nil {
				t.Fatal(err)
			}
			if s, err := b.Reorder(0.75); err != nil || s.Fired || s.Count != uint32(c.n) {
				t.Errorf("before a compaction: %+v, %v", s, err)
			}
			if _, err := b.Compact(); err != nil {
				t.Fatal(err)
			}
			s, err := b.Reorder(c.theta)
			want := engine.ReorderStats{Fired: c.fires, Count: live, Live32: groups, Span: uint32(c.n), Theta: c.theta, Wall: s.Wall}
			if err != nil || s != want {
				t.Errorf("got %+v, %v, want %+v", s, err, want)
			}
			if again, _ := b.Reorder(0.75); c.fires && (again.Fired || again.Span != live) {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

func TestReorderDoesNothingWithoutAnActiveSet(t *testing.T) {
	b := newBatch(t, 1, 5000, never, enginetest.WithMask)
	for i := range b.mask {
		b.mask[i] = byte(i % 2)
	}
	if _, err := b.Begin(false); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Reorder(0.75); err != nil || s.Fired {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := b.Restore(); err != nil || b.ActiveMap() != nil {
		t.Errorf("got %v, and a map of %d", err, len(b.ActiveMap()))
	}
}

func TestAStoppedReorderedRunIsConsistent(t *testing.T) {
	const n, word, last = 6000, 3, 24
	for _, c := range []struct {
		reorders, looks int  // the stop comes so many looks after so many reorders
		begin           bool // the run goes on with a new start
	}{{0, 1, false}, {0, 60, true}, {1, 1, true}, {1, 5, false}, {1, 30, true}, {1, 30, false}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			b := newSorted(t, 2, n, early)
			plain := twin(t, b)
			var stop engine.Stop
			w := &watched{code: b.code, at: -1, act: stop.Set}
			p := *b.program
			p.code, b.program = w, &p
			fired, upto := 0, uint32(word)
			for ; ; upto += word {
				if fired == c.reorders && w.at < 0 {
					w.at = w.looks.Load() + int64(c.looks)
				}
				s, r, err := b.turn(&stop, upto, engine.ThetaDefault)
				if err != nil || upto > last {
					t.Fatal("the run ended before the stop", err)
				}
				if s.Stopped {
					break
				}
				if r.Fired {
					fired++
				}
			}
			if err := b.Restore(); err != nil {
				t.Fatal(err)
			}
			b.atStepBoundaries()
			if c.begin {
				if _, err := b.Begin(true); err != nil {
					t.Fatal(err)
				}
			}
			for ; upto <= last; upto += word {
				if _, _, err := b.turn(nil, upto, engine.ThetaDefault); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.Restore(); err != nil {
				t.Fatal(err)
			}
			if _, err := plain.Launch(nil, last); err != nil {
				t.Fatal(err)
			}
			if err := differs(b.bound, plain); err != nil {
				t.Error(err)
			}
		})
	}
}

// atStepBoundaries checks each sample against a plain loop of as many steps as it says to have taken.
func (b *batch) atStepBoundaries() {
	b.t.Helper()
	taken := slices.Clone(b.taken)
	for upto := range slices.Max(taken) + 1 {
		for i := range b.want.N { // the plain loop leaves those alone that have come to their own end
			if taken[i] < upto && b.wantMask[i] == 0 && b.mask[i] == 0 {
				b.wantMask[i] = 9
			}
		}
		b.plain(upto)
	}
	for i := range b.wantMask {
		if b.wantMask[i] == 9 {
			b.wantMask[i] = 0
		}
	}
	for i := range 4 { // the planes of the count kernel
		if !bytes.Equal(b.planes.Bytes(i), b.want.Bytes(i)) {
			b.t.Errorf("plane %s is not that of the steps taken", b.planes.Spec[i].Name)
		}
	}
	if !slices.Equal(taken, b.wantTaken) || !bytes.Equal(b.mask, b.wantMask) {
		b.t.Error("mask and steps do not belong together")
	}
}

func TestRestoreKeepsTheActiveSet(t *testing.T) {
	b := newSorted(t, 2, 5000, early)
	b.displace()
	if err := b.Restore(); err != nil {
		t.Fatal(err)
	}
	slots := make([]uint32, 5000)
	count, groups := compact(b.mask, slots)
	if !slices.Equal(b.ActiveMap(), slots[:count]) || b.groups != groups || b.order.span != 5000 {
		t.Errorf("got %d slots in %d groups over %d, want %d in %d", len(b.ActiveMap()), b.groups, b.order.span, count, groups)
	}
}

// displace reorders a batch.
func (b *batch) displace() {
	b.t.Helper()
	for upto := uint32(2); upto <= 12; upto += 2 {
		if _, _, err := b.turn(nil, upto, engine.ThetaDefault); err != nil {
			b.t.Fatal(err)
		}
	}
	if !b.order.displaced {
		b.t.Fatal("nothing was reordered")
	}
}

func TestObservablesAreBySampleAlsoWhenReordered(t *testing.T) {
	b := newSorted(t, 2, 5000, early)
	b.displace()
	got := make([]float64, 5000)
	if err := b.Observe(0, got); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(got, engine.View[float64](b.planes, 0)) {
		t.Fatal("the fixture shows nothing")
	}
	if err := b.Restore(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, engine.View[float64](b.planes, 0)) {
		t.Error("the values of the observable are not those of plane x")
	}
}

func TestPlanesAreHandedBackInSampleOrder(t *testing.T) {
	for name, end := range map[string]func(*bound) error{
		"when a run begins":          func(b *bound) error { _, err := b.Begin(true); return err },
		"when the bound is closed":   func(b *bound) error { return b.Close() },
		"when they are asked for":    func(b *bound) error { return b.Restore() },
		"whoever asks for them more": func(b *bound) error { b.Restore(); return b.Restore() },
	} {
		t.Run(name, func(t *testing.T) {
			b := newSorted(t, 2, 5000, early)
			plain := twin(t, b)
			planes, mask := b.planes, b.mask
			b.displace()
			if err := end(b.bound); err != nil {
				t.Fatal(err)
			}
			if _, err := plain.Launch(nil, 12); err != nil {
				t.Fatal(err)
			}
			for i := range planes.Spec {
				if !bytes.Equal(planes.Bytes(i), plain.planes.Bytes(i)) {
					t.Errorf("plane %s is out of order", planes.Spec[i].Name)
				}
			}
			if !bytes.Equal(mask, plain.mask) {
				t.Error("the mask is out of order")
			}
		})
	}
}

func TestRowsOfEverySizeMove(t *testing.T) {
	const n, span = 70, 60
	rng := rand.New(rand.NewPCG(4, 4))
	var live []uint32
	for i := range uint32(span) {
		if rng.IntN(3) == 0 {
			live = append(live, i)
		}
	}
	dead := complement(nil, live, span)
	if len(live)+len(dead) != span {
		t.Fatalf("%d live and %d dead slots of %d", len(live), len(dead), span)
	}
	order := slices.Concat(live, dead)
	for i := range uint32(n - span) {
		order = append(order, span+i)
	}
	inverse := make([]uint32, n)
	for i, s := range order {
		inverse[s] = uint32(i)
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		memory := slotsBytes(n * size)
		for i := range memory {
			memory[i] = byte(rng.Uint32())
		}
		was := slices.Clone(memory)
		r := rowOf(memory, size)
		scratch := make([]uint64, r.words())
		r.partition(live, dead, scratch)
		for i, s := range order {
			if got, want := memory[i*size:(i+1)*size], was[int(s)*size:int(s+1)*size]; !bytes.Equal(got, want) {
				t.Fatalf("%d bytes, slot %d: got % x, want % x", size, i, got, want)
			}
		}
		r.gather(inverse, scratch)
		if !bytes.Equal(memory, was) {
			t.Errorf("%d bytes: the way back leads elsewhere", size)
		}
	}
}

// slotsBytes is memory that is aligned for elements of any size.
func slotsBytes(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return scratchOf[byte](words, n)
}
