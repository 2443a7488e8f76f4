package kernels

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/library"
)

// Bounds of what is read, checked before anything is parsed.
const (
	maxFileBytes = 1 << 20
	maxFiles     = 64
)

// Load reads, checks and compiles a kernel. A folder is one package without its _test.go files; a file is
// that file alone; a bare name is the bundled kernel of that name, or a folder when there is none.
//
// The kernel is nil exactly when a diagnostic is an error; warnings come with a kernel. All diagnostics of
// a load are there at once, sorted by file, line and column.
func Load(path string) (*Kernel, Diagnostics) { return LoadWith(path, Options{}) }

// LoadWith is [Load] with options that take the place of those of the kernel's directive.
func LoadWith(path string, o Options) (*Kernel, Diagnostics) {
	files, ds := read(path)
	if ds.Errors() {
		return nil, ds
	}
	return LoadSourceWith(files, path, o)
}

// LoadSource is [Load] for texts in memory; path is what Kernel.Path says. It does not keep files' texts
// from the caller, who must leave them unchanged.
func LoadSource(files []SourceFile, path string) (*Kernel, Diagnostics) {
	return LoadSourceWith(files, path, Options{})
}

// LoadSourceWith is [LoadSource] with options that take the place of those of the kernel's directive.
func LoadSourceWith(files []SourceFile, path string, o Options) (k *Kernel, ds Diagnostics) {
	defer func() {
		// The one boundary for mistakes of the compiler itself: a report instead of a lost session.
		if x := recover(); x != nil {
			r := newReporter(files)
			r.inFile("E099", path, "eaglet itself is wrong: %v", x)
			k, ds = nil, r.sorted()
		}
	}()
	return loadWith(files, path, o)
}

// testHook runs at the start of every load; a test makes it panic.
var testHook = func() {}

// load is LoadSource without the safety net, for tests that must see a panic.
func load(files []SourceFile, path string) (*Kernel, Diagnostics) {
	return loadWith(files, path, Options{})
}

func loadWith(files []SourceFile, path string, o Options) (*Kernel, Diagnostics) {
	testHook()
	r := newReporter(files)
	p := parse(r)
	if p == nil {
		return nil, r.sorted()
	}
	p.check()
	sample := p.sample()
	p.subset()
	if sample != nil {
		r.override(&sample.options, o, path)
	}
	if r.errors() {
		return nil, r.sorted()
	}
	k := p.compile(sample)
	if r.errors() {
		return nil, r.sorted()
	}
	k.Path, k.Sources, k.Doc = path, files, p.doc()
	k.Warnings = r.sorted()
	return k, k.Warnings
}

// read finds the files of a path.
func read(path string) ([]SourceFile, Diagnostics) {
	r := newReporter(nil)
	if bare(path) {
		if files, ok := library.Files(path); ok {
			var out []SourceFile
			for _, f := range files {
				out = append(out, SourceFile{Name: f.Name, Text: f.Text})
			}
			return out, nil
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && bare(path):
		d := r.inFile("E001", path, "there is no bundled kernel and no file of this name")
		d.Rewrite = "the bundled kernels are " + strings.Join(library.Names(), ", ")
		return nil, r.sorted()
	case err != nil:
		r.inFile("E001", path, "the file cannot be read: %s", cause(err))
		return nil, r.sorted()
	case info.IsDir():
		return readFolder(r, path)
	}
	f := readFile(r, path)
	return []SourceFile{f}, r.sorted()
}

// bare says whether path may be the name of a bundled kernel.
func bare(path string) bool {
	return path != "" && !strings.ContainsAny(path, `/\.`)
}

func readFolder(r *reporter, path string) ([]SourceFile, Diagnostics) {
	entries, err := os.ReadDir(path)
	if err != nil {
		r.inFile("E001", path, "the folder cannot be read: %s", cause(err))
		return nil, r.sorted()
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.ContainsAny(name[:1], "._") {
			continue
		}
		names = append(names, filepath.Join(path, name))
	}
	if len(names) == 0 {
		r.inFile("E001", path, "the folder has no Go files").Rewrite = "name a kernel file, or a folder that holds one"
	}
	if len(names) > maxFiles {
		r.inFile("E002", path, "the folder has %d Go files", len(names))
		return nil, r.sorted()
	}
	slices.Sort(names)
	var files []SourceFile
	for _, name := range names {
		files = append(files, readFile(r, name))
	}
	return files, r.sorted()
}

// readFile reads a regular file of bounded size; others, such as a device that never ends, are refused.
func readFile(r *reporter, path string) SourceFile {
	out := SourceFile{Name: path}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err == nil && info.Size() > maxFileBytes {
		r.inFile("E002", path, "the file has %d bytes", info.Size())
		return out
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err == nil {
		out.Text, err = io.ReadAll(io.LimitReader(f, maxFileBytes+1))
		f.Close()
	}
	if err != nil {
		r.inFile("E001", path, "the file cannot be read: %s", cause(err))
	}
	return out
}

// cause is what the system says, without the path, which the diagnostic names already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprint(err)
}

// Bundled says whether a path is the bare name of a kernel that ships with eaglet.
func Bundled(path string) bool {
	_, ok := library.Files(path)
	return ok
}
