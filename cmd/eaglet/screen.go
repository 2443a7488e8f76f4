package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/kernels/library"
	"github.com/eaglet-workbench/eaglet/session/playback"
	"github.com/eaglet-workbench/eaglet/tui"
)

// screenFlags are how the workbench looks; every command that draws has them. Each has a variable of the
// environment that stands for it where the flag is not given.
type screenFlags struct{ glyphs, theme, keys string }

func (s *screenFlags) register(cmd *cobra.Command, keys bool) {
	f := cmd.Flags()
	f.StringVar(&s.glyphs, "glyphs", "", "draw with: auto, braille, block or ascii (EAGLET_GLYPHS; default auto)")
	f.StringVar(&s.theme, "theme", "", "colours for a background that is: auto, dark or light (EAGLET_THEME; default auto: the terminal is asked)")
	if keys {
		f.StringVar(&s.keys, "keys", "", "`FILE` of keys that take the place of the usual ones (EAGLET_KEYS; default: eaglet/keys.toml where programs keep their settings)")
	}
}

// looks reads --glyphs and --theme.
func (s *screenFlags) looks() (g tui.Glyphs, b tui.Background, err error) {
	name, from := orEnv(s.glyphs, "--glyphs", "EAGLET_GLYPHS", "auto")
	g, ok := tui.GlyphsNamed(name)
	if !ok {
		return g, b, usagef("%s %s: want auto, braille, block or ascii", from, name)
	}
	name, from = orEnv(s.theme, "--theme", "EAGLET_THEME", "auto")
	if b, ok = tui.BackgroundNamed(name); !ok {
		return g, b, usagef("%s %s: want auto, dark or light", from, name)
	}
	return g, b, nil
}

// options are those of the workbench.
func (s *screenFlags) options() (o tui.Options, err error) {
	if o.Glyphs, o.Background, err = s.looks(); err != nil {
		return o, err
	}
	path, _ := orEnv(s.keys, "--keys", "EAGLET_KEYS", "")
	o.Keymap, err = tui.UserKeymap(path)
	o.Kernels = library.Names()
	return o, err
}

// orEnv is a flag's value, else that of a variable, else the usual one, and which of them it is.
func orEnv(value, flag, variable, usual string) (string, string) {
	if value != "" {
		return value, flag
	}
	if v := os.Getenv(variable); v != "" {
		return v, variable
	}
	return usual, flag
}

func newReplay() *cobra.Command {
	var looks screenFlags
	var kernel string
	var at int
	cmd := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Open the workbench on a recording",
		Long: `Open the workbench on a recording that eaglet run --record or the workbench has written. Every view shows what
it showed when the run went on; space plays and pauses, s goes on by one launch, < and > change the speed, R goes
back to the start. There is no engine behind it: what needs one says so.`,
		Example: `  eaglet run oscillator --policy band --record run.eagrec
  eaglet replay run.eagrec`,
		Args: oneArg("recording"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := looks.options()
			if err != nil {
				return err
			}
			if options.At = at; at < 0 {
				return usagef("--at %d: launches are counted from 1", at)
			}
			if !bothTerminals() {
				return errNoTerminalReplay
			}
			s, err := playback.Open(args[0], playback.Options{Kernel: kernel})
			if err != nil {
				return err
			}
			defer s.Close()
			return tui.Run(cmd.Context(), s, options)
		},
	}
	looks.register(cmd, true)
	cmd.Flags().IntVar(&at, "at", 0, "open with all of it told and the cursor at this launch (default: at the start)")
	cmd.Flags().StringVar(&kernel, "kernel", "", "`FILE` of the recorded kernel (default: the bundled one of its name, when it is the same)")
	return cmd
}

func newView() *cobra.Command {
	var looks screenFlags
	var o tui.ViewOptions
	var kernel, size, color string
	cmd := &cobra.Command{
		Use:   "view PANE RECORDING",
		Short: "Draw one pane of the workbench, or the whole screen, from a recording",
		Long: `Draw a pane of the workbench, or the whole screen, from a recording, without a terminal: for documents, tests and
reports of issues. It is drawn as text, or by --out as a picture or a table.

PANE is one of: ` + strings.Join(tui.ViewNames(), ", ") + ".",
		Example: `  eaglet view band run.eagrec --size 120x20 --at 37
  eaglet view screen run.eagrec --size 120x40 --theme light --out screen.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("%s takes a pane and a recording, got %d; see: %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Glyphs, o.Background, err = looks.looks(); err != nil {
				return err
			}
			if o.Width, o.Height, err = parseSize(size); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			colours := map[string]int{"none": 0, "16": 16, "256": 256, "true": 1 << 24}
			if color == "auto" {
				if color = "none"; useColor(out) {
					color = "256"
				}
			}
			n, ok := colours[color]
			if !ok {
				return usagef("--color %s: want auto, none, 16, 256 or true", color)
			}
			o.Colours = n
			if o.Axis != "step" && o.Axis != "launch" && o.Axis != "wall" {
				return usagef("--axis %s: want step, launch or wall", o.Axis)
			}
			if o.At < 0 {
				return usagef("--at %d: launches are counted from 1", o.At)
			}
			s, err := playback.Open(args[1], playback.Options{Kernel: kernel, Clock: func() time.Time { return time.Time{} }})
			if err != nil {
				return err
			}
			defer s.Close()
			return tui.Draw(cmd.Context(), out, args[0], s, o)
		},
	}
	looks.register(cmd, false)
	f := cmd.Flags()
	f.StringVar(&kernel, "kernel", "", "`FILE` of the recorded kernel (default: the bundled one of its name, when it is the same)")
	f.StringVar(&size, "size", "80x24", "`WxH`: columns and lines of what is drawn")
	f.StringVar(&color, "color", "auto", "colours of text: auto, none, 16, 256 or true")
	f.IntVar(&o.At, "at", 0, "launch under the cursor (default: the newest)")
	f.StringVar(&o.Axis, "axis", "step", "what the time axis counts: step, launch or wall")
	f.IntVar(&o.Zoom, "zoom", 0, "halve what the time axis shows this many times, around the cursor")
	f.StringVar(&o.File, "out", "", "write to `FILE`.svg, .png, .csv or .txt in the place of standard output")
	return cmd
}

// parseSize reads WxH.
func parseSize(text string) (w, h int, err error) {
	a, b, ok := strings.Cut(text, "x")
	w, errW := strconv.Atoi(a)
	h, errH := strconv.Atoi(b)
	if !ok || errW != nil || errH != nil || w < 1 || h < 1 || w > 1000 || h > 1000 {
		return 0, 0, usagef("--size %s: want columns x lines, each from 1 to 1000, as in 120x40", text)
	}
	return w, h, nil
}
