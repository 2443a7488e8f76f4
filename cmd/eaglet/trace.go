package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine"
)

func newTrace() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace RECORDING",
		Short: "Print what a recorded run decided, one sentence for each decision",
		Long: `Print a recording that eaglet run --record or the workbench has written: one sentence for each decision,
in the words of the workbench's log, with its turn and its time since the trace began.`,
		Example: `  eaglet run oscillator --policy band --record run.eagrec
  eaglet trace run.eagrec`,
		Args: oneArg("recording"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			rec, err := engine.OpenRecording(f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			write := writeSentences
			if asJSON {
				write = writeEvents
			}
			err = write(out, rec)
			if flushed := out.Flush(); err == nil {
				err = flushed
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line: the header, then every event")
	return cmd
}

// writeSentences writes a recording as a person reads it.
func writeSentences(w io.Writer, rec *engine.RecordingReader) error {
	o := &rec.Header.Options
	fmt.Fprintf(w, "%s, n %s, max_steps %s, policy %s, entry %s, engine %s: %s; kernel digest %x\n",
		o.Kernel, engine.Grouped(rec.Header.N), engine.Grouped(o.MaxSteps), o.Policy, o.Entry, o.Engine, o.Device, rec.Header.Digest[:8])
	stops := 0
	tell := func() {
		if stops > 0 {
			fmt.Fprintf(w, "%18s  stops of %s\n", "", engine.Counted(stops, "sample"))
		}
		stops = 0
	}
	for {
		e, err := rec.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			tell()
			return nil
		}
		if err != nil {
			return err
		}
		if e.Kind == engine.EventStops {
			stops += int(e.Stops().Count)
			continue
		}
		tell()
		if _, err := fmt.Fprintf(w, "%6d %11s  %s\n", e.Turn, e.Time.Round(time.Microsecond), engine.Sentence(e)); err != nil {
			return err
		}
	}
}

// writeEvents writes a recording as a program reads it.
func writeEvents(w io.Writer, rec *engine.RecordingReader) error {
	enc := json.NewEncoder(w)
	header := map[string]any{"n": rec.Header.N, "digest": fmt.Sprintf("%x", rec.Header.Digest), "options": rec.Header.Options}
	if err := enc.Encode(header); err != nil {
		return err
	}
	for {
		e, err := rec.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := enc.Encode(engine.JSONEvent(e)); err != nil {
			return err
		}
	}
}
