// Command screen measures what the workbench costs: processor time and throughput while a run is on, idle, the time
// from a key to the screen while every core is busy, and memory over millions of launches. It knows the workbench and the host
// engine; it asserts nothing about speed.
//
//	go run ./bench/screen
//
// Read watched.go (the workbench on a screen that is only counted), cost.go, keys.go and memory.go (what is measured).
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

// config is what the flags say.
type config struct {
	what     []string
	rounds   int
	seconds  time.Duration
	presses  int
	launches int
	size     string
	workload string
}

func main() {
	var c config
	flag.StringVar(&c.size, "size", "80x24,120x40,200x60", "cells of the screen")
	flag.StringVar(&c.workload, "workload", "", "only the workload whose name begins so")
	profile := flag.String("cpuprofile", "", "file for a profile of processor time")
	what := flag.String("what", "cost,idle,keys,memory", "what is measured")
	flag.IntVar(&c.rounds, "rounds", 11, "times that a run is made with the workbench and without it, by turns")
	flag.DurationVar(&c.seconds, "seconds", 3*time.Second, "how long a run takes, about, and how long idling is watched")
	flag.IntVar(&c.presses, "presses", 300, "keys that are pressed")
	flag.IntVar(&c.launches, "launches", 10_000_000, "launches whose memory is watched")
	flag.Parse()
	c.what = strings.Split(*what, ",")
	fmt.Printf("%s/%s, %d cores, %s, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), time.Now().Format("2006-01-02"))
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
	err := run(&c)
	pprof.StopCPUProfile()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(c *config) error {
	measure := map[string]func(*config) error{"cost": cost, "idle": idle, "keys": keys, "memory": memory}
	for _, what := range c.what {
		f, ok := measure[what]
		if !ok {
			return fmt.Errorf("-what %s: it is cost, idle, keys or memory, or several with commas between", what)
		}
		if err := f(c); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		fmt.Println()
	}
	return nil
}
