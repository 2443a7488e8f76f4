package ptx

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Kind is an entry of a module.
type Kind uint8

// The entries; the package comment says what each does.
const (
	Single Kind = iota
	Fused
	SingleActive // kernels with an active set
	FusedActive
	Persistent
	Init // kernels with an Init method
)

// String gives the entry's name in the text.
func (k Kind) String() string {
	return [...]string{"single", "fused", "single_active", "fused_active", "persistent", "init"}[k]
}

// MaxBlock is the most threads of a block that an entry is assembled for.
const MaxBlock = 256

// Module is the text of a kernel. It is immutable.
type Module struct {
	Text        string          // without a NUL at the end
	Entries     map[Kind]string // names in the text; what the kernel has no use for is missing
	Observables []string        // names in the text, by observable
	Sites       []Site          // where a sample may fault, in the step and then in Init; a fault notes the number + 1
	Args        int             // parameters of every entry
}

// Site is a place of the kernel where a sample may fault.
type Site struct {
	Kind ir.FaultKind
	Pos  ir.Pos
}

// Options are choices of the generator; the zero value is what engines use.
type Options struct {
	// Look is the most steps between two looks at cancel, a power of two; 0: chosen by the length of a step.
	Look uint32
}
