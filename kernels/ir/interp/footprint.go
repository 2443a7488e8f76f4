package interp

// Rows is the number of rows of a strip: what registers are to machine code. A row takes 8 bytes per lane,
// whatever the type of its values.
func (c *Code) Rows() int { return c.step.strips }
