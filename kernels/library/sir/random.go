package sir

// SplitMix64 as a counter-based generator: number n of a stream is a hash of the stream's key plus n times
// an odd constant. Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; the
// constants of its function mix64 are variant 13 of Stafford.

const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream is the key of a sample: number sample+1 of the sequence of the seed, mixed once more so that keys
// do not differ by multiples of the constant.
func stream(seed, sample uint64) uint64 { return mix(mix(seed + (sample+1)*golden)) }

// draw is number n of a stream, n >= 1.
func draw(key, n uint64) uint64 { return mix(key + n*golden) }

// unit maps 64 random bits to (0, 1]: never 0, so that its logarithm is finite.
func unit(bits uint64) float64 { return (float64(bits>>11) + 1) * 0x1p-53 }
