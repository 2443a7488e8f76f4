package session

import (
	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// rewind goes back to the start.
func (o *owner) rewind(c Rewind) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	o.start(c, "rewinding", false, func(stop *engine.Stop) (func(), error) {
		if err := b.rewind(stop); err != nil {
			return nil, err
		}
		return o.atStart, nil
	})
	return nil
}

// export writes a file.
func (o *owner) export(c Export) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if err := snapshots.CanWrite(c.Path); err != nil {
		return err
	}
	o.start(c, "writing "+c.Path, false, func(*engine.Stop) (func(), error) {
		r, err := b.results()
		if err != nil {
			return nil, err
		}
		size, err := snapshots.Write(c.Path, r)
		if err != nil {
			return nil, err
		}
		return func() { o.news = append(o.news, Exported{Path: c.Path, Bytes: size}) }, nil
	})
	return nil
}
