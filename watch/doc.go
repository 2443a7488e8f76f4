// Package watch says when the content of a kernel's files has changed, however an editor writes them.
// It knows names and bytes only: neither kernels nor sessions.
//
// Editors write in many ways: in place, to a new file renamed over the old one, by moving the old one
// aside first, twice in a row. A watch on the file itself goes deaf at the first rename, so the folder is
// watched and events are filtered by name. Events only say when to look: after a pause without further
// ones the content is read and its hash compared, so touching a file, or writing what was there, says
// nothing. Folders that come back and links that point elsewhere are followed: see arm.go. Where a file system gives no events (network mounts, some containers), a slow poll of sizes and
// times takes their place.
package watch
