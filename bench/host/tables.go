package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// output writes what was measured: JSON lines as bench/peers/table.py reads them, a table of ratios, and the
// machine's facts.
type output struct {
	c       *config
	lines   *os.File // nil: no folder was asked for
	table   io.Writer
	file    *os.File
	reports []*report
}

func openOutput(c *config) (*output, error) {
	o := &output{c: c, table: os.Stdout}
	if c.out != "" {
		if err := os.MkdirAll(c.out, 0o755); err != nil {
			return nil, err
		}
		var err error
		if o.lines, err = os.Create(filepath.Join(c.out, "cells.jsonl")); err != nil {
			return nil, err
		}
		if o.file, err = os.Create(filepath.Join(c.out, "ratios.md")); err != nil {
			return nil, err
		}
		o.table = io.MultiWriter(os.Stdout, o.file)
		if err := os.WriteFile(filepath.Join(c.out, "machine.txt"), []byte(machineFacts(c)), 0o644); err != nil {
			return nil, err
		}
	}
	fmt.Fprint(o.table, `Wall time of eaglet over that of the best C arm of the cell. The first number is the median of the rounds' own
ratios, in brackets its quartiles; then the ratio of the fastest turns, and the median ratio of processor time of all
threads, which other processes do not add to. "of tile, refill": of wall, to the best of those arms. "bits": samples that differ from the scalar
reference (fma=contract: from the interpreter).

| cell | fma | best C arm: ms (ns/step) | eaglet: ms (ns/step) | ratio | fastest | cpu | of tile, refill | fused | persistent | took | bits |
|---|---|---|---|---|---|---|---|---|---|---|---|
`)
	return o, nil
}

// line is one arm of one cell.
type line struct {
	Device      string  `json:"device"`
	Workload    string  `json:"workload"`
	Arm         string  `json:"arm"`
	Dist        string  `json:"dist"`
	N           int     `json:"n"`
	Threads     int     `json:"threads"`
	MS          float64 `json:"ms"`
	LeastMS     float64 `json:"least_ms"`
	CPUMS       float64 `json:"cpu_ms,omitempty"` // median processor time of all threads
	Reps        int     `json:"reps"`
	Useful      float64 `json:"useful"`
	StepsDiffer int     `json:"steps_differ"`
	BitsDiffer  *int    `json:"bits_differ,omitempty"`
	Note        string  `json:"note,omitempty"`
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// add writes a measured cell.
func (o *output) add(r *report) error {
	o.reports = append(o.reports, r)
	suffix := "-nofma"
	if r.fma == "contract" {
		suffix = "-fma"
	}
	for _, res := range r.results {
		l := line{
			Device: "cpu", Workload: r.cell.workload, Arm: res.arm, Dist: r.cell.dist, N: r.cell.n, Threads: r.cell.threads,
			MS: millis(res.median()), LeastMS: millis(res.least()), Reps: len(res.turns()), Useful: res.last.useful,
			StepsDiffer: res.last.stepsDiffer, Note: res.last.note,
		}
		if c := quotients(res.cpus, slices.Repeat([]time.Duration{1}, len(res.cpus))); len(c) > 0 {
			l.CPUMS = millis(time.Duration(c[len(c)/2]))
		}
		if isEaglet(res.arm) {
			l.Arm += suffix
		}
		if res.last.bitsDiffer >= 0 {
			l.BitsDiffer = &res.last.bitsDiffer
		}
		if o.c.verbose {
			fmt.Printf("    %-28s %9.4g ms %8.4g ns/step, fastest %8.4g %s\n", l.Arm, l.MS, l.MS*1e6/l.Useful, l.LeastMS*1e6/l.Useful, l.Note)
		}
		if o.lines == nil {
			continue
		}
		if err := json.NewEncoder(o.lines).Encode(l); err != nil {
			return err
		}
	}
	o.row(r)
	return nil
}

func (o *output) row(r *report) {
	c, e := r.best(isPeer), r.named("eaglet")
	if c == nil {
		fmt.Fprintf(o.table, "| %s | %s | none | %s | | | | | | | %s | %s |\n", r.cell, r.fma, figures(e), e.last.note, bits(e))
		return
	}
	q := e.over(c)
	fmt.Fprintf(o.table, "| %s | %s | %s %s | %s | **%.2f** (%.2f-%.2f) | %.2f | %s | %s | %s | %s | %s | %s |\n",
		r.cell, r.fma, c.arm, figures(c), figures(e), q.median, q.low, q.high, q.least, cpuRatio(q), overNamed(e, r.best(isTileOrRefill)),
		overNamed(r.named("eaglet-fused"), c), overNamed(r.named("eaglet-persistent"), c), e.last.note, bits(e))
}

func isTileOrRefill(arm string) bool {
	return strings.HasPrefix(arm, "c-tile") || strings.HasPrefix(arm, "c-refill")
}

// overNamed is the ratio of r to another arm, if there is one.
func overNamed(r, other *result) string {
	if r == nil || other == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", r.over(other).median)
}

// cpuRatio is the ratio of processor time, where it is known.
func cpuRatio(q ratio) string {
	if q.cpu == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", q.cpu)
}

func figures(r *result) string {
	ms := millis(r.median())
	return fmt.Sprintf("%.3g (%.3g)", ms, ms*1e6/r.last.useful)
}

func bits(r *result) string {
	if r.last.bitsDiffer < 0 {
		return ""
	}
	return fmt.Sprint(r.last.bitsDiffer)
}

// close writes what the cells come to together.
func (o *output) close() error {
	var log, logLeast, logCPU float64
	n, over, one, overCPU := 0, 0, 0, 0
	for _, r := range o.reports {
		c, e := r.best(isPeer), r.named("eaglet")
		if c == nil {
			continue
		}
		q := e.over(c)
		log += math.Log(q.median)
		logLeast += math.Log(q.least)
		n++
		if q.median > 1.10 {
			over++
		}
		if q.cpu > 0 {
			one++
			logCPU += math.Log(q.cpu)
			if q.cpu > 1.10 {
				overCPU++
			}
		}
	}
	if n > 0 {
		fmt.Fprintf(o.table, "\n%d cells; geometric mean of the ratios %.3f, of the fastest turns %.3f; above 1.10 in %d of them. Load at the end: %s\n",
			n, math.Exp(log/float64(n)), math.Exp(logLeast/float64(n)), over, load())
	}
	if one > 0 {
		fmt.Fprintf(o.table, "By processor time, %d cells: geometric mean %.3f; above 1.10 in %d of them.\n", one, math.Exp(logCPU/float64(one)), overCPU)
	}
	if o.lines == nil {
		return nil
	}
	if err := o.lines.Close(); err != nil {
		return err
	}
	return o.file.Close()
}
