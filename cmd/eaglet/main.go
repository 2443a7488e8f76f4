// Command eaglet opens the workbench, or runs a batch without it. It only wires the packages together: it
// is the one place that names concrete engines, and hands them to a session.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// Exit statuses of the command line.
const (
	exitOK        = 0 // every sample finished, none by a fault
	exitError     = 1
	exitUsage     = 2
	exitMaxSteps  = 3
	exitFaulted   = 4 // every sample finished, some by a fault
	exitCancelled = 130
)

// statusError ends a command with a status of its own. A nil err prints nothing: the command has said
// what there was to say.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usagef is an error of the command line itself.
func usagef(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Errorf(format, args...)}
}

// engines are what this build can run on, the default first.
func engines() []engine.Engine { return []engine.Engine{host.New(), cuda.New()} }

func main() { os.Exit(realMain(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// realMain is main with its surroundings as arguments; it returns the exit status.
func realMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitOK
	}
	var status *statusError
	if errors.As(err, &status) {
		if status.err != nil {
			printError(stderr, status.err)
		}
		return status.status
	}
	printError(stderr, err)
	return exitError
}

// printError writes an error as a user reads it; joined errors come one to a line.
func printError(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(w, "eaglet:", line)
	}
}

func newRoot() *cobra.Command {
	var looks screenFlags
	root := &cobra.Command{
		Use:   "eaglet",
		Short: "A terminal workbench for batches of independent simulations",
		Long: `eaglet runs a batch of independent simulations until every sample is done, and shows what the runner
decides and why. A kernel is one step of one sample, written as a small Go file.

Without a command eaglet opens the workbench on a bundled kernel and runs it.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return openWorkbench(cmd, defaultKernel, defaultFlags(), &looks, true)
		},
	}
	looks.register(root, true)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see: %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(newRun(), newOpen(), newCheck(), newIR(), newSidecar(), newAsm(), newBench(), newDevices(), newKernels(), newNew(), newTrace(), newReplay(), newView())
	return root
}

// exactArgs is cobra.ExactArgs(1) with a sentence that says what is missing.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one %s, got %d; see: %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
