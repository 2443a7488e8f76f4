package snapshots

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What is written is read as it was, numbers to the last bit.
func TestSessionsReadBack(t *testing.T) {
	want := &Session{
		Eaglet: SessionVersion, Kernel: "dir with blanks/a \"kernel\".go", Samples: 7, Seed: math.MaxInt64, Steps: 3,
		Planes: map[string]string{"x": "a.csv#x y"}, Units: map[string]string{"x": "km"}, Label: "a.csv#n",
		Values: map[string]float64{"dt": 0.1, "tiny": 5e-324, "big": -1.7976931348623157e308, "inf": math.Inf(1)},
		Seeds:  map[string]uint64{"v": 12}, Cells: []SessionCell{{"x_2", 3, 1e-3}, {"y", 0, 2}}, Finished: []int{6, 0},
		Run:     SessionRun{Engine: "host", MaxSteps: 10, Policy: "band", R: 0.25, Entry: "fused", Chunk: 16, Reorder: 0.5, Every: 32, Wave: 4},
		Compile: SessionCompile{"auto", "mask", "off", "f32"},
	}
	path := filepath.Join(t.TempDir(), "s.toml")
	if _, err := WriteSession(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSession(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func FuzzSession(f *testing.F) {
	for _, s := range []string{"", "eaglet = 1\nkernel = \"x\"", "eaglet = 1\nkernel = \"x\"\n[[cells]]\nname = \"x\"\nsample = -1\n", "[run]\nr = nan", "a.b.c = 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := readSession(strings.NewReader(text)); err == nil && (s.Eaglet != SessionVersion || s.Kernel == "") {
			t.Errorf("%q is a session: %+v", text, s)
		}
	})
}
