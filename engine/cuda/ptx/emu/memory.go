package emu

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// Memory is the global memory of a device: buffers of the test's own, each at an address.
type Memory struct {
	segments []segment
	next     uint64
	clock    uint64
	launches uint32
}

type segment struct {
	at     uint64
	data   []byte
	frozen []uint32 // by byte: the launch that has last read it through the read-only path
	stored []uint32 // by byte: the launch that has last written it
}

// NewMemory is a memory without buffers.
func NewMemory() *Memory { return &Memory{next: 0x7f0000000000} }

// Map makes data part of the memory and returns its address. Between buffers nothing may be read.
func (m *Memory) Map(data []byte) uint64 {
	at := m.next
	m.next += (uint64(len(data)) + 0xfff) &^ 0xff
	m.segments = append(m.segments, segment{at, data, make([]uint32, len(data)), make([]uint32, len(data))})
	return at
}

// use says how an instruction looks at memory.
type use uint8

const (
	reads     use = iota
	readsOnly     // through the path that promises that nobody writes
	writes
)

// find is the bytes at an address.
func (m *Memory) find(at uint64, size int, how use) ([]byte, error) {
	i := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].at > at }) - 1
	if i >= 0 {
		s := &m.segments[i]
		if off := at - s.at; off+uint64(size) <= uint64(len(s.data)) {
			if at%uint64(size) != 0 {
				return nil, fmt.Errorf("address %#x of %d bytes is not aligned", at, size)
			}
			for i := off; i < off+uint64(size); i++ {
				switch how {
				case readsOnly:
					s.frozen[i] = m.launches
				case writes:
					s.stored[i] = m.launches
				}
				if s.frozen[i] == m.launches && s.stored[i] == m.launches {
					return nil, fmt.Errorf("address %#x is read as read-only memory, and written", at)
				}
			}
			return s.data[off : off+uint64(size)], nil
		}
	}
	return nil, fmt.Errorf("address %#x of %d bytes is in no buffer", at, size)
}

// read and write are little-endian numbers of a width.
func read(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func write(b []byte, x uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
}
