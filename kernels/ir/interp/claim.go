package interp

// Claim takes the next positions, at most most of them, for a back end of its own; none are left when
// lo == hi.
func (c *Cursor) Claim(most int) (lo, hi int) { return c.claim(most) }
