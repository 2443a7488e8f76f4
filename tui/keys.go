package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// binding is one thing a user can do. Dispatch, footer and help are read from the table of them.
type binding struct {
	keys  []string // as Bubble Tea names them; the first is shown
	title func(*model) string
	brief func(*model) string // a word for the footer; nil keeps it out of there
	off   func(*model) string // why it is off now, one clause; "" when it is on; nil for always on
	do    func(*model) tea.Cmd

	local bool // holds only while where is shown; no local key is also a key of everywhere
	where group
}

// keyer is a pane with keys of its own, which hold while its group is shown.
type keyer interface{ keys() []binding }

func says(text string) func(*model) string { return func(*model) string { return text } }

// keyTable is every key of the workbench: those of everywhere, then those of panes. No key stands twice among
// those that hold at a time (keys_test.go).
func keyTable(panes *[paneCount]pane) []binding {
	table := append(everywhere(), timelineKeys()...)
	for g := range groupCount {
		table = append(table, binding{keys: []string{groupKeys[g]}, title: says(groupSays[g]), do: showGroup(g)})
	}
	for p := range panes {
		if k, ok := panes[p].(keyer); ok {
			for _, b := range k.keys() {
				b.local, b.where = true, groupOf[p]
				table = append(table, b)
			}
		}
	}
	return table
}

// everywhere is the keys that do not depend on what is shown.
func everywhere() []binding {
	return []binding{
		{keys: []string{"space"}, title: runTitle, brief: runTitle, off: runOff, do: runOrPause},
		{keys: []string{"s"}, title: says("one launch, of as many steps as the policy says"), brief: says("launch"), off: stepOff, do: command(session.Step{})},
		{keys: []string{"S"}, title: says("one step, a launch of 1"), brief: says("one step"), off: stepOff, do: command(session.Step{Word: 1})},
		{keys: []string{"n"}, title: says("run a number of steps"), brief: says("many steps"), off: stepOff, do: (*model).openPrompt},
		{keys: []string{"R"}, title: says("rewind to the start of the batch"), brief: says("rewind"), off: rewindOff, do: command(session.Rewind{})},
		{keys: []string{"p"}, title: policyTitle, brief: says("policy"), off: policyOff, do: togglePolicy},
		{keys: []string{"e"}, title: says("edit the kernel in $EDITOR; what is saved is loaded"), brief: says("edit"), off: fileOff, do: edit},
		{keys: []string{"r"}, title: says("load the kernel's file again"), off: fileOff, do: command(session.Reload{})},
		{keys: []string{"tab"}, title: says("next pane"), brief: says("pane"), do: nextGroup(+1)},
		{keys: []string{"shift+tab"}, title: says("pane before"), do: nextGroup(-1)},
		{keys: []string{"j", "down"}, title: says("scroll down"), off: scrollOff, do: scroll(func(scroller) int { return 1 })},
		{keys: []string{"k", "up"}, title: says("scroll up"), off: scrollOff, do: scroll(func(scroller) int { return -1 })},
		{keys: []string{"pgdown", "ctrl+d"}, title: says("scroll down a page"), off: scrollOff, do: scroll(func(s scroller) int { return s.page() })},
		{keys: []string{"pgup", "ctrl+u"}, title: says("scroll up a page"), off: scrollOff, do: scroll(func(s scroller) int { return -s.page() })},
		{keys: []string{"z"}, title: says("pane full screen, and back"), brief: says("zoom"), do: toggleZoom},
		{keys: []string{"esc"}, title: says("back: from help, full screen, a cursor in the past"), do: (*model).back},
		{keys: []string{"?"}, title: says("this help"), brief: says("help"), do: toggleHelp},
		{keys: []string{"ctrl+z"}, title: says("suspend, fg comes back"), do: func(*model) tea.Cmd { return tea.Suspend }},
		{keys: []string{"q", "ctrl+c"}, title: says("quit; a run that is on is stopped"), brief: says("quit"), do: func(*model) tea.Cmd { return tea.Quit }},
	}
}

