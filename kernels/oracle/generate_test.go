package oracle

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// TestGeneratorCoversTheLanguage: a comparison says nothing about what no generated kernel has.
func TestGeneratorCoversTheLanguage(t *testing.T) {
	const n = 300
	ops, faults, roles := make(map[ir.Op]bool), make(map[uint64]bool), make(map[ir.Role]bool)
	syntax := make(map[string]int)
	var text strings.Builder
	for _, c := range generated(t, "seed", Source, 0, n) {
		text.Write(c.Kernel.Sources[0].Text)
		countSyntax(t, c.Kernel.Sources[0].Text, syntax)
		k, err := c.Kernel.After("lower")
		if err != nil {
			t.Fatal(err)
		}
		for i := range k.Planes {
			roles[k.Planes[i].Role] = true
		}
		see := func(in *ir.Instr) {
			ops[in.Op] = true
			if in.Op == ir.OpFault {
				faults[in.Imm] = true
			}
		}
		k.Step.Head.Walk(see)
		k.Step.Trip.Walk(see)
	}
	for op := ir.OpConst; int(op) < ir.NumOps; op++ {
		if !ops[op] {
			t.Errorf("no generated kernel has the operation %v", op)
		}
	}
	for kind := ir.FaultDivide; kind <= ir.FaultCap; kind++ {
		if !faults[uint64(kind)] {
			t.Errorf("no generated kernel can fault by %v", kind)
		}
	}
	for _, r := range []ir.Role{ir.RoleState, ir.RoleInput, ir.RoleParam, ir.RoleTable} {
		if !roles[r] {
			t.Errorf("no generated kernel has a plane that is %v", r)
		}
	}
	for _, want := range []string{
		"IfStmt", "SwitchStmt", "ForStmt", "RangeStmt", "LabeledStmt", "ReturnStmt", "CompositeLit", "break", "continue", "fallthrough",
		"&&", "||", "!", "+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&^=", "<<=", ">>=", "++", "--", ":=", "=",
	} {
		if syntax[want] == 0 {
			t.Errorf("no generated kernel has %s", want)
		}
	}
	all := text.String()
	for _, want := range append(strings.Fields("bool int int32 int64 uint uint32 uint64 float32 float64 len min max"),
		slices.Concat(cheapMath, dearMath, cheapMath2, dearMath2, strings.Fields("FMA Inf IsNaN IsInf Signbit Float64bits Float64frombits"))...) {
		if !regexp.MustCompile(`\b` + want + `\(`).MatchString(all) {
			t.Errorf("no generated kernel calls or converts to %s", want)
		}
	}
	for _, want := range []string{"//eaglet:cap ", "func (s *Sample) Init()", "func (s Sample)", "[T ", ":= *s", "fma", "const ("} {
		if want != "fma" && !strings.Contains(all, want) {
			t.Errorf("no generated kernel has %q", want)
		}
	}
}

// countSyntax counts statements and operators by name.
func countSyntax(t *testing.T, text []byte, out map[string]int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			out[n.Op.String()]++
		case *ast.UnaryExpr:
			out[n.Op.String()]++
		case *ast.AssignStmt:
			out[n.Tok.String()]++
		case *ast.IncDecStmt:
			out[n.Tok.String()]++
		case *ast.BranchStmt:
			out[n.Tok.String()]++
		case ast.Stmt, *ast.CompositeLit:
			out[strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")]++
		}
		return true
	})
}

func TestEqualSeedsGiveEqualKernels(t *testing.T) {
	for seed := range uint64(20) {
		a, b := Source(seed), Source(seed)
		if !bytes.Equal(a, b) {
			t.Errorf("seed %d gives two kernels", seed)
		}
		if bytes.Equal(a, Source(seed+1)) {
			t.Errorf("seeds %d and %d give one kernel", seed, seed+1)
		}
	}
}

