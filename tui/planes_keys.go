package tui

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// mostChosen is how many samples can be chosen to be followed.
const mostChosen = 8

func (p *planesPane) keys() []binding {
	return []binding{
		{name: "choose-sample", keys: []string{"enter"}, title: says("choose the sample, or let it go: chosen ones are drawn as trajectories"), brief: says("choose"), off: p.rowOff, do: p.choose},
		{name: "column-left", keys: []string{",", "shift+left"}, title: says("column to the left"), brief: says("column"), off: p.columnOff, do: p.column(-1)},
		{name: "column-right", keys: []string{".", "shift+right"}, title: says("column to the right"), off: p.columnOff, do: p.column(+1)},
		{name: "sort", keys: []string{"v"}, title: says("sort by the column: up, down, not at all"), brief: says("sort"), off: p.columnOff, do: p.sortBy},
		{name: "filter-samples", keys: []string{"F"}, title: says("show the samples that a condition holds for"), brief: says("filter"), off: p.columnOff, do: p.askFilter},
		{name: "histogram-scale", keys: []string{"H"}, title: says("histogram on a log scale, and back"), off: p.columnOff, do: p.toggleLog},
		{name: "set-cell", keys: []string{"E"}, title: says("change the value under the cursor"), brief: says("change"), off: p.editOff, do: p.askCell},
		{name: "set-mask", keys: []string{"U"}, title: says("finish the sample, or take a finished one back"), off: p.rowOff, do: p.toggleMask},
		{name: "set-param", keys: []string{"V"}, title: says("change a param, or give a plane one value for all samples"), off: busy, do: (*model).askParam},
		{name: "regenerate", keys: []string{"X"}, title: says("make the plane anew by its init tag, with another seed"), off: p.startOff, do: p.askSeed},
		{name: "load-plane", keys: []string{"O"}, title: says("fill the plane from a column of a file"), off: p.startOff, do: p.askColumn},
	}
}

func (p *planesPane) columnOff(m *model) string {
	if m.state.Kernel == nil || p.focus() == nil {
		return "no kernel is loaded"
	}
	return ""
}

func (p *planesPane) rowOff(*model) string {
	switch {
	case p.why != "":
		return p.why
	case p.under() == nil:
		return "there is no sample under the cursor"
	}
	return ""
}

func (p *planesPane) editOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	return p.rowOff(m)
}

// startOff is why a plane cannot be made anew.
func (p *planesPane) startOff(m *model) string {
	if why := p.editOff(m); why != "" {
		return why
	}
	if m.state.Phase != session.Ready {
		return "planes are made anew at the start of a batch: R first"
	}
	return ""
}

func (p *planesPane) choose(m *model) tea.Cmd {
	sample := p.under().Sample
	if i := slices.Index(m.chosen, sample); i >= 0 {
		m.chosen = slices.Delete(slices.Clone(m.chosen), i, i+1)
		return nil
	}
	if len(m.chosen) >= mostChosen {
		m.say(waits, fmt.Sprintf("%d samples are chosen already: enter on one of them lets it go", mostChosen))
		return nil
	}
	m.chosen = append(slices.Clone(m.chosen), sample)
	return nil
}

func (p *planesPane) column(by int) func(*model) tea.Cmd {
	return func(*model) tea.Cmd {
		p.at = min(max(p.at+by, 0), len(p.columns)-1)
		return nil
	}
}

func (p *planesPane) sortBy(*model) tea.Cmd {
	p.cycleSort()
	return nil
}

func (p *planesPane) toggleLog(*model) tea.Cmd {
	p.log = !p.log
	return nil
}

func (p *planesPane) askFilter(m *model) tea.Cmd {
	var names []string
	for _, c := range p.columns {
		names = append(names, c.Name)
	}
	ask := m.ask("filter", prompt{
		label: "samples with", hint: names[0] + " > 0.5 and live, nan, sample 3-9; empty: all",
		enter: func(_ *model, text string) (tea.Cmd, error) {
			if _, err := session.ParseFilter(text, names); err != nil {
				return nil, err
			}
			p.filter, p.row, p.top = strings.TrimSpace(text), 0, 0
			return nil, nil
		},
	})
	ask.input.set(p.filter)
	return nil
}

func (p *planesPane) askCell(m *model) tea.Cmd {
	col, row := p.focus(), p.under()
	if col.Observable || col.Name == session.TakenColumn {
		m.say(waits, "E: "+col.Name+" is computed, it cannot be changed")
		return nil
	}
	hint := "a number"
	if col.Unit != "" {
		hint += " in " + col.Unit
	}
	ask := m.ask("cell", prompt{
		label: fmt.Sprintf("%s of sample %s =", col.Name, engine.Grouped(row.Sample)), hint: hint,
		enter: func(m *model, text string) (tea.Cmd, error) {
			v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
			if err != nil {
				return nil, fmt.Errorf("%q is no number", text)
			}
			if !col.Type.Float() && col.Type.Bytes() == 8 && math.Abs(v) >= 1<<53 {
				return nil, fmt.Errorf("%s is %s: whole numbers are set up to 2^53-1 in size", col.Name, col.Type.GoName())
			}
			return m.order(session.SetCell{Name: col.Name, Sample: row.Sample, Value: v}), nil
		},
	})
	if i := slices.Index(p.data.Names, col.Name); i >= 0 {
		ask.input.set(row.Cells[i].Text)
	}
	return nil
}