// press does what key stands for, or says why it does nothing now.
func (m *model) press(key string) tea.Cmd {
	for i := range m.keys {
		b := &m.keys[i]
		if !slices.Contains(b.keys, key) || b.local && b.where != m.shown {
			continue
		}
		if b.off != nil {
			if why := b.off(m); why != "" {
				m.say(waits, b.keys[0]+": "+why)
				return nil
			}
		}
		return b.do(m)
	}
	return nil
}

// shownKeys is how the keys of a binding are written.
func (b *binding) shownKeys() string { return strings.Join(b.keys, " ") }

func command(c session.Command) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return m.order(c) }
}

func (m *model) declaresFinish() bool {
	return m.state.Kernel != nil && m.state.Kernel.IR.Finish != nil
}

// busy is why nothing can be started now, "" when it can.
func busy(m *model) string {
	switch {
	case m.state.Phase == session.Working && m.state.Activity != "":
		return "wait: " + m.state.Activity
	case m.state.Phase == session.Working:
		return "wait: the session is busy"
	case m.state.Kernel == nil:
		return "no kernel is loaded"
	case m.state.Phase == session.Running:
		return "a run is on, space pauses it"
	}
	return ""
}

// complete is why there is nothing left to run.
func complete(m *model) string {
	if m.state.Phase == session.Ended && m.live() == 0 && m.declaresFinish() {
		return "every sample is finished, R rewinds"
	}
	return ""
}

func runTitle(m *model) string {
	switch m.state.Phase {
	case session.Running:
		return "pause"
	case session.Paused:
		return "continue"
	case session.Ended:
		return "run on"
	}
	return "run"
}

func runOff(m *model) string {
	if m.state.Phase == session.Running {
		return ""
	}
	if why := busy(m); why != "" {
		return why
	}
	if !m.declaresFinish() {
		return m.state.Kernel.IR.Name + " declares no finish, n runs a number of steps"
	}
	return complete(m)
}

func runOrPause(m *model) tea.Cmd {
	switch m.state.Phase {
	case session.Running:
		return m.order(session.Cancel{})
	case session.Paused:
		return m.order(session.Continue{})
	}
	return m.order(session.Run{})
}

func stepOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	return complete(m)
}

func rewindOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	if m.state.Phase == session.Ready {
		return "the batch is at its start"
	}
	return ""
}

func policyTitle(m *model) string {
	if m.state.Policy == engine.PolicyBand {
		return "policy of the next run: auto, the fastest"
	}
	return "policy of the next run: observe, the band decides every launch"
}

func policyOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	if !m.state.Kernel.IR.Auto() {
		return "the kernel fixes its steps per launch"
	}
	return ""
}

func togglePolicy(m *model) tea.Cmd {
	next := engine.PolicyBand
	if m.state.Policy == engine.PolicyBand {
		next = engine.PolicyAuto
	}
	return m.order(session.Configure{Policy: &next})
}

func showGroup(g group) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.shown = g
		return nil
	}
}

func nextGroup(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		for next := int(m.shown) + by; ; next += by {
			m.shown = group((next + int(groupCount)) % int(groupCount))
			if m.hasPanes(m.shown) {
				return nil
			}
		}
	}
}

// scroller is a pane that can be scrolled.
type scroller interface {
	scroll(by int)
	page() int
}

func scrollOff(m *model) string {
	if m.scroller() == nil {
		return "nothing to scroll here"
	}
	return ""
}

func scroll(by func(scroller) int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		s := m.scroller()
		s.scroll(by(s))
		return nil
	}
}

func toggleZoom(m *model) tea.Cmd {
	m.zoom = !m.zoom
	return nil
}

func toggleHelp(m *model) tea.Cmd {
	m.help.open, m.help.top = !m.help.open, 0
	return nil
}

// back steps out of one layer.
func (m *model) back() tea.Cmd {
	switch {
	case m.help.open:
		m.help.open = false
	case m.zoom:
		m.zoom = false
	case m.cursor >= 0:
		return m.followNewest()
	default:
		m.shown = groupRun
	}
	return nil
}
