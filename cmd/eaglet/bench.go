package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
)

func newBench() *cobra.Command {
	var flags batchFlags
	var rounds int
	var backEnds string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench KERNEL",
		Short: "Time the ways to run a batch against each other",
		Long: `Run the same batch to its end in several ways, by turns, and say how long each takes: as eaglet run does it, each
entry by name, the policies that launch again and again, and the back ends of the host engine. Before anything is
timed, every way must leave the same bits.

A wall is the median of the rounds, and is compared with that of the first way round by round; times of other
processes fall on all ways alike. Loading, compiling and filling planes are not in it. Batches are those of eaglet run.`,
		Example: `  eaglet bench oscillator -n 100000
  EAGLET_HOST=avx2 eaglet bench ./mine.go --set dt=1e-3 --rounds 21`,
		Args: oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := flags.commands()
			if err != nil {
				return err
			}
			if rounds < 1 || rounds > 1000 {
				return usagef("--rounds %d: want 1 to 1000", rounds)
			}
			names := host.BackEnds()
			if backEnds != "" {
				names = strings.Split(backEnds, ",")
			} else if wish := os.Getenv("EAGLET_HOST"); wish != "" {
				names = []string{wish}
			}
			return runBench(cmd, args[0], before, names, rounds, asJSON)
		},
	}
	flags.register(cmd, "auto")
	for _, name := range []string{"policy", "entry", "record"} { // what is compared
		_ = cmd.Flags().MarkHidden(name)
	}
	cmd.Flags().IntVar(&rounds, "rounds", 7, "how often every way takes its turn")
	cmd.Flags().StringVar(&backEnds, "back-ends", "", "back ends of the host, the first of which runs all ways: "+strings.Join(host.BackEnds(), ",")+" (default: those, or EAGLET_HOST)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// way is one way to run the batch, and what came of it.
type way struct {
	Name        string          `json:"way"`
	BackEnd     string          `json:"back_end"`
	Took        string          `json:"took"` // policy, entry, chunk, launches
	Walls       []time.Duration `json:"walls_ns"`
	Wall        time.Duration   `json:"wall_ns"`     // median
	NsPerStep   float64         `json:"ns_per_step"` // of a sample
	Ratio       float64         `json:"ratio"`       // to the first way, median of the rounds' own
	SampleSteps uint64          `json:"sample_steps"`

	driver *driver
	set    session.Configure
}

// ways are what is compared on a back end: everything on the first, the default on the others.
func ways(backEnd string, d *driver, first bool) []*way {
	list := []struct {
		name   string
		policy engine.Policy
		entry  engine.Entry
	}{
		{"auto", engine.PolicyAuto, engine.EntryAuto},
		{"fused, in one pass", engine.PolicyTiled, engine.EntryFused},
		{"persistent", engine.PolicyAuto, engine.EntryPersistent},
		{"fused, band", engine.PolicyBand, engine.EntryFused},
		{"fused, doubling", engine.PolicyDoubling, engine.EntryFused},
		{"fused, measured", engine.PolicyMeasured, engine.EntryFused},
	}
	if !first {
		list = list[:1]
	}
	var out []*way
	for _, w := range list {
		out = append(out, &way{Name: w.name, BackEnd: backEnd, driver: d, set: session.Configure{Policy: &w.policy, Entry: &w.entry}})
	}
	return out
}

// benchSettle is how many runs the pick between the entries may need until it is settled.
const benchSettle = 4

func runBench(cmd *cobra.Command, path string, before []session.Command, backEnds []string, rounds int, asJSON bool) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var all []*way
	for i, name := range backEnds {
		s := session.New([]engine.Engine{host.New(host.WithBackEnd(name))}, session.Options{})
		defer s.Close()
		d := newDriver(s)
		defer d.leave()
		stderr := io.Discard // the first session has said it
		if i == 0 {
			stderr = cmd.ErrOrStderr()
		}
		if err := d.load(ctx, path, before, stderr, useColor(stderr)); err != nil {
			return err
		}
		if s.State().Kernel.IR.Finish == nil {
			return fmt.Errorf("kernel %s has no finish declaration, so no batch of it comes to an end: name the result of Step terminated", s.State().Kernel.IR.Name)
		}
		all = append(all, ways(name, d, i == 0)...)
	}
	if err := warmUp(ctx, all); err != nil {
		return err
	}
	for round := range rounds {
		for i := range all {
			w := all[(i+round)%len(all)]
			r, err := w.run(ctx)
			if err != nil {
				return err
			}
			w.Walls = append(w.Walls, r.Wall)
		}
	}
	for _, w := range all {
		w.summarize(all[0])
	}
	if asJSON {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	return writeBench(cmd.OutOrStdout(), all, rounds)
}

// warmUp runs every way until its choices are settled, and compares what they leave.
func warmUp(ctx context.Context, all []*way) error {
	var first *session.Results
	for _, w := range all {
		for i := range benchSettle {
			r, err := w.run(ctx)
			if err != nil {
				return err
			}
			w.took(&r)
			if i > 0 && !r.Timed { // the first run told how long a chunk should be
				break
			}
		}
		got, err := w.driver.s.Results()
		switch {
		case err != nil:
			return err
		case first == nil:
			first = got
		default:
			for i := range first.Planes.Spec {
				if !bytes.Equal(first.Planes.Bytes(i), got.Planes.Bytes(i)) {
					return fmt.Errorf("plane %s differs between %s and %s on %s: this is a bug in eaglet, please report it with the kernel file",
						first.Planes.Spec[i].Name, all[0].Name, w.Name, w.BackEnd)
				}
			}
		}
	}
	return nil
}

// run makes one run of the batch from its start.
func (w *way) run(ctx context.Context) (engine.Report, error) {
	for _, c := range []session.Command{session.Rewind{}, w.set} {
		if err := w.driver.do(ctx, c); err != nil {
			return engine.Report{}, err
		}
	}
	r, err := w.driver.run(ctx, session.Run{}, func(<-chan struct{}) {})
	if err == nil && r.Status == engine.StatusCancelled.String() {
		err = &statusError{status: exitCancelled}
	}
	return r, err
}

func (w *way) took(r *engine.Report) {
	w.SampleSteps = r.SampleSteps
	w.Took = r.Policy + ", " + r.Entry
	if r.Chunk > 0 {
		w.Took += fmt.Sprintf(", chunk %d", r.Chunk)
	}
	if r.Launches > 1 {
		w.Took += fmt.Sprintf(", %s launches", engine.Grouped(r.Launches))
	}
}

// summarize makes figures of the walls; first is what they are compared with.
func (w *way) summarize(first *way) {
	ratios := make([]float64, len(w.Walls))
	for i := range w.Walls {
		ratios[i] = float64(w.Walls[i]) / float64(max(first.Walls[i], 1))
	}
	sorted := slices.Sorted(slices.Values(w.Walls))
	slices.Sort(ratios)
	w.Wall, w.Ratio = sorted[len(sorted)/2], ratios[len(ratios)/2]
	if w.SampleSteps > 0 {
		w.NsPerStep = float64(w.Wall) / float64(w.SampleSteps)
	}
}

func writeBench(out io.Writer, all []*way, rounds int) error {
	state := all[0].driver.s.State()
	fmt.Fprintf(out, "%s: %s samples, %s sample-steps; %d rounds on %s\n\n", state.Kernel.IR.Name, engine.Grouped(state.N),
		engine.Grouped(all[0].SampleSteps), rounds, state.Device)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "way\tback end\twall\tns/step\tsteps/s\tratio\ttook")
	for _, w := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.3g\t%s\t%.2f\t%s\n", w.Name, w.BackEnd, w.Wall.Round(100*time.Nanosecond), w.NsPerStep,
			siRate(float64(w.SampleSteps)/w.Wall.Seconds()), w.Ratio, w.Took)
	}
	return t.Flush()
}