func (p *planesPane) toggleMask(m *model) tea.Cmd {
	if why := busy(m); why != "" {
		m.say(waits, "U: "+why)
		return nil
	}
	row := p.under()
	return m.order(session.SetMask{Sample: row.Sample, Finished: row.Mask == 0})
}

// askParam asks for NAME = VALUE.
func (m *model) askParam() tea.Cmd {
	var now []string
	for _, x := range m.state.Params {
		now = append(now, x.Name+" = "+exact(x.Value))
	}
	hint := "NAME = VALUE"
	if len(now) > 0 {
		hint = "now " + strings.Join(now, ", ")
	}
	m.ask("param", prompt{
		label: "set", hint: hint,
		enter: func(m *model, text string) (tea.Cmd, error) {
			name, value, ok := strings.Cut(text, "=")
			v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(value), ",", ""), 64)
			if !ok || err != nil {
				return nil, errors.New("NAME = VALUE, as in dt = 0.001")
			}
			return m.order(session.SetParam{Name: strings.TrimSpace(name), Value: v}), nil
		},
	})
	return nil
}

// plane is the plane that the column under the cursor belongs to, "" for what none holds.
func (p *planesPane) plane(m *model) string {
	col := p.focus()
	for i := range m.state.Kernel.IR.Planes {
		x := &m.state.Kernel.IR.Planes[i]
		for c := range x.Width() {
			if snapshots.ComponentName(x.Name, x.Dims, c) == col.Name {
				return x.Name
			}
		}
	}
	return ""
}

func (p *planesPane) askSeed(m *model) tea.Cmd {
	plane := p.plane(m)
	if plane == "" {
		m.say(waits, "X: "+p.focus().Name+" is computed, no init tag makes it")
		return nil
	}
	ask := m.ask("seed", prompt{
		label: "make " + plane + " anew with seed", hint: "a whole number",
		enter: func(m *model, text string) (tea.Cmd, error) {
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%q is no whole number", text)
			}
			return m.order(session.Regenerate{Plane: plane, Seed: seed}), nil
		},
	})
	ask.input.set(strconv.FormatUint(m.state.Seed+1, 10))
	return nil
}

func (p *planesPane) askColumn(m *model) tea.Cmd {
	plane := p.plane(m)
	if plane == "" {
		m.say(waits, "O: "+p.focus().Name+" is computed, no file fills it")
		return nil
	}
	m.ask("column", prompt{
		label: plane + " from", hint: "FILE#COLUMN of a .csv, .npy or .npz with " + counted(m.state.N, "row", "rows"),
		enter: func(m *model, text string) (tea.Cmd, error) {
			mapping, err := snapshots.ParseMapping(plane + "=" + text)
			if err != nil {
				return nil, err
			}
			return m.order(session.LoadPlane{Mapping: mapping}), nil
		},
	})
	return nil
}

// explain says what is under the cursor.
func (p *planesPane) explain(s *scene) []string {
	row, col := p.under(), p.focus()
	if row == nil || col == nil {
		return []string{"each row is a sample, each column a plane, a component of one, or an observable"}
	}
	out := []string{fmt.Sprintf("sample %s%s is %s after %s", engine.Grouped(row.Sample), named(row.Label), []string{"live", "finished", "faulted"}[min(row.Mask, 2)], counted(row.Taken, "step", "steps"))}
	if i := slices.Index(p.data.Names, col.Name); i >= 0 {
		what := "its " + col.Name + " is " + row.Cells[i].Text
		if col.Unit != "" {
			what += " " + col.Unit
		}
		if f := &p.data.Focus; f.Name == col.Name && f.Count > f.NaN+f.Inf {
			what += fmt.Sprintf("; half of %s lie between %s and %s", counted(f.Count, "sample", "samples"), figure(f.Quartiles[0]), figure(f.Quartiles[2]))
		}
		out = append(out, what)
	}
	for i := range s.state.Kernel.IR.Planes {
		if x := &s.state.Kernel.IR.Planes[i]; x.Name == col.Name && x.Doc != "" {
			out = append(out, x.Name+": "+x.Doc)
		}
	}
	return out
}

// named is a label behind a number.
func named(label string) string {
	if label == "" {
		return ""
	}
	return " (" + label + ")"
}
