package generate

// philox is the counter-based generator Philox4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011. It maps a counter to four words; the key chooses the map.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	const rounds = 10
	x, y, z, w := counter[0], counter[1], counter[2], counter[3]
	k, l := key[0], key[1]
	for range rounds {
		a := 0xD2511F53 * uint64(x)
		b := 0xCD9E8D57 * uint64(z)
		x, y = uint32(b>>32)^y^k, uint32(b)
		z, w = uint32(a>>32)^w^l, uint32(a)
		k += 0x9E3779B9 // the golden ratio, and sqrt(3)-1 below
		l += 0xBB67AE85
	}
	return [4]uint32{x, y, z, w}
}

// stream is what the values of one component of one plane have in common.
type stream struct {
	key             [2]uint32
	name, component uint32
}

func newStream(seed uint64, plane string, component int) stream {
	return stream{[2]uint32{uint32(seed), uint32(seed >> 32)}, fnv1a(plane), uint32(component)}
}

// draw gives u and v of the sample with the given global index, both in [0, 1).
func (s stream) draw(index uint64) (u, v float64) {
	r := philox([4]uint32{uint32(index), uint32(index >> 32), s.name, s.component}, s.key)
	return unit(r[0], r[1]), unit(r[2], r[3])
}

// unit takes the top 53 of 64 bits to [0, 1).
func unit(low, high uint32) float64 {
	return float64((uint64(high)<<32|uint64(low))>>11) * 0x1p-53
}

// fnv1a is the 32-bit FNV-1a hash of s (Fowler, Noll and Vo).
func fnv1a(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
