package session

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// save writes the session: what makes its batch, its options, and how far it has gone. A batch that was changed on its way
// is written as it was at its start, and a note says so.
func (o *owner) save(c Save) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case !strings.HasSuffix(c.Path, ".toml"):
		return fmt.Errorf("%s: the name of a session file ends with .toml", c.Path)
	}
	s := o.inFile(filepath.Dir(c.Path))
	o.start(c, "writing "+c.Path, false, func(*engine.Stop) (func(), error) {
		size, err := snapshots.WriteSession(c.Path, s)
		if err != nil {
			return nil, err
		}
		return func() { o.news = append(o.news, Exported{Path: c.Path, Bytes: size}) }, nil
	})
	return nil
}

// inFile is the session as a file of a folder holds it.
func (o *owner) inFile(folder string) *snapshots.Session {
	b := o.batch
	s := &snapshots.Session{
		Eaglet: snapshots.SessionVersion, Kernel: relativeTo(folder, b.kernel.Path), Samples: b.n, Seed: b.seed,
		Run: snapshots.SessionRun{
			Engine: o.maker.engine.Name(), MaxSteps: o.max, Policy: o.policy.String(), R: o.r, Entry: o.launch.Entry.String(),
			Chunk: o.launch.Chunk, Reorder: o.launch.Reorder, Every: o.launch.Every, Wave: o.launch.Wave,
		},
		Compile: snapshots.SessionCompile(o.compile),
		Values:  maps.Clone(b.values),
	}
	if o.report != nil && o.report.R > 0 && s.Run.R == 0 && o.phase != Ready {
		s.Run.R = o.report.R // the way to its step is made by the same decisions
	}
	if way := o.history.way(); way.whole() == nil {
		s.Steps = o.steps
	}
	for _, m := range o.wanted.Mappings {
		if i := b.planes.Index(m.Plane); i < 0 || !b.mapped[i] {
			continue
		}
		if s.Planes == nil {
			s.Planes = map[string]string{}
		}
		column := m.Column
		column.File = relativeTo(folder, column.File)
		s.Planes[m.Plane] = column.String()
		if m.Unit != "" {
			if s.Units == nil {
				s.Units = map[string]string{}
			}
			s.Units[m.Plane] = m.Unit
		}
	}
	if l := o.wanted.Labels; l != nil {
		column := *l
		column.File = relativeTo(folder, column.File)
		s.Label = column.String()
	}
	for plane, seed := range b.seeds {
		if s.Seeds == nil {
			s.Seeds = map[string]uint64{}
		}
		s.Seeds[b.planes.Spec[plane].Name] = seed
	}
	for _, c := range b.cells {
		p := &b.planes.Spec[c.plane]
		s.Cells = append(s.Cells, snapshots.SessionCell{Name: snapshots.ComponentName(p.Name, p.Dims, c.component), Sample: c.sample, Value: c.value})
	}
	s.Finished = slices.Clone(b.marks)
	return s
}

// relativeTo is a path as seen from a folder; a bundled kernel's name, and what lies on another volume, as it is.
func relativeTo(folder, path string) string {
	if path == "" || kernels.Bundled(path) {
		return path
	}
	from, err1 := filepath.Abs(folder)
	to, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return path
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) {
		return to
	}
	if !strings.ContainsRune(rel, filepath.Separator) && !strings.HasSuffix(rel, ".go") {
		rel = "." + string(filepath.Separator) + rel // a folder beside it is no bundled kernel
	}
	return rel
}

// FromFile reads a session file and gives the commands that make it again, for a new session. All that is wrong comes in one
// error.
func FromFile(path string) ([]Command, error) {
	s, err := snapshots.ReadSession(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	at := func(file string) string {
		if file == "" || filepath.IsAbs(file) || kernels.Bundled(file) {
			return file
		}
		return filepath.Join(folder, file)
	}
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: "+format, append([]any{path}, args...)...))
	}
	policy, ok := engine.PolicyNamed(s.Run.Policy)
	if s.Run.Policy != "" && !ok {
		bad("policy %q: it is %s", s.Run.Policy, engine.PolicyNames())
	}
	entry, ok := engine.EntryNamed(s.Run.Entry)
	if s.Run.Entry != "" && !ok {
		bad("entry %q: it is auto, fused or persistent", s.Run.Entry)
	}
	if s.Run.MaxSteps == 0 {
		s.Run.MaxSteps = DefaultMaxSteps
	}
	batch := SetBatch{N: s.Samples, Seed: s.Seed, Values: s.Values}
	for _, plane := range slices.Sorted(maps.Keys(s.Planes)) {
		m, err := snapshots.ParseMapping(plane + "=" + s.Planes[plane])
		if err != nil {
			bad("planes: %w", err)
			continue
		}
		m.Column.File, m.Unit = at(m.Column.File), s.Units[plane]
		batch.Mappings = append(batch.Mappings, m)
	}
	if s.Label != "" {
		column, err := snapshots.ParseColumn(s.Label)
		if err != nil {
			bad("label: %w", err)
		}
		column.File = at(column.File)
		batch.Labels = &column
	}
	configure := Configure{
		MaxSteps: &s.Run.MaxSteps, Policy: &policy, R: &s.Run.R, Entry: &entry,
		Chunk: &s.Run.Chunk, Reorder: &s.Run.Reorder, Every: &s.Run.Every, Wave: &s.Run.Wave,
	}
	if s.Run.Engine != "" {
		configure.Engine = &s.Run.Engine
	}
	if compile := kernels.Options(s.Compile); !compile.Empty() {
		configure.Compile = &compile
	}
	out := []Command{configure, batch, LoadKernel{Path: at(s.Kernel)}}
	for _, plane := range slices.Sorted(maps.Keys(s.Seeds)) {
		out = append(out, Regenerate{Plane: plane, Seed: s.Seeds[plane]})
	}
	for _, c := range s.Cells {
		out = append(out, SetCell(c))
	}
	for _, sample := range s.Finished {
		out = append(out, SetMask{Sample: sample, Finished: true})
	}
	if s.Steps > 0 {
		out = append(out, Seek{Step: s.Steps})
	}
	return out, errors.Join(problems...)
}
