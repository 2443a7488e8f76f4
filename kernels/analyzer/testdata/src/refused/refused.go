package refused

import "unsafe" // want `^E009  the import of "unsafe" is refused: a kernel may import math only, so that it is complete in itself; write the helper in the kernel's package$`

// Walk has one mistake of most kinds.
// want +2 `^E011  .*steps is "0"`
//
//eaglet:kernel steps=0
type Walk struct {
	X float64
	y float64 // want `^E017  the field y is not exported`
}

// Step walks.
func (s *Walk) Step() (terminated bool) {
	defer s.turn() // want `^E039  defer is refused`
	p := &s.X // want `^E030  pointers are refused`
	*p += float64(unsafe.Sizeof(s.y))
	return s.X > 3
}

func (s *Walk) turn() {
	m := map[int]bool{} // want `^E033  maps are refused`
	_ = m
}
