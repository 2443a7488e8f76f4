package interp

// How wide a strip is. The wider, the less the price of looking up what to do next counts; but the rows
// should stay near the processor, and a trip must end soon after a stop is set.
//
// Measured on an AMD EPYC (Zen 3, 32 KiB first-level and 512 KiB second-level cache), Go 1.26, ns per
// sample-step at the width given: kepler (RKF7(8), 75 rows) 40: 1347, 64: 916, 128: 804, 192: 713, 256: 722,
// 512: 830; lorenz (21 rows) 32: 126, 64: 94, 168: 67, 512: 63; oscillator (15 rows) moves little from 192
// on. So a strip that leaves the first-level cache loses less than one that is narrow.
const (
	nearBytes = 28 << 10  // the rows of a strip, where that leaves it wide enough
	farBytes  = 256 << 10 // the rows of a strip at most
	minWidth  = 32
	goodWidth = 192
	maxWidth  = 512

	// tripWork is the most operations on one lane between two looks at the stop; each takes about 0.7 ns.
	tripWork = 1 << 19
)

// chooseWidth is the number of lanes for a program with so many rows and instructions, a whole number of
// blocks.
func chooseWidth(rows, instructions int) int {
	w := max(nearBytes/(8*rows), min(goodWidth, farBytes/(8*rows)))
	w = min(w, tripWork/max(instructions, 1))
	return min(max(w, minWidth), maxWidth) / lanes * lanes
}

// countNodes is the number of instructions in code, those of both sides of an if included, a loop's once:
// it looks at the stop at every turn.
func countNodes(code []node) int {
	n := len(code)
	for i := range code {
		n += countNodes(code[i].body) + countNodes(code[i].orelse)
	}
	return n
}
