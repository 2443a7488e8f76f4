package lessons

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// Facts is what a session can be asked about, by name.
type Facts map[string]string

// Reader keeps what the events of a session said last. It belongs to one goroutine.
type Reader struct {
	trace  *engine.Trace
	cursor uint64
	facts  Facts
}

// NewReader begins with what a trace tells from now on.
func NewReader(t *engine.Trace) *Reader {
	return &Reader{trace: t, cursor: t.Written(), facts: Facts{}}
}

// Facts are what the session's state and the events so far say.
func (r *Reader) Facts(st *session.State) Facts {
	var buf [64]engine.Event
	for {
		n, next := r.trace.Read(r.cursor, buf[:])
		r.cursor = next
		if n == 0 {
			break
		}
		for i := range buf[:n] {
			r.take(&buf[i])
		}
	}
	out := Facts{}
	for k, v := range r.facts {
		out[k] = v
	}
	out.state(st)
	return out
}

func (f Facts) set(name string, v float64) { f[name] = number(v) }

// number writes v with at most four significant digits, whole numbers in full.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func (r *Reader) take(e *engine.Event) {
	f := r.facts
	switch e.Kind {
	case engine.EventRunStart:
		s := e.RunStart()
		if !s.Resumed {
			clear(f)
		}
		f["entry"] = s.Entry.String()
		f.set("r", s.R)
	case engine.EventLaunch:
		l := e.Launch()
		f.set("word", float64(l.Word))
		f.set("newly", float64(l.Newly))
		f.set("live", float64(l.Live-l.Newly))
		f.set("launch", float64(l.Number))
	case engine.EventPolicy:
		p := e.Policy()
		f.set("h", p.H)
		f.set("kstar", p.KStar)
		f.set("next", float64(p.Next))
		f.set("k", float64(p.K))
		f.set("r", p.R)
	case engine.EventCompaction:
		c := e.Compaction()
		f.set("map", float64(c.After))
		f.set("groups", float64(c.Groups))
	case engine.EventLaneRefill:
		l := e.LaneRefill()
		f.set("chunk", float64(l.Chunk))
		f.set("refills", float64(l.Refills))
	}
}

// state adds what the state says.
func (f Facts) state(st *session.State) {
	f["phase"] = st.Phase.String()
	f.set("n", float64(st.N))
	if r := st.Report; r != nil {
		f["status"] = r.Status
		f["policy"], f["entry"] = r.Policy, r.Entry
		for name, v := range map[string]int{
			"finished": r.Finished, "launches": r.Launches, "steps": r.Steps, "longest": r.Longest, "compactions": r.Compactions,
			"reorders": r.Reorders, "faulted": r.Faulted, "nonfinite": r.NonFinite, "left": r.N - r.Finished,
		} {
			f.set(name, float64(v))
		}
		f.set("mean", float64(r.SampleSteps)/float64(max(r.N, 1)))
		f.set("fill", r.SlotFill)
	}
	if p := st.Finish; p != nil {
		worst, most := session.LintNone, 0
		for l, n := range p.Count {
			if n > most && session.Lint(l) != session.LintNone {
				worst, most = session.Lint(l), n
			}
		}
		f["lint"] = strings.ReplaceAll(worst.String(), " ", "-")
	}
}

// Fill replaces {NAME} by facts; one that is not known stays as it is.
func (f Facts) Fill(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, ok := strings.Cut(rest, "}")
		if v, known := f[name]; ok && known {
			b.WriteString(v)
		} else {
			b.WriteString("{" + name + "}")
		}
		if !ok {
			return b.String()
		}
		text = after
	}
}

// claim is one line of an expect block.
type claim struct{ name, op, value string }

func parseClaim(line string) (claim, error) {
	w := strings.Fields(line)
	switch {
	case len(w) == 2:
		return claim{w[0], "=", w[1]}, nil
	case len(w) == 3 && strings.Contains("= < > <= >= !=", w[1]):
		return claim{w[0], w[1], w[2]}, nil
	}
	return claim{}, fmt.Errorf("a line of expect is NAME VALUE or NAME OP VALUE with = != < <= > >=, not %q", line)
}

// Check says in one sentence in what a claim is wrong, "" when it holds.
func (f Facts) Check(line string) string {
	c, err := parseClaim(line)
	if err != nil {
		return err.Error()
	}
	got, known := f[c.name]
	if !known {
		return fmt.Sprintf("%s is not known here", c.name)
	}
	x, errX := strconv.ParseFloat(got, 64)
	y, errY := strconv.ParseFloat(c.value, 64)
	holds := false
	if errX != nil || errY != nil {
		holds = c.op == "=" && got == c.value || c.op == "!=" && got != c.value
	} else {
		holds = map[string]bool{"=": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[c.op]
	}
	if holds {
		return ""
	}
	return fmt.Sprintf("%s is %s, expected %s %s", c.name, got, c.op, c.value)
}

// Same says whether a choice is the fact: as numbers, or as words.
func Same(choice, fact string) bool {
	x, errX := strconv.ParseFloat(choice, 64)
	y, errY := strconv.ParseFloat(fact, 64)
	if errX == nil && errY == nil {
		return x == y
	}
	return choice == fact
}
