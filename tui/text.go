package tui

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/eaglet-workbench/eaglet/engine"
)

// counted writes n with its noun: "1 launch", "2 launches".
func counted[T int | int64 | uint32 | uint64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return engine.Grouped(n) + " " + many
}

// short writes n in at most five cells: 812, 10.0k, 2.10M.
func short[T int | int64 | uint32 | uint64](n T) string {
	f := float64(n)
	for _, u := range []struct {
		unit string
		size float64
	}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if f >= u.size {
			return strconv.FormatFloat(f/u.size, 'g', 3, 64) + u.unit
		}
	}
	return strconv.FormatInt(int64(n), 10)
}

// figure writes v with three significant digits and no padded exponent: 0.125, 35, 1.78e-4, inf.
func figure(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return map[bool]string{true: "inf", false: "-inf"}[v > 0]
	}
	return digits(v, 3)
}

// digits writes a finite v with n significant digits and no padded exponent.
func digits(v float64, n int) string {
	s := strconv.FormatFloat(v, 'g', n, 64)
	if a := math.Abs(v); a < 1e-3 && a > 0 {
		s = strconv.FormatFloat(v, 'e', n-1, 64)
	}
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		n, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(n)
	}
	return s
}

// apart writes v like figure, but with as many digits as it takes to tell it from another figure beside it.
func apart(v, from float64) string {
	n := 3
	for v != from && n < 17 && digits(v, n) == digits(from, n) {
		n++
	}
	return digits(v, n)
}

// share writes part of whole in per cent; a share that is neither nothing nor all is never shown as one.
func share[T int | int64 | uint32 | uint64](part, whole T) string {
	if whole == 0 {
		return "-"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case part != 0 && p < 0.1:
		return "<0.1 %"
	case part != whole && p > 99.9:
		return ">99.9 %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// elapsed writes a duration with its unit and three digits or so.
func elapsed(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + elapsed(-max(d, -math.MaxInt64)) // the least duration has no opposite
	case d < time.Microsecond:
		return strconv.FormatInt(int64(d), 10) + " ns"
	case d < time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e3, 'g', 3, 64) + " us"
	case d < time.Second:
		return strconv.FormatFloat(float64(d)/1e6, 'g', 3, 64) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min " + strconv.Itoa(int(d.Seconds())%60) + " s"
	}
	return strconv.Itoa(int(d.Hours())) + " h " + strconv.Itoa(int(d.Minutes())%60) + " min"
}

// rate writes a number per second: "4.10 M sample-steps/s".
func rate(count uint64, d time.Duration, what string) string {
	if d <= 0 {
		return "-"
	}
	return short(uint64(float64(count)/d.Seconds())) + " " + what + "/s"
}

// printable returns the rune that stands for r on screen and its width in cells. Control characters, marks,
// joiners, emoji and everything else on whose width terminals disagree become '?'; so text from a user's
// file can neither move the cursor nor break a line.
func printable(r rune, asciiOnly bool) (rune, int) {
	switch {
	case r >= 0x20 && r < 0x7f:
		return r, 1
	case r == 'µ' && asciiOnly: // of the durations that others write
		return 'u', 1
	case asciiOnly, r < 0xa0, r >= 0x1f000, !unicode.IsPrint(r), unicode.Is(unicode.M, r),
		unicode.In(r, unicode.Hangul) && r < 0xac00:
		return '?', 1
	}
	s := string(r)
	w := ansi.StringWidthWc(s)
	if w < 1 || w > 2 || w != ansi.StringWidth(s) {
		return '?', 1
	}
	return r, w
}

// width is the number of cells that text takes on a canvas.
func width(text string) int {
	n := 0
	for _, r := range text {
		_, w := printable(r, false)
		n += w
	}
	return n
}

// cut shortens text to at most n cells; what was cut off is marked by "~".
func cut(text string, n int) string {
	if width(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	return prefix(text, n-1) + "~"
}

// prefix is the longest beginning of text that takes at most n cells.
func prefix(text string, n int) string {
	used := 0
	for i, r := range text {
		_, w := printable(r, false)
		if used += w; used > n {
			return text[:i]
		}
	}
	return text
}

// wrap breaks text at spaces into lines of at most n cells; a longer word is broken where it must be.
func wrap(text string, n int) []string {
	if n < 1 {
		return nil
	}
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(text) {
		for width(word) > n {
			if used > 0 {
				lines, line, used = append(lines, line), "", 0
			}
			head := prefix(word, n)
			if head == "" { // a wide character and n is 1
				return lines
			}
			lines, word = append(lines, head), word[len(head):]
		}
		w := width(word)
		switch {
		case used == 0:
			line, used = word, w
		case used+1+w <= n:
			line, used = line+" "+word, used+1+w
		default:
			lines, line, used = append(lines, line), word, w
		}
	}
	if used > 0 {
		lines = append(lines, line)
	}
	return lines
}
