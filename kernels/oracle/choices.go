package oracle

import (
	"hash/fnv"
	"math/rand/v2"
)

// choices decide what a generated kernel looks like: first the bytes of a fuzzer, then a generator that is
// seeded by them. Equal bytes give equal kernels on every machine.
type choices struct {
	data []byte
	rng  *rand.Rand
}

func newChoices(data []byte) *choices {
	h := fnv.New64a()
	_, _ = h.Write(data)
	return &choices{data, rand.New(rand.NewPCG(h.Sum64(), uint64(len(data))))}
}

// n is a number in [0, k).
func (c *choices) n(k int) int {
	if len(c.data) == 0 {
		return c.rng.IntN(k)
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % k
}

// one says yes once in k times.
func (c *choices) one(k int) bool { return c.n(k) == 0 }

// pick is one of list.
func pick[T any](c *choices, list []T) T { return list[c.n(len(list))] }
