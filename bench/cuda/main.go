// Command cuda measures eaglet's CUDA engine on the workloads of bench/README.md, and sets it beside what the CUDA C
// arms of bench/peers wrote. It needs an NVIDIA GPU; its output are JSON lines as the arms write them, and a table.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	out := flag.String("out", "", "folder for the JSON lines; the arms' own, cuda-*.jsonl, are read there too")
	folder := flag.String("kernels", "bench/kernels", "where the workloads' kernels are")
	sizes := flag.String("n", "1e3,1e4,1e5,1e6,1e7", "sizes of a batch")
	mostK := flag.Int("most-k", 1_000_000, "the largest batch of workload K")
	flag.Parse()
	if err := run(*out, *folder, *sizes, *mostK); err != nil {
		fmt.Fprintln(os.Stderr, "cuda:", err)
		os.Exit(1)
	}
}

// run measures every cell.
func run(out, folder, sizes string, mostK int) error {
	file := os.Stdout
	if out != "" {
		var err error
		if file, err = os.Create(out + "/eaglet.jsonl"); err != nil {
			return err
		}
		defer file.Close()
	}
	lines := json.NewEncoder(file)
	var all []line
	for _, dist := range []string{"uniform", "spread-1000", "spread-100", "orbits"} {
		for _, text := range strings.Split(sizes, ",") {
			var n float64
			if _, err := fmt.Sscan(text, &n); err != nil {
				return fmt.Errorf("-n %s: %w", text, err)
			}
			if dist == "orbits" && int(n) > mostK {
				continue
			}
			for _, fma := range []string{"off", "contract"} {
				found, err := measure(folder, dist, fma, int(n))
				if err != nil {
					return fmt.Errorf("%s, n %s, fma %s: %w", dist, text, fma, err)
				}
				for _, l := range found {
					if err := lines.Encode(l); err != nil {
						return err
					}
				}
				all = append(all, found...)
			}
		}
	}
	peers, err := readPeers(out)
	if err != nil {
		return err
	}
	table(os.Stdout, all, peers)
	return nil
}
