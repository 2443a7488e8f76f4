package host

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestBeginCountsTheMask(t *testing.T) {
	b := newBatch(t, 1, 6, never)
	copy(b.mask, []byte{0, 7, 2, 1, 0, 255})
	b.taken[0] = 9
	b.active[5] = 0
	c, err := b.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	if want := (engine.Counters{Finished: 4, Faulted: 1, Active: 6}); c != want || b.Counters() != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if got := string(b.mask); got != "\x00\x01\x02\x01\x00\x01" {
		t.Errorf("got mask %v", b.mask)
	}
	if b.taken[0] != 9 || b.active[5] != 5 {
		t.Errorf("got %d steps and slot %d, want 9 and 5", b.taken[0], b.active[5])
	}
	if _, err := b.Begin(false); err != nil || b.taken[0] != 0 {
		t.Errorf("%d steps left after a new start, %v", b.taken[0], err)
	}
}

func TestBeginForgetsFaultsOfSamplesTakenBack(t *testing.T) {
	b := newBatch(t, 1, 40, never)
	clear(b.mask)
	bad := engine.View[int32](b.planes, b.planes.Index("bad"))
	for i := range bad {
		bad[i] = -1
	}
	bad[3], bad[30] = 2, 1
	if _, err := b.Begin(false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Launch(nil, 5); err != nil {
		t.Fatal(err)
	}
	if f := b.Faults(); len(f) != 2 || f[0].Sample != 3 || f[1].Sample != 30 {
		t.Fatalf("got faults %+v", f)
	}
	b.mask[3] = 0
	if _, err := b.Begin(true); err != nil {
		t.Fatal(err)
	}
	if f := b.Faults(); len(f) != 1 || f[0].Sample != 30 {
		t.Errorf("got faults %+v after sample 3 was taken back", f)
	}
	if _, err := b.Begin(false); err != nil || len(b.Faults()) != 0 {
		t.Errorf("faults are left after a new start: %+v, %v", b.Faults(), err)
	}
}

func TestCompactListsLiveSlots(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		live   func(i int) bool
		groups uint32
	}{
		{"nobody is left", 100, func(int) bool { return false }, 0},
		{"everybody but one", 100, func(i int) bool { return i != 50 }, 4},
		{"one in the last, short group", 257, func(i int) bool { return i == 256 }, 1},
		{"both sides of a border", 4096, func(i int) bool { return i == 31 || i == 32 }, 2},
		{"one in each group", 4096, func(i int) bool { return i%32 == 5 }, 128},
		{"a single sample", 1, func(int) bool { return false }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBatch(t, 1, c.n, never)
			var want []uint32
			for i := range c.n {
				b.mask[i] = 1
				if c.live(i) {
					b.mask[i] = 0
					want = append(want, uint32(i))
				}
			}
			if _, err := b.Begin(false); err != nil {
				t.Fatal(err)
			}
			s, err := b.Compact()
			if err != nil || !s.Ran || int(s.Active) != len(want) || s.Groups != c.groups {
				t.Fatalf("got %+v, %v, want %d slots in %d groups", s, err, len(want), c.groups)
			}
			for i, slot := range want {
				if b.active[i] != slot {
					t.Fatalf("place %d: got slot %d, want %d", i, b.active[i], slot)
				}
			}
			if again, _ := b.Compact(); again.Ran || again.Active != s.Active {
				t.Errorf("the counter has not moved, and compaction says %+v", again)
			}
		})
	}
}

func TestCompactDoesNothingWhere(t *testing.T) {
	t.Run("the kernel has no active set", func(t *testing.T) {
		b := newBatch(t, 1, 50, never, enginetest.WithMask)
		if s, err := b.Compact(); err != nil || s.Ran || s.Active != 50 {
			t.Errorf("got %+v, %v", s, err)
		}
	})
	t.Run("nobody has finished since the run began", func(t *testing.T) {
		b := newBatch(t, 1, 50, never)
		clear(b.mask)
		if _, err := b.Begin(false); err != nil {
			t.Fatal(err)
		}
		if s, err := b.Compact(); err != nil || s.Ran || s.Active != 50 {
			t.Errorf("got %+v, %v", s, err)
		}
	})
}

func TestLaunchGoesThroughTheActiveMap(t *testing.T) {
	b := newBatch(t, 2, 300, never)
	b.counters.Active = 2
	b.active[0], b.active[1] = 40, 41
	b.mask[40], b.mask[41] = 0, 1
	bad := engine.View[int32](b.planes, b.planes.Index("bad"))
	bad[40] = -1
	s, err := b.Launch(nil, 7)
	if err != nil || s.SampleSteps != 7 || b.taken[40] != 7 {
		t.Errorf("got %+v, %v, sample 40 has taken %d steps", s, err, b.taken[40])
	}
}

