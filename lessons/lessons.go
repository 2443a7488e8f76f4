// Package lessons holds the lessons of the workbench: markdown whose blocks drive a real session, ask what it
// will decide, and say what must come out of it, so that the same files are tests. It knows sessions and no
// terminal.
//
// A file is a lesson, each `##` heading a page. What a page holds besides text stands in fenced blocks:
//
//	eaglet   commands, one a line, given when the page is opened: load, batch, set, compile, policy, r, entry,
//	         reorder, max-steps, run, continue, launch, steps, rewind, diagnose, show
//	ask      a question; `choices A B C`; `then COMMAND` is given once it is answered; `fact NAME` is the answer;
//	         the lines behind it are the explanation, with {NAME} for facts
//	expect   what must hold then, one a line: NAME OP VALUE, or NAME VALUE
package lessons

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Lesson is one file.
type Lesson struct {
	Name  string // of the file, without its number
	Title string
	Intro string // the lines before the first page, as one paragraph
	Pages []Page
}

// Page is what is read at a time.
type Page struct {
	Title  string
	Blocks []Block
}

// Kind is what a block is.
type Kind uint8

// The kinds of blocks.
const (
	Text   Kind = iota // Lines are paragraphs
	Do                 // Lines are commands
	Ask                // see Question
	Expect             // Lines are facts that must hold
)

// Block is a part of a page.
type Block struct {
	Kind     Kind
	Lines    []string
	Question *Question
	Line     int // in the file
}

// Question is asked before something happens.
type Question struct {
	Text    string
	Choices []string
	Then    []string // commands
	Fact    string   // whose value is the answer
	Explain string   // with {NAME} for facts
}

// All are the lessons in their order.
func All() []*Lesson {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("lessons: " + err.Error()) // it is embedded
	}
	var out []*Lesson
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic("lessons: " + err.Error())
		}
		l, err := Parse(e.Name(), string(text))
		if err != nil {
			panic("lessons: " + err.Error()) // a test has read all of them
		}
		out = append(out, l)
	}
	return out
}

// Parse reads a lesson. The error names the line and what is wrong with it.
func Parse(name, text string) (*Lesson, error) {
	base := strings.TrimSuffix(path.Base(name), ".md")
	if _, after, ok := strings.Cut(base, "-"); ok {
		base = after
	}
	p := parser{name: name, lesson: &Lesson{Name: base}}
	for i, line := range strings.Split(text, "\n") {
		if err := p.take(i+1, strings.TrimRight(line, " \r")); err != nil {
			return nil, err
		}
	}
	p.paragraph()
	switch {
	case p.fence != "":
		return nil, fmt.Errorf("%s: the block of line %d has no end", name, p.began)
	case p.lesson.Title == "":
		return nil, fmt.Errorf("%s: a lesson begins with a title: # TITLE", name)
	case len(p.lesson.Pages) == 0:
		return nil, fmt.Errorf("%s: a lesson has at least one page: ## TITLE", name)
	}
	return p.lesson, nil
}

type parser struct {
	name   string
	lesson *Lesson
	fence  string // kind of the block that is open
	began  int
	inside []string
	words  []string // of the paragraph that is open
	at     int
}

func (p *parser) take(n int, line string) error {
	if kind, ok := strings.CutPrefix(line, "```"); ok {
		if p.fence == "" {
			p.paragraph()
			p.fence, p.began, p.inside = kind, n, nil
			if !slices.Contains([]string{"eaglet", "ask", "expect"}, kind) {
				return fmt.Errorf("%s:%d: a block is eaglet, ask or expect, not %q", p.name, n, kind)
			}
			return nil
		}
		kind = p.fence
		p.fence = ""
		return p.block(kind)
	}
	switch title, page := strings.CutPrefix(line, "## "); {
	case p.fence != "":
		if strings.TrimSpace(line) != "" {
			p.inside = append(p.inside, strings.TrimSpace(line))
		}
	case page:
		p.paragraph()
		p.lesson.Pages = append(p.lesson.Pages, Page{Title: title})
	case strings.HasPrefix(line, "# "):
		p.lesson.Title = line[2:]
	case strings.TrimSpace(line) == "":
		p.paragraph()
	default:
		if len(p.words) == 0 {
			p.at = n
		}
		p.words = append(p.words, strings.TrimSpace(line))
	}
	return nil
}

// paragraph ends the paragraph that is open.
func (p *parser) paragraph() {
	if len(p.words) == 0 {
		return
	}
	text := strings.Join(p.words, " ")
	p.words = nil
	n := len(p.lesson.Pages)
	if n == 0 {
		p.lesson.Intro = text
		return
	}
	page := &p.lesson.Pages[n-1]
	if k := len(page.Blocks); k > 0 && page.Blocks[k-1].Kind == Text {
		page.Blocks[k-1].Lines = append(page.Blocks[k-1].Lines, text)
		return
	}
	page.Blocks = append(page.Blocks, Block{Kind: Text, Lines: []string{text}, Line: p.at})
}

// block ends a fenced block.
func (p *parser) block(kind string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", p.name, p.began, fmt.Sprintf(format, args...))
	}
	if len(p.lesson.Pages) == 0 {
		return bad("a block belongs to a page: ## TITLE comes first")
	}
	b := Block{Line: p.began, Lines: p.inside}
	switch kind {
	case "eaglet":
		b.Kind = Do
		for _, line := range p.inside {
			if _, err := ParseCommand(line); err != nil {
				return bad("%v", err)
			}
		}
	case "expect":
		b.Kind = Expect
		for _, line := range p.inside {
			if _, err := parseClaim(line); err != nil {
				return bad("%v", err)
			}
		}
	case "ask":
		b.Kind, b.Lines = Ask, nil
		q, err := parseQuestion(p.inside)
		if err != nil {
			return bad("%v", err)
		}
		b.Question = q
	}
	page := &p.lesson.Pages[len(p.lesson.Pages)-1]
	page.Blocks = append(page.Blocks, b)
	return nil
}

func parseQuestion(lines []string) (*Question, error) {
	q := &Question{}
	var text, explain []string
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "choices":
			q.Choices = strings.Fields(rest)
		case "then":
			if _, err := ParseCommand(rest); err != nil {
				return nil, err
			}
			q.Then = append(q.Then, rest)
		case "fact":
			q.Fact = rest
		default:
			if q.Fact == "" {
				text = append(text, line)
			} else {
				explain = append(explain, line)
			}
		}
	}
	q.Text, q.Explain = strings.Join(text, " "), strings.Join(explain, " ")
	if q.Text == "" || len(q.Choices) < 2 || len(q.Choices) > 9 || q.Fact == "" || q.Explain == "" {
		return nil, fmt.Errorf("a question has a text, `choices` of 2 to 9, a `fact` that answers it, and an explanation behind that")
	}
	return q, nil
}
