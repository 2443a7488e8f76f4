package kernels

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Kernel is a loaded kernel. It is immutable and safe for concurrent use.
type Kernel struct {
	IR      *ir.Kernel
	Path    string       // as given to Load; a bare name for a bundled kernel
	Sources []SourceFile // in the order of IR.Files
	Digest  string       // hex SHA-256 of what fixes the bits of a run: the printed IR without positions
	Doc     string       // the package comment
	// Warnings never stop a run: a result that is constant, a plane that is never read.
	Warnings Diagnostics

	first *ir.Kernel // before the passes, see After
}

// SourceFile is one file as it was read; excerpts come from Text only.
type SourceFile struct {
	Name string // as shown to the user
	Text []byte
}
