package mathlib

import (
	"embed"
	"strings"
)

//go:embed *.go
var sources embed.FS

// File is one source file in the kernel language. Name is the bare file name, "exp.go".
type File struct {
	Name string
	Text []byte
}

// Sources returns the package's own source in the kernel language, sorted by name: every file but the tests
// and this one. The texts are copies of the caller's own.
func Sources() []File {
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic("mathlib: the embedded sources cannot be listed: " + err.Error())
	}
	var files []File
	for _, entry := range entries {
		name := entry.Name()
		if name == "sources.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := sources.ReadFile(name)
		if err != nil {
			panic("mathlib: an embedded source cannot be read: " + err.Error())
		}
		files = append(files, File{Name: name, Text: text})
	}
	return files
}
