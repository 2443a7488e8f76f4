package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

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
	var last bool
	cmd := &cobra.Command{
		Use:   "open KERNEL | SESSION.toml | --last",
		Short: "Open the workbench on a kernel, or on a session that was saved",
		Long: `Open the workbench on a Go file, a folder with one package, a bundled kernel, or a session file.

The workbench starts with the policy band, so that decisions are there to be seen; --policy auto is the
fastest. Planes are set as for eaglet run. A session file (ctrl+s in the workbench writes one) says all that itself,
and the workbench opens at the step of its run at which it was saved. --last opens the session as the workbench was left last,
also after a crash.`,
		Example: `  eaglet open decay.go -n 100000
  eaglet open work.toml
  eaglet open --last`,
		Args: func(cmd *cobra.Command, args []string) error {
			if last && len(args) == 0 {
				return nil
			}
			return oneArg("kernel or session")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if last {
				if path = lastSession(); path == "" {
					return errors.New("there is no folder for the last session: set XDG_STATE_HOME or HOME")
				}
				if _, err := os.Stat(path); err != nil {
					return fmt.Errorf("no session has been left yet: %w", err)
				}
			} else {
				path = args[0]
			}
			return openWorkbench(cmd, path, &flags, &looks, false)
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "open the session as the workbench was left last")
	flags.register(cmd, "band")
	looks.register(cmd, true)
	return cmd
}

// openWorkbench opens the workbench on a kernel; run starts the batch at once.
func openWorkbench(cmd *cobra.Command, path string, flags *batchFlags, looks *screenFlags, run bool) error {
	opens, err := opening(path, flags)
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
	err = d.load(cmd.Context(), opens.kernel, opens.before, stderr, useColor(stderr))
	for _, c := range opens.after {
		if err == nil {
			err = d.do(cmd.Context(), c)
		}
	}
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
	err = tui.Run(cmd.Context(), s, options)
	keepSession(s, err, stderr)
	return err
}

// opens is what a session is told to open a kernel, or a session file.
type opens struct {
	before []session.Command
	kernel string
	after  []session.Command
}

// opening is how a path is opened.
func opening(path string, flags *batchFlags) (o opens, err error) {
	if !strings.HasSuffix(path, ".toml") {
		o.kernel = path
		o.before, err = flags.commands()
		return o, err
	}
	commands, err := session.FromFile(path)
	if err != nil {
		return o, err
	}
	for i, c := range commands {
		if load, ok := c.(session.LoadKernel); ok {
			return opens{commands[:i], load.Path, commands[i+1:]}, nil
		}
	}
	return o, fmt.Errorf("%s names no kernel", path)
}

// lastSession is the file in which the session is kept that the workbench was left with, "" when there is no place for it.
func lastSession() string {
	folder := os.Getenv("XDG_STATE_HOME")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(folder, "eaglet", "last.toml")
}

// keepSession keeps the session as the workbench was left with, and says so where it has ended in another way than by
// its user.
func keepSession(s *session.Session, ended error, stderr io.Writer) {
	path := lastSession()
	if path == "" || s.State().Kernel == nil || os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if errors.Join(s.Wait(ctx), s.Do(ctx, session.Save{Path: path}), s.Wait(ctx)) == nil && ended != nil {
		fmt.Fprintf(stderr, "eaglet: the session is kept in %s: eaglet open --last goes on with it\n", path)
	}
}

// bothTerminals says whether there is a keyboard and a screen.
func bothTerminals() bool {
	_, in := isTerminal(os.Stdin)
	_, out := isTerminal(os.Stdout)
	return in && out
}
