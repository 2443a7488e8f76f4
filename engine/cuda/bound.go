package cuda

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// bound is a program on a batch. Its methods run one at a time. Everything below the line is of the device's owner.
type bound struct {
	*program
	planes *engine.Planes
	mask   []byte
	taken  []uint32 // of the caller: steps of this run by sample
	keeps  bool     // what Track asked for last

	counters engine.Counters
	faults   faultList

	memory // see memoryOf

	shared  *shared // memory of the host that the device reaches
	control ptx.Control

	held   bool // the caller's copies rest until they are let go
	behind bool // the caller's copies are behind the device's
	fewer  bool // so are the steps taken
	ahead  bool // they may be ahead

	from   uint32 // steps that a live sample has taken, of this run, when nobody stopped a call
	uneven bool   // some live samples have taken another number
	order  order
	block  int // threads of a block of the persistent entry
}

// memory is where a batch lies on the device.
type memory struct {
	heap    heap
	planesA []driver.Address
	maskA   driver.Address
	takenA  driver.Address
	faultsA driver.Address
	mapA    driver.Address // 0 for a kernel without an active set
	deadA   driver.Address
	tilesA  driver.Address
	outA    driver.Address
	ctrlA   driver.Address
}

// controls is a control block with the word that stops lanes behind it, as they lie on the device. The word is in the
// device's memory because every warp looks at it now and then: in memory of the host each look is a round trip over the
// bus, one after the other, which made launches of 1e5 samples 30 times longer (H200).
type controls struct {
	block  ptx.Control
	cancel uint32
}

// shared is memory of the host that copies to and from the device need not stage.
type shared struct {
	control controls
	look    ptx.Control // of the side stream
	stop    uint32      // 1: what the word becomes
}

// Bind attaches the program to planes and mask, which stay the caller's.
func (p *program) Bind(planes *engine.Planes, mask []byte) (engine.Bound, error) {
	err := p.check(planes, mask)
	b := &bound{program: p, planes: planes, mask: mask, keeps: true}
	if err == nil {
		b.block = blockSizes[0]
		err = p.device.do(b.allocate)
	}
	if err == nil {
		_, err = b.Begin(false)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cuda: bind kernel %s: %w", p.kernel.Name, err), b.Close())
	}
	return b, nil
}

// check makes sure that the device can take sizes for granted.
func (p *program) check(planes *engine.Planes, mask []byte) error {
	if planes == nil {
		return errors.New("there are no planes")
	}
	if planes.N < 0 || int64(planes.N) > math.MaxInt32 {
		return fmt.Errorf("the batch has %d samples, want 0 to %d", planes.N, math.MaxInt32)
	}
	if len(mask) != planes.N {
		return fmt.Errorf("the mask has %d bytes for %d samples, want one for each", len(mask), planes.N)
	}
	if len(planes.Spec) != len(p.kernel.Planes) {
		return fmt.Errorf("the batch has %d planes, the kernel %d: make them from the kernel's planes", len(planes.Spec), len(p.kernel.Planes))
	}
	for i := range p.kernel.Planes {
		want, got := &p.kernel.Planes[i], &planes.Spec[i]
		if got.Type != want.Type || got.Width() != want.Width() || (got.Role == ir.RoleParam) != (want.Role == ir.RoleParam) || (got.Role == ir.RoleTable) != (want.Role == ir.RoleTable) {
			return fmt.Errorf("plane %d is %q (%v, width %d, %v), the kernel's is %q (%v, width %d, %v): make them from the kernel's planes",
				i, got.Name, got.Type, got.Width(), got.Role, want.Name, want.Type, want.Width(), want.Role)
		}
		if got, want := len(planes.Bytes(i)), planes.Elements(i)*want.Type.Bytes(); got != want {
			return fmt.Errorf("plane %q has %d bytes, want %d", planes.Spec[i].Name, got, want)
		}
	}
	return nil
}

