package snapshots

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// File is a file that takes the place of another one only when it is complete: a new file of the same
// folder, which Commit forces to the disk and renames. A link is followed; what is no regular file is
// refused. It belongs to one goroutine.
type File struct {
	path, temp string
	mode       fs.FileMode
	existed    bool
	f          *os.File
	b          *bufio.Writer
}

// Create begins a file that will be at path. Either Commit or Discard ends it.
func Create(path string) (*File, error) {
	x := &File{path: path, mode: 0o666} // before the umask
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, it is not replaced", path)
	case err == nil:
		if x.path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
		x.mode, x.existed = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if x.temp, x.f, err = createTemp(x.path, x.mode); err != nil {
		return nil, err
	}
	x.b = bufio.NewWriterSize(x.f, 1<<18)
	return x, nil
}

// Write adds bytes.
func (x *File) Write(p []byte) (int, error) { return x.b.Write(p) }

// Commit puts the file in its place and returns its size in bytes. When anything goes wrong, the new file
// is removed and what was at its place is as it was.
func (x *File) Commit() (size int64, err error) {
	defer func() {
		if err != nil {
			x.Discard()
		}
	}()
	if err := x.b.Flush(); err != nil {
		return 0, err
	}
	if x.existed {
		if err := x.f.Chmod(x.mode); err != nil {
			return 0, err
		}
	}
	if err := x.f.Sync(); err != nil {
		return 0, err
	}
	written, err := x.f.Stat()
	if err != nil {
		return 0, err
	}
	if err := x.f.Close(); err != nil {
		return 0, err
	}
	if err := os.Rename(x.temp, x.path); err != nil {
		return 0, err
	}
	syncFolder(filepath.Dir(x.path))
	return written.Size(), nil
}

// Discard removes the new file.
func (x *File) Discard() {
	x.f.Close() // a second time when the first close failed, which does no harm
	os.Remove(x.temp)
}

// writeAtomic replaces path by what write writes, see [File]. It returns the size in bytes.
func writeAtomic(path string, write func(io.Writer) error) (size int64, err error) {
	x, err := Create(path)
	if err != nil {
		return 0, err
	}
	if err := write(x); err != nil {
		x.Discard()
		return 0, err
	}
	return x.Commit()
}

// createTemp makes a file with a name of its own beside path. os.CreateTemp would make it private
// whatever the umask says.
func createTemp(path string, mode fs.FileMode) (string, *os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(uint64(rand.Uint32()), 36)+".tmp")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return name, f, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return "", nil, err
		}
	}
}

// syncFolder forces a rename to the disk, where the system can; the file itself is complete either way.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
