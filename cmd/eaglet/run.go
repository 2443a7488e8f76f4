package main

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

func newRun() *cobra.Command {
	var flags batchFlags
	var steps int
	var out []string
	var report string
	cmd := &cobra.Command{
		Use:   "run KERNEL",
		Short: "Run a batch until every sample is done and write its final state",
		Long: `Run a batch of a kernel until every sample is done, without the workbench.

KERNEL is a Go file, a folder with one package, or the name of a bundled kernel (see: eaglet kernels).
Planes come from files (--plane), from single values (--set), or else from the init tags of the kernel.

Exit status: 0 every sample finished, 3 max-steps reached, 4 every sample finished but some faulted,
130 cancelled, 1 error, 2 usage.`,
		Example: `  eaglet run oscillator -n 100000
  eaglet run kepler --plane a=asteroids.csv#a_au --plane e=asteroids.csv#e --out final.npz
  eaglet run ./mine.go --set dt=1e-3 --policy band --report json`,
		Args: oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := flags.commands()
			if err != nil {
				return err
			}
			if report != "text" && report != "json" && report != "none" {
				return usagef("--report %s: want text, json or none", report)
			}
			command := session.Command(session.Run{})
			if cmd.Flags().Changed("steps") {
				if steps < 1 {
					return usagef("--steps %d: want a whole number of steps, at least 1", steps)
				}
				command = session.RunSteps{N: steps}
			}
			for _, file := range out {
				if err := snapshots.CanWrite(file); err != nil {
					return usagef("--out %w", err)
				}
			}
			return runHeadless(cmd, args[0], before, command, flags.record, out, report)
		},
	}
	flags.register(cmd, "auto")
	cmd.Flags().IntVar(&steps, "steps", 0, "run exactly this many steps, with or without a finish declaration")
	cmd.Flags().StringArrayVarP(&out, "out", "o", nil, "write the final planes to `FILE`.npz or FILE.csv (repeatable)")
	cmd.Flags().StringVar(&report, "report", "text", "report on standard output: text, json or none")
	return cmd
}

// runHeadless runs one batch and writes what was asked for.
func runHeadless(cmd *cobra.Command, path string, before []session.Command, command session.Command, record string, out []string, format string) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	s := session.New(engines(), session.Options{})
	defer s.Close()
	d := newDriver(s)
	defer d.leave()
	if err := d.load(ctx, path, before, stderr, useColor(stderr)); err != nil {
		return err
	}
	if record != "" {
		if err := d.do(ctx, session.Record{Path: record}); err != nil {
			return err
		}
	}
	state := s.State()
	bar := &progress{w: stderr, name: state.Kernel.IR.Name, n: state.N, start: time.Now(), trace: s.Trace()}
	report, err := d.run(ctx, command, bar.watch)
	if err != nil {
		return err
	}
	if record != "" {
		if err := d.do(context.WithoutCancel(ctx), session.StopRecording{}); err != nil {
			return err
		}
	}
	stop() // a second interrupt, while files are written, ends the program as usual
	for _, file := range out {
		if err := d.do(context.WithoutCancel(ctx), session.Export{Path: file}); err != nil {
			return err
		}
	}
	switch format {
	case "json":
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(report); err != nil {
			return err
		}
	case "text":
		results, err := s.Results()
		if err != nil {
			return err
		}
		if err := writeReport(stdout, s.State(), &report, results, out); err != nil {
			return err
		}
	}
	if status := exitStatus(&report, command); status != exitOK {
		return &statusError{status: status}
	}
	return nil
}

// exitStatus says how a run ended. A run of a number of steps has done what it was asked to.
func exitStatus(r *engine.Report, command session.Command) int {
	_, counted := command.(session.RunSteps)
	switch {
	case r.Status == engine.StatusCancelled.String():
		return exitCancelled
	case r.Faulted > 0 && (r.Done || counted):
		return exitFaulted
	case r.Status == engine.StatusMaxSteps.String() && !counted:
		return exitMaxSteps
	}
	return exitOK
}