// allocate takes the memory of the batch, after a look at whether it fits.
func (b *bound) allocate() error {
	n, d := b.planes.N, b.device
	active := b.kernel.Guard == ir.GuardActiveSet
	faulting := len(b.text.Sites) > 0
	each := 1 + 4
	if faulting {
		each += 8
	}
	if active {
		each += 8
	}
	if err := d.room(engine.PlanesBytes(b.planes.Spec, n) + int64(each)*int64(n)); err != nil {
		return err
	}
	at := func(to *driver.Address, bytes int) func() error {
		return func() (err error) { *to, err = b.heap.alloc(d, bytes); return err }
	}
	calls := []func() error{
		b.share,
		at(&b.ctrlA, int(unsafe.Sizeof(controls{}))), at(&b.maskA, n), at(&b.takenA, 4*n),
	}
	b.planesA = make([]driver.Address, len(b.planes.Spec))
	for i := range b.planes.Spec {
		calls = append(calls, at(&b.planesA[i], len(b.planes.Bytes(i))))
	}
	if faulting {
		calls = append(calls, at(&b.faultsA, 8*n))
	}
	if active {
		calls = append(calls, at(&b.mapA, 4*n), at(&b.deadA, 4*n), at(&b.tilesA, 4*(tiles(n)+1)))
	}
	return steps(calls...)
}

// share takes the memory that host and device share.
func (b *bound) share() error {
	p, err := b.device.lib.CuMemHostAlloc(int(unsafe.Sizeof(shared{})))
	if err != nil {
		return err
	}
	b.shared = (*shared)(p)
	*b.shared = shared{stop: 1}
	return nil
}

// cancelA is where the word lies that stops lanes.
func (b *bound) cancelA() driver.Address {
	return b.ctrlA + driver.Address(unsafe.Offsetof(controls{}.cancel))
}

// Begin starts a run from the mask as it is (runner.md, sections 2 and 3), in sample order.
func (b *bound) Begin(keep bool) (engine.Counters, error) {
	err := b.device.do(func() error { return b.begin(keep) })
	if err != nil {
		return b.counters, fmt.Errorf("cuda: begin a run of kernel %s: %w", b.kernel.Name, err)
	}
	return b.counters, nil
}

func (b *bound) begin(keep bool) error {
	if err := b.enter(); err != nil {
		return err
	}
	if err := b.restore(); err != nil {
		return err
	}
	n := b.planes.N
	if !keep {
		b.from, b.fewer = 0, false
		b.resetTaken()
	}
	b.uneven = keep
	b.control = ptx.Control{N: uint32(n), Count: uint32(n), Span: uint32(n), Groups: groupsOf(n)}
	if n > 0 {
		taken, kept := uint64(b.takenA), uint64(0)
		if !b.keeps {
			taken = 0
		}
		if keep {
			kept = 1
		}
		err := b.turn(nil, func() error {
			return b.device.callLoop("begin", b.device.spread(n), 1, uint64(b.ctrlA), uint64(b.maskA), uint64(b.mapA), taken, uint64(n), kept)
		})
		if err != nil {
			return err
		}
	}
	b.counters = engine.Counters{Finished: b.control.Finished, Faulted: b.control.Faulted, Active: uint32(n)}
	b.behind = true
	if err := b.beginFaults(keep); err != nil {
		return err
	}
	return b.leave()
}

// resetTaken begins to count the steps taken, if they are to be kept.
func (b *bound) resetTaken() {
	switch {
	case !b.keeps:
		b.taken = nil
	case b.taken == nil:
		b.taken = make([]uint32, b.planes.N)
	default:
		clear(b.taken)
	}
}

// Resume goes on from planes and mask that were put back, see engine.Resumer.
func (b *bound) Resume(done uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	b.ahead, b.behind = true, false
	b.order.displaced, b.order.stale = false, true // the caller has put everything into sample order
	c, err := b.Begin(true)
	if err != nil {
		return c, err
	}
	b.from, b.uneven = done, false
	b.faults.before = interp.FaultList{}
	for _, f := range faults {
		b.faults.before.Add(interp.Fault(f))
	}
	b.faults.all = b.faults.before
	if b.taken != nil {
		copy(b.taken, taken)
		b.fewer = false
		err = b.device.do(func() error { return b.device.lib.CuMemcpyHtoD(b.takenA, bytesOf(b.taken)) })
	}
	return c, err
}

