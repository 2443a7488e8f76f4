package tui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/lessons"
)

// lessonList lets a lesson be chosen.
type lessonList struct {
	all []*lessons.Lesson
	at  int
}

// openLessons shows the list.
func openLessons(m *model) tea.Cmd {
	m.show(&lessonList{all: lessons.All()})
	return nil
}

func lessonsOff(m *model) string {
	if _, ok := m.session.(lessons.Session); !ok {
		return "lessons drive a session, and this one plays a recording"
	}
	return ""
}

func (l *lessonList) title(*model) string { return "Lessons: enter begins, esc closes" }
func (l *lessonList) through() bool       { return false }

func (l *lessonList) place(body rect) rect {
	w, h := min(76, body.w), min(2*len(l.all)+4, body.h)
	return rect{body.x + (body.w-w)/2, body.y + (body.h-h)/2, w, h}
}

func (l *lessonList) draw(c canvas, m *model) {
	rows := 2
	if c.h < 2*len(l.all) {
		rows = 1
	}
	top := max(0, (l.at+1)*rows-c.h)
	for i, lesson := range l.all {
		y := i*rows - top
		look := plain
		if i == l.at {
			look = selected
			c.set(0, y, strong, m.glyphs.mark)
		}
		c.text(2, y, look, fmt.Sprintf("%d  %s", i+1, lesson.Title))
		if rows > 1 {
			c.text(5, y+1, quiet, cut(lesson.Intro, c.w-6))
		}
	}
}

func (l *lessonList) press(m *model, key tea.KeyPressMsg) (bool, tea.Cmd) {
	switch name := key.String(); name {
	case "j", "down":
		l.at = min(l.at+1, len(l.all)-1)
	case "k", "up":
		l.at = max(l.at-1, 0)
	case "enter":
		return true, l.begin(m, l.at)
	case "esc":
		return false, nil
	default:
		if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(l.all) {
			return true, l.begin(m, n-1)
		}
	}
	return true, nil
}

// begin opens a lesson in the place of the list.
func (l *lessonList) begin(m *model, i int) tea.Cmd {
	s, ok := m.session.(lessons.Session)
	if !ok {
		return nil
	}
	m.drop(l)
	p := &lessonPanel{lesson: l.all[i], course: lessons.NewCourse(s), number: i}
	m.show(p)
	return p.open(m, 0)
}

// lessonPanel is a lesson that is being read, beside the workbench that it drives. Keys that it does not use
// are the workbench's.
type lessonPanel struct {
	lesson *lessons.Lesson
	number int // from 0
	course *lessons.Course

	page    int
	block   int            // of the page: what is shown goes up to here
	chosen  map[int]string // answers, by block
	facts   map[int]lessons.Facts
	wrong   map[int]string // expectations that do not hold, by block
	going   bool
	trouble string
	top     int // first line that is shown
	room    int // lines of the last drawing
	below   int // lines that it had no room for
}

// lessonMsg says that commands of a lesson have been carried out.
type lessonMsg struct {
	panel *lessonPanel
	page  int
	facts lessons.Facts
	err   error
}

func (p *lessonPanel) title(*model) string {
	return fmt.Sprintf("Lesson %d: %s, page %d of %d", p.number+1, p.lesson.Title, p.page+1, len(p.lesson.Pages))
}

func (p *lessonPanel) through() bool { return true }

func (p *lessonPanel) place(body rect) rect {
	if body.w >= 110 {
		w := min(max(body.w*2/5, 48), 64)
		return rect{body.x + body.w - w, body.y, w, body.h}
	}
	h := max(body.h*3/5, 10)
	return rect{body.x, body.y + body.h - h, body.w, h}
}

// open goes to a page and begins with its blocks.
func (p *lessonPanel) open(m *model, page int) tea.Cmd {
	p.page, p.block, p.trouble, p.top = page, -1, "", 0
	p.chosen, p.facts, p.wrong = map[int]string{}, map[int]lessons.Facts{}, map[int]string{}
	return p.advance(m, p.course.Facts())
}

func (p *lessonPanel) blocks() []lessons.Block { return p.lesson.Pages[p.page].Blocks }

// pending is the question that waits for an answer, nil for none.
func (p *lessonPanel) pending() *lessons.Question {
	if p.block < len(p.blocks()) && p.block >= 0 && !p.going {
		if b := &p.blocks()[p.block]; b.Kind == lessons.Ask && p.chosen[p.block] == "" {
			return b.Question
		}
	}
	return nil
}

// advance goes through the blocks until one of them needs time or an answer.
func (p *lessonPanel) advance(m *model, facts lessons.Facts) tea.Cmd {
	for p.block+1 < len(p.blocks()) {
		p.block++
		p.facts[p.block] = facts
		switch b := &p.blocks()[p.block]; b.Kind {
		case lessons.Do:
			for _, line := range b.Lines {
				if step, err := lessons.ParseCommand(line); err == nil && step.Show != "" {
					m.showNamed(step.Show)
				}
			}
			return p.give(m, b.Lines)
		case lessons.Ask:
			m.hidden = true
			return nil
		case lessons.Expect:
			for _, line := range b.Lines {
				if wrong := facts.Check(line); wrong != "" {
					p.wrong[p.block] = wrong
				}
			}
		}
	}
	return nil
}

