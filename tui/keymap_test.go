package tui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKeysOfAFileTakeThePlaceOfTheTables(t *testing.T) {
	k, err := ParseKeymap("keys.toml", `
# mine
launch = "ctrl+l"
zoom-in = ["=", "f5"]
quit = "Q"
`)
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(10)
	m := newTestModel(s, 80, 24, GlyphsBraille)
	if m.keys, err = rebind(m.keys, k); err != nil {
		t.Fatal(err)
	}
	if m.typed("s"); len(s.commands) != 0 {
		t.Error("the old key still works")
	}
	if m.typed("ctrl+l"); len(s.commands) != 1 {
		t.Error("the new key does nothing")
	}
	if text := m.typed("?").screen().String(nil); !strings.Contains(text, "ctrl+l ") {
		t.Error("help does not know the new key")
	}
	for _, b := range m.keys {
		if b.name == "quit" && !slices.Equal(b.keys, []string{"Q", "ctrl+c"}) {
			t.Errorf("quit has %v: ctrl+c is always a way out", b.keys)
		}
	}
}

func TestWhatIsWrongWithAFileOfKeys(t *testing.T) {
	for _, c := range []struct {
		name, text string
		says       []string
	}{
		{"an unknown action, with the one it may mean", `lanch = "x"`, []string{`there is no action "lanch"`, "launch"}},
		{"a key that stands for two actions", `launch = "S"`, []string{"S would be both launch and one-step"}},
		{"a key that two actions are given", "launch = \"ctrl+x\"\none-step = \"ctrl+x\"", []string{"ctrl+x would be both"}},
		{"a number", `launch = 3`, []string{"launch: want a key or a list of keys"}},
		{"no key at all", `launch = []`, []string{"at least one key"}},
		{"a number among keys", `launch = ["a", 3]`, []string{"3 is no key"}},
		{"a table", "[keys]\nlaunch = \"x\"", []string{"want lines of the form action"}},
		{"a key that does not exist", `launch = "hyper"`, []string{`"hyper" is no key`, "f12"}},
		{"a blank", `launch = " "`, []string{`written "space"`}},
		{"a key that is another one on old terminals", `launch = "ctrl+i"`, []string{"arrives as tab"}},
		{"shift with a letter", `launch = "shift+a"`, []string{"write the character"}},
		{"a capital with ctrl", `launch = "ctrl+A"`, []string{"a letter is small"}},
		{"no TOML", "launch = ", []string{"keys.toml:1:"}},
		{"all problems at once", "lanch = \"x\"\nlaunch = \"S\"", []string{"no action", "both launch"}},
	} {
		m := newTestModel(newScript(10), 80, 24, GlyphsBraille)
		before := m.keys
		k, err := ParseKeymap("keys.toml", c.text)
		if err == nil {
			var after []binding
			after, err = rebind(m.keys, k)
			if !slices.EqualFunc(after, before, func(a, b binding) bool { return slices.Equal(a.keys, b.keys) }) {
				t.Errorf("%s: the table was changed", c.name)
			}
		}
		if err == nil {
			t.Errorf("%s is taken", c.name)
			continue
		}
		for _, want := range append(c.says, "keys.toml") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %q", c.name, want, err)
			}
		}
	}
}

// Keys of two panes that are never shown together may be the same.
func TestLocalKeysOfTwoPanesMayBeTheSame(t *testing.T) {
	does := says("x")
	table := []binding{
		{name: "a", keys: []string{"a"}, title: does},
		{name: "mask.x", keys: []string{"x"}, title: does, local: true, where: groupMask},
		{name: "log.y", keys: []string{"y"}, title: does, local: true, where: groupLog},
	}
	k, err := ParseKeymap("keys.toml", `"log.y" = "x"`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rebind(table, k); err != nil {
		t.Error(err)
	}
	k, _ = ParseKeymap("keys.toml", `"log.y" = "a"`)
	if _, err := rebind(table, k); err == nil {
		t.Error("a key of everywhere is taken for a pane")
	}
}

func TestEveryActionHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range newTestModel(newScript(10), 80, 24, GlyphsBraille).keys {
		if b.name == "" || seen[b.name] {
			t.Errorf("the action of %v is called %q, as another one", b.keys, b.name)
		}
		seen[b.name] = true
		for _, key := range b.keys {
			if err := checkKey(key); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
		}
	}
}

func TestTheFileOfKeys(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	if k, err := UserKeymap(""); k != nil || err != nil {
		t.Errorf("without a file: %v, %v", k, err)
	}
	if _, err := UserKeymap(filepath.Join(dir, "none.toml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was asked for and is not there gives %v", err)
	}
	path := KeymapFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("launch = \"ctrl+l\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := UserKeymap(""); err != nil || k == nil || k.keys["launch"][0] != "ctrl+l" {
		t.Errorf("%v, %v", k, err)
	}
	if err := os.WriteFile(path, make([]byte, largestKeymap+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := UserKeymap(""); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a file that is too large gives %v", err)
	}
	if _, err := ReadKeymap(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder gives %v", err)
	}
	if err := Run(t.Context(), newScript(10), Options{Keymap: mustParse(t, `nothing = "x"`), Input: strings.NewReader(""), Output: &strings.Builder{}}); err == nil || !strings.Contains(err.Error(), "no action") {
		t.Errorf("the workbench opens with a wrong keymap: %v", err)
	}
}

func mustParse(t *testing.T, text string) *Keymap {
	t.Helper()
	k, err := ParseKeymap("keys.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
