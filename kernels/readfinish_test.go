package kernels

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// goodFinish is a finish declaration by field, as JSON.
func goodFinish() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"mask": []byte(`"done"`), "counter": []byte(`"finished_count"`), "steps": []byte(`"auto"`), "steps_max": []byte(`64`),
		"condition": []byte(`"s.X > 1"`), "position": []byte(`{"file":"a.go","line":9,"column":2,"end_column":9}`),
		"operands": []byte(`[{"lhs":"s.X","op":">","rhs":"1"}]`),
	}
}

// sidecarOf is a sidecar with a finish declaration and planes of the given roles, all called like the mask.
func sidecarOf(t *testing.T, finish map[string]json.RawMessage, roles ...string) []byte {
	t.Helper()
	var planes []map[string]string
	for _, r := range roles {
		planes = append(planes, map[string]string{"name": "done", "role": r})
	}
	text, err := json.Marshal(map[string]any{"finish": finish, "planes": planes})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func refusedWith(t *testing.T, name string, sidecar []byte, says string) {
	t.Helper()
	f, err := ReadFinish(sidecar, "artifact.json")
	if err == nil || f != nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "artifact.json: finish declaration: ") {
		t.Errorf("%s: got %v, %v, want an error that names artifact.json and says %q", name, f, err, says)
	}
}

func TestReadFinishNeedsEveryField(t *testing.T) {
	for name := range goodFinish() {
		finish := goodFinish()
		delete(finish, name)
		refusedWith(t, "without "+name, sidecarOf(t, finish), name)
		finish[name] = []byte("null")
		refusedWith(t, "null for "+name, sidecarOf(t, finish), fmt.Sprintf("the field %q is null", name))
		finish[name] = []byte(`[[0]]`)
		refusedWith(t, "nonsense for "+name, sidecarOf(t, finish), name)
		delete(finish, name)
		finish[strings.ToUpper(name)] = goodFinish()[name]
		refusedWith(t, "upper case for "+name, sidecarOf(t, finish), "unknown")
	}
}

func TestReadFinishChecksSteps(t *testing.T) {
	for _, c := range []struct {
		steps, most string // "" leaves steps_max out
		want        Steps  // -1: refused
	}{
		{`"auto"`, `64`, 0},
		{`"auto"`, `1`, 0},
		{`1`, ``, 1},
		{`16`, ``, 16},
		{`"auto"`, ``, -1},
		{`"auto"`, `0`, -1},
		{`"auto"`, `-8`, -1},
		{`"auto"`, `1.5`, -1},
		{`"auto"`, `"64"`, -1},
		{`16`, `64`, -1},
		{`0`, ``, -1},
		{`-1`, ``, -1},
		{`1.5`, ``, -1},
		{`1e3`, ``, -1},
		{`99999999999999999999`, ``, -1},
		{`"16"`, ``, -1},
		{`"Auto"`, `64`, -1},
		{`" auto"`, `64`, -1},
		{`true`, ``, -1},
	} {
		finish := goodFinish()
		finish["steps"], finish["steps_max"] = []byte(c.steps), []byte(c.most)
		if c.most == "" {
			delete(finish, "steps_max")
		}
		sidecar := sidecarOf(t, finish)
		if c.want < 0 {
			refusedWith(t, fmt.Sprintf("steps %s, steps_max %q", c.steps, c.most), sidecar, "steps")
			continue
		}
		f, err := ReadFinish(sidecar, "artifact.json")
		if err != nil || f == nil || f.Steps != c.want {
			t.Errorf("steps %s, steps_max %q: got %+v, %v", c.steps, c.most, f, err)
		}
	}
}

func TestReadFinishChecksThatTheMaskIsWritten(t *testing.T) {
	for _, role := range []string{"input", "param", "table"} {
		refusedWith(t, "the mask is also "+role, sidecarOf(t, goodFinish(), "state", role), role)
	}
	if f, err := ReadFinish(sidecarOf(t, goodFinish(), "state", "output"), "artifact.json"); err != nil || f.Mask != "done" || len(f.Operands) != 1 {
		t.Errorf("a mask beside planes that are written: got %+v, %v", f, err)
	}
}

func TestReadFinishRefusesWhatIsNoSidecar(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"nothing", ``},
		{"white space", " \n"},
		{"null", `null`},
		{"a number", `3`},
		{"a string", `"finish"`},
		{"an array", `[{"finish":1}]`},
		{"an object that does not end", `{"finish":{}`},
		{"two objects", `{} {}`},
		{"planes that are no list", `{"planes":3}`},
		{"bytes that are no text", "\xff\xfe"},
	} {
		refusedWith(t, c.name, []byte(c.text), "the sidecar")
	}
}

// FuzzReadFinish: any bytes give a declaration that a run can begin with, none, or an error that names the
// artifact.
func FuzzReadFinish(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"finish":null}`))
	f.Add([]byte(`{"planes":[{"name":"m","role":"input"}],"finish":{"mask":"m","counter":"finished_count","steps":8,"condition":"c","position":{"file":"f","line":1,"column":1,"end_column":2},"operands":[]}}`))
	f.Fuzz(func(t *testing.T, sidecar []byte) {
		d, err := ReadFinish(sidecar, "artifact")
		switch {
		case err != nil:
			if d != nil || !strings.HasPrefix(err.Error(), "artifact: ") {
				t.Errorf("%+v, %v", d, err)
			}
		case d != nil:
			if d.Mask == "" || d.Counter != CounterName || d.Steps < 0 || (d.Steps == 0) != (d.StepsMax > 0) {
				t.Errorf("accepted %+v", d)
			}
		}
	})
}
