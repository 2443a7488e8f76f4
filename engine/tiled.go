package engine

// tiledPolicy gives every launch stepsMax steps. Where a boundary between launches costs more than it
// frees, as on the host, whose tiles leave with their last lane, nothing beats it; an engine whose Bound
// is a [Passer] runs all of its launches in one pass (see pass.go).
type tiledPolicy struct{ stepsMax uint32 }

func (t *tiledPolicy) first() uint32               { return t.stepsMax }
func (t *tiledPolicy) next(*Launch, uint32) uint32 { return t.stepsMax }

func (t *tiledPolicy) clone() policy { c := *t; return &c }
