package main

import (
	"fmt"
	"strings"
)

// cell is one place of the table.
type cell struct {
	workload string // O, K, or S: O with one step a launch
	dist     string // how the samples' stops are spread
	n        int
	threads  int
}

func (c cell) String() string {
	return fmt.Sprintf("%s %s n=%s, %s", c.workload, c.dist, short(c.n), plural(c.threads, "core"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// short writes powers of ten as 1e5.
func short(n int) string {
	s := fmt.Sprint(n)
	if strings.Trim(s[1:], "0") == "" && len(s) > 3 {
		return fmt.Sprintf("%ce%d", s[0], len(s)-1)
	}
	return s
}

// makeCells lists the cells in the order in which they are measured: those of the same inputs follow each other.
func makeCells(kinds []string, ns []int, mostK int, threads []int) ([]cell, error) {
	var out []cell
	for _, kind := range kinds {
		w, dist, ok := strings.Cut(kind, ":")
		switch {
		case !ok, w != "O" && w != "K" && w != "S", w == "K" && dist != "orbits", w == "S" && dist != "steps-64",
			w == "O" && dist != "uniform" && dist != "spread-1000" && dist != "spread-100":
			return nil, fmt.Errorf("-cells %s: want O:uniform, O:spread-1000, O:spread-100, S:steps-64 or K:orbits", kind)
		}
		for _, n := range ns {
			if w == "K" && n > mostK {
				continue
			}
			for _, t := range threads {
				out = append(out, cell{w, dist, n, t})
			}
		}
	}
	return out, nil
}
