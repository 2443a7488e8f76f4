package engine

import (
	"errors"
	"fmt"
)

// Part is one thing that a pipeline runs: a launch, a compaction, a decision, a loop of them. A part that
// a stop cut goes on where it was when it is called again; one that is done starts anew.
type Part interface {
	// Do runs the part, or the rest of it. [ErrStopped] says that the stop was seen before it was done; any
	// other error ends the pipeline for good.
	Do(stop *Stop) error
}

// ErrStopped is how a part says that it has not reached its end because of a stop.
var ErrStopped = errors.New("stopped")

// PartFunc makes a part of a function.
type PartFunc func(stop *Stop) error

// Do calls f.
func (f PartFunc) Do(stop *Stop) error { return f(stop) }

// Skippable is part, left out whenever when says no. A part that was stopped in the middle goes on to its
// end without being asked again.
func Skippable(part Part, when func() bool) Part { return &skippable{part: part, when: when} }

type skippable struct {
	part Part
	when func() bool
	cut  bool
}

func (s *skippable) Do(stop *Stop) error {
	if !s.cut && !s.when() {
		return nil
	}
	err := s.part.Do(stop)
	s.cut = errors.Is(err, ErrStopped)
	return err
}

func (s *skippable) parts() []Part { return []Part{s.part} }

// composite is a part that consists of others.
type composite interface{ parts() []Part }

// containsLoop says whether p is or holds a loop.
func containsLoop(p Part) bool {
	switch p := p.(type) {
	case *RepeatWhile, *RunLoop:
		return true
	case composite:
		for _, inner := range p.parts() {
			if containsLoop(inner) {
				return true
			}
		}
	}
	return false
}

// RepeatWhile runs the parts of its body in order, again and again: while fewer than MaxIters turns were
// made and the guard holds, which is looked at before each turn and nowhere else.
//
//	ran := 0
//	for ran < maxIters && guard() {
//	    for _, part := range body { part.Do(stop) }
//	    ran++
//	}
//
// It is the loop of runner.md, section 2, and what a device runs as a WHILE node of a graph; the [Runner]
// is written in it. The zero position is before the first turn. It is for one goroutine.
type RepeatWhile struct {
	// MaxIters is the most turns. It may be moved between two calls.
	MaxIters int

	body  []Part
	guard func() bool
	ran   int
	at    int // part of the body that comes next
}

// NewRepeatWhile makes a loop. A loop in the body, at any depth, is refused: a device has no graph for it.
func NewRepeatWhile(body []Part, guard func() bool, maxIters int) (*RepeatWhile, error) {
	var bad refusal
	for i, p := range body {
		if containsLoop(p) {
			bad.add(fmt.Sprintf("part %d of the body", i+1), "no loop", "a loop",
				"run the inner kernel a fixed number of steps per turn, or put one loop after the other in a pipeline")
		}
		if p == nil {
			bad.add(fmt.Sprintf("part %d of the body", i+1), "a part", "nil", "leave it out")
		}
	}
	if guard == nil {
		bad.add("guard", "a function that says whether another turn is made", "nil", "give one, for example finished != n")
	}
	if maxIters < 0 {
		bad.add("maxIters", "0 or more turns", fmt.Sprint(maxIters), "give the most turns that the loop may make")
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return &RepeatWhile{MaxIters: maxIters, body: body, guard: guard}, nil
}

// Ran is the number of whole turns made since the loop began.
func (l *RepeatWhile) Ran() int { return l.ran }

// Next runs one part. It returns false, and has run nothing, when the loop is over. A part that was
// stopped is the next one again.
func (l *RepeatWhile) Next(stop *Stop) (bool, error) {
	if l.at == 0 && (l.ran >= l.MaxIters || !l.guard()) {
		return false, nil
	}
	if len(l.body) > 0 {
		if err := l.body[l.at].Do(stop); err != nil {
			return true, err
		}
	}
	if l.at++; l.at >= len(l.body) {
		l.at = 0
		l.ran++
	}
	return true, nil
}

// Do runs the loop to its end, or the rest of it after a stop. Once it is over, the next call begins anew.
func (l *RepeatWhile) Do(stop *Stop) error {
	for {
		if l.at == 0 && stop.IsSet() && l.ran < l.MaxIters && l.guard() {
			return ErrStopped
		}
		more, err := l.Next(stop)
		if err != nil {
			return err
		}
		if !more {
			l.Reset()
			return nil
		}
	}
}

// Reset takes the loop back to before its first turn.
func (l *RepeatWhile) Reset() { l.ran, l.at = 0, 0 }

func (l *RepeatWhile) parts() []Part { return l.body }

// GraphPipeline runs parts in order: kernels before, inside (see [Runner.Loop]) and after the loop of a
// runner, several runs one after the other. It is a part itself.
type GraphPipeline struct {
	list []Part
	at   int
}

// NewGraphPipeline makes a pipeline of parts. Loops may follow each other in it.
func NewGraphPipeline(parts ...Part) (*GraphPipeline, error) {
	var bad refusal
	for i, p := range parts {
		if p == nil {
			bad.add(fmt.Sprintf("part %d", i+1), "a part", "nil", "leave it out")
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return &GraphPipeline{list: parts}, nil
}

// Do runs the parts, or the rest of them after a stop. Once all are done, the next call begins anew.
func (g *GraphPipeline) Do(stop *Stop) error {
	for ; g.at < len(g.list); g.at++ {
		if stop.IsSet() {
			return ErrStopped
		}
		if err := g.list[g.at].Do(stop); err != nil {
			return err
		}
	}
	g.at = 0
	return nil
}

func (g *GraphPipeline) parts() []Part { return g.list }
