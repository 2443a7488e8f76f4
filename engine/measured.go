package engine

import "time"

// measuredWord is the length of the fused launch that the measured policy times.
const measuredWord = 8

// measuredPolicy takes one step per launch, and each time the live samples have halved since the run began
// or since the last try, times one fused launch of min(8, rest) steps. Once that costs less per step than
// the one-step launch before it, the run goes on under the band. A batch whose samples all run to the end
// never tries: it is exactly the one-step loop.
//
// Why halving: fewer live samples are what makes a boundary dear beside its steps, and a doubling of that
// price is the least that is worth a try; there are at most log2(n) tries in a run.
type measuredPolicy struct {
	band  bandPolicy
	mark  uint32        // live samples at the last try, or when the run began
	one   time.Duration // the last one-step launch
	stage measuredStage
	probe Probe // of the last try, for its event
}

type measuredStage uint8

const (
	measuredSingle measuredStage = iota // one step per launch
	measuredTries                       // the launch that is on is the fused one
	measuredBand                        // it paid
)

func (m *measuredPolicy) first() uint32 { return 1 }

func (m *measuredPolicy) next(l *Launch, live uint32) uint32 {
	switch m.stage {
	case measuredBand:
		return m.band.next(l, live)
	case measuredTries:
		m.stage = measuredSingle
		if l.Word == 1 { // one step was left: nothing to compare
			return 1
		}
		m.probe = Probe{What: ProbeFused, CurrentWall: m.one, CurrentWork: 1, OtherWall: l.Wall, OtherWork: uint64(l.Word)}
		if m.probe.Changed = m.probe.cheaper(1); m.probe.Changed {
			m.stage = measuredBand
			return m.band.first()
		}
		return 1
	}
	if l.Word == 1 { // another one was asked for in step mode and says nothing about single steps
		m.one = l.Wall
	}
	if m.one > 0 && live > 0 && uint64(live)*2 <= uint64(m.mark) {
		m.mark = live
		m.stage = measuredTries
		return measuredWord
	}
	return 1
}

func (m *measuredPolicy) clone() policy { c := *m; return &c }
