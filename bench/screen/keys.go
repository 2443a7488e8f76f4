package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/eaglet-workbench/eaglet/session"
)

// keys presses keys while every core runs the batch, and says how long the screen takes to answer. The keys open
// the help and close it, so every answer is a large change of the screen.
func keys(c *config) error {
	fmt.Println("from a key to the bytes of the screen, while a run is on on every core")
	fmt.Printf("%-15s %8s %7s %9s %9s %9s %9s\n", "workload", "size", "keys", "median", "95 %", "99 %", "worst")
	for _, w := range c.workloads() {
		for _, size := range c.sizes() {
			if err := keysAt(c, w, size); err != nil {
				return err
			}
		}
	}
	return nil
}

func keysAt(c *config, w workload, size [2]int) error {
	s, err := newSession(w, 1<<30)
	if err != nil {
		return err
	}
	defer s.Close()
	x := openWorkbench(s, size[0], size[1])
	if _, err := x.press("1", "Band"); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for i := range c.presses {
		if s.State().Phase != session.Running {
			for _, command := range []session.Command{session.Rewind{}, session.Run{}} {
				if err := s.Do(context.Background(), command); err != nil {
					return err
				}
			}
		}
		time.Sleep(time.Duration(20+random.IntN(40)) * time.Millisecond)
		key, text := "?", "the keys of"
		if i%2 == 1 {
			key, text = "\x1b", "Band:"
		}
		d, err := x.press(key, text)
		if err != nil {
			return err
		}
		if i%2 == 0 { // a lone escape is waited for by the terminal's protocol, so only the other key is counted
			took = append(took, d)
		}
	}
	if err := x.Close(); err != nil {
		return err
	}
	slices.Sort(took)
	at := func(q float64) time.Duration {
		return took[min(int(q*float64(len(took))), len(took)-1)].Round(100 * time.Microsecond)
	}
	fmt.Printf("%-15s %8s %7d %9v %9v %9v %9v\n", w.name, fmt.Sprintf("%dx%d", size[0], size[1]), len(took), at(0.5), at(0.95), at(0.99), at(1))
	return nil
}
