package engine

// Parts made of a Bound, for loops that are written without a [Runner]; Bound.Begin comes first.

// Launching is a launch of word() steps as a part; word is asked before each launch, not for the rest of
// one that was stopped. stats, if not nil, is told what each launch did, its pieces too.
func Launching(b Bound, word func() uint32, stats func(LaunchStats)) Part {
	return &launching{bound: b, word: word, stats: stats}
}

type launching struct {
	bound Bound
	word  func() uint32
	stats func(LaunchStats)
	done  uint32 // sum of the words
	cut   bool
}

func (l *launching) Do(stop *Stop) error {
	if !l.cut {
		l.done += l.word()
	}
	s, err := l.bound.Launch(stop, l.done)
	if err != nil {
		return err
	}
	l.cut = s.Stopped
	if l.stats != nil {
		l.stats(s)
	}
	if s.Stopped {
		return ErrStopped
	}
	return nil
}

// Compacting is a compaction as a part; the engine leaves it out when the counter has not moved.
func Compacting(b Bound) Part {
	return PartFunc(func(*Stop) error {
		_, err := b.Compact()
		return err
	})
}
