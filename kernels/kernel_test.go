package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/library"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

func mustLoad(t testing.TB, text string) *Kernel {
	t.Helper()
	k, ds := load([]SourceFile{{Name: "fixture.go", Text: []byte(text)}}, "fixture.go")
	if k == nil {
		t.Fatalf("\n%v", ds)
	}
	return k
}

func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"TEnd": "t_end", "DtMax": "dt_max", "X": "x", "X2": "x2", "HTTPServer": "http_server", "R0Sq": "r0_sq",
		"T_End": "t_end", "Pos0": "pos0", "KB1T": "kb1_t", "Nstop": "nstop", "MissBound": "miss_bound", "ID": "id",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if !ir.SnakeName(want) {
			t.Errorf("%s is no plane name", want)
		}
	}
}

func TestRolesAreInferred(t *testing.T) {
	k := mustLoad(t, `package fixture

//eaglet:kernel steps=16 guard=active_set
type T struct {
	State  float64  // read and assigned
	Keep   float64  // assigned on some paths
	Helped float64  // assigned by a method that Step calls
	Part   [3]int32 // one component assigned
	Out    float64  // assigned on every path, not read before
	Input  float64
	Made   float64 // Init assigns it, Step reads it
	Only   float64 // an observable reads it
	Dt     float64 `+"`plane:\"param\" unit:\"s\" init:\"0.5\"`"+`
	Stated float64 `+"`plane:\"state\"`"+`
}

func (s *T) Init() { s.Made = s.Input * 2 }

func (s *T) Step() {
	s.State += s.Dt * s.Input * s.Made
	if s.State > 1 {
		s.Keep = 1
		s.Out = 2
	} else {
		s.Out = 3
	}
	s.help()
	s.Part[1]++
	s.Stated = s.Out
}

func (s *T) help() { s.Helped = 2 * s.Helped }

func (s *T) Twice() float64 { return 2 * s.Only }
`)
	want := map[string]ir.Role{
		"state": ir.RoleState, "keep": ir.RoleState, "helped": ir.RoleState, "part": ir.RoleState, "out": ir.RoleOutput,
		"input": ir.RoleInput, "made": ir.RoleInput, "only": ir.RoleInput, "dt": ir.RoleParam, "stated": ir.RoleState,
	}
	for _, p := range k.IR.Planes {
		if p.Role != want[p.Name] {
			t.Errorf("%s is %v, want %v", p.Name, p.Role, want[p.Name])
		}
	}
	if len(k.Warnings) > 0 {
		t.Errorf("warnings: %v", k.Warnings)
	}
	if k.IR.Finish != nil || k.IR.Steps != 16 || k.IR.Guard != ir.GuardActiveSet || k.IR.StepsMax != 0 {
		t.Errorf("finish %v, steps %d, guard %v, steps_max %d", k.IR.Finish, k.IR.Steps, k.IR.Guard, k.IR.StepsMax)
	}
	// The product of the inputs is hoisted: what is left is an add and the product of Helped.
	// Only the component that changes is carried, and only what is read is loaded.
	var carried []string
	for _, c := range k.IR.Step.Carry {
		carried = append(carried, fmt.Sprintf("%s[%d]", k.IR.Planes[c.Plane].Name, c.Comp))
	}
	if want := []string{"state[0]", "keep[0]", "helped[0]", "part[1]", "out[0]", "stated[0]"}; !slices.Equal(carried, want) {
		t.Errorf("carried %v, want %v", carried, want)
	}
	if got := k.Sidecar().Step; got != (SidecarStep{Flops: 2, Loads: 9, Stores: 6, Bytes: 3*8 + 5*16 + 8}) {
		t.Errorf("step counts %+v", got)
	}
	if f := k.IR.Init; f == nil || len(f.Stores) != 1 || k.IR.Planes[f.Stores[0].Plane].Name != "made" {
		t.Errorf("init %+v", f)
	}
}

