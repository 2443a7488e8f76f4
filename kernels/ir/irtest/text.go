package irtest

import (
	"math/rand/v2"
	"strings"
)

// Scramble changes a few tokens of a text that Print gave: drops one, doubles one, or puts another token of
// the text, of the same kind if it can, in its place. Some results still read and verify, as other kernels.
func Scramble(r *rand.Rand, text string) string {
	tokens := strings.SplitAfter(text, " ")
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(tokens)), r.IntN(len(tokens))
		for try := 0; try < 50 && tokens[i][:1] != tokens[j][:1]; try++ {
			j = r.IntN(len(tokens))
		}
		switch r.IntN(8) {
		case 0:
			tokens[i] = " "
		case 1:
			tokens[i] += tokens[i]
		default:
			tokens[i] = tokens[j]
		}
	}
	return strings.Join(tokens, "")
}