// Track says whether the runs that follow keep the steps taken.
func (b *bound) Track(on bool) { b.keeps = on }

func (b *bound) Counters() engine.Counters { return b.counters }

// StepsTaken is by sample, as promised; by slot between a reorder and the next Restore. While the batch is held they
// are brought from the device when they are asked for; should that fail, the next call meets it too and says so.
func (b *bound) StepsTaken() []uint32 {
	if b.fewer && b.taken != nil {
		_ = b.device.do(b.downloadTaken)
	}
	return b.taken
}

func (b *bound) downloadTaken() error {
	err := b.device.lib.CuMemcpyDtoH(bytesOf(b.taken), b.takenA)
	b.fewer = b.fewer && err != nil
	return err
}

// ActiveMap is the slots that launches go through; nil for a kernel without an active set.
func (b *bound) ActiveMap() []uint32 {
	if b.mapA == 0 {
		return nil
	}
	list := make([]uint32, b.counters.Active)
	if b.device.do(func() error { return b.device.lib.CuMemcpyDtoH(bytesOf(list), b.mapA) }) != nil {
		return nil
	}
	return list
}

// Hold says whether the caller leaves planes and mask alone, so that the device's copy is the only one that is kept up
// to date; see engine.Holder.
func (b *bound) Hold(on bool) error {
	if on {
		b.held, b.ahead = true, true
		return nil
	}
	err := b.Fetch()
	b.held = false
	return err
}

// Fetch brings planes, mask and steps taken up to date in the caller's memory; see engine.Holder.
func (b *bound) Fetch() error {
	if !b.behind {
		return nil
	}
	if err := b.device.do(b.download); err != nil {
		return fmt.Errorf("cuda: bring back the batch of kernel %s: %w", b.kernel.Name, err)
	}
	return nil
}

// enter brings the caller's planes and mask to the device, where they may have been written.
func (b *bound) enter() error {
	if b.held && !b.ahead {
		return nil
	}
	b.ahead = false
	lib := b.device.lib
	for i, a := range b.planesA {
		if err := lib.CuMemcpyHtoD(a, b.planes.Bytes(i)); err != nil {
			return err
		}
	}
	return lib.CuMemcpyHtoD(b.maskA, b.mask)
}

// leave brings planes and mask back, unless the caller lets them rest.
func (b *bound) leave() error {
	if b.held || !b.behind {
		return nil
	}
	return b.download()
}

func (b *bound) download() error {
	lib := b.device.lib
	for i, a := range b.planesA {
		if !perSample(&b.planes.Spec[i]) {
			continue
		}
		if err := lib.CuMemcpyDtoH(b.planes.Bytes(i), a); err != nil {
			return err
		}
	}
	if err := lib.CuMemcpyDtoH(b.mask, b.maskA); err != nil {
		return err
	}
	if b.taken != nil && b.fewer {
		if err := b.downloadTaken(); err != nil {
			return err
		}
	}
	b.behind = false
	return nil
}

// Close gives planes and mask back in sample order and lets the memory go.
func (b *bound) Close() error {
	err := b.device.do(func() error {
		var errs []error
		if b.order.displaced {
			errs = append(errs, steps(b.enter, b.restore, b.leave))
		}
		errs = append(errs, b.heap.free(b.device))
		if b.shared != nil {
			errs = append(errs, b.device.lib.CuMemFreeHost(unsafe.Pointer(b.shared)))
			b.shared = nil
		}
		return errors.Join(errs...)
	})
	b.planes, b.mask, b.taken = &engine.Planes{}, nil, nil
	b.counters, b.order = engine.Counters{}, order{}
	return err
}
