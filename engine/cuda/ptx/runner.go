package ptx

import (
	"reflect"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Runner is the text of the run loop's kernels; the package comment has their parameters. The one that
// decides is [RunnerWhile]'s twin in all but the last parameter.
func Runner() string {
	return runnerText(header, beginKernel(), startKernel(false),
		compactCount(), compactWrite(), reorderGather(), reorderCopy(), reorderFinish(),
		settleKernel(), policyKernel(false),
		restoreMap(), restoreGather(), restoreCopy(), restoreFinish())
}

// RunnerWhile is the text of start_while and policy_while, which set the condition of a WHILE node.
func RunnerWhile() string {
	return runnerText(header, "\n.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n",
		startKernel(true), policyKernel(true))
}

func runnerText(parts ...string) string {
	return "// eaglet run loop\n" + strings.Join(parts, "")
}

// runner is a kernel of the run loop while it is written.
type runner struct {
	*function
	control string
	lane    string
	args    map[string]string

	// Of a kernel of one thread: the fields of the control block, read once at its beginning. Each wait for
	// the block takes longer than everything that is decided.
	fields map[uintptr]string
	cancel string // whether cancel is set
}

// newRunner begins a kernel with the given parameters; those of counts are words, others addresses.
func newRunner(name string, params ...string) *runner {
	r := &runner{function: newFunction(name, RunnerBlock), args: map[string]string{}}
	for _, p := range params {
		c := wide
		if p == "n" || p == "keep" {
			c = word
		}
		r.args[p] = r.param(c, p)
	}
	r.control = r.args["control"]
	r.lane = r.set(word, "mov.u32", "%laneid")
	return r
}

// get is a field of the control block. Where many threads work it is read anew, since blocks that are through
// change some of them.
func (r *runner) get(at uintptr) string {
	if r.fields != nil {
		return r.set(word, "mov.b32", r.fields[at])
	}
	return r.set(word, "ld.volatile.global.u32", "["+offset(r.control, int(at))+"]")
}

// getWide is a field of 64 bits, of a kernel of one thread.
func (r *runner) getWide(at uintptr) string { return r.set(wide, "mov.b64", r.fields[at]) }

// getDouble is a field that is a float64, of a kernel of one thread.
func (r *runner) getDouble(at uintptr) string { return r.set(double, "mov.f64", r.fields[at]) }

// give writes a field.
func (r *runner) give(at uintptr, x string) {
	r.put("st.global.u32 [%s], %s", offset(r.control, int(at)), x)
	if r.fields != nil {
		r.mov(word, r.fields[at], x)
	}
}

func (r *runner) giveWide(at uintptr, x string) {
	r.put("st.global.u64 [%s], %s", offset(r.control, int(at)), x)
	r.mov(wide, r.fields[at], x)
}

// prefetch reads every field of the control block; the assembler drops those that are not used.
func (r *runner) prefetch() {
	r.fields = map[uintptr]string{}
	t := reflect.TypeFor[Control]()
	for i := range t.NumField() {
		f := t.Field(i)
		var how ir.Type
		switch f.Type.Kind() {
		case reflect.Uint32:
			how = ir.U32
		case reflect.Uint64:
			how = ir.U64
		case reflect.Float64:
			how = ir.F64
		case reflect.Float32: // only its bits go anywhere
			how = ir.U32
		default:
			continue
		}
		r.fields[f.Offset] = r.set(classOf(how), "ld.global."+suffix(how), "["+offset(r.control, int(f.Offset))+"]")
	}
}

// number is a constant in a register.
func (f *function) number(x int) string { return f.set(word, "mov.u32", x) }

// add is x+y of words.
func (f *function) add(x string, y any) string { return f.set(word, "add.u32", x, y) }

// is compares words.
func (f *function) is(how, x string, y any) string { return f.set(predicate, "setp."+how+".u32", x, y) }

// both and not are of predicates.
func (f *function) both(p, q string) string { return f.set(predicate, "and.pred", p, q) }
func (f *function) not(p string) string     { return f.set(predicate, "not.pred", p) }

// pick is p ? x : y of words.
func (f *function) pick(p string, x, y any) string { return f.set(word, "selp.b32", x, y, p) }

// first ends every thread but the grid's first.
func (r *runner) first() {
	thread, _ := r.thread()
	on := r.newLabel("on")
	r.put("@%s bra %s", r.is("eq", thread, 0), on)
	r.put("ret")
	r.place(on)
}

// each runs body for every i below limit, i going on by a grid.
func (r *runner) each(limit string, body func(i string)) {
	thread, stride := r.thread()
	i, again, done := r.reg(word), r.newLabel("each"), r.newLabel("done")
	r.put("mov.u32 %s, %s", i, thread)
	r.place(again)
	r.put("@%s bra %s", r.is("ge", i, limit), done)
	body(i)
	r.put("add.u32 %s, %s, %s", i, i, stride)
	r.put("bra %s", again)
	r.place(done)
}

// eachWarp is each where all lanes of a warp run the body together; in says whether a lane's i is below
// limit.
func (r *runner) eachWarp(limit string, body func(i, in string)) {
	thread, stride := r.thread()
	i, again, done := r.reg(word), r.newLabel("each"), r.newLabel("done")
	r.put("mov.u32 %s, %s", i, thread)
	r.place(again)
	r.put("@%s bra %s", r.is("ge", r.set(word, "sub.u32", i, r.lane), limit), done)
	body(i, r.is("lt", i, limit))
	r.put("add.u32 %s, %s, %s", i, i, stride)
	r.put("bra %s", again)
	r.place(done)
}

// when runs body where p holds.
func (r *runner) when(p string, body func()) {
	skip := r.newLabel("skip")
	r.put("@!%s bra %s", p, skip)
	body()
	r.place(skip)
}

// tally adds the lanes of the warp where p holds to a field.
func (r *runner) tally(p string, at uintptr) {
	lanes := r.ballot(p)
	lead := r.set(predicate, "setp.ne.and.u32", lanes, 0, r.is("eq", r.lane, 0))
	r.put("@%s red.global.add.u32 [%s], %s", lead, offset(r.control, int(at)), r.popc(lanes))
}

// end closes the kernel.
func (r *runner) end() string {
	r.put("ret")
	return r.text()
}
