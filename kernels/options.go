package kernels

import (
	"strconv"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Options take the place of what a kernel's directive says, for one artifact. "" leaves an option as the
// directive has it. An artifact that differs has a digest of its own.
type Options struct {
	StepsPerLaunch string // "auto", or a number of steps >= 1
	Guard          string // "mask" or "active_set"
	FMA            string // "off" or "contract"
	Precision      string // "f64" or "f32": what float64 in the source means
}

// Empty says whether no option is given.
func (o Options) Empty() bool { return o == Options{} }

// optionRule is one option: its names, and how its value is taken over. The values are the same in the
// directive and in [Options].
type optionRule struct {
	key, flag string
	given     func(o *Options) string
	set       func(to *options, value string) bool // false: no such value
	want      string
}

// maxSteps is the most steps per launch that a kernel may state.
const maxSteps = 1 << 30

var optionRules = []optionRule{
	{"steps", "steps-per-launch", func(o *Options) string { return o.StepsPerLaunch }, func(to *options, value string) bool {
		if value == "auto" {
			to.steps = 0
			return true
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxSteps {
			return false
		}
		to.steps = n
		return true
	}, "auto, or a number of steps such as 16"},
	{"guard", "guard", func(o *Options) string { return o.Guard }, func(to *options, value string) bool {
		for _, g := range []ir.Guard{ir.GuardMask, ir.GuardActiveSet} {
			if value == g.String() {
				to.guard = g
				return true
			}
		}
		return false
	}, "mask or active_set"},
	{"fma", "fma", func(o *Options) string { return o.FMA }, func(to *options, value string) bool {
		to.contract = value == "contract"
		return to.contract || value == "off"
	}, "off or contract"},
	{"precision", "precision", func(o *Options) string { return o.Precision }, func(to *options, value string) bool {
		to.precision = ir.TypeNamed(value)
		return to.precision.Float()
	}, "f64 or f32"},
}

// override takes the given options over what the directive says.
func (r *reporter) override(to *options, o Options, path string) {
	for _, rule := range optionRules {
		value := rule.given(&o)
		if value == "" {
			continue
		}
		if !rule.set(to, value) {
			d := r.inFile("E068", path, "the option %s is %q", rule.flag, value)
			d.Rewrite = "give " + rule.want + ", or leave it out to have what the directive says"
		}
	}
}
