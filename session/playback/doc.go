// Package playback is a session over a recording: it tells the events of a .eagrec file again, at a pace of its
// own, to whoever looks at a session. It must not know a terminal, and there is no engine behind it: what needs
// one is refused in one sentence.
//
// A recording is read from its start, event by event, and never held in memory; going back is reading again.
// Events get a generation of this session's, a new one for every run of the file and every way back, so that
// a view forgets what came before, as it does with a live session. An event that the file calls lost stays lost.
package playback
