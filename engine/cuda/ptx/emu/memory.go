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
}

type segment struct {
	at   uint64
	data []byte
}

// NewMemory is a memory without buffers.
func NewMemory() *Memory { return &Memory{next: 0x7f0000000000} }

// Map makes data part of the memory and returns its address. Between buffers nothing may be read.
func (m *Memory) Map(data []byte) uint64 {
	at := m.next
	m.next += (uint64(len(data)) + 0xfff) &^ 0xff
	m.segments = append(m.segments, segment{at, data})
	return at
}

// find is the bytes at an address.
func (m *Memory) find(at uint64, size int) ([]byte, error) {
	i := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].at > at }) - 1
	if i >= 0 {
		s := &m.segments[i]
		if off := at - s.at; off+uint64(size) <= uint64(len(s.data)) {
			if at%uint64(size) != 0 {
				return nil, fmt.Errorf("address %#x of %d bytes is not aligned", at, size)
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