// give carries commands out beside the screen.
func (p *lessonPanel) give(m *model, lines []string) tea.Cmd {
	p.going = true
	ctx, course, page := m.ctx, p.course, p.page
	return func() tea.Msg {
		defer m.crash.guard()
		err := course.Do(ctx, lines)
		return lessonMsg{p, page, course.Facts(), err}
	}
}

// went takes in that commands have been carried out.
func (m *model) lessonWent(msg lessonMsg) tea.Cmd {
	p := msg.panel
	p.going = false
	switch {
	case msg.page != p.page:
		return nil
	case msg.err != nil:
		p.trouble = firstLine(msg.err.Error())
		return nil
	}
	p.facts[p.block] = msg.facts
	m.catchUp()
	return p.advance(m, msg.facts)
}

// showNamed goes to a group by its name.
func (m *model) showNamed(name string) {
	for g, n := range groupNames {
		if n == name && m.hasPanes(group(g)) {
			m.shown = group(g)
		}
	}
}

func (p *lessonPanel) press(m *model, key tea.KeyPressMsg) (bool, tea.Cmd) {
	name := key.String()
	if q := p.pending(); q != nil {
		if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(q.Choices) {
			p.chosen[p.block], p.top = q.Choices[n-1], 1<<20 // the answer is at the end
			m.hidden = false
			return true, p.give(m, q.Then)
		}
	}
	switch name {
	case "enter":
		switch {
		case p.below > 0:
			p.top += max(p.room-1, 1)
		case p.going || p.pending() != nil:
		case p.page+1 < len(p.lesson.Pages):
			return true, p.open(m, p.page+1)
		default:
			m.drop(p)
			m.show(&lessonList{all: lessons.All(), at: min(p.number+1, len(lessons.All())-1)})
		}
		return true, nil
	case "backspace":
		if !p.going && p.page > 0 {
			m.hidden = false
			return true, p.open(m, p.page-1)
		}
		return true, nil
	case "pgup":
		p.top -= max(p.room-1, 1)
		return true, nil
	case "pgdown":
		p.top += max(p.room-1, 1)
		return true, nil
	case "esc":
		m.hidden = false
	}
	return false, nil
}

// hiddenPane says whether a pane would give the answer away.
func (m *model) hiddenPane(p paneID) bool {
	return m.hidden && (p == paneWhy || p == paneLog || p == paneReport || p == paneRegret)
}

func (p *lessonPanel) draw(c canvas, m *model) {
	type line struct {
		look   style
		indent int
		text   string
	}
	var lines []line
	gap := func() { lines = append(lines, line{}) }
	say := func(look style, indent int, text string) {
		for _, part := range wrap(text, c.w-indent-1) {
			lines = append(lines, line{look, indent, part})
		}
	}
	say(strong, 0, p.lesson.Pages[p.page].Title)
	gap()
	for i := 0; i <= min(p.block, len(p.blocks())-1); i++ {
		switch b := &p.blocks()[i]; b.Kind {
		case lessons.Text:
			for _, text := range b.Lines {
				say(plain, 0, p.facts[i].Fill(text))
				gap()
			}
		case lessons.Do:
			if p.going && i == p.block {
				say(waits, 0, m.glyphs.wait+" the workbench is at work")
			}
		case lessons.Expect:
			if wrong := p.wrong[i]; wrong != "" {
				say(waits, 0, "this run went another way than the lesson: "+wrong)
			}
		case lessons.Ask:
			p.drawQuestion(i, b.Question, m, say)
			gap()
		}
	}
	if p.trouble != "" {
		say(wrong, 0, m.glyphs.fail+" "+p.trouble)
	}
	foot := "enter goes on, backspace back, esc leaves the lesson"
	if q := p.pending(); q != nil {
		foot = fmt.Sprintf("guess: press 1 to %d; the answer is hidden until then", len(q.Choices))
	}
	p.room = max(c.h-1, 1)
	for len(lines) > 0 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	most := max(len(lines)-p.room, 0)
	p.top = min(max(p.top, 0), most)
	p.below = most - p.top
	for y, l := range lines[p.top:] {
		if y >= p.room {
			break
		}
		c.text(l.indent, y, l.look, l.text)
	}
	if p.below > 0 {
		foot = counted(p.below, "line", "lines") + " more below: enter, pgdn; pgup goes back"
	}
	c.text(0, c.h-1, quiet, cut(foot, c.w))
}

func (p *lessonPanel) drawQuestion(i int, q *lessons.Question, m *model, say func(style, int, string)) {
	say(strong, 0, p.facts[i].Fill(q.Text))
	chosen := p.chosen[i]
	told := chosen != "" && (i < p.block || !p.going)
	for n, choice := range q.Choices {
		look, mark := plain, " "
		if choice == chosen {
			look, mark = strong, string(m.glyphs.mark)
		}
		text := fmt.Sprintf("%s %d  %s", mark, n+1, choice)
		if told && lessons.Same(choice, p.facts[i][q.Fact]) {
			look, text = ends, text+"  "+m.glyphs.done
		}
		say(look, 1, text)
	}
	if !told {
		return
	}
	answer := p.facts[i][q.Fact]
	verdict := "Right. "
	if !lessons.Same(chosen, answer) {
		verdict = "It is " + answer + ". "
	}
	say(plain, 0, verdict+p.facts[i].Fill(q.Explain))
}
