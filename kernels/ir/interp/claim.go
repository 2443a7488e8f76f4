package interp

// Claim takes the next positions, at most most of them, for a back end of its own; none are left when
// lo == hi.
func (c *Cursor) Claim(most int) (lo, hi int) { return c.claim(most) }

// Left is the number of positions that nobody has taken yet.
func (c *Cursor) Left() int { return int(max(c.end-c.next.Load(), 0)) }
