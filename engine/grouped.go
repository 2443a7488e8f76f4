package engine

import "strconv"

// Grouped writes a whole number as a person reads it: 1,048,576.
func Grouped[T int | int64 | uint32 | uint64](n T) string {
	s := strconv.FormatUint(uint64(n), 10)
	sign := ""
	if n < 0 {
		s = strconv.FormatUint(-uint64(n), 10)
		sign = "-"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Counted is a number with its noun, whose plural takes an s: 1 sample, 6,389 samples.
func Counted[T int | int64 | uint32 | uint64](n T, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}
