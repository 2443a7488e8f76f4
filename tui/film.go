package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// FilmOptions say what [Film] makes.
type FilmOptions struct {
	Width, Height int // of the workbench, in cells; 0: 120 and 32
	Background    Background
	Kernels       []string // names of bundled kernels
}

// Film runs the workbench on a session without a terminal, presses keys as a script says, and writes what was on the
// screen as an animated GIF, with a line below it for what the script says. A script is lines:
//
//	say TEXT        what stands below the screen from now on
//	press KEY...    keys by their names: space, enter, esc, tab, up, down, left, right, or characters
//	type TEXT       characters one by one
//	wait DURATION   the film goes on: 1.5s
//	until TEXT      until it is on the screen, for 20 seconds at most
//	# TEXT          nothing
//
// Errors name the script's line.
func Film(ctx context.Context, w io.Writer, s Session, script string, o FilmOptions) error {
	if o.Width == 0 {
		o.Width, o.Height = 120, 32
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, keys := io.Pipe()
	defer keys.Close()
	f := &filming{keys: keys, width: o.Width, height: o.Height}
	over := make(chan error, 1)
	go func() {
		over <- Run(ctx, s, Options{
			Glyphs: GlyphsBraille, Background: o.Background, Kernels: o.Kernels, Input: r, Output: io.Discard,
			Width: o.Width, Height: o.Height, Env: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, film: f,
		})
	}()
	if err := f.play(ctx, script); err != nil {
		cancel()
		return errors.Join(err, alone(<-over))
	}
	cancel()
	if err := alone(<-over); err != nil {
		return err
	}
	return paintGIF(w, f.frames(), o.Background)
}

// alone is an error of the workbench that is not its having been ended.
func alone(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

var errNoFrames = errors.New("the film has no frames: the script waits for nothing")

// filming is a film while it is made.
type filming struct {
	keys          io.Writer
	width, height int

	mu    sync.Mutex
	shots []shot
	said  string
}

// shot is what the screen showed from a moment on.
type shot struct {
	at   time.Time
	s    *surface
	said string
}

// shoot keeps a drawing. It is called by View.
func (f *filming) shoot(s *surface) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.w == f.width && s.h == f.height {
		f.shots = append(f.shots, shot{time.Now(), s, f.said})
	}
}

// play does what a script says.
func (f *filming) play(ctx context.Context, script string) error {
	number := 0
	for line := range strings.Lines(script) {
		number++
		command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch command {
		case "", "#":
		case "say":
			f.say(rest)
		case "press":
			err = f.press(strings.Fields(rest))
		case "type":
			for _, r := range rest {
				err = errors.Join(err, f.send(string(r)))
			}
		case "wait":
			var d time.Duration
			if d, err = time.ParseDuration(rest); err == nil {
				err = sleep(ctx, d)
			}
		case "until":
			err = f.until(ctx, rest)
		default:
			err = fmt.Errorf("there is no command %q: say, press, type, wait, until", command)
		}
		if err != nil {
			return fmt.Errorf("script line %d: %w", number, err)
		}
	}
	f.say("")
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// say changes the line below the screen.
func (f *filming) say(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = text
	if n := len(f.shots); n > 0 {
		f.shots = append(f.shots, shot{time.Now(), f.shots[n-1].s, text})
	}
}

// filmKeys is what a terminal sends for a key.
var filmKeys = map[string]string{
	"space": " ", "enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
}

// betweenKeys is how fast keys are pressed.
const betweenKeys = 120 * time.Millisecond

func (f *filming) press(keys []string) error {
	for _, key := range keys {
		sent, named := filmKeys[key]
		if !named {
			if len([]rune(key)) != 1 {
				return fmt.Errorf("there is no key %q", key)
			}
			sent = key
		}
		if err := f.send(sent); err != nil {
			return err
		}
	}
	return nil
}

func (f *filming) send(bytes string) error {
	_, err := io.WriteString(f.keys, bytes)
	time.Sleep(betweenKeys)
	return err
}

// until waits until text is on the screen.
func (f *filming) until(ctx context.Context, text string) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		f.mu.Lock()
		var last *surface
		if n := len(f.shots); n > 0 {
			last = f.shots[n-1].s
		}
		f.mu.Unlock()
		if last != nil && strings.Contains(last.String(nil), text) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%q does not come on the screen", text)
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// shortest is the least time that a frame stands.
const shortest = 80 * time.Millisecond

// frames is the film: shots that stood too short are left out, and each has its line below it.
func (f *filming) frames() []frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	shots := slices.Clone(f.shots)
	var out []frame
	for i, s := range shots {
		end := time.Now()
		if i+1 < len(shots) {
			end = shots[i+1].at
		}
		if n := len(out); n > 0 && end.Sub(s.at) < shortest && i+1 < len(shots) {
			out[n-1].stand += end.Sub(s.at)
			continue
		}
		out = append(out, frame{captioned(s.s, s.said), end.Sub(s.at)})
	}
	return out
}

// captioned is a surface with two more lines, of which the last one says something.
func captioned(s *surface, text string) *surface {
	out := newSurface(s.w, s.h+2, s.ascii)
	copy(out.cells, s.cells)
	out.canvas().text(2, s.h+1, strong, cut(text, s.w-4))
	return out
}
