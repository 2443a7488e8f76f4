// Package library holds the kernels that ship with eaglet, one folder each, as source text. It knows nothing
// of how a kernel is loaded: to everybody else a bundled kernel is Go source like a user's own.
//
// Each folder is an ordinary Go package with tests of its own, which run with go test and without eaglet.
package library

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// The pattern takes the tests along; [Files] leaves them out. A new kernel is a new folder, nothing else.
//
//go:embed */*.go
var sources embed.FS

// File is one source file of a kernel. Name is the bare file name, "oscillator.go".
type File struct {
	Name string
	Text []byte
}

// Names returns the names of the bundled kernels, sorted.
func Names() []string {
	var names []string
	for _, entry := range entries(".") {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

// Files returns the source files of the named kernel, sorted by name and without its tests. The texts are
// copies of the caller's own. The second result is false when there is no such kernel.
func Files(name string) ([]File, bool) {
	if strings.ContainsAny(name, `./\`) {
		return nil, false
	}
	var files []File
	for _, entry := range entries(name) {
		if strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		text, err := sources.ReadFile(path.Join(name, entry.Name()))
		if err != nil {
			panic("library: an embedded file cannot be read: " + err.Error())
		}
		files = append(files, File{Name: entry.Name(), Text: text})
	}
	return files, files != nil
}

// entries lists an embedded folder, sorted by name; nothing when there is no such folder.
func entries(folder string) []fs.DirEntry {
	list, err := sources.ReadDir(folder)
	if err != nil {
		return nil
	}
	return list
}
