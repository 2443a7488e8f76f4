package host

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Listing is the machine code of the step, annotated. A kernel that runs on the interpreter has none here, but one for
// any target that is named.
func (p *program) Listing(target string) (*engine.Listing, error) {
	if target == "" {
		n, ok := p.code.(native)
		if !ok {
			return nil, fmt.Errorf("kernel %s has no machine code here, %s", p.kernel.Name, p.code.report().Code)
		}
		target = n.name
	}
	x, err := List(p.kernel, target)
	if err != nil {
		return nil, err
	}
	out := &engine.Listing{
		Target: target,
		About: fmt.Sprintf("%s in groups of %d, %s, %s, %s of code",
			engine.Counted(x.Lanes, "lane"), x.Lanes/max(x.Unroll, 1), engine.Counted(x.Registers, "register"),
			engine.Counted(x.Spills, "spill"), engine.Counted(x.TextBytes, "byte")),
		Lines: make([]engine.ListingLine, len(x.Lines)),
	}
	for i := range x.Lines {
		l := &x.Lines[i]
		out.Lines[i] = engine.ListingLine{
			Offset: l.Offset, Bytes: l.Bytes, Text: l.Text, Note: l.Note, Group: l.Group, Result: l.Result, Op: l.Op, Pos: l.Pos,
		}
	}
	return out, nil
}
