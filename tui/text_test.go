package tui

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestNumbersOnScreen(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"digits are grouped by three", engine.Grouped(1_234_567), "1,234,567"},
		{"three digits stay together", engine.Grouped(999), "999"},
		{"a negative number is grouped", engine.Grouped(-10_000), "-10,000"},
		{"one is singular", counted(1, "step", "steps"), "1 step"},
		{"none is plural", counted(0, "step", "steps"), "0 steps"},
		{"a large count is short", short(2_100_000), "2.1M"},
		{"a small count is whole", short(812), "812"},
		{"three significant digits", figure(0.12345), "0.123"},
		{"an exponent is not padded", figure(1.78125e-4), "1.78e-4"},
		{"below a thousandth there is an exponent", figure(0.000499), "4.99e-4"},
		{"what must differ gets the digits for it", apart(0.12487, 0.125), "0.1249"},
		{"what differs anyway keeps three", apart(0.25, 0.125), "0.25"},
		{"equal figures are equal", apart(0.125, 0.125), "0.125"},
		{"infinity is a word", figure(math.Inf(1)), "inf"},
		{"NaN is a word", figure(math.NaN()), "NaN"},
		{"a share has one digit", share(2110, 10_000), "21.1 %"},
		{"one of many is not nothing", share(1, 10_000), "<0.1 %"},
		{"all but one is not all", share(9_999, 10_000), ">99.9 %"},
		{"nothing is nothing", share(0, 10_000), "0.0 %"},
		{"all is all", share(5, 5), "100.0 %"},
		{"an empty batch has no share", share(0, 0), "-"},
		{"microseconds have their unit", elapsed(12 * time.Microsecond), "12 us"},
		{"seconds have two digits behind the point", elapsed(1234 * time.Millisecond), "1.23 s"},
		{"minutes are written out", elapsed(200 * time.Second), "3 min 20 s"},
		{"the least duration has a sign too", elapsed(math.MinInt64), "-2562047 h 47 min"},
		{"hours are written out", elapsed(2*time.Hour + 5*time.Minute), "2 h 5 min"},
		{"a rate is per second", rate(41_000_000, 10*time.Second, "sample-steps"), "4.1M sample-steps/s"},
		{"no time gives no rate", rate(1, 0, "steps"), "-"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     rune
		ascii bool
		want  rune
		cells int
	}{
		{"a letter is itself", 'x', false, 'x', 1},
		{"escape cannot reach the terminal", 0x1b, false, '?', 1},
		{"a C1 control cannot either", 0x9b, false, '?', 1},
		{"a line end cannot break a line", '\n', false, '?', 1},
		{"an umlaut is itself", 'ä', false, 'ä', 1},
		{"an umlaut is not ASCII", 'ä', true, '?', 1},
		{"a micro sign has a letter instead", 'µ', true, 'u', 1},
		{"a Chinese character takes two cells", '步', false, '步', 2},
		{"a combining mark has no cell", 0x301, false, '?', 1},
		{"a zero-width joiner has none either", 0x200d, false, '?', 1},
		{"terminals disagree on emoji", 0x1f600, false, '?', 1},
		{"a direction override cannot turn a line round", 0x202e, false, '?', 1},
	} {
		if r, n := printable(c.r, c.ascii); r != c.want || n != c.cells {
			t.Errorf("%s: got %q of %d cells, want %q of %d", c.name, r, n, c.want, c.cells)
		}
	}
}

func TestCutAndWrapKeepTheirWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "n")
		if c := cut(text, n); width(c) > n {
			t.Fatalf("cut(%q, %d) = %q has %d cells", text, n, c, width(c))
		}
		for _, line := range wrap(text, max(n, 2)) {
			if width(line) > max(n, 2) {
				t.Fatalf("wrap(%q, %d) has a line of %d cells: %q", text, n, width(line), line)
			}
		}
	})
	if got := strings.Join(wrap("nearest power of two", 9), "|"); got != "nearest|power of|two" {
		t.Errorf("wrap breaks at spaces: %q", got)
	}
	if got := strings.Join(wrap("abcdefgh ij", 3), "|"); got != "abc|def|gh|ij" {
		t.Errorf("wrap breaks a word that is too long: %q", got)
	}
}

func TestCanvasClips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSurface(rapid.IntRange(0, 12).Draw(t, "w"), rapid.IntRange(0, 4).Draw(t, "h"), false)
		c := s.canvas().sub(rect{
			rapid.IntRange(-3, 14).Draw(t, "x"), rapid.IntRange(-3, 6).Draw(t, "y"),
			rapid.IntRange(0, 20).Draw(t, "cw"), rapid.IntRange(0, 9).Draw(t, "ch"),
		})
		for range 4 {
			x, y := rapid.IntRange(-5, 15).Draw(t, "at x"), rapid.IntRange(-2, 6).Draw(t, "at y")
			c.text(x, y, strong, rapid.StringOf(rapid.SampledFrom([]rune("ab步行 \x1b"))).Draw(t, "text"))
			c.dot(2*x, 4*y, quiet)
			c.restyle(x, y, 3, selected)
		}
		lines := strings.Split(s.String(themes[BackgroundDark]), "\n")
		if len(lines) > max(s.h, 1) {
			t.Fatalf("%d lines on a surface of %d", len(lines), s.h)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > s.w {
				t.Fatalf("a line of %d cells on a surface of %d: %q", w, s.w, line)
			}
		}
	})
}

func TestWideCharactersAreNeverHalved(t *testing.T) {
	s := newSurface(6, 1, false)
	c := s.canvas()
	c.text(0, 0, plain, "步步步")
	c.text(1, 0, plain, "x") // second half of the first one
	c.text(2, 0, plain, "y") // first half of the second one
	if got := s.String(nil); got != " xy 步" {
		t.Errorf("got %q", got)
	}
}