func TestTagsBecomePlanes(t *testing.T) {
	k := mustLoad(t, `package fixture

//eaglet:kernel
type T struct {
	X, Y float64 `+"`unit:\"m/s\" init:\"uniform(-1, 2.5)\"`"+` // how fast
	// Grid is a table of counts.
	Grid [2][3]uint32 `+"`init:\"choice(1,2, 3)\"`"+`
	N    int          `+"`json:\"n\" init:\" index( ) \"`"+`
	On   bool
}

func (s *T) Step() bool {
	s.X += s.Y + float64(s.Grid[1][2]) + float64(s.N)
	return s.On
}
`)
	var got []string
	for _, p := range k.IR.Planes {
		got = append(got, fmt.Sprintf("%s %v %v %d %q %v%v %q %d:%d", p.Name, p.Type, p.Dims, p.Width(), p.Unit, p.Init.Kind, p.Init.Args, p.Doc, p.Pos.Line, p.Pos.Col))
	}
	want := []string{
		`x f64 [] 1 "m/s" uniform[-1 2.5] "how fast" 5:2`,
		`y f64 [] 1 "m/s" uniform[-1 2.5] "how fast" 5:5`,
		`grid u32 [2 3] 6 "" choice[1 2 3] "Grid is a table of counts." 7:2`,
		`n i64 [] 1 "" index[] "" 8:2`,
		`on bool [] 1 "" const[0] "" 9:2`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if k.IR.Finish.Name != "terminated" {
		t.Errorf("the mask of a result without a name is %q", k.IR.Finish.Name)
	}
}

// condText writes a finish condition as one line.
func condText(c *ir.Cond) string {
	var kids []string
	for _, k := range c.Kids {
		kids = append(kids, condText(k))
	}
	switch c.Kind {
	case ir.CondCompare:
		return fmt.Sprintf("[%s] %v [%s]", c.LHSText, c.Op, c.RHSText)
	case ir.CondOpaque:
		return fmt.Sprintf("opaque[%s]", c.LHSText)
	}
	return fmt.Sprintf("%v(%s)", c.Kind, strings.Join(kids, ", "))
}

func TestTheFinishConditionIsTakenApart(t *testing.T) {
	for _, c := range []struct{ name, body, text, cond string }{
		{"a comparison", "done = s.T >= s.TEnd\nreturn", "s.T >= s.TEnd", "[s.T] ge [s.TEnd]"},
		{"a comparison of expressions", "return s.X*s.X+1 < 2*s.T", "s.X*s.X+1 < 2*s.T", "[s.X*s.X+1] lt [2*s.T]"},
		{"a chain is one node", "return s.T >= s.TEnd || s.X > 4 || s.On", "s.T >= s.TEnd || s.X > 4 || s.On", "or([s.T] ge [s.TEnd], [s.X] gt [4], opaque[s.On])"},
		{"a mixed tree", "return s.T >= 1 && !(s.X > 4 || s.On)", "s.T >= 1 && !(s.X > 4 || s.On)", "and([s.T] ge [1], not(or([s.X] gt [4], opaque[s.On])))"},
		{"through a variable", "far := s.X > 4\nreturn far || s.T >= s.TEnd", "far || s.T >= s.TEnd", "or([s.X] gt [4], [s.T] ge [s.TEnd])"},
		{"through a helper", "return s.late()", "s.late()", "[s.T] ge [s.TEnd]"},
		{"a flag", "return s.On", "s.On", "opaque[s.On]"},
		{"two returns are not taken apart", "if s.X > 4 { return true }\nreturn s.T >= s.TEnd", "done", "opaque[done]"},
		{"operands inside a branch are not taken apart", "if s.X > 4 {\ns.X -= 4\ndone = s.X*s.T > 2\n}\nreturn", "s.X*s.T > 2", "opaque[s.X*s.T > 2]"},
	} {
		k := mustLoad(t, "package fixture\n\n//eaglet:kernel\ntype T struct { T, TEnd, X float64; On bool }\n\nfunc (s *T) Step() (done bool) {\ns.T++\n"+c.body+"\n}\n\nfunc (s *T) late() bool { return s.T >= s.TEnd }\n")
		f := k.IR.Finish
		if f.Name != "done" || f.Text != c.text || condText(f.Cond) != c.cond {
			t.Errorf("%s: %s %q: %s, want %q: %s", c.name, f.Name, f.Text, condText(f.Cond), c.text, c.cond)
		}
		if f.Pos.Line == 0 || f.Cond.Pos.Line == 0 {
			t.Errorf("%s: no position", c.name)
		}
	}
}

// stepIR is the printed trip of a kernel with planes X, Y, Z (float64) and N (int64).
func stepIR(t *testing.T, options, body, more string) string {
	t.Helper()
	k := mustLoad(t, "package fixture\n\nimport \"math\"\n\nvar _ = math.Pi\n\n//eaglet:kernel "+options+"\ntype T struct { X, Y, Z float64; N int64 }\n\nfunc (s *T) Step() {\n"+body+"\n}\n"+more)
	var b bytes.Buffer
	if err := ir.Print(&b, k.IR, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ops counts an operation in printed IR.
func ops(text string, op ir.Op) int { return strings.Count(text, "= "+op.String()+".") }

func TestContractFusesBySourceExpression(t *testing.T) {
	for _, c := range []struct {
		name, body         string
		fma, mul, neg, add int // with fma=contract; add counts sub too
	}{
		{"x*y + z", "s.X = s.X*s.Y + s.Z", 1, 0, 0, 0},
		{"z + x*y", "s.X = s.Z + s.X*s.Y", 1, 0, 0, 0},
		{"x*y - z", "s.X = s.X*s.Y - s.Z", 1, 0, 1, 0},
		{"z - x*y", "s.X = s.Z - s.X*s.Y", 1, 0, 1, 0},
		{"of two products the left one", "s.X = s.X*s.Y + s.Y*s.Z", 1, 1, 0, 0},
		{"a product in parentheses", "s.X = (s.X*s.Y) + s.Z", 1, 0, 0, 0},
		{"a product in a conversion is kept", "s.X = float64(s.X*s.Y) + s.Z", 0, 1, 0, 1},
		{"a named product is kept", "p := s.X*s.Y\ns.X = p + s.Z", 0, 1, 0, 1},
		{"an assignment with +=", "s.X += s.Y*s.Z", 1, 0, 0, 0},
		{"an assignment with -=", "s.X -= s.Y*s.Z", 1, 0, 1, 0},
		{"a chain fuses link by link", "s.X = s.X*s.Y + s.Y*s.Z + s.Z*s.X", 2, 1, 0, 0},
		{"a negated product is no product", "s.X = -(s.X*s.Y) + s.Z", 0, 1, -1, 1},
		{"integers", "s.N = s.N*3 + 1", 0, 0, 0, 0},
		{"in a helper", "s.X = axpy(s.X, s.Y, s.Z)", 1, 0, 0, 0},
		{"never in mathlib", "s.X = math.Hypot(s.X, s.Y)", 0, -1, -1, -1},
	} {
		helper := "func axpy(a, x, y float64) float64 { return a*x + y }"
		text := stepIR(t, "fma=contract", c.body, helper)
		got := [4]int{ops(text, ir.OpFMA), strings.Count(text, "= mul.f64"), ops(text, ir.OpNeg), strings.Count(text, "= add.f64") + strings.Count(text, "= sub.f64")}
		for i, want := range [4]int{c.fma, c.mul, c.neg, c.add} {
			if want >= 0 && got[i] != want {
				t.Errorf("%s: fma, mul, neg, add are %v, want %d %d %d %d\n%s", c.name, got, c.fma, c.mul, c.neg, c.add, text)
				break
			}
		}
		if off := stepIR(t, "fma=off", c.body, helper); ops(off, ir.OpFMA) != 0 {
			t.Errorf("%s: fused with fma=off", c.name)
		}
	}
}

func TestZeroTermsVanishByTheirIfOnly(t *testing.T) {
	const table = "var w = [4]float64{0, 2, 0, 3}\n"
	if text := stepIR(t, "", "sum := 0.0\nfor i := range w { if w[i] != 0 { sum += w[i]*s.X } }\ns.X = sum", table); strings.Count(text, "= mul.f64") != 2 || strings.Count(text, "= add.f64") != 2 {
		t.Errorf("two terms are left:\n%s", text)
	}
	// Without the if, 0*X stays: X may be infinite or negative.
	if text := stepIR(t, "", "sum := 0.0\nfor i := range w { sum += w[i]*s.X }\ns.X = sum", table); strings.Count(text, "= mul.f64") < 3 {
		t.Errorf("a term with a zero weight is gone:\n%s", text)
	}
}

func TestLoopsThatStayLoops(t *testing.T) {
	for _, c := range []struct {
		name, body    string
		loops, faults int
	}{
		{"a short constant loop is unrolled", "for i := 0; i < 8; i++ { s.X = s.X*s.Y + 1 }", 0, 0},
		{"a long constant loop is one loop", "for i := 0; i < 5000; i++ { s.X = s.X*s.Y + float64(i) }", 1, 0},
		{"a loop that is left early is one loop", "for i := 0; i < 30; i++ { s.X = s.X*s.Y + 1\nif s.X > 2 { break } }", 1, 0},
		{"a capped loop faults when the cap runs out", "//eaglet:cap 50\nfor s.X > 1 { s.X /= 2 }", 1, 1},
		{"a cap above a label", "//eaglet:cap 50\nhere:\nfor s.X > 1 { s.X /= 2\nif s.Y > 1 { continue here } }", 1, 1},
		{"64 times 23 turns", "for i := 0; i < 64; i++ { for j := 0; j < 23; j++ { s.X = s.X*s.Y + float64(i*j) } }", -1, 0},
	} {
		text := stepIR(t, "", c.body, "")
		if got := strings.Count(text, "= loop "); c.loops >= 0 && got != c.loops {
			t.Errorf("%s: %d loops, want %d\n%s", c.name, got, c.loops, text)
		}
		if got := strings.Count(text, "fault cap"); got != c.faults {
			t.Errorf("%s: %d faults, want %d\n%s", c.name, got, c.faults, text)
		}
	}
}

func TestIndexGuardsThatAreNotNeeded(t *testing.T) {
	const table = "var w = [8]float64{0, 1, 2, 3, 4, 5, 6, 7}\n"
	for index, faults := range map[string]int{
		"s.N": 1, "s.N&7": 0, "s.N%8": 1, "(s.N&15)%8": 0, "uint64(s.N)%8": 0, "uint64(s.N)>>61": 0, "(s.N&3)+4": 0,
		"(s.N&3)+5": 1, "7-(s.N&7)": 0, "6-(s.N&7)": 1, "s.N&-1": 1, "uint32(s.N)": 1, "int32(s.N)&7": 0,
	} {
		text := stepIR(t, "", "s.X = w["+index+"]", table)
		if got := strings.Count(text, "fault index"); got != faults {
			t.Errorf("w[%s]: %d faults, want %d", index, got, faults)
		}
	}
}

func TestFaultsInAnObservableHaveNoPlace(t *testing.T) {
	k := mustLoad(t, "package fixture\n\n//eaglet:kernel\ntype T struct { A, B int64 }\n\nfunc (s *T) Step() { s.A++ }\n\nfunc (s *T) Ratio() int64 { return s.A / s.B }\n")
	planes := [][]byte{make([]byte, 16), make([]byte, 16)}
	putBits(planes[0], 12)
	putBits(planes[0][8:], 12)
	putBits(planes[1], 4)
	out := make([]uint64, 2)
	interp.Compile(k.IR).Observable(0).NewMachine().Bits(0, planes, 2, 0, out, nil)
	if out[0] != 3 || out[1] != 0 {
		t.Errorf("12/4 and 12/0 are %v, want 3 and 0", out)
	}
}

// TestMathFunctionsAreThoseOfMathlib compares every function of package math, compiled through the front
// end, with mathlib as the Go compiler compiled it.
func TestMathFunctionsAreThoseOfMathlib(t *testing.T) {
	lib := mathlibPackage()
	for _, name := range mathFunctions() {
		if _, op := mathOps[name]; !op && mathForms[name] == nil && lib.function(name) == nil {
			t.Errorf("math.%s is declared, and nothing computes it", name)
		}
	}
	one := map[string]func(float64) float64{
		"Sin": mathlib.Sin, "Cos": mathlib.Cos, "Tan": mathlib.Tan, "Asin": mathlib.Asin, "Acos": mathlib.Acos, "Atan": mathlib.Atan,
		"Sinh": mathlib.Sinh, "Cosh": mathlib.Cosh, "Tanh": mathlib.Tanh, "Asinh": mathlib.Asinh, "Acosh": mathlib.Acosh, "Atanh": mathlib.Atanh,
		"Exp": mathlib.Exp, "Exp2": mathlib.Exp2, "Expm1": mathlib.Expm1, "Log": mathlib.Log, "Log2": mathlib.Log2, "Log10": mathlib.Log10,
		"Log1p": mathlib.Log1p, "Cbrt": mathlib.Cbrt, "Erf": mathlib.Erf, "Erfc": mathlib.Erfc, "Round": mathlib.Round,
	}
	two := map[string]func(float64, float64) float64{
		"Pow": mathlib.Pow, "Atan2": mathlib.Atan2, "Hypot": mathlib.Hypot, "Mod": mathlib.Mod, "Dim": mathlib.Dim,
	}
	var body strings.Builder
	var names []string
	for name := range one {
		names = append(names, name)
	}
	for name := range two {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		arg := "s.X"
		if two[name] != nil {
			arg = "s.X, s.Y"
		}
		fmt.Fprintf(&body, "func (s *T) F%s() float64 { return math.%s(%s) }\n", strings.ToLower(name), name, arg)
	}
	k := mustLoad(t, "package fixture\n\nimport \"math\"\n\n//eaglet:kernel\ntype T struct { X, Y float64 }\n\nfunc (s *T) Step() { s.X++ }\n\n"+body.String())
	const n = 600
	r := rand.New(rand.NewPCG(7, 7))
	planes := [][]byte{make([]byte, 8*n), make([]byte, 8*n)}
	var args [2][n]float64
	for i := range n {
		for j := range 2 {
			x := r.NormFloat64() * math.Exp2(float64(r.IntN(20)-10))
			if i%5 == 0 {
				if x = math.Float64frombits(r.Uint64()); math.IsNaN(x) {
					x = math.NaN()
				}
			}
			args[j][i] = x
			putBits(planes[j][8*i:], math.Float64bits(x))
		}
	}
	code := interp.Compile(k.IR)
	for o, f := range k.IR.Observables {
		got := make([]uint64, n)
		code.Observable(o).NewMachine().Bits(0, planes, n, 0, got, nil)
		name := names[slices.IndexFunc(names, func(s string) bool { return "f"+strings.ToLower(s) == f.Name })]
		bad := 0
		for i := range n {
			var want float64
			if two[name] != nil {
				want = two[name](args[0][i], args[1][i])
			} else {
				want = one[name](args[0][i])
			}
			g := math.Float64frombits(got[i])
			if bits := math.Float64bits(want); got[i] != bits && !(g != g && want != want) {
				if bad++; bad < 3 {
					t.Errorf("%s(%v, %v) = 0x%x, mathlib as Go has 0x%x", name, args[0][i], args[1][i], got[i], bits)
				}
			}
		}
	}
}

func TestBundledKernelsLoadWithoutWarnings(t *testing.T) {
	for _, name := range library.Names() {
		k, ds := Load(name)
		if k == nil || len(ds) > 0 {
			t.Errorf("%s:\n%v", name, ds)
			continue
		}
		if k.Doc == "" || k.IR.Finish == nil || len(k.IR.Observables) == 0 {
			t.Errorf("%s lacks its package comment, finish declaration or observables", name)
		}
		again, _ := Load(name)
		if again.Digest != k.Digest || len(k.Digest) != 64 {
			t.Errorf("%s: digests %s and %s", name, k.Digest, again.Digest)
		}
	}
}

func TestLoadsRunSideBySide(t *testing.T) {
	var wg sync.WaitGroup
	digests := make([]string, 4)
	for i := range digests {
		wg.Go(func() {
			if k, _ := Load("kepler"); k != nil {
				digests[i] = k.Digest
			}
		})
	}
	wg.Wait()
	for _, d := range digests {
		if d == "" || d != digests[0] {
			t.Errorf("digests %v", digests)
			break
		}
	}
}

func TestTheDigestFollowsTheBitsOnly(t *testing.T) {
	const text = "package fixture\n\n//eaglet:kernel\ntype T struct { X float64 }\n\nfunc (s *T) Step() { s.X += 1 }\n"
	base := mustLoad(t, text).Digest
	if moved := mustLoad(t, strings.ReplaceAll(text, "\n\n", "\n\n// A comment.\n\n")).Digest; moved != base {
		t.Error("a comment changed the digest")
	}
	for _, other := range []string{strings.ReplaceAll(text, "+= 1", "+= 2"), strings.ReplaceAll(text, "kernel\n", "kernel fma=contract\n"), strings.ReplaceAll(text, "X", "Y")} {
		if mustLoad(t, other).Digest == base {
			t.Errorf("the digest is the same for\n%s", other)
		}
	}
}

func TestSidecarReadsBackItsFinish(t *testing.T) {
	k, ds := Load("oscillator")
	if k == nil {
		t.Fatal(ds)
	}
	s := k.Sidecar()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadFinish(text, "oscillator")
	if err != nil {
		t.Fatal(err)
	}
	if f.Mask != "terminated" || f.Counter != "finished_count" || f.Steps != 0 || f.StepsMax != 64 || f.Condition != s.Finish.Condition || len(f.Operands) != 1 || f.Operands[0].Op != ">=" {
		t.Errorf("got %+v", f)
	}
	if !strings.Contains(string(text), `"steps":"auto"`) || s.Access != AccessLocal || s.HasInit {
		t.Errorf("sidecar %s", text)
	}
	k = mustLoad(t, "package fixture\n\n//eaglet:kernel steps=8\ntype T struct { X float64 }\n\nfunc (s *T) Step() { s.X += 1 }\n")
	text, err = json.Marshal(k.Sidecar())
	if err != nil {
		t.Fatal(err)
	}
	if f, err := ReadFinish(text, "fixture"); f != nil || err != nil {
		t.Errorf("a kernel without a finish declaration: %v, %v", f, err)
	}
}

func TestAccessClassIsThatOfAStep(t *testing.T) {
	const head = "package fixture\n\nvar w = [4]float64{1, 2, 3, 4}\n\n//eaglet:kernel\ntype T struct { X float64; N int64 }\n\n"
	step := mustLoad(t, head+"func (s *T) Step() { s.X += w[s.N&3] }\n")
	other := mustLoad(t, head+"func (s *T) Step() { s.X += w[2] }\n\nfunc (s *T) Weight() float64 { return w[s.N&3] }\n")
	if a, b := step.Sidecar().Access, other.Sidecar().Access; a != AccessTables || b != AccessLocal {
		t.Errorf("a step that reads a table is %q, an observable that does %q", a, b)
	}
}

func TestReadFinishRefusesByName(t *testing.T) {
	const good = `{"mask":"m","counter":"finished_count","steps":"auto","steps_max":64,"condition":"c","position":{"file":"f","line":1,"column":1,"end_column":2},"operands":[]}`
	if _, err := ReadFinish([]byte(`{"finish":`+good+`}`), "x"); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s", old)
		}
		return `{"finish":` + strings.Replace(good, old, new, 1) + `}`
	}
	for _, c := range []struct{ name, sidecar, says string }{
		{"no object", `{"finish":3}`, "want an object"},
		{"null", `{"finish":null}`, "want an object"},
		{"a sidecar that is no object", `[]`, "cannot be read"},
		{"a sidecar that is null", `null`, "no object"},
		{"a missing field", replace(`"condition":"c",`, ``), `"condition" is missing`},
		{"an unknown field", replace(`"mask"`, `"colour":1,"mask"`), `"colour" is unknown`},
		{"an empty mask", replace(`"m"`, `""`), "no name"},
		{"another counter", replace(`finished_count`, `count`), "counter"},
		{"steps of zero", replace(`"steps":"auto"`, `"steps":0`), "integer >= 1"},
		{"steps of another word", replace(`"steps":"auto"`, `"steps":"many"`), "integer >= 1"},
		{"steps of a fraction", replace(`"steps":"auto"`, `"steps":1.5`), "integer >= 1"},
		{"auto without steps_max", replace(`"steps_max":64,`, ``), "steps_max is missing"},
		{"a number with steps_max", replace(`"steps":"auto"`, `"steps":8`), "with \"auto\" only"},
		{"steps_max of zero", replace(`"steps_max":64`, `"steps_max":0`), "steps_max is 0"},
		{"a mask that is only read", `{"planes":[{"name":"m","role":"input"}],"finish":` + good + `}`, "only read"},
	} {
		f, err := ReadFinish([]byte(c.sidecar), "artifact.json")
		if err == nil || f != nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "artifact.json: ") {
			t.Errorf("%s: got %v, %v, want an error with %q", c.name, f, err, c.says)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range library.Names() {
		files, ds := read(name)
		if ds != nil {
			b.Fatal(ds)
		}
		b.Run("kernel="+name, func(b *testing.B) {
			for b.Loop() {
				if k, ds := LoadSource(files, name); k == nil {
					b.Fatal(ds)
				}
			}
		})
	}
}
