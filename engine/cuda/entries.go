package cuda

import (
	"bytes"
	"debug/elf"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// blockSizes are the threads of a block that are worth trying for the persistent entry. Small blocks give their
// registers back sooner, when the last samples run out.
var blockSizes = []int{32, 128}

// Blocks are the sizes worth trying.
func (b *bound) Blocks() []int { return blockSizes }

// Grid is the number of blocks of a size that the device holds at a time.
func (b *bound) Grid(block int) int {
	grid := 0
	_ = b.device.do(func() (err error) { // a figure for display; a launch asks again, and tells an error
		grid, err = b.grid(block)
		return err
	})
	return grid
}

func (b *bound) grid(block int) (int, error) {
	each, err := b.device.lib.CuOccupancyMaxActiveBlocksPerMultiprocessor(b.entries[ptx.Persistent], block)
	return max(each, 1) * b.device.multiprocessors, err
}

// UseBlock sets the size of the blocks of the persistent launches that follow.
func (b *bound) UseBlock(block int) { b.block = block }

// Resident is the number of threads that the persistent entry has on the device at a time.
func (b *bound) Resident() uint32 {
	most := 0
	for _, block := range blockSizes {
		most = max(most, block*b.Grid(block))
	}
	return uint32(most)
}

// EntryReports says what the driver's compiler made of each entry.
func (b *bound) EntryReports() []engine.EntryReport {
	fused := ptx.Fused
	if b.mapA != 0 {
		fused = ptx.FusedActive
	}
	text := b.textBytes()
	var reports []engine.EntryReport
	err := b.device.do(func() error {
		for _, e := range []struct {
			name  string
			kind  ptx.Kind
			block int
		}{{"fused", fused, fusedBlock}, {"persistent", ptx.Persistent, b.block}} {
			f, lib := b.entries[e.kind], b.device.lib
			registers, err := lib.CuFuncGetAttribute(driver.FunctionRegisters, f)
			if err != nil {
				return err
			}
			local, err := lib.CuFuncGetAttribute(driver.FunctionLocalBytes, f)
			if err != nil {
				return err
			}
			each, err := lib.CuOccupancyMaxActiveBlocksPerMultiprocessor(f, e.block)
			if err != nil {
				return err
			}
			reports = append(reports, engine.EntryReport{
				Entry: e.name, Code: "ptx", Registers: registers, LocalBytes: local,
				TextBytes: text[b.text.Entries[e.kind]], Demand: each * e.block,
			})
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return reports
}

// sizes is the code size of every entry of a text in bytes, of the machine code that the driver makes of it; nil where
// it cannot be read. Only entry reports need it, and it costs a compilation.
func sizes(d *device, text string) map[string]int {
	var cubin []byte
	err := d.do(func() (err error) {
		cubin, err = d.lib.CuLink("eaglet", text)
		return err
	})
	if err != nil {
		return nil
	}
	return textSizes(cubin)
}

// textSizes reads the sizes of the sections .text.NAME of a cubin, which is an ELF file.
func textSizes(cubin []byte) map[string]int {
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil && len(cubin) > 24 {
		patched := bytes.Clone(cubin) // a version of the file that this reader does not know
		patched[20], patched[21], patched[22], patched[23] = 1, 0, 0, 0
		f, err = elf.NewFile(bytes.NewReader(patched))
	}
	if err != nil {
		return nil
	}
	found := map[string]int{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			found[name] = int(s.Size)
		}
	}
	return found
}
