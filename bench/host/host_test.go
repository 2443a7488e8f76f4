package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
		err  bool
	}{
		{"1", []int{1}, false},
		{"1e3,20,1000000", []int{1000, 20, 1_000_000}, false},
		{"0", nil, true},
		{"1.5", nil, true},
		{"ten", nil, true},
		{"", nil, true},
	} {
		got, err := numbers(c.list)
		if (err != nil) != c.err || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, %v", c.list, got, err)
		}
	}
}

func TestCellsOfTheSameInputsFollowEachOther(t *testing.T) {
	cells, err := makeCells([]string{"O:uniform", "K:orbits"}, []int{1000, 100_000}, 1000, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, c.String())
	}
	want := []string{
		"O uniform n=1e3, 1 core", "O uniform n=1e3, 2 cores", "O uniform n=1e5, 1 core", "O uniform n=1e5, 2 cores",
		"K orbits n=1e3, 1 core", "K orbits n=1e3, 2 cores",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, bad := range []string{"O", "P:uniform", "O:orbits", "K:uniform", "S:uniform"} {
		if _, err := makeCells([]string{bad}, []int{1}, 1, []int{1}); err == nil {
			t.Errorf("%s is taken for a cell", bad)
		}
	}
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	ms := func(list ...int) (walls []time.Duration) {
		for _, x := range list {
			walls = append(walls, time.Duration(x)*time.Millisecond)
		}
		return walls
	}
	peer := &result{arm: "c-tile4-nofma", walls: ms(10, 100, 20, 10)} // the second round was a busy one
	ours := &result{arm: "eaglet", walls: ms(11, 110, 18, 12)}
	gone := &result{arm: "c-tile2-nofma", walls: ms(9, 90, 0, 0)}
	q := ours.over(peer)
	if q.median != 1.1 || q.low != 1.1 || q.high != 1.2 || q.least != 1.1 {
		t.Errorf("got %+v", q)
	}
	r := &report{results: []*result{gone, peer, ours}}
	if best := r.best(isPeer); best != peer {
		t.Errorf("the best is %s, want one that took every turn", best.arm)
	}
	if m := gone.median(); m != 90*time.Millisecond || len(gone.turns()) != 2 {
		t.Errorf("median %v of %d turns", m, len(gone.turns()))
	}
}

// TestOneCell builds the C arms and runs a cell; its lines must say that all bits are those of the reference.
func TestOneCell(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling the C arms takes some seconds")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc here")
	}
	if bestISA() == "" {
		t.Skip("the C arms need AVX2")
	}
	t.Setenv("EAGLET_HOST", "") // run sets it
	out := t.TempDir()
	c, err := parseFlags([]string{"-cells", "O:spread-100", "-n", "1000", "-threads", "2", "-fma", "off", "-rounds", "3", "-budget", "0s", "-only", "refill4", "-out", out})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(c); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(out, "cells.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	exact := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Useful != 22_012 || l.StepsDiffer != 0 || l.MS <= 0 || l.BitsDiffer == nil {
			t.Errorf("got %+v", l)
			continue
		}
		if compared := strings.HasPrefix(l.Arm, "eaglet") || strings.HasSuffix(l.Arm, "-nofma"); compared && *l.BitsDiffer != 0 {
			t.Errorf("%s: %d samples differ", l.Arm, *l.BitsDiffer)
		} else if compared {
			exact++
		}
	}
	if exact < 4+3 {
		t.Errorf("%d arms have been compared with a reference", exact)
	}
	if text, err := os.ReadFile(filepath.Join(out, "ratios.md")); err != nil || !strings.Contains(string(text), "| O spread-100 n=1e3, 2 cores | off | c-refill4") {
		t.Errorf("got %s, %v", text, err)
	}
}
