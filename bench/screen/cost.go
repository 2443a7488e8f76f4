package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// workloads are the two ends: few long launches on every core, and as many short ones as the engine can make.
var workloads = []workload{
	{"long launches", "bugequal", 1_000_000, engine.PolicyBand},
	{"short launches", "bugequal", 1000, engine.PolicyBand},
}

// stepsFor is max_steps of a run that takes about as long as is wanted.
func stepsFor(w workload, wanted time.Duration) (int, error) {
	steps := 512
	for {
		s, err := newSession(w, steps)
		if err != nil {
			return 0, err
		}
		wall, err := runOnce(s)
		ended := s.State().Finished == w.n
		_ = s.Close()
		switch {
		case err != nil:
			return 0, err
		case ended || wall >= wanted/4 || steps > 1<<28:
			return max(int(float64(steps)*float64(wanted)/float64(wall)), 64), nil
		}
		steps *= 4
	}
}

// cost makes the same run with the workbench and without it, by turns: the workbench's processor time is what the
// process takes more, and the ratio of throughputs that of the walls.
func cost(c *config) error {
	fmt.Println("while a run is on (medians; processor time beyond that of the same run without the workbench)")
	fmt.Printf("%-15s %8s %9s %10s %12s %12s %11s\n", "workload", "size", "run", "frames/s", "bytes/s", "core share", "throughput")
	for _, w := range c.workloads() {
		steps, err := stepsFor(w, c.seconds)
		if err != nil {
			return err
		}
		for _, size := range c.sizes() {
			if err := costAt(c, w, steps, size); err != nil {
				return err
			}
		}
	}
	return nil
}

func costAt(c *config, w workload, steps int, size [2]int) error {
	s, err := newSession(w, steps)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := runOnce(s); err != nil { // the first one calibrates and touches memory
		return err
	}
	var walls []time.Duration
	var shares, ratios, frames, bytes []float64
	for range c.rounds {
		alone, used, err := timed(func() (time.Duration, error) { return runOnce(s) })
		if err != nil {
			return err
		}
		x := openWorkbench(s, size[0], size[1])
		if _, err := x.press("1", "Band"); err != nil { // it is up
			return err
		}
		if _, err := runOnce(s); err != nil { // as it was done without: what is kept has its memory now
			return err
		}
		f0, b0 := x.written()
		watched, more, err := timed(func() (time.Duration, error) { return runOnce(s) })
		f1, b1 := x.written()
		if err != nil {
			return err
		}
		if err := x.Close(); err != nil {
			return err
		}
		seconds := watched.Seconds()
		walls = append(walls, watched)
		ratios = append(ratios, alone.Seconds()/seconds)
		shares = append(shares, (more-used).Seconds()/seconds)
		frames = append(frames, float64(f1-f0)/seconds)
		bytes = append(bytes, float64(b1-b0)/seconds)
	}
	fmt.Printf("%-15s %8s %9s %10.1f %12.0f %11.1f%% %11.3f\n", w.name, fmt.Sprintf("%dx%d", size[0], size[1]),
		median(walls).Round(time.Millisecond), median(frames), median(bytes), 100*median(shares), median(ratios))
	return nil
}

// timed says how long f says it took and what processor time the process used meanwhile.
func timed(f func() (time.Duration, error)) (wall, used time.Duration, err error) {
	before := processTime()
	wall, err = f()
	return wall, processTime() - before, err
}

// idle watches the workbench after a run.
func idle(c *config) error {
	s, err := newSession(workloads[0], 1000)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := runOnce(s); err != nil {
		return err
	}
	x := openWorkbench(s, 200, 60)
	if _, err := x.press("1", "Band"); err != nil {
		return err
	}
	time.Sleep(time.Second) // the clock parks
	_, b0 := x.written()
	before := processTime()
	time.Sleep(c.seconds)
	used := processTime() - before
	_, b1 := x.written()
	fmt.Printf("idle for %v: %.2f%% of a core, %d bytes written\n", c.seconds, 100*used.Seconds()/c.seconds.Seconds(), b1-b0)
	return x.Close()
}

func median[T time.Duration | float64](v []T) T {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return 0
	}
	return v[len(v)/2]
}

// workloads are those that the flags leave.
func (c *config) workloads() []workload {
	return slices.DeleteFunc(slices.Clone(workloads), func(w workload) bool { return !strings.HasPrefix(w.name, c.workload) })
}

// sizes are the screens that the flags name.
func (c *config) sizes() (out [][2]int) {
	for text := range strings.SplitSeq(c.size, ",") {
		var w, h int
		if _, err := fmt.Sscanf(text, "%dx%d", &w, &h); err == nil {
			out = append(out, [2]int{w, h})
		}
	}
	return out
}
