package watch

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// aim is what events are asked for: the folders that have to be watched for one path, and what lies there now.
//
// A watch is on a folder as it was when it was asked for, not on its name. One that is renamed, or removed and made again
// (git does so where a branch has no such folder), is watched no more; so the folder above is watched too, for the name of
// the one below. A file that is a link is written to where it points: those folders are watched as well.
type aim struct {
	notify *fsnotify.Watcher
	path   string // absolute where that can be had
	folder bool
	linked bool // events of every name count: the links in between can have any
	placed map[string]os.FileInfo
}

func newAim(notify *fsnotify.Watcher, path string, folder bool) *aim {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return &aim{notify: notify, path: path, folder: folder, placed: map[string]os.FileInfo{}}
}

// home is the folder that holds what is watched.
func (a *aim) home() string {
	if a.folder {
		return a.path
	}
	return filepath.Dir(a.path)
}

// place puts watches where they belong now, and takes away those that do no longer. It says whether home is watched.
func (a *aim) place() bool {
	wanted := []string{a.home(), filepath.Dir(a.home())}
	real, err := filepath.EvalSymlinks(a.path)
	if err == nil {
		a.linked = real != a.path
	}
	if a.linked && err == nil {
		if !a.folder {
			real = filepath.Dir(real)
		}
		wanted = append(wanted, real)
	}
	alive := a.notify.WatchList()
	for dir := range a.placed {
		if !slices.Contains(wanted, dir) {
			a.take(dir)
		}
	}
	for _, dir := range wanted {
		info, err := os.Stat(dir)
		old, placed := a.placed[dir]
		switch {
		case err != nil:
			a.take(dir)
		case placed && os.SameFile(old, info) && slices.Contains(alive, dir):
		default:
			a.take(dir)
			if a.notify.Add(dir) == nil {
				a.placed[dir] = info
			}
		}
	}
	return a.placed[a.home()] != nil
}

// take takes a watch away; one that has gone by itself is no matter.
func (a *aim) take(dir string) {
	if _, placed := a.placed[dir]; placed {
		_ = a.notify.Remove(dir)
		delete(a.placed, dir)
	}
}

// counts says whether an event of this name can be one of what is watched.
func (a *aim) counts(name string) bool {
	if a.linked || name == a.home() {
		return true
	}
	if filepath.Dir(name) != a.home() {
		return false
	}
	return a.folder && goFile(name) || name == a.path
}
