package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// model is the one Bubble Tea model. Update routes; panes draw; the session works. Nothing in it waits:
// commands to the session run as Bubble Tea commands, and their answers are messages.
type model struct {
	scene
	ctx     context.Context
	session Session
	notes   <-chan session.Notification
	crash   *crash
	clock   func() time.Time
	frame   time.Duration // between two frames while something moves
	colours colours

	keys     []binding
	panes    [paneCount]pane
	source   sourcePane
	logs     logPane
	report   reportPane
	finish   finishPane
	asked    question // about the finish condition, so that it is asked once
	asks     [paneCount]inquiry
	going    *feed // where events go while feed is frozen
	hidden   bool  // a lesson asks: what would tell the answer is not drawn
	overlays []overlay
	note     struct {
		look style
		text string
	}

	theme         *theme
	mouse         mouse
	columns       columns
	drawn         *surface // what is on screen
	histories     map[string]*history
	recent        history // of the palette
	found         finding
	output        *output // what was written to standard output and error
	outputSeen    int     // lines of it that were on screen
	meter         meter
	budget        budget
	written       func() uint64 // bytes to the terminal; nil: not counted
	terminal      *os.File      // what the screen is written to; nil where that is no file
	bundled       []string      // names of kernels that can be loaded
	width, height int
	zoom          bool

	marksOf  string // the batch that the marks are of
	env      []string
	film     *filming          // nil unless a film is made
	reloaded *session.Reloaded // the last one that was told

	ticking bool // a frame is on its way
	clean   int  // frames without news in a row
	drawnAt time.Time
	cost    time.Duration // of the last drawing

	version uint64 // of all that View shows
	cached  struct {
		version uint64
		content string
	}
}

// Messages of the workbench.
type (
	frameMsg struct{}
	notesMsg struct{ notes []session.Notification } // nil: there will be no more
	orderMsg struct {                               // the session's answer to a command
		command session.Command
		err     error
	}
)

func newModel(ctx context.Context, s Session, o *Options) *model {
	m := &model{ctx: ctx, session: s, crash: newCrash(), clock: time.Now, frame: time.Second / 30}
	if lookup(o.Env, "SSH_TTY") != "" {
		m.frame = time.Second / 10
	}
	m.colours = colours{profile: colorprofile.ANSI256, chosen: o.Background}
	m.retheme()
	m.feed = &feed{trace: s.Trace()}
	m.glyphs = chooseGlyphs(o.Glyphs, o.Env)
	m.cursor = -1
	m.env, m.bundled, m.film = o.Env, o.Kernels, o.film
	m.mouse.on = !o.NoMouse
	m.output = newOutput(time.Now)
	m.state = s.State()
	m.reloaded, m.marksOf = m.state.Reloaded, batchName(m.state)
	m.feed.begin(m.state.Generation)
	m.feed.books.belongs(m.state.Generation, batchName(m.state))
	m.now = m.clock()
	m.panes = [paneCount]pane{
		paneLive: livePane{}, paneBand: bandPane{}, paneWhy: whyPane{},
		paneSource: &m.source, paneLog: &m.logs, paneReport: &m.report,
		paneFinish:  &m.finish,
		paneMask:    &maskPane{},
		paneLanes:   &lanesPane{},
		paneFork:    &forkPane{},
		panePlanes:  &planesPane{},
		paneSample:  &samplePane{},
		paneCompact: compactPane{}, panePick: &pickPane{}, paneRegret: &regretPane{}, paneLab: &labPane{},
	}
	m.keys = forPlayer(s, keyTable(&m.panes))
	m.version = 1
	if o.Welcome {
		m.say(ends, "welcome: L offers lessons, e makes this kernel yours, ? lists every key")
	}
	return m
}

// Init asks for notifications, for the first frame, and for the background of the terminal.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.listen(), m.wake(), m.hear()}
	return tea.Batch(append(cmds, tea.RequestBackgroundColor)...)
}

