package lessons

import (
	"context"
	"errors"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// Session is what a course needs of a session.
type Session interface {
	Do(ctx context.Context, c session.Command) error
	Wait(ctx context.Context) error
	State() *session.State
	Trace() *engine.Trace
	Subscribe() (<-chan session.Notification, func())
}

// Course goes through a lesson on a session. It belongs to one goroutine at a time.
type Course struct {
	s      Session
	reader *Reader
	before Facts // before the newest commands
}

// NewCourse begins on a session as it is.
func NewCourse(s Session) *Course { return &Course{s: s, reader: NewReader(s.Trace())} }

// Do gives commands one after the other and waits for each. A command that fails ends it.
func (c *Course) Do(ctx context.Context, lines []string) error {
	c.before = c.Facts()
	for _, line := range lines {
		step, err := ParseCommand(line)
		if err != nil {
			return err
		}
		if step.Command == nil {
			continue
		}
		if err := c.one(ctx, step.Command); err != nil {
			return err
		}
	}
	return nil
}

// one gives one command and waits until it is carried out.
func (c *Course) one(ctx context.Context, command session.Command) error {
	notes, leave := c.s.Subscribe()
	defer leave()
	if err := c.s.Do(ctx, command); err != nil {
		return err
	}
	if err := c.s.Wait(ctx); err != nil {
		return err
	}
	for {
		select {
		case n, open := <-notes:
			if failed, ok := n.(session.Failed); ok {
				return failed.Err
			}
			if !open {
				return errors.New("the session was closed")
			}
		default:
			return nil
		}
	}
}

// Facts are what the session says now; "trend" compares fill with what it was before the newest commands.
func (c *Course) Facts() Facts {
	f := c.reader.Facts(c.s.State())
	if before, now := c.before["fill"], f["fill"]; before != "" && now != "" {
		x, _ := strconv.ParseFloat(before, 64)
		y, _ := strconv.ParseFloat(now, 64)
		f["trend"] = "smaller"
		if y > x {
			f["trend"] = "larger"
		}
	}
	return f
}
