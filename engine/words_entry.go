package engine

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Sentences of the events about reorders and the two entries.

func reorderWords(r Reorder, flags EventFlags) string {
	slots := 32 * uint64(r.Live32)
	fill := 0.0
	if slots > 0 {
		fill = float64(r.Count) / float64(slots)
	}
	if flags&FlagSkipped == 0 {
		return fmt.Sprintf("reorder: %s moved to the front of %s slots; they filled %s of their groups, less than theta = %s",
			plural(uint64(r.Count), "live sample", "live samples"), Grouped(r.Span), hundredths(fill), short(float64(r.Theta)))
	}
	why := fmt.Sprintf("live samples fill %s of their groups, theta is %s", hundredths(fill), short(float64(r.Theta)))
	switch {
	case r.Span < reorderMinSpan:
		why = fmt.Sprintf("live samples lie within %s slots, and below %s order does not matter", Grouped(r.Span), Grouped(uint64(reorderMinSpan)))
	case r.Count >= r.Span:
		why = "every slot is live"
	}
	return "no reorder: " + why
}

func pickWords(p Pick) string {
	var b strings.Builder
	fmt.Fprintf(&b, "entry %s: ", p.Entry)
	switch p.Reason {
	case PickAsked:
		b.WriteString("asked for")
	case PickLarge:
		fmt.Fprintf(&b, "%s are at least %d times the %s resident lanes", plural(uint64(p.N), "sample", "samples"), pickPersistMultiple, Grouped(p.Resident))
	case PickSmall:
		fmt.Fprintf(&b, "%s are at most a quarter of a wave of %s", plural(uint64(p.N), "sample", "samples"), Grouped(p.Wave))
	case PickFirst:
		b.WriteString("the first run of this batch, timed")
	case PickProbe:
		fmt.Fprintf(&b, "a probe, to have its time (%s)", p.Bucket)
	case PickSettled:
		fmt.Fprintf(&b, "the faster one when both were timed (%s)", p.Bucket)
	case PickCached:
		fmt.Fprintf(&b, "the faster one when another batch like this was timed (%s)", p.Bucket)
	case PickReordering:
		b.WriteString("a run that may reorder needs boundaries")
	default:
		fmt.Fprintf(&b, "reason %d", p.Reason)
	}
	if p.Block > 0 {
		fmt.Fprintf(&b, ", in blocks of %d", p.Block)
	}
	if p.Chunk > 0 {
		fmt.Fprintf(&b, ", lanes look for new samples every %s", plural(uint64(p.Chunk), "step", "steps"))
	}
	return b.String()
}

func probeWords(p Probe) string {
	if p.What == ProbeFused {
		verdict := "stays with one step per launch"
		if p.Changed {
			verdict = "goes on under the band"
		}
		return fmt.Sprintf("measured: a launch of %s takes %s, %s a step, one step alone %s: %s", plural(p.OtherWork, "step", "steps"),
			rounded(p.OtherWall), rounded(each(p.OtherWall, p.OtherWork)), rounded(p.CurrentWall), verdict)
	}
	ratio := float64(p.OtherWall) * float64(p.CurrentWork) / (float64(p.CurrentWall) * float64(p.OtherWork))
	current, other := armWords(p.Current, p.CurrentBlock), armWords(p.Other, p.OtherBlock)
	verdict := fmt.Sprintf("not below %s, so %s stays", short(pickHysteresis), current)
	if p.Changed {
		verdict = fmt.Sprintf("below %s, so %s it is from now on", short(pickHysteresis), other)
	}
	return fmt.Sprintf("pick: %s took %s, %s %s, %s times as long: %s (%s)", other, rounded(p.OtherWall),
		current, rounded(p.CurrentWall), thousandths(ratio), verdict, p.Bucket)
}

// armWords names an entry, with the size of its blocks where there are several.
func armWords(e Entry, block uint32) string {
	if block == 0 {
		return e.String()
	}
	return fmt.Sprintf("%s in blocks of %d", e, block)
}

func laneRefillWords(l LaneRefill) string {
	return fmt.Sprintf("lanes: %s issued in chunks of %s, %s, %s of the slots' steps used", plural(l.LaneChunks, "chunk", "chunks"),
		plural(uint64(l.Chunk), "step", "steps"), plural(l.Refills, "refill", "refills"), hundredths(l.SlotFill()))
}

// doublingWords is the older rule's decision.
func doublingWords(p PolicyDecision, flags EventFlags) string {
	var b strings.Builder
	b.WriteString(nextWords(&p, flags))
	share := fmt.Sprintf("%s finished, %s live", Grouped(p.Newly), Grouped(p.Live))
	switch {
	case uint64(p.Newly)*16 < uint64(p.Live):
		fmt.Fprintf(&b, "%s, fewer than 1 in 16: doubled in %s", share, clampWords(p.StepsMax))
	case uint64(p.Newly)*4 > uint64(p.Live):
		fmt.Fprintf(&b, "%s, more than 1 in 4: halved in %s", share, clampWords(p.StepsMax))
	default:
		fmt.Fprintf(&b, "%s, from 1 in 16 to 1 in 4: kept", share)
	}
	return b.String()
}

// each is a share of a duration.
func each(d time.Duration, n uint64) time.Duration { return d / time.Duration(max(n, 1)) }

func hundredths(x float64) string { return fmt.Sprintf("%.2f", x) }

func thousandths(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return "?"
	}
	return fmt.Sprintf("%.3f", x)
}
