package snapshots

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
)

// maxDeflate is the most bytes that one byte of a deflated file can become (Mark Adler, zlib's technical
// notes, "Maximum Compression Factor"): a member that claims more is refused before anything is allocated.
const maxDeflate = 1032

// openNPZ finds an array of a .npz: a zip file of .npy files. name may be left out when there is one array.
func openNPZ(file, name string) (*array, error) {
	f, size, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	member, err := findMember(z, file, name)
	if err != nil {
		return nil, err
	}
	what := file + "#" + strings.TrimSuffix(member.Name, ".npy")
	if err := checkMember(member, size, what); err != nil {
		return nil, err
	}
	wanted := member.Name
	return newArray(what, func() (io.ReadCloser, error) { return openMember(file, wanted) }, int64(member.UncompressedSize64), true)
}

// findMember finds an array by name, the only one when name is empty.
func findMember(z *zip.Reader, file, name string) (*zip.File, error) {
	var names []string
	var found *zip.File
	for _, m := range z.File {
		array, ok := strings.CutSuffix(m.Name, ".npy")
		if !ok {
			continue
		}
		names = append(names, array)
		if array == name || m.Name == name || name == "" {
			if found != nil && name != "" {
				return nil, fmt.Errorf("%s has two arrays %q", file, name)
			}
			found = m
		}
	}
	slices.Sort(names)
	switch {
	case found == nil && name == "":
		return nil, fmt.Errorf("%s has no arrays", file)
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("%s has %d arrays: write %s#ARRAY with one of %s", file, len(names), file, listed(names))
	case found == nil:
		return nil, fmt.Errorf("%s has no array %q%s; its arrays are %s", file, name, DidYouMean(name, names), listed(names))
	}
	return found, nil
}

// checkMember compares the sizes that a member claims with the size of the file.
func checkMember(m *zip.File, fileBytes int64, what string) error {
	packed, plain := m.CompressedSize64, m.UncompressedSize64
	switch {
	case packed > uint64(fileBytes):
		return fmt.Errorf("%s claims %d packed bytes, the file has %s: it is damaged", what, packed, engine.Grouped(int(fileBytes)))
	case m.Method == zip.Store && plain != packed,
		plain > math.MaxInt64,
		plain/maxDeflate > packed+1:
		return fmt.Errorf("%s claims %d bytes from %d packed ones, which cannot be: the file is damaged", what, plain, packed)
	}
	return nil
}

// openMember opens a member for reading; closing it closes the file.
func openMember(file, member string) (io.ReadCloser, error) {
	f, size, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, m := range z.File {
		if m.Name != member {
			continue
		}
		r, err := m.Open()
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s#%s: %w", file, strings.TrimSuffix(member, ".npy"), err)
		}
		return &memberReader{ReadCloser: r, file: f}, nil
	}
	f.Close()
	return nil, fmt.Errorf("%s changed while it was read", file)
}

// memberReader closes the file behind a member.
type memberReader struct {
	io.ReadCloser
	file io.Closer
}

func (m *memberReader) Close() error {
	err := m.ReadCloser.Close()
	if e := m.file.Close(); err == nil {
		err = e
	}
	return err
}
