package kernels

// Rule is one line of the table of diagnostics. Codes are never renumbered or reused: a rule that goes
// leaves its number empty.
type Rule struct {
	Code    string // E... stops the load, W... is a warning
	Rule    string // what is wrong, one clause; a diagnostic may say it more exactly
	Why     string // why eaglet refuses it
	Rewrite string // what to write instead
	Example string // source that earns it, on one line
}

// Rules are all diagnostics, by code.
func Rules() []Rule { return append([]Rule(nil), rules...) }

func ruleOf(code string) *Rule {
	for i := range rules {
		if rules[i].Code == code {
			return &rules[i]
		}
	}
	panic("kernels: no rule " + code)
}

const (
	whyNoHeap  = "a sample lives in registers, there is no memory to point into"
	whyCompile = "every engine runs the step as straight code, known when the kernel is compiled"
)

var rules = []Rule{
	// Files.
	{"E001", "the file cannot be read", "a kernel is a Go file, a folder with one package, or the name of a bundled kernel", "check the path; `eaglet kernels` lists the bundled ones", "eaglet check missing.go"},
	{"E002", "the file is too large", "a kernel is a page of Go; sizes are bounded before anything is parsed", "keep a file under 1 MiB and a folder under 64 files", "a file of 2 MiB"},
	{"E003", "syntax error", "Go's parser says so", "mend the line, or the one before it", "func (s *T) Step( {"},
	{"E004", "type error", "Go's type checker says so", "make the types agree with a conversion, or declare the name", "s.X = true"},
	{"E005", "//line is refused", "it would let a kernel show lines of another file", "delete the comment", "//line other.go:1"},
	{"E006", "the source nests too deeply", "nesting is bounded so that no file can exhaust the compiler", "name parts of it by variables or helper functions", "((((...))))"},
	{"E007", "build constraints are refused", "a kernel is the same on every machine", "delete the constraint", "//go:build linux"},
	{"E008", "the files of a folder belong to different packages", "a folder is one kernel", "give all files one package clause, or load a single file", "package a; package b"},
	{"E009", "the import is refused", "a kernel may import math only, so that it is complete in itself", "write the helper in the kernel's package", `import "fmt"`},
	{"E010", "the math function is not in the kernel language", "its bits would differ between machines", "", "math.Gamma(x)"},
	{"E011", "the directive is malformed", "an option that is ignored would change a run silently", "", "//eaglet:kernel steps=0"},
	{"E012", "the package has no kernel", "a kernel is a struct type with the directive //eaglet:kernel above it", "write //eaglet:kernel above the sample's type", "type T struct{ X float64 }"},
	{"E013", "the package has a second kernel", "one package is one kernel", "move it into a package of its own", "//eaglet:kernel above two types"},
	{"E014", "the directive is not above a struct type", "the fields of a struct are the planes", "put it above type T struct { ... }", "//eaglet:kernel above type T float64"},
	{"E015", "Step is missing or has another shape", "the step of a sample is its method Step, and its result is the finish declaration", "write func (s *T) Step() (terminated bool), or without a result for a kernel that never finishes", "func (s *T) Step(dt float64)"},
	{"E016", "Init has another shape", "Init derives the initial state of one sample", "write func (s *T) Init()", "func (s *T) Init() int"},
	{"E017", "the field is no plane", "every field of the sample is a plane of the batch, with a name of its own", "give it an exported name, or make it a local variable of Step", "x float64"},
	{"E018", "the field's type is refused", "a plane holds float64, float32, int64, int32, uint64, uint32 or bool, or fixed arrays of them", "use one of those types", "Name string"},
	{"E019", "the tag is malformed", "a tag that is ignored would change a run silently", "", "`init:\"uniform(1)\"`"},
	{"E020", "the plane's name is taken or reserved", "planes, the mask and observables share one space of names in files and on the command line", "rename the field", "StepsTaken uint32"},
	{"E021", "the stated role does not hold", "the role decides what a run loads, stores and hands out", "", "`plane:\"input\"` on a field that Step assigns"},

	// What the language leaves out.
	{"E030", "pointers are refused", whyNoHeap + "; the only pointer is a method's receiver", "pass values, and return what changes", "p := &s.X"},
	{"E031", "the loop may not end", "its condition is not known when the kernel is compiled", "state the most turns it may take, above the loop: //eaglet:cap 64", "for s.X > 1 { s.X /= 2 }"},
	{"E032", "slices are refused", "slices need memory that grows; a table is read cell by cell", "use an array of fixed length, or a package-level table", "x := []float64{1, 2}"},
	{"E033", "maps are refused", "they need memory that grows", "use an array, or a switch", "m := map[int]float64{}"},
	{"E034", "strings are refused", "a step computes numbers", "use integer constants", `name := "a"`},
	{"E035", "interfaces are refused", "which method runs must be known when the kernel is compiled", "use the concrete type, or a generic helper function", "var x any"},
	{"E036", "functions as values are refused", "which code runs must be known when the kernel is compiled", "write a function of the package and call it by its name", "f := func() {}"},
	{"E037", "goroutines are refused", "samples run side by side already; a step is one thread", "call the function", "go f()"},
	{"E038", "channels are refused", "samples do not talk to each other", "keep the value in a variable", "c := make(chan int)"},
	{"E039", "defer is refused", "a step ends where it returns", "write the call before each return", "defer f()"},
	{"E040", "recursion is refused", "calls are expanded when the kernel is compiled", "write a loop", "func f(x float64) float64 { return f(x / 2) }"},
	{"E041", "goto is refused", "control flow is structured, so that lanes meet again", "use for, break and continue", "goto done"},
	{"E042", "the builtin function is refused", "kernels have no memory that grows, no output and no panics", "", "panic(1)"},
	{"E043", "the package variable is written", "package variables are constant tables, shared by all samples", "make it a field of the sample", "table[0] = 1"},
	{"E044", "generic types are refused", "planes need plain types", "write the type out; generic helper functions are fine", "type Pair[T any] struct{ A, B T }"},
	{"E045", "complex numbers are refused", "the engines compute with real numbers only", "keep real and imaginary part in two variables", "z := 1i"},
	{"E046", "the type is refused", "kernels compute with bool, int32, int64, uint32, uint64, float32, float64; int is int64 and uint is uint64", "use one of those", "var x int8"},
	{"E047", "the package variable is not constant", "package variables are constant tables, computed when the kernel is compiled", "write constants, or move it into Step", "var t = [2]float64{f(), 1}"},
	{"E048", "an observable assigns to the sample", "observables are computed on demand, in any number, and must not change a run", "assign to a local variable, or make it a method that Step calls", "func (s *T) Energy() float64 { s.X = 0; return 0 }"},
	{"E049", "Init assigns a parameter", "a param plane has one value for the batch, and Init runs for every sample", "leave the plane's tag out to make it an input", "func (s *T) Init() { s.Dt = 1 }"},
	{"E050", "the range is refused", whyCompile, "range over an integer, an array or a table", "for x := range f {}"},
	{"E051", "embedding is refused", "a field has one name", "give the field a name", "type T struct{ Base }"},
	{"E052", "the function has no body", "a kernel is complete in itself", "write the body", "func f(x float64) float64"},
	{"E053", "func init is refused", "nothing runs before a step but the sample's method Init", "write constants, or a method Init of the sample", "func init() {}"},

	{"E054", "the call changes what the same statement reads before it", "Go does not say which of the two comes first", "read it into a variable in a statement of its own", "s.X += s.bump()"},

	// What this version does not do yet, and limits.
	{"E060", "the kernel is too large", "its code is bounded, so that compiling takes bounded time and memory", "take loops apart, or shorten them", "for i := range 1000000 { ... }"},
	{"E061", "the index is not known when the kernel is compiled", "elements of several types have no common memory to index", "keep each number in an array of its own", "points[int(s.X)].N = 1 with a float64 and an int in each of 100 points"},
	{"E062", "the function of math has no float32 form", "with precision=f32 float64 means float32, and every function has bits of its own there", "use precision=f64, or write the function in the kernel", "math.F(s.X) with precision=f32"},
	{"E065", "the value is too large", "a sample's planes and variables are bounded", "use smaller arrays", "var a [1000000]float64"},
	{"E066", "the table cannot be read at an index that is not constant", "its rows differ in length, or its elements are not plain numbers", "give all rows one length, and keep each number in a table of its own", "rows[i][0] of a ragged table"},

	{"E067", "the bits of float64 are refused with precision=f32", "float64 means float32 there, and has other bits", "use precision=f64, or leave the bits alone", "math.Float64bits(s.X) with precision=f32"},
	{"E068", "the option is refused", "an option that is ignored would change a run silently", "", "--precision f16"},

	{"E099", "eaglet itself is wrong", "this is a bug in the compiler, not in the kernel", "report it with the kernel's source", ""},

	// Warnings.
	{"W001", "the kernel never finishes", "the result of Step is always false", "return the condition under which a sample is done, or drop the result", "return false"},
	{"W002", "every sample finishes at its first step", "the result of Step is always true", "return the condition under which a sample is done", "return true"},
	{"W003", "the plane is never used", "neither Step, Init nor an observable reads or assigns it", "delete the field", "Unused float64"},
	{"W004", "the directive has no effect", "//eaglet:cap belongs on the line above a for loop", "move it, or delete it", "//eaglet:cap 10 above an if"},
	{"W005", "the constant is out of range of float32", "with precision=f32 it becomes an infinity", "use a constant of at most 3.4e38 in size, or precision=f64", "s.X > 1e300 with precision=f32"},
}
