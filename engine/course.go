package engine

// A course is what a run has decided so far, launch by launch, so that it can be made again without deciding or
// measuring anything twice: the words of its launches, and what the measured policy timed. A run that goes back lies
// somewhere on its course; what lies ahead of it has been decided.
//
// Words of equal launches that follow each other are one entry. A course of more than mostEntries entries (4 MB) keeps
// its beginning only: beyond it a run that went back decides anew, which gives the same words unless a clock or a
// user chose them.
type course struct {
	words    []wordRun
	launches int  // that words stand for
	full     bool // later launches are not kept
	tries    []try
	told     uint64 // the last place whose event has been sent, see [run.place]
	frames   *Keyframes
}

const (
	mostEntries  = 1 << 18
	firstEntries = 32
)

func newCourse(k *Keyframes) *course {
	return &course{words: make([]wordRun, 0, firstEntries), frames: k}
}

// wordRun is some launches of equal words.
type wordRun struct {
	word  uint32
	asked bool // by the caller in step mode, not by the policy
	count uint32
}

// onCourse is a place between two launches of a course: behind used launches of an entry, at least one but at the
// beginning. It stays right when the course grows.
type onCourse struct {
	entry int // of words
	used  uint32
}

// next is the launch that follows a place, and moves the place behind it.
func (c *course) next(at *onCourse) wordRun {
	if at.used == c.words[at.entry].count {
		at.entry, at.used = at.entry+1, 0
	}
	at.used++
	return c.words[at.entry]
}

// back moves a place to before the launch that ends there.
func (c *course) back(at *onCourse) {
	if at.used--; at.used == 0 && at.entry > 0 {
		at.entry--
		at.used = c.words[at.entry].count
	}
}

// add puts a launch at the end, and the place, which was there, behind it.
func (c *course) add(at *onCourse, word uint32, asked bool) {
	last := len(c.words) - 1
	switch {
	case c.full:
		return
	case last >= 0 && c.words[last].word == word && c.words[last].asked == asked:
		c.words[last].count++
	case len(c.words) >= mostEntries:
		c.full = true
		return
	default:
		c.words = append(c.words, wordRun{word, asked, 1})
		last++
	}
	*at = onCourse{last, c.words[last].count}
	c.launches++
}

// cut forgets what lies ahead of a place, so many launches into the course and done steps into the run.
func (c *course) cut(at onCourse, launches int, done uint32) {
	if launches < c.launches {
		if at.used == 0 {
			c.words = c.words[:0]
		} else {
			c.words = c.words[:at.entry+1]
			c.words[at.entry].count = at.used
		}
		c.launches, c.full = launches, false
	}
	for len(c.tries) > 0 && c.tries[len(c.tries)-1].launch > launches {
		c.tries = c.tries[:len(c.tries)-1]
	}
	c.frames.cut(done)
}

// Stages of a turn, in the order in which their events are sent.
const (
	stageLaunch = 1 + iota
	stageCompaction
	stageReorder
	stageProbe
	stagePolicy
	stageOver
)

func placeOf(launches, stage int) uint64 { return uint64(launches)<<3 | uint64(stage) }

// tells says whether the event of a stage is new: that of a launch which is made again has been sent.
func (c *run) tells(stage int) bool {
	at := placeOf(c.launches, stage)
	if at <= c.course.told {
		return false
	}
	c.course.told = at
	return true
}

// recalls says whether the next launch has been decided before.
func (c *run) recalls() bool { return c.launches < c.course.launches }

// try is what the measured policy timed when it tried a fused launch: launch is its number.
type try struct {
	launch int
	probe  Probe
}

// tried is the try of a launch, nil when it was none.
func (c *course) tried(launch int) *try {
	for i := range c.tries {
		if c.tries[i].launch == launch {
			return &c.tries[i]
		}
	}
	return nil
}
