package interp

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// lifetimes says, for the values of one step or func, after which place in the code each is dead.
//
// Places number the code in the order in which compile.go emits it: one per instruction, and one more
// at the end of an if or a loop, where its regions' yields are used. A value that comes from outside of a
// loop and is used in it lives to the loop's end, since the next turn needs it again.
type lifetimes struct {
	def, last []int // by value; -1: not in the code
	place     int
}

func newLifetimes(values int) *lifetimes {
	l := &lifetimes{def: make([]int, values), last: make([]int, values)}
	for i := range l.def {
		l.def[i], l.last[i] = -1, -1
	}
	return l
}

func (l *lifetimes) next() int {
	l.place++
	return l.place - 1
}

func (l *lifetimes) define(vs []ir.Value, place int) {
	for _, v := range vs {
		l.def[v], l.last[v] = place, place
	}
}

func (l *lifetimes) use(vs []ir.Value, place int) {
	for _, v := range vs {
		l.last[v] = max(l.last[v], place)
	}
}

// extend makes the values from before start that are used in [start, end] live to end.
func (l *lifetimes) extend(start, end int) {
	for v := range l.def {
		if l.def[v] < start && l.last[v] >= start && l.last[v] < end {
			l.last[v] = end
		}
	}
}

func (l *lifetimes) region(r *ir.Region) {
	for _, in := range r.Instrs {
		l.instr(in)
	}
}

func (l *lifetimes) instr(in *ir.Instr) {
	place := l.next()
	l.use(in.Args, place)
	switch in.Op {
	case ir.OpIf:
		l.region(in.Then)
		l.region(in.Else)
		end := l.next()
		l.use(in.Args, end) // the condition chooses between the yields
		l.use(in.Then.Yield, end)
		l.use(in.Else.Yield, end)
		l.define(in.Results, end)
	case ir.OpLoop:
		// Parameters keep their rows for the whole loop and hand them to the results.
		l.define(in.Body.Params, place)
		l.region(in.Body)
		end := l.next()
		l.use(in.Body.Yield, end)
		l.extend(place, end)
		l.define(in.Results, end)
		for _, p := range in.Body.Params {
			l.last[p] = -1
		}
	default:
		l.define(in.Results, place)
	}
}

// dying lists the values by the place after which they are dead; parameters are not among them.
func (l *lifetimes) dying() [][]ir.Value {
	d := make([][]ir.Value, l.place)
	for v, place := range l.last {
		if place >= 0 && l.def[v] >= 0 {
			d[place] = append(d[place], ir.Value(v))
		}
	}
	return d
}
