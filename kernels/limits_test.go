package kernels

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// stepKernel is a kernel with one float64 plane X whose Step has the given body; more is put after it.
func stepKernel(body, more string) []SourceFile {
	text := "package fixture\n\nimport \"math\"\n\nvar _ = math.Pi\n\n//eaglet:kernel\ntype T struct{ X float64 }\n\nfunc (s *T) Step() (done bool) {\n" + body + "\n\treturn s.X > 1\n}\n\n" + more
	return []SourceFile{{Name: "fixture.go", Text: []byte(text)}}
}

// TestCompilingTakesBoundedTime has kernels that would take for ever, or all memory, without the limits.
func TestCompilingTakesBoundedTime(t *testing.T) {
	defer func(saved int) { maxWork = saved }(maxWork)
	maxWork /= 10
	var doubling, chain, deep, wide, loops, ifs strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, "func f%d(x float64) float64 { return f%d(x) + f%d(x+1) }\n", i, i+1, i+1)
	}
	doubling.WriteString("func f40(x float64) float64 { return x }\n")
	for i := range 5000 {
		fmt.Fprintf(&chain, "func f%d(x float64) float64 { return f%d(x) }\n", i, i+1)
	}
	chain.WriteString("func f5000(x float64) float64 { return x }\n")
	for i := range 7 {
		fmt.Fprintf(&loops, "for i%d := 0; i%d < 5; i%d++ { if s.X > %d { break }\n", i, i, i, i)
	}
	loops.WriteString("s.X += 1\n" + strings.Repeat("}\n", 7))
	for i := range 3000 {
		fmt.Fprintf(&ifs, "if s.X > %d { return s.X > 3 }\ns.X++\n", i)
	}
	for range 5000 {
		wide.WriteString("s.X = s.X*s.X + 1\n")
	}
	deep.WriteString("s.X = " + strings.Repeat("- ", 5000) + "s.X\n")
	for _, c := range []struct {
		name, body, more string
		want             string // a code; "" for a kernel
	}{
		{"three loops of a thousand turns that fold", "n := 0\nfor i := 0; i < 1000; i++ { for j := 0; j < 1000; j++ { for k := 0; k < 1000; k++ { n++ } } }\ns.X += float64(n)", "", "E060"},
		{"a loop that never ends", "for { s.X++ }", "", "E060"},
		{"a loop that never ends and makes nothing", "n := 0\nfor { n++ }", "", "E060"},
		{"calls that double", "s.X = f0(s.X)", doubling.String(), "E060"},
		{"a chain of calls", "s.X = f0(s.X)", chain.String(), "E006"},
		{"a long chain of signs", deep.String(), "", "E006"},
		{"a long straight step", wide.String(), "", ""},
		{"loops inside each other, all left early", loops.String(), "", ""},
		{"three thousand early returns", ifs.String(), "", "E006"},
		{"copies of large arrays", "var a, b [60000]float64\nfor i := 0; i < 10000; i++ { a[i], b = s.X, a }\ns.X = b[5]", "", "E060"},
		{"a search in a search", "var a [8][8]int\nfor i := 0; i < 1000; i++ { a[int(s.X)&7][a[1][int(s.X)&7]&7] += i }\ns.X = float64(a[1][1])", "", ""},
		{"a huge table", "s.X = t[0]", "var t = [...]float64{1 << 40: 1}", "E065"},
		{"a huge zero table", "s.X = t[0]", "var t [1 << 40]float64", "E065"},
		{"a string that doubles", "", doublingStrings(40) + "var n float64 = s40\n", "E034"},
		{"types that double through an instance", "", "type p[T any] struct{ a, b T }\nvar v " + strings.Repeat("p[", 60) + "int" + strings.Repeat("]", 60) + "\n", "E044"},
		{"types that double", "var a t20\ns.X = a.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.y", doublingTypes(20), "E065"},
		{"a range over a huge integer", "for i := range 1 << 40 { s.X += float64(i) }", "", "E060"},
	} {
		start := time.Now()
		k, ds := load(stepKernel(c.body, c.more), "fixture.go")
		took := time.Since(start)
		if took > 8*time.Second {
			t.Errorf("%s: took %v", c.name, took)
		}
		switch {
		case c.want == "" && k == nil:
			t.Errorf("%s: refused: %v", c.name, ds)
		case c.want != "" && (k != nil || ds[0].Code != c.want):
			t.Errorf("%s: got %v, want %s", c.name, ds, c.want)
		}
	}
}

func doublingTypes(n int) string {
	var b strings.Builder
	b.WriteString("type t0 struct{ y float64 }\n")
	for i := range n {
		fmt.Fprintf(&b, "type t%d struct{ x, z t%d }\n", i+1, i)
	}
	return b.String()
}

func doublingStrings(n int) string {
	var b strings.Builder
	b.WriteString("const s0 = \"a\" + string(rune(65))\n")
	for i := range n {
		fmt.Fprintf(&b, "const s%d = s%d + s%d\n", i+1, i, i)
	}
	return b.String()
}