// TestPassesKeepBits compares every stage of the compiler with the last, and every manner of running.
func TestPassesKeepBits(t *testing.T) {
	cases := append(generated(t, "seed", Source, 5000, 100), finds(t)...)
	cases = append(cases, generated(t, "single", SourceF32, 5000, 50)...)
	errs := make([]error, len(cases))
	each(len(cases), func(i int) {
		if errs[i] = stagesAgree(cases[i]); errs[i] == nil {
			errs[i] = mannersAgree(cases[i])
		}
	})
	for i, err := range errs {
		if err != nil {
			t.Errorf("%s: %v\n%s", cases[i].Name, err, cases[i].Kernel.Sources[0].Text)
		}
	}
}

// TestDefaultsFillEveryPlane: init tags of generated kernels can be generated from.
func TestDefaultsFillEveryPlane(t *testing.T) {
	for _, c := range generated(t, "seed", Source, 0, 50) {
		if _, err := defaults(c.Kernel.IR, 1, 10); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// FuzzKernelSource generates a kernel by the fuzzer's bytes: it must be accepted and verify, and all stages
// and manners must agree on its bits. Most inputs find new code, so that go test -fuzz makes headway only with
// -fuzzminimizetime=1x.
func FuzzKernelSource(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(12) {
		f.Add(bytes.Repeat([]byte{byte(seed), byte(seed * 37), byte(seed * 101)}, int(seed)*9))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		text := FromBytes(data)
		c, err := NewCase("fuzz", file("fuzz", text), uint64(len(data)))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := ir.Verify(c.Kernel.IR); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := stagesAgree(c); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := mannersAgree(c); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// FuzzMutatedSource damages a generated kernel: it is refused by diagnostics, or it verifies.
func FuzzMutatedSource(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, []byte{byte(seed * 40), byte(seed), 3, byte(seed * 91), 200, 17})
	}
	f.Fuzz(func(t *testing.T, seed uint64, damage []byte) {
		if len(damage) > 60 {
			return
		}
		text := damaged(Source(seed%4096), damage)
		k, ds := kernels.LoadSource(file("fuzz", text), "fuzz.go")
		if (k == nil) != ds.Errors() {
			t.Fatalf("a kernel is there: %v; errors: %v", k != nil, ds.Errors())
		}
		for i := range ds {
			if ds[i].Code == "E099" {
				t.Fatalf("%v\n%s", ds[i], text)
			}
		}
		if k == nil {
			return
		}
		if err := ir.Verify(k.IR); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		c := &Case{Unit: Unit{Name: "fuzz", Kernel: k}, batch: wild(k.IR, seed, 6), steps: 3}
		if err := stagesAgree(c); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// damaged replaces tokens of a text by other tokens of it: three bytes choose where, by which, and how.
func damaged(text []byte, damage []byte) []byte {
	tokens := regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9.]*|[0-9.]+|[^\sA-Za-z_0-9]+|\s+`).FindAll(text, -1)
	for ; len(damage) >= 3; damage = damage[3:] {
		i, j := int(damage[0])*len(tokens)/256, int(damage[1])*len(tokens)/256
		switch damage[2] % 4 {
		case 0:
			tokens[i] = nil
		case 1:
			tokens[i] = append(slices.Clone(tokens[i]), tokens[j]...)
		case 2:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		default:
			tokens[(i+int(damage[2]))%len(tokens)] = tokens[j]
		}
	}
	return bytes.Join(tokens, nil)
}

// TestFindsStayRefused: kernels that were accepted once, and then computed what Go leaves open.
func TestFindsStayRefused(t *testing.T) {
	for _, c := range []struct{ name, statement, code string }{
		{"a read, a function of math, and a call that changes what was read", "s.Y = s.X + math.Sin(s.Y) + s.bump()", "E054"},
		{"the function of math in the argument", "s.Y = s.X + math.Sin(s.bump())", "E054"},
	} {
		text := fmt.Sprintf("package k\n\nimport \"math\"\n\n//eaglet:kernel\ntype T struct{ X, Y float64 }\n\nfunc (s *T) bump() float64 { s.X++; return math.Abs(s.X) }\n\nfunc (s *T) Step() bool {\n\t%s\n\treturn s.X > 3\n}\n", c.statement)
		k, ds := kernels.LoadSource(file("k", []byte(text)), "k.go")
		if k != nil || len(ds) == 0 || ds[0].Code != c.code {
			t.Errorf("%s: want %s, got %v", c.name, c.code, ds)
		}
	}
}