func TestCalibrateTouchesNothing(t *testing.T) {
	for _, n := range []int{0, 1, 33, 9000} {
		b := newBatch(t, 2, n, spread)
		compaction, step, err := b.Calibrate()
		if err != nil || compaction <= 0 || step <= 0 {
			t.Errorf("n=%d: got %v, %v, %v", n, compaction, step, err)
		}
		b.check()
		if c, _ := b.Begin(true); c != b.Counters() {
			t.Errorf("n=%d: counters %+v, the mask has %+v", n, b.Counters(), c)
		}
	}
}

func TestFirstSamplesCopiesComponents(t *testing.T) {
	spec := []ir.Plane{
		{Name: "pos", Type: ir.F64, Dims: []int{3}},
		{Name: "dt", Type: ir.F32, Role: ir.RoleParam, Dims: []int{2}},
		{Name: "on", Type: ir.Bool},
	}
	p := engine.NewPlanes(spec, 10)
	for i := range spec {
		for e := range p.Bytes(i) {
			p.Bytes(i)[e] = byte(e + i)
		}
	}
	c := firstSamples(p, 4)
	pos, all := engine.View[float64](c, 0), engine.View[float64](p, 0)
	for comp := range 3 {
		for i := range 4 {
			if pos[comp*4+i] != all[comp*10+i] {
				t.Errorf("component %d of sample %d: got %v, want %v", comp, i, pos[comp*4+i], all[comp*10+i])
			}
		}
	}
	if string(c.Bytes(1)) != string(p.Bytes(1)) || string(c.Bytes(2)) != string(p.Bytes(2)[:4]) {
		t.Errorf("got param % x and bools % x", c.Bytes(1), c.Bytes(2))
	}
}

func TestBindRefuses(t *testing.T) {
	k := enginetest.CountKernel()
	other := append([]ir.Plane(nil), k.Planes...)
	other[1].Type = ir.F32
	for _, c := range []struct {
		name   string
		planes *engine.Planes
		mask   []byte
		want   string
	}{
		{"no planes", nil, nil, "there are no planes"},
		{"a mask of another length", engine.NewPlanes(k.Planes, 5), make([]byte, 4), "the mask has 4 bytes for 5 samples"},
		{"a plane too few", engine.NewPlanes(k.Planes[:2], 5), make([]byte, 5), "the batch has 2 planes, the kernel 4"},
		{"a plane of another type", engine.NewPlanes(other, 5), make([]byte, 5), `plane 1 is "k" (f32, width 1, state), the kernel's is "k" (i32`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := New().Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Bind(c.planes, c.mask)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "host: bind kernel count: ") {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestCompileReportsABrokenKernelAsOurBug(t *testing.T) {
	k := enginetest.CountKernel()
	k.Step.Trip.Instrs = k.Step.Trip.Instrs[1:] // its value is used: the verifier would have said so
	_, err := New().Compile(k)
	if bug, ok := err.(*BugError); !ok || bug.Phase != "compile" {
		t.Errorf("got %v", err)
	}
}

func TestProcessorName(t *testing.T) {
	if got := processorName("processor\t: 0\nmodel name\t: ACME 9000\nmodel name\t: other\n"); got != "ACME 9000" {
		t.Errorf("got %q", got)
	}
	if got := processorName("processor\t: 0\n"); got == "" {
		t.Error("no name without a model name")
	}
	d, err := New(WithWorkers(3)).Devices()
	if err != nil || len(d) != 1 || d[0].Workers != 3 || !strings.HasSuffix(d[0].Name, ", "+theBackEnd().String()) {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestShareGivesEverybodySome(t *testing.T) {
	for _, c := range []struct {
		workers, positions int
		lanes, size        int
	}{
		{1, 10000, 10000, 1},
		{2, 10240, 1280, 2},
		{2, 1000, 120, 2},
		{8, 1000, 32, 8},
		{8, 33, 32, 2},
		{8, 32, 32, 1},
		{8, 0, 32, 1},
		{64, 1 << 20, 4096, 64},
	} {
		tm := newTeam(c.workers)
		lanes := tm.share(c.positions)
		if size := tm.size(c.positions, lanes); lanes != c.lanes || size != c.size {
			t.Errorf("%+v: got %d lanes for each of %d workers", c, lanes, size)
		}
	}
}
