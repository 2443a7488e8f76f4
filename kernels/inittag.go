package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// initRules are the rules of the init tag that are written like calls, with what each asks of its
// arguments.
var initRules = map[string]struct {
	kind  ir.InitKind
	form  string
	valid func(a []float64) bool
}{
	"uniform":    {ir.InitUniform, "uniform(a, b) with a <= b", func(a []float64) bool { return len(a) == 2 && a[0] <= a[1] }},
	"loguniform": {ir.InitLogUniform, "loguniform(a, b) with 0 < a <= b", func(a []float64) bool { return len(a) == 2 && 0 < a[0] && a[0] <= a[1] }},
	"normal":     {ir.InitNormal, "normal(mu, sigma) with sigma >= 0", func(a []float64) bool { return len(a) == 2 && a[1] >= 0 }},
	"linspace":   {ir.InitLinspace, "linspace(a, b)", func(a []float64) bool { return len(a) == 2 }},
	"logspace":   {ir.InitLogspace, "logspace(a, b) with a > 0 and b > 0", func(a []float64) bool { return len(a) == 2 && a[0] > 0 && a[1] > 0 }},
	"choice":     {ir.InitChoice, "choice(a, b, ...) with at least one value", func(a []float64) bool { return len(a) >= 1 }},
	"index":      {ir.InitIndex, "index()", func(a []float64) bool { return len(a) == 0 }},
}

const initForms = "a number, uniform(a, b), loguniform(a, b), normal(mu, sigma), linspace(a, b), logspace(a, b), choice(a, b, ...) or index()"

// parseInit parses an init tag; the error says what is wrong with it, for a user.
func parseInit(text string) (ir.Init, error) {
	in := ir.Init{Text: text}
	name, rest, call := strings.Cut(strings.TrimSpace(text), "(")
	if !call {
		v, err := number(name)
		if err != nil {
			return in, fmt.Errorf("init is %q, which is no rule", text)
		}
		in.Args = []float64{v}
		return in, nil
	}
	rule, ok := initRules[strings.TrimSpace(name)]
	rest, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return in, fmt.Errorf("init is %q, which is no rule", text)
	}
	in.Kind = rule.kind
	if strings.TrimSpace(rest) != "" {
		for _, s := range strings.Split(rest, ",") {
			v, err := number(s)
			if err != nil {
				return in, fmt.Errorf("init is %q: %q is no finite number", text, strings.TrimSpace(s))
			}
			in.Args = append(in.Args, v)
		}
	}
	if !rule.valid(in.Args) {
		return in, fmt.Errorf("init is %q, want %s", text, rule.form)
	}
	return in, nil
}

// number parses a finite float64.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}
