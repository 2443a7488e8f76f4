package tui

// style names a meaning; what it looks like is the theme's. The zero style is the terminal's own text.
type style uint8

const (
	plain    style = iota
	quiet          // labels, axes, units: less than the figures beside them
	strong         // figures and words to be seen first
	focus          // title of the focused pane
	liveTone       // live samples
	doneTone       // finished samples
	bandTone       // steps per launch
	want           // k* before rounding
	runs           // phase running
	waits          // phase paused, working
	ends           // phase ended
	wrong          // errors, faults
	key            // a key in footer and help
	selected       // cursor, finish line: reverse video, so that it needs no colour
	comment        // source text by kind of token
	keyword
	literal
	styleCount
)

// Background says what is known of the terminal's background. Unknown is a state of its own: many
// terminals do not answer, and neither dark nor light may be assumed then.
type Background uint8

// The backgrounds.
const (
	BackgroundUnknown Background = iota
	BackgroundDark
	BackgroundLight
)

// hues are indexes of the 256 colours, hues256 those in use. Those for an unknown background have a contrast of
// at least 3.5 on both black and white, the others at least 4.5 on their own (style_test.go). Blue against orange
// tells finished from live for colour-blind readers.
type hues struct{ grey, blue, orange, green, purple, red uint8 }

var hues256 = [...]hues{
	BackgroundUnknown: {grey: 243, blue: 33, orange: 166, green: 29, purple: 134, red: 160},
	BackgroundDark:    {grey: 246, blue: 75, orange: 214, green: 78, purple: 177, red: 203},
	BackgroundLight:   {grey: 241, blue: 25, orange: 130, green: 22, purple: 91, red: 124},
}
