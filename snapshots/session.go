package snapshots

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
)

// SessionVersion is the version of session files that is written. A file of another one is refused.
const SessionVersion = 1

// maxSessionBytes bounds a session file: a hundred thousand edits of elements.
const maxSessionBytes = 8 << 20

// Session is a session in a file: what makes its batch, and how far it had gone. It holds names and numbers
// only; nothing in it is run.
type Session struct {
	Eaglet  int    `toml:"eaglet"` // version of the file
	Kernel  string `toml:"kernel"` // file, folder, or a bundled kernel's name; a path is relative to the session file
	Samples int    `toml:"samples"`
	Seed    uint64 `toml:"seed"`
	// Steps is how many steps the batch had made of its run; 0: it was at its start.
	Steps int `toml:"steps,omitzero"`

	Planes map[string]string  `toml:"planes,omitempty"` // plane = "FILE#COLUMN", files relative to the session file
	Units  map[string]string  `toml:"units,omitempty"`  // of mapped columns
	Label  string             `toml:"label,omitempty"`
	Values map[string]float64 `toml:"values,omitempty"` // params, and planes of one value
	Seeds  map[string]uint64  `toml:"seeds,omitempty"`  // of planes that were made by a seed of their own
	Cells  []SessionCell      `toml:"cells,omitempty"`
	// Finished are samples that are finished at the start.
	Finished []int `toml:"finished,omitempty"`

	Run     SessionRun     `toml:"run"`
	Compile SessionCompile `toml:"compile,omitempty"`
}

// SessionCell is an element of the start that was set.
type SessionCell struct {
	Name   string  `toml:"name"`
	Sample int     `toml:"sample"`
	Value  float64 `toml:"value"`
}

// SessionRun are run options by their names; 0 or "" leaves one to the runner.
type SessionRun struct {
	Engine   string  `toml:"engine,omitempty"`
	MaxSteps int     `toml:"max_steps"`
	Policy   string  `toml:"policy,omitempty"`
	R        float64 `toml:"r,omitzero"`
	Entry    string  `toml:"entry,omitempty"`
	Chunk    int     `toml:"chunk,omitzero"`
	Reorder  float64 `toml:"reorder,omitzero"`
	Every    int     `toml:"every,omitzero"`
	Wave     int     `toml:"wave,omitzero"`
}

// SessionCompile takes the place of what directives say.
type SessionCompile struct {
	StepsPerLaunch string `toml:"steps_per_launch,omitempty"`
	Guard          string `toml:"guard,omitempty"`
	FMA            string `toml:"fma,omitempty"`
	Precision      string `toml:"precision,omitempty"`
}

// WriteSession writes a session file, atomically, and gives its size.
func WriteSession(path string, s *Session) (size int64, err error) {
	if s.Kernel == "" {
		return 0, errors.New("a session without a kernel cannot be written")
	}
	f, err := Create(path)
	if err != nil {
		return 0, err
	}
	if _, err := io.WriteString(f, "# A session of eaglet: eaglet open "+strings.Join(strings.Fields(path), " ")+"\n"); err != nil {
		f.Discard()
		return 0, err
	}
	e := toml.NewEncoder(f)
	e.Indent = ""
	if err := e.Encode(s); err != nil {
		f.Discard()
		return 0, err
	}
	return f.Commit()
}

// ReadSession reads a session file. A key that is not known, a version of another time, and what is no TOML are
// refused with their place.
func ReadSession(path string) (*Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := readSession(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func readSession(r io.Reader) (*Session, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSessionBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxSessionBytes:
		return nil, fmt.Errorf("a session file has at most %d MB", maxSessionBytes>>20)
	}
	var s Session
	meta, err := toml.Decode(string(text), &s)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("line %d: %s", at.Position.Line, at.Message)
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	switch {
	case s.Eaglet == 0:
		return nil, fmt.Errorf("this is no session file: it says no eaglet = %d", SessionVersion)
	case s.Eaglet != SessionVersion:
		return nil, fmt.Errorf("the session is of version %d, this eaglet reads version %d", s.Eaglet, SessionVersion)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("there is no key %q in a session file", unknown[0].String())
	}
	if s.Kernel == "" {
		return nil, errors.New("the session names no kernel")
	}
	return &s, nil
}
