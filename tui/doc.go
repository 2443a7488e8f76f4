// Package tui is the workbench: Bubble Tea views over a session, which show what the runner decides while
// it decides it, and why. It must not know an engine: it sees a [Session], which takes commands and gives
// states, notifications and a ring of events.
//
// The way of one event to the screen:
//
//	engine.Trace --pull--> feed ----> records (ring) ----> panes ----> canvas ----> one string ----> terminal
//	 (ring, never waits)    (portions)  pyramid (whole run)   (draw)     (cells)     (cached)
//
// The engine is never asked to wait: events are pulled at frame time, in portions bounded by count and by
// time, and joined by turn into records. Frames are drawn at most 30 times a second while a run is on; the
// clock is parked when nothing happens, and nothing is written then.
//
// The order of reading: run.go (what a caller gets), model.go (the one root model), keys.go (what a user can
// do), layout.go (where things are), feed.go (what is kept), and then one file per pane.
//
// Vocabulary on screen is that of the runner: sample, batch, plane, mask, word, launch, band, compaction.
// Nothing is said by colour alone: every state has a word and a shape. Only foreground colours are ever
// set, each of them readable on black and on white (style_test.go), and the chrome is made of characters
// whose width all terminals agree on.
package tui
