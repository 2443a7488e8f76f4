package main

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// writeReport says in words what a run did, and what came out of it.
func writeReport(w io.Writer, state *session.State, r *engine.Report, results *session.Results, out []string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\n\n", headline(r))
	fmt.Fprintf(t, "steps\t%s\n", stepsLine(r))
	fmt.Fprintf(t, "launches\t%s\n", launchesLine(r))
	fmt.Fprintf(t, "engine\t%s: %s; compiled in %s\n", r.Engine, r.Device, r.BuildTime.Round(time.Microsecond))
	if line := codeLine(state.Entries, r.Entry); line != "" {
		fmt.Fprintf(t, "code\t%s\n", line)
	}
	fmt.Fprintf(t, "wall\t%s, %s sample-steps/s\n", r.Wall.Round(10*time.Microsecond), siRate(float64(r.SampleSteps)/r.Wall.Seconds()))
	fmt.Fprintf(t, "trouble\t%s faulted, %s with NaN or Inf in their state\n", engine.Grouped(r.Faulted), engine.Grouped(r.NonFinite))
	for _, f := range r.Faults {
		fmt.Fprintf(t, "\tsample %d at step %d: %s, %s\n", f.Sample, f.Step, f.Cause, f.Where)
	}
	for i, note := range state.Notes {
		title := ""
		if i == 0 {
			title = "planes"
		}
		fmt.Fprintf(t, "%s\t%s\n", title, note)
	}
	for _, file := range out {
		fmt.Fprintf(t, "wrote\t%s\n", file)
	}
	fmt.Fprintln(t)
	if err := t.Flush(); err != nil {
		return err
	}
	return writeSummary(w, results)
}

// codeLine says what the compiler made of the entry that was run, "" when the engine does not say.
func codeLine(entries []engine.EntryReport, entry string) string {
	for i := range entries {
		e := &entries[i]
		if e.Entry != entry || e.Code == "" {
			continue
		}
		if e.TextBytes == 0 {
			return e.Code
		}
		return fmt.Sprintf("%s, %s bytes: %d lanes in %s, %d registers, %s", e.Code, engine.Grouped(e.TextBytes), e.Lanes,
			plural(e.Unroll, "group"), e.Registers, plural(e.Spills, "spill"))
	}
	return ""
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return engine.Grouped(n) + " " + noun + "s"
}

func headline(r *engine.Report) string {
	s := fmt.Sprintf("%s: %s of %s samples finished", r.Kernel, engine.Grouped(r.Finished), engine.Grouped(r.N))
	switch r.Status {
	case engine.StatusCancelled.String():
		return s + "; cancelled"
	case engine.StatusMaxSteps.String():
		if r.Finished < r.N {
			return s + fmt.Sprintf("; the rest ran %s steps (--max-steps)", engine.Grouped(r.MaxSteps))
		}
	}
	if r.Faulted > 0 {
		s += fmt.Sprintf(", %s of them by a fault", engine.Grouped(r.Faulted))
	}
	return s
}

func stepsLine(r *engine.Report) string {
	mean := 0.0
	if r.N > 0 {
		mean = float64(r.SampleSteps) / float64(r.N)
	}
	return fmt.Sprintf("%s sample-steps, %.4g a sample, %s at most; cap %s",
		engine.Grouped(r.SampleSteps), mean, engine.Grouped(r.Longest), engine.Grouped(r.MaxSteps))
}

func launchesLine(r *engine.Report) string {
	words := make([]int, 0, len(r.LaunchesByK))
	for k := range r.LaunchesByK {
		words = append(words, k)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(words)))
	parts := make([]string, len(words))
	for i, k := range words {
		parts[i] = fmt.Sprintf("%s of %d", engine.Grouped(r.LaunchesByK[k]), k)
	}
	s := fmt.Sprintf("%s, policy %s, %s entry", engine.Grouped(r.Launches), r.Policy, r.Entry)
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ") + " steps"
	}
	if r.Compactions > 0 {
		s += fmt.Sprintf("; %s compactions", engine.Grouped(r.Compactions))
	}
	return s
}

// summaryRow is one line of the table of what came out.
type summaryRow struct{ name, unit, low, mean, high string }

// writeSummary is the table of what came out: state, outputs and observables, component by component.
func writeSummary(w io.Writer, results *session.Results) error {
	rows := []summaryRow{{"final", "unit", "min", "mean", "max"}}
	for i := range results.Planes.Spec {
		spec := &results.Planes.Spec[i]
		if spec.Role != ir.RoleState && spec.Role != ir.RoleOutput {
			continue
		}
		n := results.Planes.N
		for c := range spec.Width() {
			name := snapshots.ComponentName(spec.Name, spec.Dims, c)
			rows = append(rows, summarize(name, spec.Unit, n, func(s int) float64 { return results.Planes.Float(i, c*n+s) }))
		}
	}
	for _, o := range results.Observables {
		rows = append(rows, summarize(o.Name+"()", o.Unit, len(o.Values), func(s int) float64 { return o.Values[s] }))
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r.name))
	}
	for _, r := range rows {
		line := fmt.Sprintf("%-*s  %12s  %12s  %12s  %s", width, r.name, r.low, r.mean, r.high, r.unit)
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// summarize takes minimum, mean and maximum over the finite values.
func summarize(name, unit string, n int, value func(int) float64) summaryRow {
	low, high, sum, count := math.Inf(1), math.Inf(-1), 0.0, 0
	for s := range n {
		v := value(s)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		low, high, sum, count = math.Min(low, v), math.Max(high, v), sum+v, count+1
	}
	if count == 0 {
		return summaryRow{name, unit, "-", "-", "-"}
	}
	text := func(v float64) string { return fmt.Sprintf("%.6g", v) }
	return summaryRow{name, unit, text(low), text(sum / float64(count)), text(high)}
}
