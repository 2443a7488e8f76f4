package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// artifactChanges says what a reload changed in what runs, one sentence each: the finish declaration, the steps of a launch,
// planes, operations, and the code of each entry. Nothing changed but the text: no sentence.
func artifactChanges(was, is *ir.Kernel, before, after []engine.EntryReport) []string {
	var out []string
	differ := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %s -> %s", what, a, b))
		}
	}
	differ("finish", finishWords(was), finishWords(is))
	differ("steps per launch", stepsWords(was), stepsWords(is))
	differ("compacting", yesNo(was.Guard == ir.GuardActiveSet), yesNo(is.Guard == ir.GuardActiveSet))
	differ("precision", was.Precision.GoName(), is.Precision.GoName())
	out = append(out, planeChanges(was, is)...)
	for _, part := range []struct {
		name string
		of   func(*ir.Kernel) int
	}{
		{"operations in a step", func(k *ir.Kernel) int { return countOps(&k.Step.Trip) }},
		{"before the first step", func(k *ir.Kernel) int { return countOps(&k.Step.Head) }},
	} {
		differ(part.name, strconv.Itoa(part.of(was)), strconv.Itoa(part.of(is)))
	}
	for i := range after {
		now := &after[i]
		j := slices.IndexFunc(before, func(e engine.EntryReport) bool { return e.Entry == now.Entry })
		if j < 0 {
			continue
		}
		entryDiffers(&out, &before[j], now)
	}
	return out
}

// entryDiffers adds what is different in an entry's code.
func entryDiffers(out *[]string, was, is *engine.EntryReport) {
	var parts []string
	differ := func(what string, a, b int) {
		if a != b {
			parts = append(parts, fmt.Sprintf("%s %s -> %s", what, engine.Grouped(a), engine.Grouped(b)))
		}
	}
	differ("bytes of code", was.TextBytes, is.TextBytes)
	differ("registers", was.Registers, is.Registers)
	differ("spills", was.Spills, is.Spills)
	differ("groups of lanes", was.Unroll, is.Unroll)
	differ("bytes of local memory", was.LocalBytes, is.LocalBytes)
	if was.Code != is.Code {
		parts = append(parts, fmt.Sprintf("%s -> %s", was.Code, is.Code))
	}
	if len(parts) > 0 {
		*out = append(*out, is.Entry+" entry: "+strings.Join(parts, ", "))
	}
}

func finishWords(k *ir.Kernel) string {
	if k.Finish == nil {
		return "none"
	}
	return strings.Join(strings.Fields(k.Finish.Text), " ")
}

func stepsWords(k *ir.Kernel) string {
	if k.Auto() {
		return "auto, at most " + strconv.Itoa(k.StepsMax)
	}
	return strconv.Itoa(k.Steps)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// planeChanges are planes that came, went, or hold something else.
func planeChanges(was, is *ir.Kernel) []string {
	var came, went, other []string
	words := func(p *ir.Plane) string {
		text := p.Type.GoName()
		for _, d := range p.Dims {
			text = fmt.Sprintf("[%d]%s", d, text)
		}
		return text + " " + p.Role.String()
	}
	for i := range is.Planes {
		p := &is.Planes[i]
		j := was.Plane(p.Name)
		switch {
		case j < 0:
			came = append(came, p.Name)
		case words(p) != words(&was.Planes[j]):
			other = append(other, fmt.Sprintf("plane %s: %s -> %s", p.Name, words(&was.Planes[j]), words(p)))
		}
	}
	for i := range was.Planes {
		if is.Plane(was.Planes[i].Name) < 0 {
			went = append(went, was.Planes[i].Name)
		}
	}
	var out []string
	if came != nil {
		out = append(out, "new planes: "+strings.Join(came, ", "))
	}
	if went != nil {
		out = append(out, "planes gone: "+strings.Join(went, ", "))
	}
	return append(out, other...)
}

// countOps counts the operations of a region, those within its branches and loops too.
func countOps(r *ir.Region) int {
	n := 0
	r.Walk(func(*ir.Instr) { n++ })
	return n
}
