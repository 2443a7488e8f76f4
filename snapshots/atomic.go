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

// writeAtomic replaces path by what write writes: into a new file of the same folder, forced to the disk,
// then renamed over path. When anything goes wrong, the new file is removed and path is as it was. A link
// is followed; what is no regular file is refused. It returns the size in bytes.
func writeAtomic(path string, write func(io.Writer) error) (size int64, err error) {
	mode := fs.FileMode(0o666) // before the umask
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is no regular file, it is not replaced", path)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return 0, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	temp, f, err := createTemp(path, mode)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			f.Close() // a second time when the first close failed, which does no harm
			os.Remove(temp)
		}
	}()
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		return 0, err
	}
	if err := b.Flush(); err != nil {
		return 0, err
	}
	if info != nil {
		if err := f.Chmod(mode); err != nil {
			return 0, err
		}
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	written, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err := f.Close(); err != nil {
		return 0, err
	}
	if err := os.Rename(temp, path); err != nil {
		return 0, err
	}
	syncFolder(filepath.Dir(path))
	return written.Size(), nil
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
