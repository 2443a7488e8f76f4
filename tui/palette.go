package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// palette finds anything that can be done by a few letters of its name: every key of the table, also those
// of panes that are not shown, and what has no key: panes, policies, themes, kernels, params.
type palette struct {
	input   input
	all     []deed
	found   fuzzy.Matches
	at, top int
	height  int
}

// deed is one thing that can be done.
type deed struct {
	name string // what is searched
	keys string // "" for none
	off  string // why it cannot be done now
	do   func(m *model) tea.Cmd
}

func openPalette(m *model) tea.Cmd {
	p := &palette{all: m.deeds()}
	p.search()
	m.show(p)
	return nil
}

// deeds is all that can be done now, what was done last first.
func (m *model) deeds() []deed {
	var all []deed
	for i := range m.keys {
		b := &m.keys[i]
		if len(b.keys) > 0 && (b.keys[0] == ":" || b.keys[0] == "esc") {
			continue
		}
		d := deed{name: b.title(m), keys: b.shownKeys(), do: b.do}
		if b.local {
			if !m.hasPanes(b.where) {
				continue
			}
			d.name = groupNames[b.where] + ": " + d.name
			d.do = func(m *model) tea.Cmd {
				if m.focusGroup() != b.where {
					m.shown = b.where
				}
				return b.do(m)
			}
		}
		if b.off != nil {
			d.off = b.off(m)
		}
		all = append(all, d)
	}
	for p := range paneCount {
		if m.panes[p] == nil {
			continue
		}
		all = append(all, deed{name: "go to pane " + paneNames[p], keys: groupKeys[groupOf[p]], do: goToPane(p)})
	}
	for _, p := range engine.Policies() {
		all = append(all, deed{name: "policy " + p.String(), off: policyOff(m), do: command(session.Configure{Policy: &p})})
	}
	all = append(all, m.settings()...)
	for b := range backgroundNames {
		all = append(all, deed{name: "theme " + backgroundNames[b], do: func(m *model) tea.Cmd { return m.setBackground(Background(b)) }})
	}
	for g := range glyphNames {
		all = append(all, deed{name: "glyphs " + glyphNames[g], do: func(m *model) tea.Cmd { return m.setGlyphs(Glyphs(g)) }})
	}
	for _, name := range m.bundled {
		all = append(all, deed{name: "load kernel " + name, off: loadOff(m), do: command(session.LoadKernel{Path: name})})
	}
	all = append(all, m.files()...)
	all = append(all, deed{name: "load kernel of a file or folder...", off: loadOff(m), do: askKernel})
	return m.recentFirst(all)
}

// goToPane shows a pane's group, with the focus on the pane.
func goToPane(p paneID) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.shown = groupOf[p]
		m.unpoint()
		if len(m.focused()) > 1 {
			m.point(p)
		}
		return nil
	}
}

// loadOff is why no other kernel can be loaded now.
func loadOff(m *model) string {
	if m.state.Phase == session.Running {
		return "a run is on, space pauses it"
	}
	return ""
}

// settings are the values that are typed: params and options of the next run.
func (m *model) settings() []deed {
	var all []deed
	for _, p := range m.state.Params {
		value := strconv.FormatFloat(p.Value, 'g', -1, 64)
		name := strings.TrimSpace(fmt.Sprintf("set %s = %s %s...", p.Name, value, p.Unit))
		all = append(all, deed{name: name, off: busy(m), do: askNumber("set "+p.Name+" =", value, p.Doc, func(v float64) (session.Command, error) {
			return session.SetParam{Name: p.Name, Value: v}, nil
		})})
	}
	most := strconv.Itoa(m.state.MaxSteps)
	all = append(all, deed{
		name: "set max_steps = " + most + " of the next run...", off: busy(m),
		do: askNumber("max_steps =", most, "most steps a sample may take in one run", func(v float64) (session.Command, error) {
			n := int(v)
			if float64(n) != v || n < 1 {
				return nil, errors.New("max_steps is a whole number of steps, 1 or more")
			}
			return session.Configure{MaxSteps: &n}, nil
		}),
	})
	r := strconv.FormatFloat(m.state.R, 'g', -1, 64)
	return append(all, deed{
		name: "pin R, the cost of a compaction in steps...", off: busy(m),
		do: askNumber("R =", r, "steps of a full-live launch; 0 calibrates it", func(v float64) (session.Command, error) {
			if !(v >= 0) {
				return nil, errors.New("give a cost, 0 or more")
			}
			return session.Configure{R: &v}, nil
		}),
	})
}

// askNumber asks for a number, beginning with the one that holds, and gives the command it makes.
func askNumber(label, value, hint string, make func(float64) (session.Command, error)) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		p := m.ask(label, prompt{
			label: label, hint: hint,
			enter: func(m *model, text string) (tea.Cmd, error) {
				v, err := strconv.ParseFloat(text, 64)
				if err != nil {
					return nil, fmt.Errorf("%q is no number; as in 0.01 or 1e-3", text)
				}
				c, err := make(v)
				if err != nil {
					return nil, err
				}
				return m.order(c), nil
			},
		})
		p.input.set(value)
		return nil
	}
}

