package engine

import (
	"encoding/json"
	"math"
	"strconv"
)

// JSONEvent is an event with its payload by name, for programs that read recordings.
type JSONEvent Event

// kindNames are the kinds as JSON has them.
var kindNames = map[EventKind]string{
	EventRunStart: "run_start", EventRunEnd: "run_end", EventLaunch: "launch", EventPolicy: "policy",
	EventCompaction: "compaction", EventProgress: "progress", EventCancel: "cancel", EventFault: "fault",
	EventGap: "gap", EventCalibrate: "calibrate", EventReorder: "reorder", EventPick: "pick", EventProbe: "probe",
	EventLaneRefill: "lane_refill", EventNonFinite: "non_finite", EventStops: "stops",
}

// MarshalJSON writes kind, flags, generation, turn, time_ns and the payload's fields in their Go names; a
// kind that is not known is a number and has its nine words. Infinities are strings, for JSON has none.
func (j JSONEvent) MarshalJSON() ([]byte, error) {
	e := Event(j)
	kind, known := kindNames[e.Kind]
	if !known {
		kind = strconv.Itoa(int(e.Kind))
	}
	return json.Marshal(struct {
		Kind       string `json:"kind"`
		Flags      uint16 `json:"flags,omitempty"`
		Generation uint32 `json:"generation"`
		Turn       uint64 `json:"turn"`
		Time       int64  `json:"time_ns"`
		Payload    any    `json:"payload"`
	}{kind, uint16(e.Flags), e.Generation, e.Turn, e.Time.Nanoseconds(), payloadOf(&e)})
}

func payloadOf(e *Event) any {
	switch e.Kind {
	case EventRunStart:
		return e.RunStart()
	case EventRunEnd:
		return e.RunEnd()
	case EventLaunch:
		return e.Launch()
	case EventPolicy:
		p := e.Policy()
		out := struct {
			PolicyDecision
			KStar any
		}{p, p.KStar}
		if math.IsInf(p.KStar, 0) {
			out.KStar = "+Inf"
		}
		return out
	case EventCompaction:
		return e.Compaction()
	case EventProgress:
		return e.Progress()
	case EventCancel:
		return e.Cancel()
	case EventFault:
		return e.Fault()
	case EventGap:
		return map[string]uint64{"Lost": e.Gap()}
	case EventCalibrate:
		c, s, r := e.Calibrate()
		return map[string]any{"Compaction": c, "Step": s, "R": r}
	case EventReorder:
		return e.Reorder()
	case EventPick:
		return e.Pick()
	case EventProbe:
		return e.Probe()
	case EventLaneRefill:
		return e.LaneRefill()
	case EventNonFinite:
		return e.NonFinite()
	case EventStops:
		s := e.Stops()
		mask := make([]int, s.Count) // a slice of bytes would come out as base64
		for i := range mask {
			mask[i] = int(s.Mask[i])
		}
		return map[string]any{"First": s.First, "Taken": s.Taken[:s.Count], "Mask": mask}
	}
	return e.Payload
}
