package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Sentence says an event in one sentence, without a final stop: for the decision log, explanations and
// plain output. A kind that is not known gives its number. A fault names no file; [SentenceOf] does.
func Sentence(e Event) string { return SentenceOf(e, nil) }

// SentenceOf is [Sentence] with the kernel at hand, which knows the names of its files; k may be nil.
func SentenceOf(e Event, k *ir.Kernel) string {
	switch e.Kind {
	case EventRunStart:
		return runStartWords(e.RunStart())
	case EventRunEnd:
		return runEndWords(e.RunEnd())
	case EventLaunch:
		return launchWords(e.Launch(), e.Flags)
	case EventPolicy:
		return policyWords(e.Policy(), e.Flags)
	case EventCompaction:
		return compactionWords(e.Compaction(), e.Flags)
	case EventProgress:
		p := e.Progress()
		return fmt.Sprintf("%s finished so far, %s sample-steps in this pass", Grouped(p.Finished), Grouped(p.SampleSteps))
	case EventCancel:
		return cancelWords(e.Cancel())
	case EventFault:
		return faultWords(e.Fault(), k)
	case EventGap:
		return plural(e.Gap(), "event was", "events were") + " lost here: the reader was too slow for the ring"
	case EventCalibrate:
		compaction, step, r := e.Calibrate()
		return fmt.Sprintf("calibrated: a compaction takes %s, one step of the whole batch %s, so R = %s steps",
			rounded(compaction), rounded(step), short(r))
	case EventReorder:
		return reorderWords(e.Reorder(), e.Flags)
	case EventPick:
		return pickWords(e.Pick())
	case EventProbe:
		return probeWords(e.Probe())
	case EventLaneRefill:
		return laneRefillWords(e.LaneRefill())
	case EventNonFinite:
		return nonFiniteWords(e.NonFinite(), k)
	case EventStops:
		s := e.Stops()
		return fmt.Sprintf("stops of %s from sample %s on", plural(uint64(s.Count), "sample", "samples"), Grouped(s.First))
	}
	return fmt.Sprintf("event of kind %d", e.Kind)
}

func runStartWords(r RunStart) string {
	var b strings.Builder
	if r.Resumed {
		b.WriteString("goes on: ")
	} else {
		b.WriteString("run: ")
	}
	b.WriteString(plural(uint64(r.N), "sample", "samples"))
	if r.Finished > 0 {
		fmt.Fprintf(&b, ", %s finished already", Grouped(r.Finished))
	}
	fmt.Fprintf(&b, ", at most %s", plural(uint64(r.MaxSteps), "step", "steps"))
	if r.Entry == EntryPersistent {
		b.WriteString(", in one persistent launch")
		return b.String()
	}
	switch r.Policy {
	case PolicyFixed:
		fmt.Fprintf(&b, ", %s per launch as the kernel says", plural(uint64(r.Fixed), "step", "steps"))
	case PolicyBand:
		fmt.Fprintf(&b, ", steps per launch by the band in %s", clampWords(r.StepsMax))
		if r.R > 0 {
			fmt.Fprintf(&b, " with R = %s", short(r.R))
		}
	case PolicyMeasured:
		b.WriteString(", one step per launch until a timed launch of several is cheaper")
	case PolicyDoubling:
		fmt.Fprintf(&b, ", steps per launch doubled or halved in %s", clampWords(r.StepsMax))
	default:
		fmt.Fprintf(&b, ", policy %s, %s per launch", r.Policy, plural(uint64(r.StepsMax), "step", "steps"))
	}
	if r.Active {
		b.WriteString(", compacting")
	}
	return b.String()
}

func runEndWords(r RunEnd) string {
	what := map[Status]string{
		StatusFinished: "every sample is finished", StatusMaxSteps: "the cap on steps ended the run",
		StatusCancelled: "stopped", StatusPaused: "paused: the steps asked for are done",
	}[r.Status]
	if what == "" {
		what = "ended"
	}
	s := fmt.Sprintf("%s after %s in %s and %s, %s finished", what,
		plural(uint64(r.Steps), "step", "steps"), plural(uint64(r.Launches), "launch", "launches"),
		rounded(r.Wall), Grouped(r.Finished))
	if r.Faulted > 0 {
		s += fmt.Sprintf(", %s of them by a fault", Grouped(r.Faulted))
	}
	return s
}

func launchWords(l Launch, flags EventFlags) string {
	s := fmt.Sprintf("launch %s: %s over %s, %s finished", Grouped(l.Number),
		plural(uint64(l.Word), "step", "steps"), plural(uint64(l.Live), "live sample", "live samples"),
		Grouped(l.Newly))
	if l.Faulted > 0 {
		s += fmt.Sprintf(", %s of them by a fault", Grouped(l.Faulted))
	}
	if flags&FlagStepped != 0 {
		s += ", word asked for"
	}
	if flags&FlagCut != 0 {
		s += ", cut to the steps that were left"
	}
	if flags&FlagDerived != 0 {
		s += " (derived: one pass ran them all)"
	}
	return s
}

