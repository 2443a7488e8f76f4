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
	name  string   // of the action, in a keymap; "": see nameActions
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
	table = append(append(table, travelKeys()...), freezeKeys()...)
	table = append(append(table, chromeKeys()...), saveKeys()...)
	table = append(table, explainKeys()...)
	for g := range groupCount {
		table = append(table, binding{name: "show-" + strings.ToLower(groupNames[g]), keys: []string{groupKeys[g]}, title: says(groupSays[g]), do: showGroup(g)})
	}
	for p := range panes {
		if k, ok := panes[p].(keyer); ok {
			for _, b := range k.keys() {
				b.local, b.where = true, groupOf[p]
				table = append(table, b)
			}
		}
	}
	nameActions(table)
	return table
}

// everywhere is the keys that do not depend on what is shown.
func everywhere() []binding {
	return []binding{
		{name: "run", keys: []string{"space"}, title: runTitle, brief: runTitle, off: runOff, do: runOrPause},
		{name: "launch", keys: []string{"s"}, title: says("one launch, of as many steps as the policy says"), brief: says("launch"), off: stepOff, do: command(session.Step{})},
		{name: "one-step", keys: []string{"S"}, title: says("one step, a launch of 1"), brief: says("one step"), off: stepOff, do: command(session.Step{Word: 1})},
		{name: "until", keys: []string{"u"}, title: says("run a number of steps, or until something happens"), brief: says("until"), off: stepOff, do: (*model).askUntil},
		{name: "rewind", keys: []string{"R"}, title: says("rewind to the start of the batch"), brief: says("rewind"), off: rewindOff, do: command(session.Rewind{})},
		{name: "policy", keys: []string{"p"}, title: policyTitle, brief: says("policy"), off: policyOff, do: togglePolicy},
		{name: "edit", keys: []string{"e"}, title: says("edit the kernel in $EDITOR; what is saved is loaded"), brief: says("edit"), off: editOff, do: edit},
		{name: "reload", keys: []string{"r"}, title: says("load the kernel's file again"), off: fileOff, do: command(session.Reload{})},
		{name: "next-pane", keys: []string{"tab"}, title: says("next pane"), brief: says("pane"), do: nextGroup(+1)},
		{name: "pane-before", keys: []string{"shift+tab"}, title: says("pane before"), do: nextGroup(-1)},
		{name: "down", keys: []string{"j", "down"}, title: says("scroll down"), off: scrollOff, do: scroll(func(scroller) int { return 1 })},
		{name: "up", keys: []string{"k", "up"}, title: says("scroll up"), off: scrollOff, do: scroll(func(scroller) int { return -1 })},
		{name: "page-down", keys: []string{"pgdown", "ctrl+d"}, title: says("scroll down a page"), off: scrollOff, do: scroll(func(s scroller) int { return s.page() })},
		{name: "page-up", keys: []string{"pgup", "ctrl+u"}, title: says("scroll up a page"), off: scrollOff, do: scroll(func(s scroller) int { return -s.page() })},
		{name: "zoom", keys: []string{"z"}, title: says("pane full screen, and back"), brief: says("zoom"), do: toggleZoom},
		{name: "back", keys: []string{"esc"}, title: says("back: from a pane pointed at, full screen, a cursor in the past"), do: (*model).back},
		{name: "help", keys: []string{"?"}, title: says("this help"), brief: says("help"), do: toggleHelp},
		{name: "suspend", keys: []string{"ctrl+z"}, title: says("suspend, fg comes back"), do: func(*model) tea.Cmd { return tea.Suspend }},
		{name: "quit", keys: []string{"q", "ctrl+c"}, title: says("quit; a run that is on is stopped"), brief: says("quit"), do: func(*model) tea.Cmd { return tea.Quit }},
	}
}

// press does what key stands for, or says why it does nothing now.
func (m *model) press(key string) tea.Cmd {
	for i := range m.keys {
		b := &m.keys[i]
		if !slices.Contains(b.keys, key) || b.local && b.where != m.focusGroup() {
			continue
		}
		return m.do(b)
	}
	return nil
}

// do does what a binding stands for, or says why it does nothing now.
func (m *model) do(b *binding) tea.Cmd {
	if b.off != nil {
		if why := b.off(m); why != "" {
			m.say(waits, b.keys[0]+": "+why)
			return nil
		}
	}
	return b.do(m)
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
		return m.state.Kernel.IR.Name + " declares no finish, u runs a number of steps"
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

// leaver is a pane that one can go into; leave steps out of one layer and says whether there was one.
type leaver interface{ leave() bool }

// leavePane steps out of a layer of the panes with the focus.
func (m *model) leavePane() bool {
	for _, p := range m.onScreen() {
		if l, ok := m.panes[p].(leaver); ok && groupOf[p] == m.shown && l.leave() {
			return true
		}
	}
	return false
}

// back steps out of one layer.
func (m *model) back() tea.Cmd {
	switch {
	case m.unpoint():
	case m.leavePane():
	case m.zoom:
		m.zoom = false
	case m.cursor >= 0:
		return m.followNewest()
	default:
		m.shown = groupRun
	}
	return nil
}
