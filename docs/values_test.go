package docs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// promise is one row of the table of arithmetic: an expression, the values of its variables, and what it
// gives, or "faults".
type promise struct{ expression, with, gives string }

// promises are the rows of the table that begins with the columns Expression, With, Gives.
func promises(document string) []promise {
	var out []promise
	inside := false
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case line == "| Expression | With | Gives |":
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && len(cells) == 3:
			out = append(out, promise{strings.Trim(strings.TrimSpace(cells[0]), "`"), cells[1], strings.TrimSpace(cells[2])})
		}
	}
	return out
}

// check computes a promise on the interpreter and says what is wrong with it.
func (p promise) check() error {
	k, typ := p.kernel()
	if k == nil {
		return fmt.Errorf("%s does not compile as any type", p.expression)
	}
	planes := make([][]byte, len(k.IR.Planes))
	for i := range planes {
		planes[i] = make([]byte, k.IR.Planes[i].Type.Bytes())
	}
	for setting := range strings.SplitSeq(p.with, ", ") {
		name, value, ok := strings.Cut(setting, " = ")
		plane := k.IR.Plane(name)
		if !ok || plane < 0 {
			return fmt.Errorf("%s: with %s, which the expression does not use", p.expression, setting)
		}
		bits, err := parse(value, k.IR.Planes[plane].Type)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(planes[plane], bits)
	}
	mask, taken := make([]byte, 1), make([]uint32, 1)
	interp.Compile(k.IR).NewMachine().Run(&interp.Work{Planes: planes, N: 1, Mask: mask, Taken: taken, Next: interp.NewCursor(0, 1), Upto: 1})
	got := "faults"
	if mask[0] != 2 {
		got = show(planes[k.IR.Plane("result")], typ)
	}
	if got != p.gives {
		return fmt.Errorf("%s with %s gives %s, the table says %s", p.expression, p.with, got, p.gives)
	}
	return nil
}

// kernel is a kernel whose step stores the expression, of floats x, y and integers i, j, in the plane
// result, with the type of the expression: the one that compiles.
func (p promise) kernel() (*kernels.Kernel, ir.Type) {
	for _, typ := range []ir.Type{ir.F64, ir.I64, ir.I32, ir.U64, ir.U32, ir.Bool} {
		imports := ""
		if strings.Contains(p.expression, "math.") {
			imports = "import \"math\"\n\n"
		}
		text := "package example\n\n" + imports + "//eaglet:kernel\ntype Example struct {\n\tX, Y float64\n\tI, J int64\n\tResult " + typ.GoName() +
			"\n}\n\nfunc value(x, y float64, i, j int64) " + typ.GoName() + " { return " + p.expression + " }\n\n" +
			"func (s *Example) Step() { s.Result = value(s.X, s.Y, s.I, s.J) }\n"
		if k, _ := kernels.LoadSource([]kernels.SourceFile{{Name: "example.go", Text: []byte(text)}}, "example"); k != nil {
			return k, typ
		}
	}
	return nil, ir.Invalid
}

// parse reads a value for a plane. NaN is one with a sign and a payload, which nothing may show.
func parse(text string, typ ir.Type) (uint64, error) {
	if typ == ir.I64 {
		v, err := strconv.ParseInt(text, 10, 64)
		return uint64(v), err
	}
	if text == "NaN" {
		return 0xFFF8_0000_0000_DEAD, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	return math.Float64bits(v), err
}

// show is a cell of a plane as the table writes it.
func show(cell []byte, typ ir.Type) string {
	switch typ {
	case ir.F64:
		v := math.Float64frombits(binary.LittleEndian.Uint64(cell))
		if math.IsNaN(v) && math.Float64bits(v) != ir.NaN64 {
			return "a NaN that is not canonical"
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case ir.I64:
		return fmt.Sprint(int64(binary.LittleEndian.Uint64(cell)))
	case ir.U64:
		return fmt.Sprint(binary.LittleEndian.Uint64(cell))
	case ir.I32:
		return fmt.Sprint(int32(binary.LittleEndian.Uint32(cell)))
	case ir.U32:
		return fmt.Sprint(binary.LittleEndian.Uint32(cell))
	}
	return strconv.FormatBool(cell[0] != 0)
}

func TestArithmeticPromises(t *testing.T) {
	rows := promises(read(t, "language.md"))
	if len(rows) < 20 {
		t.Errorf("the table has %d rows; is it still there?", len(rows))
	}
	for _, p := range rows {
		if err := p.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestPromisesCanBeBroken is the red case of TestArithmeticPromises.
func TestPromisesCanBeBroken(t *testing.T) {
	for _, p := range []promise{
		{"int32(x)", "x = 3e9", "2147483646"},
		{"i / j", "i = 1, j = 0", "0"},
		{"i / j", "i = 1, j = 1", "faults"},
		{"x == x", "x = NaN", "true"},
		{"x +", "x = 1", "1"},
		{"x + y", "z = 1", "1"},
		{"i", "i = 1.5", "1.5"},
	} {
		if p.check() == nil {
			t.Errorf("%s with %s was found to give %s", p.expression, p.with, p.gives)
		}
	}
}
