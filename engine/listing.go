package engine

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Lister is what a Program offers that can show its code to a reader.
type Lister interface {
	// Listing is the code of the kernel's step for a target, "" being the one that runs here. The error says in one
	// sentence why there is none.
	Listing(target string) (*Listing, error)
}

// Listing is code as text. It is never changed.
type Listing struct {
	Target string // avx512, avx2, ptx
	About  string // lanes, registers, spills, bytes, in words
	Lines  []ListingLine
}

// ListingLine is one instruction.
type ListingLine struct {
	Offset int    // of its bytes in the code; -1 where code is text
	Bytes  []byte // nil where code is text
	Text   string
	Note   string // what the memory that it names is for; "" for none

	Group  int      // of lanes, from 0; -1: all, or none
	Result ir.Value // what it computes, or helps to compute, in the kernel's step; 0: nothing of the kernel's
	Op     string   // of the kernel's instruction that it was made of
	Pos    ir.Pos   // in the kernel's source
}