func policyWords(p PolicyDecision, flags EventFlags) string {
	if p.Rule == PolicyDoubling {
		return doublingWords(p, flags)
	}
	var b strings.Builder
	b.WriteString(nextWords(&p, flags))
	if flags&FlagResident != 0 {
		b.WriteString("the batch fits one wave of the device, where a boundary frees nothing")
		return b.String()
	}
	if p.Newly == 0 {
		fmt.Fprintf(&b, "nobody finished, so h = 0 and k* has no end, held at %d in %s", p.K, clampWords(p.StepsMax))
		return b.String()
	}
	fmt.Fprintf(&b, "h = %s/(%s*%d) = %s, k* = sqrt(2*%s/%s) = %s, ", Grouped(p.Newly), Grouped(p.N),
		p.Word, short(p.H), short(p.R), short(p.H), tenths(p.KStar))
	switch {
	case p.K == p.StepsMax && p.KStar > math.Sqrt2*float64(p.K), p.KStar < autoKMin/math.Sqrt2:
		fmt.Fprintf(&b, "held at %d in %s", p.K, clampWords(p.StepsMax))
	default:
		fmt.Fprintf(&b, "nearest power of two in %s", clampWords(p.StepsMax))
		if p.Next != p.K {
			fmt.Fprintf(&b, " is %d", p.K)
		}
	}
	return b.String()
}

// nextWords is the beginning of what a policy says.
func nextWords(p *PolicyDecision, flags EventFlags) string {
	switch {
	case p.Next == 0:
		return "no launch follows: "
	case flags&FlagCut != 0:
		return fmt.Sprintf("next %s, cut from %d to what is left: ", plural(uint64(p.Next), "step", "steps"), p.K)
	}
	return fmt.Sprintf("next %s: ", plural(uint64(p.Next), "step", "steps"))
}

func compactionWords(c Compaction, flags EventFlags) string {
	if flags&FlagSkipped != 0 {
		return fmt.Sprintf("no compaction: nobody finished since the last one, the map keeps %s",
			plural(uint64(c.Before), "slot", "slots"))
	}
	return fmt.Sprintf("compaction: %s to %s live slots, in %s of 32", Grouped(c.Before), Grouped(c.After),
		plural(uint64(c.Groups), "group", "groups"))
}

func cancelWords(c Cancel) string {
	s := fmt.Sprintf("stopped with %s finished after %s", Grouped(c.Finished), plural(uint64(c.Steps), "step", "steps"))
	if c.Word > 0 {
		s += fmt.Sprintf(", in the middle of a launch of %d: Continue finishes it first", c.Word)
	}
	return s
}

func faultWords(f Fault, k *ir.Kernel) string {
	s := fmt.Sprintf("sample %d faulted in step %s: %s", f.Sample, Grouped(uint64(f.Step)+1), faultName(f.Kind))
	if k != nil {
		if where := Where(k, f.Pos); where != "" {
			return s + " at " + where
		}
	}
	if f.Pos.Line > 0 {
		s += fmt.Sprintf(" at line %d", f.Pos.Line)
	}
	return s
}

func nonFiniteWords(f NonFinite, k *ir.Kernel) string {
	where := fmt.Sprintf("plane %d", f.Plane)
	if k != nil && int(f.Plane) < len(k.Planes) {
		where = "plane " + k.Planes[f.Plane].Name
	}
	return fmt.Sprintf("%s NaN or infinity in the state, the first is sample %s in %s",
		plural(uint64(f.Count), "sample has", "samples have"), Grouped(f.Sample), where)
}

// clampWords is the range of the band: "8..64".
func clampWords(stepsMax uint32) string {
	if stepsMax <= autoKMin {
		return strconv.Itoa(int(stepsMax))
	}
	return fmt.Sprintf("%d..%d", autoKMin, stepsMax)
}

// plural is the count with its noun: "1 step", "8,812 live samples".
func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// short writes x with two significant digits, three from 1 on where they are exact, and a short exponent:
// 3.6e-4, 0.25, 0.0039.
func short(x float64) string {
	if s := strconv.FormatFloat(x, 'f', -1, 64); len(s) <= 5 {
		return s
	}
	if a := math.Abs(x); a >= 1e-3 && a < 1e4 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return mantissa + "e" + strconv.Itoa(n)
}

// tenths writes x with one decimal.
func tenths(x float64) string {
	if x >= 1e6 {
		return short(x)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// rounded writes a duration with three digits or so.
func rounded(d time.Duration) string {
	for unit := time.Second; unit >= time.Microsecond; unit /= 1000 {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
