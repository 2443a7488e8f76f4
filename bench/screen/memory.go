package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// memory makes millions of launches with the workbench open and says what the process holds on the way.
func memory(c *config) error {
	w := workload{"", "bugequal", 8, engine.PolicyBand}
	s, err := newSession(w, 1<<30)
	if err != nil {
		return err
	}
	defer s.Close()
	x := openWorkbench(s, 120, 40)
	if _, err := x.press("1", "Band"); err != nil {
		return err
	}
	fmt.Printf("memory in a run of many launches, workbench open\n%12s %14s %14s\n", "launches", "heap in use", "from system")
	ctx := context.Background()
	began := time.Now()
	launches := 0
	for next := 0; launches < c.launches; {
		if launches >= next {
			tellMemory(launches)
			next += max(c.launches/5, 1)
		}
		if err := errors.Join(s.Do(ctx, session.RunSteps{N: 1 << 26}), s.Wait(ctx)); err != nil {
			return err
		}
		launches += s.State().Report.Launches
	}
	tellMemory(launches)
	fmt.Printf("%.0f launches a second\n", float64(launches)/time.Since(began).Seconds())
	return x.Close()
}

func tellMemory(launches int) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%12s %11.1f MB %11.1f MB\n", engine.Grouped(launches), float64(m.HeapAlloc)/1e6, float64(m.Sys)/1e6)
}
