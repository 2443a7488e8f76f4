package kernels

import (
	"encoding/json"
	"fmt"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// CounterName is the plane of the runner that counts finished samples (runner.md, section 1).
const CounterName = "finished_count"

// Access classes of a sidecar.
const (
	AccessLocal  = "sample-local" // a step touches its own sample's cells only
	AccessTables = "reads tables" // and cells of tables, of the package or planes
)

// Sidecar describes a compiled kernel to other programs.
type Sidecar struct {
	Name        string              `json:"name"`
	Digest      string              `json:"digest"`
	Planes      []SidecarPlane      `json:"planes"`
	Finish      *SidecarFinish      `json:"finish,omitempty"` // nil: the kernel never finishes a sample
	Guard       string              `json:"guard"`
	Precision   string              `json:"precision"`
	FMA         string              `json:"fma"`
	Step        SidecarStep         `json:"step"`
	Access      string              `json:"access"`
	Observables []SidecarObservable `json:"observables"`
	HasInit     bool                `json:"has_init"`
}

// SidecarPlane is one plane. Width is the number of components of a sample.
type SidecarPlane struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	Type  string `json:"type"`
	Width int    `json:"width"`
	Unit  string `json:"unit"`
	Init  string `json:"init"`
}

// SidecarFinish is the finish declaration.
type SidecarFinish struct {
	Mask      string           `json:"mask"`
	Counter   string           `json:"counter"`
	Steps     Steps            `json:"steps"`
	StepsMax  int              `json:"steps_max,omitempty"` // with steps auto only
	Condition string           `json:"condition"`           // source text
	Position  SidecarPosition  `json:"position"`
	Operands  []SidecarOperand `json:"operands"`
}

// SidecarPosition is where the finish condition stands.
type SidecarPosition struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"end_column"`
}

// SidecarOperand is one comparison of the finish condition, as source text.
type SidecarOperand struct {
	LHS string `json:"lhs"`
	Op  string `json:"op"`
	RHS string `json:"rhs"`
}

// SidecarStep counts one step. Flops are those of every step, with both arms of every if and a loop body
// times the most turns; what does not change from step to step is left out. Loads, stores and bytes are
// those of a launch of one step, for one sample.
type SidecarStep struct {
	Flops  uint64 `json:"flops"`
	Loads  int    `json:"loads"`
	Stores int    `json:"stores"`
	Bytes  int    `json:"bytes"`
}

// SidecarObservable is one observable.
type SidecarObservable struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc,omitempty"`
}

// Steps is a number of steps per launch; 0 is auto, in JSON "auto".
type Steps int

// MarshalJSON implements json.Marshaler.
func (s Steps) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte(`"auto"`), nil
	}
	return json.Marshal(int(s))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Steps) UnmarshalJSON(b []byte) error {
	var n int
	switch {
	case string(b) == `"auto"`:
		*s = 0
		return nil
	case json.Unmarshal(b, &n) != nil || n < 1:
		return fmt.Errorf("steps is %s, want an integer >= 1 or \"auto\"", b)
	}
	*s = Steps(n)
	return nil
}

// Sidecar describes k.
func (k *Kernel) Sidecar() Sidecar {
	r := k.IR
	s := Sidecar{
		Name: r.Name, Digest: k.Digest, Guard: r.Guard.String(), Precision: r.Precision.String(), FMA: "off",
		Step: stepCounts(r), Access: AccessLocal, HasInit: r.Init != nil,
		Planes: []SidecarPlane{}, Observables: []SidecarObservable{},
	}
	if r.FMA {
		s.FMA = "contract"
	}
	for _, part := range []*ir.Region{&r.Step.Head, &r.Step.Trip} {
		part.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpTable || in.Op == ir.OpLookup && r.Planes[in.Imm].Role == ir.RoleTable {
				s.Access = AccessTables
			}
		})
	}
	for i := range r.Planes {
		p := &r.Planes[i]
		s.Planes = append(s.Planes, SidecarPlane{
			Name: p.Name, Role: p.Role.String(), Type: p.Type.GoName(), Width: p.Width(), Unit: p.Unit, Init: p.Init.Text,
		})
	}
	for _, f := range r.Observables {
		s.Observables = append(s.Observables, SidecarObservable{Name: f.Name, Type: f.Type(f.Body.Yield[0]).GoName(), Doc: f.Doc})
	}
	if r.Finish != nil {
		s.Finish = finishOf(r)
	}
	return s
}

func stepCounts(r *ir.Kernel) SidecarStep {
	trip := ir.Counts(&r.Step.Trip)
	s := SidecarStep{Flops: trip.Flops + trip.Loops.Flops, Stores: len(r.Step.Carry), Loads: len(r.Step.Carry)}
	for _, c := range r.Step.Carry {
		s.Bytes += 2 * r.Planes[c.Plane].Type.Bytes()
	}
	for _, in := range r.Step.Head.Instrs {
		if in.Op == ir.OpLoad || in.Op == ir.OpLookup {
			s.Loads++
			s.Bytes += in.Type.Bytes()
		}
	}
	s.lookups(&r.Step.Trip, 1)
	return s
}

// maxCount keeps counts of loads readable.
const maxCount = 1 << 40

// lookups adds the reads of planes at computed indexes in a region that runs turns times at most.
func (s *SidecarStep) lookups(r *ir.Region, turns uint64) {
	for _, in := range r.Instrs {
		inner := turns
		switch in.Op {
		case ir.OpLookup:
			s.Loads += int(turns)
			s.Bytes += int(turns) * in.Type.Bytes()
		case ir.OpLoop:
			inner = min(turns*min(in.Imm, maxCount), maxCount)
		}
		for _, region := range in.Regions() {
			s.lookups(region, inner)
		}
	}
}

var compareText = map[ir.Op]string{ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">="}

func finishOf(r *ir.Kernel) *SidecarFinish {
	f := r.Finish
	out := &SidecarFinish{
		Mask: f.Name, Counter: CounterName, Steps: Steps(r.Steps), Condition: f.Text, Operands: []SidecarOperand{},
		Position: SidecarPosition{Line: int(f.Pos.Line), Column: int(f.Pos.Col), EndColumn: int(f.Pos.End)},
	}
	if r.Auto() {
		out.StepsMax = r.StepsMax
	}
	if int(f.Pos.File) < len(r.Files) {
		out.Position.File = r.Files[f.Pos.File]
	}
	f.Cond.Walk(func(c *ir.Cond) {
		if c.Kind == ir.CondCompare {
			out.Operands = append(out.Operands, SidecarOperand{LHS: c.LHSText, Op: compareText[c.Op], RHS: c.RHSText})
		}
	})
	return out
}
