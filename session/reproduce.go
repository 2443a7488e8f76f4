package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// reproduce answers a ReproductionQuery; way is how far the batch has gone.
func (b *batch) reproduce(q ReproductionQuery, way way) (*Reproduction, error) {
	x, err := b.fromStart([]int{q.Sample}, way)
	if err != nil {
		return nil, err
	}
	for i := range x.planes.Spec {
		if p := &x.planes.Spec[i]; p.Role == ir.RoleParam && p.Width() > 1 {
			return nil, fmt.Errorf("param %s has %d components, and a command line gives a param one value: the sample cannot be reproduced that way", p.Name, p.Width())
		}
	}
	if q.Dir == "" {
		return nil, errors.New("name a folder for the reproduction")
	}
	if err := os.MkdirAll(q.Dir, 0o777); err != nil {
		return nil, err
	}
	r := &Reproduction{}
	kernel := b.kernel.Path
	if len(b.kernel.Sources) > 0 {
		kernel = filepath.Join(q.Dir, filepath.Base(b.kernel.Sources[0].Name))
		if len(b.kernel.Sources) > 1 {
			kernel = q.Dir
		}
		for _, s := range b.kernel.Sources {
			path := filepath.Join(q.Dir, filepath.Base(s.Name))
			f, err := snapshots.Create(path)
			if err != nil {
				return nil, err
			}
			_, err = f.Write(s.Text)
			if err != nil {
				f.Discard()
				return nil, err
			}
			if _, err := f.Commit(); err != nil {
				return nil, err
			}
			r.Files = append(r.Files, path)
		}
	}
	planes := filepath.Join(q.Dir, "sample.npz")
	if _, err := snapshots.WriteNPZ(planes, &Results{Planes: x.planes, Mask: x.mask}); err != nil {
		return nil, err
	}
	r.Files = append(r.Files, planes)
	words := []string{"eaglet run", kernel, "--from", planes}
	for i := range x.planes.Spec {
		switch s := &x.planes.Spec[i]; s.Role {
		case ir.RoleState, ir.RoleInput, ir.RoleTable:
			words = append(words, "--plane", s.Name+"=#"+s.Name)
		case ir.RoleParam:
			words = append(words, "--set", s.Name+"="+strconv.FormatFloat(x.planes.Float(i, 0), 'g', -1, 64))
		}
	}
	if way.steps > 0 {
		words = append(words, "--max-steps", strconv.Itoa(way.steps))
	}
	r.Command = strings.Join(words, " ")
	return r, nil
}

// way is how far a batch has gone since its start.
type way struct {
	steps    int
	segments int // 1 unless something was edited on the way
}

// way is what the history says of that.
func (h *history) way() way {
	w := way{segments: 1}
	for i := range h.segments {
		if w.steps > 0 {
			w.segments++
		}
		w.steps += h.segments[i].steps()
	}
	return w
}

// steps is how many steps the runs of a segment have made, each with its own count.
func (s *Segment) steps() int {
	sum, now, open := 0, 0, false
	for i := range s.Runs {
		r := &s.Runs[i]
		switch r.Command.(type) {
		case Run, RunSteps:
			open = false
		}
		if !open {
			sum += now
		}
		now = r.Steps
		open = r.Status == "paused" || r.Status == "cancelled"
	}
	return sum + now
}

// whole says why the way of a sample cannot be gone again from the start, nil when it can.
func (w way) whole() error {
	if w.segments > 1 {
		return fmt.Errorf("the batch was changed on its way, %d times, and single samples are followed from the start: rewind it, and run it again with what it has now", w.segments-1)
	}
	return nil
}