// recentFirst moves what was done through the palette last to the front.
func (m *model) recentFirst(all []deed) []deed {
	out := make([]deed, 0, len(all))
	taken := map[int]bool{}
	for i := len(m.recent.lines) - 1; i >= 0; i-- {
		for j := range all {
			if all[j].name == m.recent.lines[i] && !taken[j] {
				taken[j], out = true, append(out, all[j])
			}
		}
	}
	for j := range all {
		if !taken[j] {
			out = append(out, all[j])
		}
	}
	return out
}

// search ranks what is found; without letters everything is, in its order.
func (p *palette) search() {
	p.at, p.top, p.found = 0, 0, nil
	names := make([]string, len(p.all))
	for i := range p.all {
		names[i] = p.all[i].name
	}
	pattern := strings.ReplaceAll(p.input.text(), " ", "")
	if pattern == "" {
		for i := range names {
			p.found = append(p.found, fuzzy.Match{Str: names[i], Index: i})
		}
		return
	}
	p.found = fuzzy.Find(pattern, names)
	// What begins with the letters, or has them in one piece, is likelier to be meant than what has them apart.
	text := strings.TrimSpace(p.input.text())
	rank := func(m fuzzy.Match) int {
		switch {
		case len(m.Str) >= len(text) && strings.EqualFold(m.Str[:len(text)], text):
			return 0
		case holds(m.Str, text):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(p.found, func(a, b fuzzy.Match) int { return rank(a) - rank(b) })
}

func (p *palette) title(*model) string {
	return fmt.Sprintf("Palette: %s of %s", counted(len(p.found), "thing", "things"), engine.Grouped(len(p.all)))
}

func (p *palette) through() bool { return false }

func (p *palette) place(body rect) rect {
	w, h := min(body.w, max(60, body.w*3/5)), min(body.h, 20)
	if body.w-w < 10 {
		w = body.w
	}
	return rect{body.x + (body.w-w)/2, body.y + (body.h-h)/3, w, h}
}

func (p *palette) paste(_ *model, text string) {
	p.input.insert(text)
	p.search()
}

func (p *palette) press(m *model, msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch msg.String() {
	case "up", "ctrl+p":
		p.move(-1)
	case "down", "ctrl+n":
		p.move(1)
	case "pgup":
		p.move(-p.page())
	case "pgdown":
		p.move(p.page())
	case "enter":
		if p.at >= len(p.found) {
			return true, nil
		}
		return true, p.choose(m, p.found[p.at].Index)
	case "esc":
		return false, nil
	default:
		before := p.input.text()
		p.input.press(msg)
		if p.input.text() != before {
			p.search()
		}
	}
	return true, nil
}

// choose does a thing, or says why it cannot be done and stays open.
func (p *palette) choose(m *model, i int) tea.Cmd {
	d := p.all[i]
	if d.off != "" {
		m.say(waits, d.off)
		return nil
	}
	m.drop(p)
	m.recent.add(d.name)
	return d.do(m)
}

func (p *palette) move(by int) { p.at = min(max(p.at+by, 0), max(len(p.found)-1, 0)) }

// scroll and page are for the wheel and the page keys.
func (p *palette) scroll(by int) { p.move(by) }
func (p *palette) page() int     { return max(p.height-1, 1) }

func (p *palette) draw(c canvas, m *model) {
	x := c.text(0, 0, strong, ": ")
	p.input.draw(c.sub(rect{0, 0, c.w, 1}), x)
	list := c.sub(rect{0, 1, c.w, c.h - 2})
	p.height = list.h
	if p.at < p.top {
		p.top = p.at
	}
	if p.at >= p.top+list.h {
		p.top = p.at - list.h + 1
	}
	for y := range list.h {
		i := p.top + y
		if i >= len(p.found) {
			break
		}
		match := &p.found[i]
		d := &p.all[match.Index]
		line := list.sub(rect{0, y, list.w, 1})
		line.deed(d, match.MatchedIndexes)
		if i == p.at {
			line.set(0, 0, strong, m.glyphs.mark)
			line.restyle(1, 0, line.w-1, selected)
		}
		c.on.spots = append(c.on.spots, spot{rect: line.rect, press: func(m *model) tea.Cmd {
			p.at = i
			return p.choose(m, match.Index)
		}})
	}
	foot := "enter does it, esc leaves"
	switch {
	case len(p.found) == 0:
		foot = "nothing is called that; fewer letters find more"
	case p.at < len(p.found) && p.all[p.found[p.at].Index].off != "":
		foot = "off: " + p.all[p.found[p.at].Index].off
	}
	c.text(0, c.h-1, quiet, cut(foot, c.w))
}

// deed writes one line of the palette: the name, letters that were found in bold, and the keys at the right.
func (c canvas) deed(d *deed, matched []int) {
	keys := d.keys
	if d.off != "" {
		keys = strings.TrimSpace("off  " + keys)
	}
	room := c.w - 2
	if keys != "" {
		room -= width(keys) + 2
	}
	look := plain
	if d.off != "" {
		look = quiet
	}
	name := cut(d.name, room)
	c.text(2, 0, look, name)
	for _, at := range matched { // bytes of d.name
		if at < len(name) {
			c.restyle(2+width(name[:at]), 0, 1, strong)
		}
	}
	c.right(c.w-1, 0, key, keys)
}