// Update routes a message. A panic in it, or in View, ends the program in order (see crash).
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m // what a panic leaves
	defer m.crash.guard()
	m.now = m.clock()
	defer func(began time.Time) { m.meter.spent(m.clock().Sub(began)) }(m.now)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.background(msg)
	case tea.ColorProfileMsg:
		m.colours.profile = msg.Profile
		m.retheme()
	case tea.KeyPressMsg:
		cmd = m.keyPress(msg)
	case tea.PasteMsg:
		m.pasted(msg.Content)
	case tea.MouseMsg:
		cmd = m.mouseEvent(msg)
	case frameMsg:
		return m, tea.Batch(m.nextFrame(), m.inquire())
	case notesMsg:
		cmd = m.noted(msg.notes)
	case orderMsg:
		m.answered(msg)
		cmd = m.wake()
	case editedMsg:
		m.edited(msg)
		cmd = m.wake()
	case ownedMsg:
		cmd = tea.Batch(m.owned(msg), m.wake())
	case lessonMsg:
		cmd = tea.Batch(m.lessonWent(msg), m.wake())
	case answerMsg:
		m.told(msg)
		cmd = m.wake()
	case stopsMsg:
		m.toldStops(msg)
		cmd = m.wake()
	case outputMsg:
		cmd = m.hear()
	case copiedMsg:
		m.copied(msg)
	case exportedMsg:
		m.exported(msg)
	case tea.ResumeMsg:
		cmd = m.wake()
	default:
		return m, nil
	}
	m.version++
	return m, tea.Batch(cmd, m.askFinish(), m.inquire())
}

func (m *model) keyPress(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	m.note.text = ""
	m.hurry()
	if top := m.top(); top != nil && name != "ctrl+c" {
		taken, cmd := top.press(m, msg)
		switch {
		case taken:
			return cmd
		case name == "esc":
			m.drop(top)
			return nil
		case !top.through():
			return nil
		}
	}
	return m.press(name)
}

// scroller is what the scroll keys move: the first pane with the focus that scrolls, nil when there is none.
func (m *model) scroller() scroller {
	for _, p := range m.focused() {
		if s, ok := m.panes[p.pane].(scroller); ok {
			return s
		}
	}
	return nil
}

// say answers the user in the status line, until the next key.
func (m *model) say(look style, text string) { m.note.look, m.note.text = look, text }

// order gives the session a command, without waiting for it here.
func (m *model) order(c session.Command) tea.Cmd {
	return func() tea.Msg {
		defer m.crash.guard()
		return orderMsg{c, m.session.Do(m.ctx, c)}
	}
}

// answered says why a command was refused.
func (m *model) answered(msg orderMsg) {
	switch {
	case msg.err == nil || errors.Is(msg.err, context.Canceled):
	case errors.Is(msg.err, engine.ErrBusy):
		m.say(waits, "a run is on, space pauses it")
	default:
		m.say(wrong, firstLine(msg.err.Error()))
	}
	m.catchUp()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// listen waits for notifications outside of Update; what comes together is one message.
func (m *model) listen() tea.Cmd {
	return func() tea.Msg {
		defer m.crash.guard()
		var notes []session.Notification
		select {
		case n, ok := <-m.notes:
			if !ok {
				return notesMsg{}
			}
			notes = append(notes, n)
		case <-m.ctx.Done():
			return notesMsg{}
		}
		for len(notes) < 64 {
			select {
			case n, ok := <-m.notes:
				if !ok {
					return notesMsg{notes}
				}
				notes = append(notes, n)
				continue
			default:
			}
			break
		}
		return notesMsg{notes}
	}
}

// noted takes notifications.
func (m *model) noted(notes []session.Notification) tea.Cmd {
	if len(notes) == 0 {
		return nil
	}
	m.catchUp()
	for _, n := range notes {
		switch n := n.(type) {
		case session.Failed:
			_, load := n.Command.(session.LoadKernel)
			_, again := n.Command.(session.Reload)
			if (load || again) && m.state.Diagnostics.Errors() {
				break // the status line says so as long as it holds
			}
			if n.Err != nil {
				m.say(wrong, firstLine(n.Err.Error()))
			}
		case session.Exported:
			m.say(ends, "wrote "+n.Path+", "+engine.Grouped(n.Bytes)+" bytes")
		}
	}
	m.tellReload()
	return tea.Batch(m.listen(), m.wake())
}

// keepCursor drops what pointed into a run that is gone; before is the generation that it was set in.
func (m *model) keepCursor(before uint32) {
	if m.feed.generation != before || (m.cursor >= 0 && m.cursor >= m.feed.records.total) {
		m.cursor, m.logs.back, m.report.top = -1, 0, 0
	}
	if m.cursor >= 0 {
		m.cursor = max(m.cursor, m.feed.records.first())
	}
}
