package tui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// copyKeys are the keys of what leaves the screen.
func copyKeys() []binding {
	return []binding{
		{name: "copy", keys: []string{"y"}, title: says("copy the pane as text, to the clipboard and to a file"), brief: says("copy"), do: copyPane},
		{name: "copy-command", keys: []string{"Y"}, title: says("copy the command that makes this run again"), off: commandOff, do: copyCommand},
		{name: "export", keys: []string{"o"}, title: says("write the pane to a file: .txt, .csv, .svg or .png"), do: askExport},
	}
}

// clipboardLimit is what terminals take in one OSC 52 sequence: xterm allows about 100,000 bytes of base64.
const clipboardLimit = 74_000

// picture is what has the focus, with titles, as it stands on screen, and what it is called.
func (m *model) picture() (*surface, string) {
	on := m.focused()
	if len(on) == 0 { // the screen is too small for any
		return m.screen(), "screen"
	}
	area := on[0].rect
	for _, p := range on[1:] {
		x, y := min(area.x, p.x), min(area.y, p.y)
		area = rect{x, y, max(area.x+area.w, p.x+p.w) - x, max(area.y+area.h, p.y+p.h) - y}
	}
	s := newSurface(area.w, area.h, m.glyphs.kind == GlyphsASCII)
	for _, p := range on {
		p.x, p.y = p.x-area.x, p.y-area.y
		m.drawPane(s.canvas(), p)
	}
	if len(on) > 1 {
		return s, strings.ToLower(groupNames[m.focusGroup()])
	}
	return s, paneNames[on[0].pane]
}

func copyPane(m *model) tea.Cmd {
	s, name := m.picture()
	text := s.String(nil) + "\n"
	return m.copyText(text, fmt.Sprintf("%s, %s", name, counted(strings.Count(text, "\n"), "line", "lines")))
}

// copiedMsg says where a copy lies besides the clipboard.
type copiedMsg struct {
	what, path string
	clipboard  bool
	err        error
}

// copyText hands text to the terminal's clipboard by OSC 52, which no terminal answers and some ignore; so a
// file holds it too.
func (m *model) copyText(text, what string) tea.Cmd {
	fits := len(text) <= clipboardLimit
	path := copyFile(m.env)
	save := func() tea.Msg {
		defer m.crash.guard()
		if path == "" {
			return copiedMsg{what: what, clipboard: fits}
		}
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		}
		return copiedMsg{what, path, fits, err}
	}
	if !fits {
		return save
	}
	return tea.Batch(tea.SetClipboard(text), save)
}

// copyFile is where copies are kept: the cache folder of the user, "" where there is none.
func copyFile(env []string) string {
	cache := lookup(env, "XDG_CACHE_HOME")
	if cache == "" {
		home := lookup(env, "HOME")
		if home == "" {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "eaglet", "copied.txt")
}

func (m *model) copied(msg copiedMsg) {
	switch {
	case msg.err != nil && msg.clipboard:
		m.say(waits, "copied "+msg.what+" to the terminal's clipboard; no file holds it: "+firstLine(msg.err.Error()))
	case msg.err != nil:
		m.say(wrong, "not copied, it is too long for the terminal's clipboard: "+firstLine(msg.err.Error()))
	case msg.path == "":
		m.say(ends, "copied "+msg.what+" to the terminal's clipboard")
	case !msg.clipboard:
		m.say(ends, "copied "+msg.what+" to "+m.homely(msg.path)+"; it is too long for the terminal's clipboard")
	default:
		m.say(ends, "copied "+msg.what+"; should the terminal have no clipboard: "+m.homely(msg.path))
	}
}

// homely writes a path in the user's home with ~.
func (m *model) homely(path string) string {
	if home := lookup(m.env, "HOME"); home != "" {
		if rest, ok := strings.CutPrefix(path, home+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

func commandOff(m *model) string {
	if m.state.Kernel == nil {
		return "no kernel is loaded"
	}
	return ""
}

func copyCommand(m *model) tea.Cmd {
	if p, ok := m.session.(player); ok {
		line := "eaglet replay " + quoted(p.Path())
		if r := m.selected(); r != nil {
			line += " --at " + strconv.Itoa(int(r.launch.Number))
		}
		return m.copyText(line+"\n", "the command that opens this recording here")
	}
	what := "the command that makes this run again"
	if len(m.state.History) > 1 || len(m.state.History) == 1 && len(m.state.History[0].Edits) > 0 {
		what += ", without the edits made on the way"
	}
	return m.copyText(commandLine(m.state)+"\n", what)
}

// commandLine is the command that makes the run of a state again.
func commandLine(s *session.State) string {
	words := []string{"eaglet", "run", quoted(s.Kernel.Path), "-n", strconv.Itoa(s.N), "--seed", strconv.FormatUint(s.Seed, 10), "--max-steps", strconv.Itoa(s.MaxSteps)}
	add := func(name, value string) { words = append(words, "--"+name, value) }
	if s.Kernel.IR.Auto() {
		add("policy", s.Policy.String())
	}
	if s.R > 0 {
		add("band-r", strconv.FormatFloat(s.R, 'g', -1, 64))
	}
	l := s.Launching
	if l.Entry != engine.EntryAuto {
		add("entry", l.Entry.String())
	}
	if l.Reorder > 0 {
		add("reorder", strconv.FormatFloat(l.Reorder, 'g', -1, 64))
	}
	for _, o := range []struct {
		name  string
		value int
	}{{"chunk", l.Chunk}, {"every", l.Every}, {"wave", l.Wave}} {
		if o.value > 0 {
			add(o.name, strconv.Itoa(o.value))
		}
	}
	for _, p := range s.Params {
		add("set", quoted(p.Name+"="+strconv.FormatFloat(p.Value, 'g', -1, 64)))
	}
	return strings.Join(words, " ")
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	plain := word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == ""
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
