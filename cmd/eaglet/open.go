package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/tui"
)

// errNoTerminal is said where the workbench has no terminal to open on.
var (
	errNoTerminal       = errors.New("the workbench needs a terminal for its input and output; without one use: eaglet run KERNEL")
	errNoTerminalReplay = errors.New("the workbench needs a terminal for its input and output; without one use: eaglet view screen RECORDING")
)

func newOpen() *cobra.Command {
	var flags batchFlags
	var looks screenFlags
	cmd := &cobra.Command{
		Use:   "open KERNEL",
		Short: "Open the workbench on a kernel",
		Long: `Open the workbench on a Go file, a folder with one package, or a bundled kernel.

The workbench starts with the policy band, so that decisions are there to be seen; --policy auto is the
fastest. Planes are set as for eaglet run.`,
		Args: oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return openWorkbench(cmd, args[0], &flags, &looks, false)
		},
	}
	flags.register(cmd, "band")
	looks.register(cmd, true)
	return cmd
}

// openWorkbench opens the workbench on a kernel; run starts the batch at once.
func openWorkbench(cmd *cobra.Command, path string, flags *batchFlags, looks *screenFlags, run bool) error {
	before, err := flags.commands()
	if err != nil {
		return err
	}
	options, err := looks.options()
	if err != nil {
		return err
	}
	if !bothTerminals() {
		return errNoTerminal
	}
	s := session.New(engines(), session.Options{Observe: true, Watch: true, Travel: true})
	defer s.Close()
	d := newDriver(s)
	stderr := cmd.ErrOrStderr()
	err = d.load(cmd.Context(), path, before, stderr, useColor(stderr))
	d.leave()
	if err != nil {
		return err
	}
	if flags.record != "" {
		if err := s.Do(cmd.Context(), session.Record{Path: flags.record}); err != nil {
			return err
		}
	}
	if run {
		if err := s.Do(cmd.Context(), session.Run{}); err != nil {
			return err
		}
	}
	options.Welcome = run
	return tui.Run(cmd.Context(), s, options)
}

// bothTerminals says whether there is a keyboard and a screen.
func bothTerminals() bool {
	_, in := isTerminal(os.Stdin)
	_, out := isTerminal(os.Stdout)
	return in && out
}
