package cuda

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// stray is a kernel that writes where nothing is.
const stray = `.version 7.0
.target sm_70
.address_size 64
.visible .entry stray(.param .u64 at) {
	.reg .b64 %a;
	ld.param.u64 %a, [at];
	st.global.u32 [%a], 1;
	ret;
}
`

// TestLostDeviceIsToldAndTheBatchStays breaks a device's context, which nothing in the process can mend: it runs in a
// process of its own.
func TestLostDeviceIsToldAndTheBatchStays(t *testing.T) {
	d := requireDevice(t)
	if os.Getenv("EAGLET_LOSE_DEVICE") == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), "EAGLET_LOSE_DEVICE=1")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	b, err := enginetest.CountWorkload().NewBatch(New(), 1000, enginetest.Uniform, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	before, mask := b.Planes.Clone(), slices.Clone(b.Mask)
	err = d.do(func() error {
		module, err := d.load(stray)
		if err != nil {
			return err
		}
		f, err := d.lib.CuModuleGetFunction(module, "stray")
		if err != nil {
			return err
		}
		return steps(func() error { return d.launch(f, 1, 1, 1, 64) }, func() error { return d.lib.CuStreamSynchronize(d.stream) })
	})
	if !errors.Is(err, engine.ErrDeviceLost) {
		t.Fatalf("a write to nowhere gave %v", err)
	}
	if _, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 200}); !errors.Is(err, engine.ErrDeviceLost) {
		t.Errorf("a run on a lost device gave %v", err)
	}
	for i := range before.All() {
		if !slices.Equal(before.Bytes(i), b.Planes.Bytes(i)) {
			t.Errorf("plane %s is not as it was", before.Spec[i].Name)
		}
	}
	if !slices.Equal(mask, b.Mask) {
		t.Error("the mask is not as it was")
	}
}

// TestStopEndsALongLaunch stops launches that would take minutes. How long it took is logged, not judged.
func TestStopEndsALongLaunch(t *testing.T) {
	requireDevice(t)
	for _, entry := range []engine.Entry{engine.EntryFused, engine.EntryPersistent} {
		b, err := enginetest.CountWorkload().NewBatch(New(), 1_000_000, enginetest.Never, 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		stop := new(engine.Stop)
		asked := make(chan time.Time, 1)
		begun := engine.NewOnlooker(func(engine.Boundary) {
			time.AfterFunc(20*time.Millisecond, func() {
				asked <- time.Now()
				stop.Set()
			})
		})
		begun.Ask()
		rep, err := b.Run(stop, engine.RunOptions{MaxSteps: 1 << 30, Entry: entry, Policy: engine.PolicyAuto, Onlooker: begun})
		if err != nil || rep.Status != "cancelled" || rep.SampleSteps == 0 {
			t.Fatalf("%v: %+v, %v", entry, rep, err)
		}
		t.Logf("%v: the run of %d sample-steps, with the batch brought back, ended %v after the stop", entry, rep.SampleSteps, time.Since(<-asked))
		if err := b.Bound.Close(); err != nil {
			t.Error(err)
		}
	}
}
