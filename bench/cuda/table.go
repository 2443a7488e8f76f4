package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// readPeers reads what the CUDA C arms wrote into a folder.
func readPeers(folder string) ([]line, error) {
	files, err := filepath.Glob(filepath.Join(folder, "cuda-*.jsonl"))
	if err != nil || folder == "" {
		return nil, err
	}
	tuned, err := filepath.Glob(filepath.Join(folder, "tune-*.jsonl"))
	if err != nil {
		return nil, err
	}
	var all []line
	for _, name := range append(files, tuned...) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			var l line
			if json.Unmarshal(s.Bytes(), &l) == nil && l.Arm != "" {
				all = append(all, l)
			}
		}
		f.Close()
	}
	return all, nil
}

// best is the fastest line of a cell whose arm begins with prefix and ends with suffix.
func best(all []line, l *line, prefix, suffix string) (b line) {
	b.Ms = math.Inf(1)
	for _, x := range all {
		same := x.Workload == l.Workload && x.Dist == l.Dist && x.N == l.N
		if same && strings.HasPrefix(x.Arm, prefix) && strings.HasSuffix(x.Arm, suffix) && x.Ms < b.Ms {
			b = x
		}
	}
	return b
}

// table sets eaglet beside the best CUDA C arm of each cell: resident data on both sides, and the whole run with
// transfers, as a user launches it, for itself.
func table(w io.Writer, ours, peers []line) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "cell\tn\tfma\teaglet ms\tarm\tCUDA C ms\tarm\tratio\trun, with transfers, ms\tsettled\tsteps differ\tbits differ")
	seen := map[string]bool{}
	for i := range ours {
		l := &ours[i]
		label := l.Arm[strings.LastIndex(l.Arm, "-"):]
		key := fmt.Sprint(l.Workload, l.Dist, l.N, label)
		if seen[key] {
			continue
		}
		seen[key] = true
		mine := best(ours, l, "eaglet-fused", label)
		if c := best(ours, l, "eaglet-claim", label); c.Ms < mine.Ms {
			mine = c
		}
		run, peer := best(ours, l, "eaglet-run", label), best(peers, l, "cuda-", label)
		fmt.Fprintf(t, "%s %s\t%.0e\t%s\t%.4g\t%s\t%.4g\t%s\t%.2f\t%.4g\t%s\t%d\t%d\n", l.Workload, l.Dist, float64(l.N), label[1:], mine.Ms, mine.Arm,
			peer.Ms, peer.Arm, mine.Ms/peer.Ms, run.Ms, run.Note, mine.StepsDiffer, mine.BitsDiffer)
	}
	t.Flush()
}
