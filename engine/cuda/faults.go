package cuda

import (
	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// faulted is the mask byte of a sample that has faulted.
const faulted = 2

// faultList are the first faults of a run: those from before it went on, and those that the device has noted.
type faultList struct{ before, all interp.FaultList }

// beginFaults forgets the faults of samples that are no longer marked as faulted, or all of them.
func (b *bound) beginFaults(keep bool) error {
	old := b.faults.all
	b.faults = faultList{}
	if keep && len(old.All()) > 0 {
		mask := make([]byte, b.planes.N)
		if err := b.device.lib.CuMemcpyDtoH(mask, b.maskA); err != nil {
			return err
		}
		for _, f := range old.All() {
			if mask[f.Sample] == faulted {
				b.faults.before.Add(f)
			}
		}
		b.faults.all = b.faults.before
	}
	if b.faultsA == 0 || b.planes.N == 0 {
		return nil
	}
	return b.device.lib.CuMemsetD8(b.faultsA, 0, 8*b.planes.N)
}

// readFaults takes up what the device has noted since the run began. It is called when samples have faulted, which is
// rare, and reads all of the batch's notes.
func (b *bound) readFaults() error {
	notes, err := b.notes()
	if err != nil {
		return err
	}
	places, err := b.samples()
	if err != nil {
		return err
	}
	b.faults.all = b.faults.before
	for slot, note := range notes {
		if note == 0 {
			continue
		}
		f := b.fault(slot, note)
		if places != nil {
			f.Sample = places[slot]
		}
		b.faults.all.Add(f)
	}
	return nil
}

// notes are what the device wrote where samples faulted, by slot; 0 elsewhere.
func (b *bound) notes() ([]uint64, error) {
	notes := make([]uint64, b.planes.N)
	return notes, b.device.lib.CuMemcpyDtoH(bytesOf(notes), b.faultsA)
}

// fault is what a note says.
func (b *bound) fault(slot int, note uint64) interp.Fault {
	site := b.text.Sites[uint32(note)-1]
	return interp.Fault{Sample: uint32(slot), Step: uint32(note >> 32), Kind: site.Kind, Pos: site.Pos}
}

// Faults are the first faulted samples of the run, by sample, also between a reorder and a Restore.
func (b *bound) Faults() []engine.Fault {
	list := make([]engine.Fault, 0, interp.MaxFaults)
	for _, f := range b.faults.all.All() {
		list = append(list, engine.Fault(f))
	}
	return list
}
