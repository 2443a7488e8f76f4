package barrier

import "math"

// round is one round of Philox4x32 on the counter c with the round's key k: Salmon, Moraes, Dror, Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.
func round(c [4]uint32, k0, k1 uint32) [4]uint32 {
	p0 := uint64(c[0]) * 0xD2511F53
	p1 := uint64(c[2]) * 0xCD9E8D57
	return [4]uint32{uint32(p1>>32) ^ c[1] ^ k0, uint32(p1), uint32(p0>>32) ^ c[3] ^ k1, uint32(p0)}
}

// philox is Philox4x32-10.
func philox(c [4]uint32, k0, k1 uint32) [4]uint32 {
	for range 10 {
		c = round(c, k0, k1)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c
}

// random are a standard normal number (Box, Muller, "A note on the generation of random normal deviates",
// Annals of Mathematical Statistics 29, 1958) and one uniform in [0, 1), for this step of this path.
func (s *Barrier) random() (normal, uniform float64) {
	w := philox([4]uint32{uint32(s.K), 0, uint32(s.Path), uint32(s.Path >> 32)}, uint32(s.Seed), uint32(s.Seed>>32))
	radius := (float64((uint64(w[0])<<32|uint64(w[1]))>>11) + 1) * 0x1p-53 // in (0, 1]
	angle := float64(w[2]) * 0x1p-32
	normal = math.Sqrt(-2*math.Log(radius)) * math.Cos(2*math.Pi*angle)
	uniform = float64(w[3]) * 0x1p-32
	return
}
