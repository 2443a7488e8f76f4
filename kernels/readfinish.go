package kernels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// finishFields are the fields of a finish declaration; steps_max goes with steps auto only.
var finishFields = []string{"mask", "counter", "steps", "steps_max", "condition", "position", "operands"}

// readOnly are the roles of planes that a step only reads.
var readOnly = []string{ir.RoleInput.String(), ir.RoleParam.String(), ir.RoleTable.String()}

// ReadFinish returns the finish declaration of a sidecar, nil when it has none. A sidecar that is wrong is
// refused by the name of the artifact that it belongs to: a run must not begin with a guess.
func ReadFinish(sidecar []byte, artifact string) (*SidecarFinish, error) {
	f, err := readFinish(sidecar)
	if err != nil {
		return nil, fmt.Errorf("%s: finish declaration: %w", artifact, err)
	}
	return f, nil
}

func readFinish(sidecar []byte) (*SidecarFinish, error) {
	var top struct {
		Finish json.RawMessage `json:"finish"`
		Planes []struct {
			Name string `json:"name"`
			Role string `json:"role"`
		} `json:"planes"`
	}
	if err := json.Unmarshal(sidecar, &top); err != nil {
		return nil, fmt.Errorf("the sidecar cannot be read: %w", err)
	}
	if t := bytes.TrimSpace(sidecar); len(t) == 0 || t[0] != '{' {
		return nil, errors.New("the sidecar is no object")
	}
	if top.Finish == nil {
		return nil, nil
	}
	f, err := finishObject(top.Finish)
	if err != nil {
		return nil, err
	}
	for _, p := range top.Planes {
		if p.Name == f.Mask && slices.Contains(readOnly, p.Role) {
			return nil, fmt.Errorf("the mask %q is also declared as a plane that is only read (%s)", f.Mask, p.Role)
		}
	}
	return f, nil
}

func finishObject(raw json.RawMessage) (*SidecarFinish, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, fmt.Errorf("it is %s, want an object", short(raw))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(finishFields, name) {
			return nil, fmt.Errorf("the field %q is unknown, the fields are %s", name, strings.Join(finishFields, ", "))
		}
	}
	for _, name := range finishFields {
		value, ok := fields[name]
		switch {
		case !ok && name != "steps_max":
			return nil, fmt.Errorf("the field %q is missing", name)
		case string(value) == "null":
			return nil, fmt.Errorf("the field %q is null", name)
		}
	}
	var f SidecarFinish
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	_, most := fields["steps_max"]
	switch {
	case f.Mask == "":
		return nil, errors.New("the mask has no name")
	case f.Counter != CounterName:
		return nil, fmt.Errorf("the counter is %q, want %q", f.Counter, CounterName)
	case f.Steps == 0 && !most:
		return nil, errors.New("steps is \"auto\" and steps_max is missing")
	case f.Steps != 0 && most:
		return nil, fmt.Errorf("steps is %d and steps_max is there, it goes with \"auto\" only", f.Steps)
	case most && f.StepsMax < 1:
		return nil, fmt.Errorf("steps_max is %s, want an integer >= 1", fields["steps_max"])
	}
	return &f, nil
}

// short is a piece of JSON for a message.
func short(raw []byte) string {
	s := printable(string(raw))
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return s
}
