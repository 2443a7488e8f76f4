package lessons_test

import (
	"context"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/lessons"
	"github.com/eaglet-workbench/eaglet/session"
)

// Every lesson is gone through on a real session: its commands are accepted, its questions have their answer
// among the choices, and what it expects holds.
func TestEveryLesson(t *testing.T) {
	groups := "Run Mask Costs Finish Source Planes Sample Log Report"
	for _, l := range lessons.All() {
		t.Run(l.Name, func(t *testing.T) {
			s := session.New([]engine.Engine{host.New()}, session.Options{})
			t.Cleanup(func() { s.Close() })
			c := lessons.NewCourse(s)
			for _, page := range l.Pages {
				for _, b := range page.Blocks {
					switch b.Kind {
					case lessons.Do:
						if err := c.Do(context.Background(), b.Lines); err != nil {
							t.Fatalf("line %d: %v", b.Line, err)
						}
					case lessons.Ask:
						q := b.Question
						if err := c.Do(context.Background(), q.Then); err != nil {
							t.Fatalf("line %d: %v", b.Line, err)
						}
						facts := c.Facts()
						right := 0
						for _, choice := range q.Choices {
							if lessons.Same(choice, facts[q.Fact]) {
								right++
							}
						}
						if right != 1 {
							t.Errorf("line %d: %s is %q, the choices are %v", b.Line, q.Fact, facts[q.Fact], q.Choices)
						}
						for _, text := range []string{facts.Fill(q.Text), facts.Fill(q.Explain)} {
							if strings.Contains(text, "{") {
								t.Errorf("line %d: a fact is not known: %s", b.Line, text)
							}
						}
					case lessons.Expect:
						for _, line := range b.Lines {
							if wrong := c.Facts().Check(line); wrong != "" {
								t.Errorf("line %d: %s", b.Line, wrong)
							}
						}
					case lessons.Text:
						for _, line := range b.Lines {
							if text := c.Facts().Fill(line); strings.Contains(text, "{") {
								t.Errorf("line %d: a fact is not known: %s", b.Line, text)
							}
						}
					}
					for _, line := range b.Lines {
						if step, err := lessons.ParseCommand(line); b.Kind == lessons.Do && err == nil && step.Show != "" && !strings.Contains(groups, step.Show) {
							t.Errorf("line %d: there is nothing called %s to be shown", b.Line, step.Show)
						}
					}
				}
			}
		})
	}
}

func TestWhatIsNoLesson(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "begins with a title",
		"# A\n":                                 "at least one page",
		"# A\n```eaglet\nrun\n```\n":            "belongs to a page",
		"# A\n## B\n```eaglet\nrun\n":           "x.md:3: the block has no end|the block of line 3 has no end",
		"# A\n## B\n```python\n```\n":           `x.md:3: a block is eaglet, ask or expect, not "python"`,
		"# A\n## B\n```eaglet\nfly\n```\n":      `x.md:3: there is no command "fly"`,
		"# A\n## B\n```eaglet\nr x\n```\n":      `r takes a number, not "x"`,
		"# A\n## B\n```eaglet\npolicy x\n```\n": "policy is auto",
		"# A\n## B\n```eaglet\nbatch x\n```\n":  "batch takes NAME=NUMBER",
		"# A\n## B\n```expect\na b c d\n```\n":  "a line of expect",
		"# A\n## B\n```ask\nWhy?\n```\n":        "a question has a text",
	} {
		_, err := lessons.Parse("x.md", text)
		ok := false
		for _, w := range strings.Split(want, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), w)
		}
		if !ok {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

// A lesson whose decisions do not hold is found out.
func TestAClaimThatDoesNotHold(t *testing.T) {
	f := lessons.Facts{"word": "16", "status": "finished"}
	for line, want := range map[string]string{
		"word 16": "", "word >= 16": "", "word != 8": "", "status finished": "",
		"word 8": "word is 16, expected = 8", "word < 16": "word is 16, expected < 16", "status paused": "status is finished",
		"k 3": "k is not known here",
	} {
		if got := f.Check(line); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", line, got, want)
		}
	}
}
