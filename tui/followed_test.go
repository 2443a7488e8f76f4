package tui

import (
	"errors"
	"math"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// answersAbout answers what the finish pane asks about one sample whose margin turns into NaN after step 6.
func answersAbout(q session.Query) (any, error) {
	switch q := q.(type) {
	case session.FollowQuery:
		t := &session.Trajectory{
			Samples: q.Samples, Stop: []int{-1}, Fault: []string{""},
			Comparisons: []kernels.Comparison{{LHS: "s.T", RHS: "s.TEnd", Op: ir.OpGe}},
			LHS:         [][][]float64{{nil}}, RHS: [][][]float64{{nil}},
		}
		for j := range 11 {
			lhs := float64(j) / 2
			if j > 6 {
				lhs = math.NaN()
			}
			t.Steps = append(t.Steps, j)
			t.LHS[0][0], t.RHS[0][0] = append(t.LHS[0][0], lhs), append(t.RHS[0][0], 4)
		}
		return t, nil
	case session.OriginQuery:
		return &session.Origin{Sample: q.Sample, Step: 7, What: "NaN", Plane: "t", File: "oscillator.go", Line: 21, Column: 8, Text: "math.Sqrt(s.X)", Operands: []session.Operand{{Text: "s.X", Value: -1}}}, nil
	case session.ReproductionQuery:
		return &session.Reproduction{Files: []string{q.Dir + "/a.go"}, Command: "eaglet run " + q.Dir + "/a.go"}, nil
	}
	return nil, errors.New("not asked for")
}

// settled lets the panes' questions be answered.
func (m *model) settled() *model {
	for range 8 {
		cmd := m.inquire()
		if cmd == nil {
			break
		}
		for _, msg := range messages(cmd) {
			m.Update(msg)
		}
	}
	m.View()
	return m
}

func TestASampleIsFollowedToItsNaN(t *testing.T) {
	s := stuck()
	s.looks = answersAbout
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("4")
	m.typed("j", "enter").settled()
	text := m.screen().String(nil)
	for _, want := range []string{"Finish: sample ", " over 10 steps, live", "s.T >= s.TEnd: NaN against 4", "NaN never compares true", "not finite"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on screen:\n%s", want, text)
		}
	}
	m.typed("k", "k", "k", "k", "k")
	if text = m.screen().String(nil); !strings.Contains(text, "step  6 of 11") || !strings.Contains(text, "margin -1.5, nearer by 0.5 a step") {
		t.Errorf("five steps back:\n%s", text)
	}
	m.typed("i").settled()
	if text = m.screen().String(nil); !strings.Contains(text, "NaN came into t in step 7, from math.Sqrt(s.X)") || !strings.Contains(text, "step  7 of 11") {
		t.Errorf("the origin, and the step that made it:\n%s", text)
	}
	m.typed("P").settled()
	if text = m.screen().String(nil); !strings.Contains(text, "eaglet run eaglet-oscillator-") {
		t.Errorf("the reproduction's command:\n%s", text)
	}
	m.typed("esc")
	if text = m.screen().String(nil); !strings.Contains(text, "live samples will not get there") {
		t.Errorf("esc does not go back to the list:\n%s", text)
	}
}

func TestAFollowedSampleSaysWhyItCannotBe(t *testing.T) {
	s := stuck()
	s.looks = func(session.Query) (any, error) { return nil, errors.New("the batch was changed on its way") }
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("4", "enter").settled()
	if text := m.screen().String(nil); !strings.Contains(text, "the batch was changed on its way") {
		t.Errorf("got\n%s", text)
	}
}

// messages are what the commands in cmd give.
func messages(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var out []tea.Msg
		for _, c := range msg {
			out = append(out, messages(c)...)
		}
		return out
	default:
		return []tea.Msg{msg}
	}
}
