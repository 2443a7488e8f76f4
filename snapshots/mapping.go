package snapshots

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Column names one column of a file: FILE#COLUMN. A .npy file has one array and takes no column name.
type Column struct {
	File string
	Name string
}

// String is the column as [ParseColumn] reads it.
func (c Column) String() string {
	if c.Name == "" {
		return c.File
	}
	return c.File + "#" + c.Name
}

// Mapping says that a plane's values come from a column: --plane PLANE=FILE#COLUMN. Unit, when not empty,
// is the unit the column is in (--plane-unit PLANE=UNIT) and wins over the column name's suffix.
type Mapping struct {
	Plane string
	Column
	Unit string
}

// String is the mapping as [ParseMapping] reads it; the unit is not part of it.
func (m Mapping) String() string { return m.Plane + "=" + m.Column.String() }

// kind is a file format that can be read.
type kind uint8

const (
	kindNone kind = iota
	kindCSV
	kindNPY
	kindNPZ
)

// kindOf tells the format by the file name's extension.
func kindOf(file string) kind {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".csv":
		return kindCSV
	case ".npy":
		return kindNPY
	case ".npz":
		return kindNPZ
	}
	return kindNone
}

// ParseMapping reads PLANE=FILE#COLUMN, as in a=asteroids.csv#a_au. A .npz with one array, and any .npy,
// need no column name. The error is one sentence.
func ParseMapping(s string) (Mapping, error) {
	plane, rest, ok := strings.Cut(s, "=")
	plane = strings.TrimSpace(plane)
	switch {
	case !ok:
		return Mapping{}, fmt.Errorf("mapping %q has no \"=\": write PLANE=FILE#COLUMN, as in a=asteroids.csv#a_au", s)
	case plane == "":
		return Mapping{}, fmt.Errorf("mapping %q names no plane before the \"=\": write PLANE=FILE#COLUMN, as in a=asteroids.csv#a_au", s)
	}
	for _, r := range plane {
		if r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return Mapping{}, fmt.Errorf("mapping %q: %q is no plane name: planes are written in snake case, as in t_end", s, plane)
		}
	}
	c, err := ParseColumn(rest)
	if err != nil {
		return Mapping{}, fmt.Errorf("mapping of plane %s: %w", plane, err)
	}
	return Mapping{Plane: plane, Column: c}, nil
}

// ParseColumn reads FILE#COLUMN. The column name begins behind the first "#" that follows a known file
// extension, so that both file and column names may hold a "#" of their own. The error is one sentence.
func ParseColumn(s string) (Column, error) {
	s = strings.TrimSpace(s)
	c := Column{File: s}
	for i := range len(s) {
		if s[i] == '#' && kindOf(s[:i]) != kindNone {
			c = Column{File: s[:i], Name: s[i+1:]}
			if c.Name == "" {
				return Column{}, fmt.Errorf("%q names no column after the \"#\": write FILE#COLUMN, as in asteroids.csv#a_au", s)
			}
			break
		}
	}
	if err := c.check(); err != nil {
		return Column{}, err
	}
	return c, nil
}

// check refuses what can be refused without opening the file.
func (c Column) check() error {
	switch kindOf(c.File) {
	case kindCSV:
		if c.Name == "" {
			return fmt.Errorf("%q names no column: write FILE#COLUMN, as in asteroids.csv#a_au", c.File)
		}
	case kindNPY:
		if c.Name != "" {
			return fmt.Errorf("%s: a .npy file holds one array and takes no column name: write %s", c, c.File)
		}
	case kindNPZ:
	default:
		if c.File == "" {
			return fmt.Errorf("no file is named: write FILE#COLUMN, as in asteroids.csv#a_au")
		}
		return fmt.Errorf("%q: cannot tell what kind of file it is: .csv, .npy and .npz are read", c.File)
	}
	return nil
}
