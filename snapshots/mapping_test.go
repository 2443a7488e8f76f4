package snapshots

import "testing"

func TestParseMapping(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want Mapping
	}{
		"a column of a csv":                    {"a=asteroids.csv#a_au", Mapping{Plane: "a", Column: Column{"asteroids.csv", "a_au"}}},
		"an array of an npz":                   {"t_end=x/planes.NPZ#t", Mapping{Plane: "t_end", Column: Column{"x/planes.NPZ", "t"}}},
		"an npz with one array needs no name":  {"x=one.npz", Mapping{Plane: "x", Column: Column{File: "one.npz"}}},
		"an npy needs no name":                 {"x=x.npy", Mapping{Plane: "x", Column: Column{File: "x.npy"}}},
		"a column name may hold a hash":        {"x=f.csv#no #1", Mapping{Plane: "x", Column: Column{"f.csv", "no #1"}}},
		"a file name may hold a hash":          {"x=run#3.csv#y", Mapping{Plane: "x", Column: Column{"run#3.csv", "y"}}},
		"a column name may hold an equal sign": {"x=f.csv#a=b", Mapping{Plane: "x", Column: Column{"f.csv", "a=b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseMapping(tc.in)
			if err != nil || got != tc.want {
				t.Errorf("ParseMapping(%q) = %+v, %v, want %+v", tc.in, got, err, tc.want)
			}
		})
	}
}

func TestParseMappingRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"asteroids.csv":      `mapping "asteroids.csv" has no "=": write PLANE=FILE#COLUMN, as in a=asteroids.csv#a_au`,
		"=asteroids.csv#a":   `mapping "=asteroids.csv#a" names no plane before the "=": write PLANE=FILE#COLUMN, as in a=asteroids.csv#a_au`,
		"TEnd=x.csv#t":       `mapping "TEnd=x.csv#t": "TEnd" is no plane name: planes are written in snake case, as in t_end`,
		"a=":                 `mapping of plane a: no file is named: write FILE#COLUMN, as in asteroids.csv#a_au`,
		"a=asteroids.csv":    `mapping of plane a: "asteroids.csv" names no column: write FILE#COLUMN, as in asteroids.csv#a_au`,
		"a=asteroids.csv#":   `mapping of plane a: "asteroids.csv#" names no column after the "#": write FILE#COLUMN, as in asteroids.csv#a_au`,
		"a=x.npy#a":          `mapping of plane a: x.npy#a: a .npy file holds one array and takes no column name: write x.npy`,
		"a=asteroids.xlsx#a": `mapping of plane a: "asteroids.xlsx#a": cannot tell what kind of file it is: .csv, .npy and .npz are read`,
	} {
		_, err := ParseMapping(in)
		if err == nil || err.Error() != want {
			t.Errorf("ParseMapping(%q)\n got %v\nwant %v", in, err, want)
		}
	}
}

func TestMappingReadsBack(t *testing.T) {
	for _, s := range []string{"a=asteroids.csv#a_au", "x=x.npy", "x=f.csv#no #1"} {
		m, err := ParseMapping(s)
		if err != nil || m.String() != s {
			t.Errorf("%q reads as %q (%v)", s, m, err)
		}
	}
}
