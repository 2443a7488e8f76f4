// Command pictures makes the pictures and the film of the README from the real workbench on real runs.
//
//	go run ./docs/pictures docs/pictures
//
// Runs take as long as they take, so pictures made on two machines differ in walls, never in decisions.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/session/playback"
	"github.com/eaglet-workbench/eaglet/tui"
)

//go:embed demo.film
var demo string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "pictures: give the folder to write to")
		os.Exit(2)
	}
	if err := makeAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func makeAll(folder string) error {
	if err := film(filepath.Join(folder, "demo.gif")); err != nil {
		return fmt.Errorf("film: %w", err)
	}
	return screens(folder)
}

// batch is a session on a bundled kernel.
func batch(kernel string, n int) (*session.Session, error) {
	s := session.New([]engine.Engine{host.New()}, session.Options{Observe: true, Travel: true})
	return s, do(s, session.SetBatch{N: n, Seed: 1}, session.LoadKernel{Path: kernel}, session.Configure{R: new(0.25)})
}

func do(s *session.Session, commands ...session.Command) error {
	ctx := context.Background()
	for _, c := range commands {
		if err := errors.Join(s.Do(ctx, c), s.Wait(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// film drives the workbench by the script.
func film(path string) error {
	s, err := batch("oscillator", 10_000)
	if err != nil {
		return err
	}
	defer s.Close()
	var out bytes.Buffer
	if err := tui.Film(context.Background(), &out, s, demo, tui.FilmOptions{Width: 120, Height: 34, Background: tui.BackgroundDark}); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// pictures are what is drawn from a recorded run.
var pictures = []struct {
	file, view    string
	width, height int
	background    tui.Background
	at            int
}{
	{"cockpit-dark.svg", "screen", 200, 60, tui.BackgroundDark, 26},
	{"cockpit-light.svg", "screen", 200, 60, tui.BackgroundLight, 26},
	{"band.svg", "band", 100, 16, tui.BackgroundDark, 26},
	{"regret.svg", "regret", 100, 20, tui.BackgroundDark, 0},
}

// screens records a run and draws it.
func screens(folder string) error {
	s, err := batch("oscillator", 10_000)
	if err != nil {
		return err
	}
	defer s.Close()
	scratch, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	recording := filepath.Join(scratch, "run.eagrec")
	if err := do(s, session.Record{Path: recording}, session.Run{}, session.StopRecording{}); err != nil {
		return err
	}
	for _, p := range pictures {
		from, err := playback.Open(recording, playback.Options{Clock: func() time.Time { return time.Time{} }})
		if err != nil {
			return err
		}
		err = tui.Draw(context.Background(), nil, p.view, from, tui.ViewOptions{
			Width: p.width, Height: p.height, Background: p.background, At: p.at,
			Glyphs: tui.GlyphsBraille, File: filepath.Join(folder, p.file),
		})
		if err := errors.Join(err, from.Close()); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
	}
	return nil
}
