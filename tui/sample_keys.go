package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

func (p *samplePane) keys() []binding {
	return []binding{
		{name: "choose-samples", keys: []string{"enter"}, title: says("choose samples by their numbers, at random, or the worst"), brief: says("choose"), off: p.kernelOff, do: p.askSamples},
		{name: "sample-view", keys: []string{"v"}, title: says("over time, through a plane of two values, fan and density of the batch"), brief: says("view"), off: p.kernelOff, do: p.nextMode},
		{name: "value-before", keys: []string{",", "shift+left"}, title: says("the value before"), brief: says("value"), off: p.kernelOff, do: p.turn(&p.y, -1)},
		{name: "value-after", keys: []string{".", "shift+right"}, title: says("the next value"), off: p.kernelOff, do: p.turn(&p.y, +1)},
		{name: "across-before", keys: []string{"("}, title: says("across: the value before"), off: p.acrossOff, do: p.turn(&p.x, -1)},
		{name: "across-after", keys: []string{")"}, title: says("across: the next value"), brief: says("across"), off: p.acrossOff, do: p.turn(&p.x, +1)},
	}
}

func (p *samplePane) kernelOff(m *model) string {
	if m.state.Kernel == nil || len(p.columns) == 0 {
		return "no kernel is loaded"
	}
	return ""
}

func (p *samplePane) acrossOff(m *model) string {
	if p.mode != samplePhase && p.mode != sampleDensity {
		return "time goes across here, v shows one value against another"
	}
	return p.kernelOff(m)
}

func (p *samplePane) nextMode(*model) tea.Cmd {
	p.mode = (p.mode + 1) % sampleModes
	p.why = ""
	return nil
}

func (p *samplePane) turn(at *int, by int) func(*model) tea.Cmd {
	return func(*model) tea.Cmd {
		*at = (*at + by + len(p.columns)) % len(p.columns)
		p.why = ""
		return nil
	}
}

// scroll goes through the values.
func (p *samplePane) scroll(by int) {
	if n := len(p.columns); n > 0 {
		p.y = ((p.y+by)%n + n) % n
	}
}
func (p *samplePane) page() int { return 1 }

// askSamples asks for numbers.
func (p *samplePane) askSamples(m *model) tea.Cmd {
	ask := m.ask("samples", prompt{
		label: "samples", hint: fmt.Sprintf("3, 17, 400-403, random 4, worst, or none; at most %d", mostChosen),
		enter: func(m *model, text string) (tea.Cmd, error) {
			chosen, err := parseSamples(text, int(m.n()), m.state.Finish)
			if err != nil {
				return nil, err
			}
			m.chosen = chosen
			return nil, nil
		},
	})
	var now []string
	for _, s := range m.chosen {
		now = append(now, strconv.Itoa(s))
	}
	ask.input.set(strings.Join(now, ", "))
	return nil
}

// parseSamples reads which samples are chosen, of a batch of n.
func parseSamples(text string, n int, f *session.FinishPicture) ([]int, error) {
	var out []int
	add := func(sample int) error {
		if sample < 0 || sample >= n {
			return fmt.Errorf("there is no sample %s: the batch has samples 0 to %s", engine.Grouped(sample), engine.Grouped(n-1))
		}
		if !slices.Contains(out, sample) {
			out = append(out, sample)
		}
		if len(out) > mostChosen {
			return fmt.Errorf("at most %d samples can be told apart", mostChosen)
		}
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		word, rest, _ := strings.Cut(part, " ")
		first, last, ranged := strings.Cut(part, "-")
		switch {
		case part == "" || part == "none":
		case word == "worst":
			if f == nil || len(f.Proofs) == 0 {
				return nil, fmt.Errorf("the worst are those that pane 4 lists as proofs: it has none now")
			}
			for i := range f.Proofs[:min(len(f.Proofs), mostChosen)] {
				if err := add(f.Proofs[i].Sample); err != nil {
					return nil, err
				}
			}
		case word == "random":
			count, err := strconv.Atoi(strings.TrimSpace(rest))
			if err != nil || count < 1 || count > mostChosen {
				return nil, fmt.Errorf("random 1 to random %d, not %q", mostChosen, part)
			}
			for range min(count, n) {
				if err := add(rand.IntN(n)); err != nil {
					return nil, err
				}
			}
		case ranged && first != "":
			from, err1 := strconv.Atoi(strings.TrimSpace(first))
			to, err2 := strconv.Atoi(strings.TrimSpace(last))
			if err1 != nil || err2 != nil || to < from {
				return nil, fmt.Errorf("%q is no range: write 400-403", part)
			}
			for i := from; i <= to; i++ {
				if err := add(i); err != nil {
					return nil, err
				}
			}
		default:
			sample, err := strconv.Atoi(part)
			if err != nil {
				return nil, fmt.Errorf("%q is no sample's number", part)
			}
			if err := add(sample); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
