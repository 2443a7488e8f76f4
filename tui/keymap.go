package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/sahilm/fuzzy"
)

// Keymap is keys that take the place of the table's, by the name of an action (docs/keys.md lists them).
type Keymap struct {
	from    string // the file, for what is said about it
	actions []string
	keys    map[string][]string
}

// KeymapFile is where the keys of a user are looked for, "" where the system has no place for it.
func KeymapFile() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "eaglet", "keys.toml")
}

// largestKeymap bounds the file, which may be anybody's.
const largestKeymap = 1 << 16

// ReadKeymap reads a file of lines like
//
//	launch = "n"
//	zoom-in = ["+", "="]
//
// A file that is not there gives an error that is fs.ErrNotExist.
func ReadKeymap(path string) (*Keymap, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file", path)
	case info.Size() > largestKeymap:
		return nil, fmt.Errorf("%s: has %d bytes, a file of keys at most %d", path, info.Size(), largestKeymap)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseKeymap(path, string(text))
}

// UserKeymap is the keys of the file path, or of [KeymapFile] when path is ""; nil when there is no such file
// and none was asked for.
func UserKeymap(path string) (*Keymap, error) {
	if path != "" {
		return ReadKeymap(path)
	}
	if path = KeymapFile(); path == "" {
		return nil, nil
	}
	k, err := ReadKeymap(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return k, err
}

// ParseKeymap reads the text of a file of keys; from names it. All problems come in one error.
func ParseKeymap(from, text string) (*Keymap, error) {
	var file map[string]any
	meta, err := toml.Decode(text, &file)
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d: %s", from, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	k := &Keymap{from: from, keys: map[string][]string{}}
	var problems []error
	for _, name := range meta.Keys() {
		if len(name) != 1 {
			problems = append(problems, fmt.Errorf("%s: %s: want lines of the form action = \"key\", without tables", from, name))
			continue
		}
		action := name[0]
		keys, err := keysOf(file[action])
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %s: %w", from, action, err))
			continue
		}
		k.actions, k.keys[action] = append(k.actions, action), keys
	}
	return k, errors.Join(problems...)
}

// keysOf reads what stands right of an action.
func keysOf(value any) ([]string, error) {
	var keys []string
	switch v := value.(type) {
	case string:
		keys = []string{v}
	case []any:
		for _, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("%v is no key; write keys as text", x)
			}
			keys = append(keys, s)
		}
	default:
		return nil, errors.New(`want a key or a list of keys: "n" or ["n", "ctrl+n"]`)
	}
	if len(keys) == 0 {
		return nil, errors.New("an action has at least one key")
	}
	for _, s := range keys {
		if err := checkKey(s); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// namedKeys are the keys that have a name instead of a character.
var namedKeys = []string{
	"space", "enter", "esc", "tab", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end",
	"pgup", "pgdown", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// sameOnOldTerminals are keys that arrive as another one.
var sameOnOldTerminals = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+[": "esc"}

// checkKey says what is wrong with the name of a key.
func checkKey(name string) error {
	base := name
	mods := ""
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, ok := strings.CutPrefix(base, mod); ok && rest != "" {
			mods, base = mods+mod, rest
		}
	}
	one := utf8.RuneCountInString(base) == 1
	switch {
	case sameOnOldTerminals[name] != "":
		return fmt.Errorf("%s arrives as %s on many terminals", name, sameOnOldTerminals[name])
	case base == " ":
		return errors.New(`the blank is written "space"`)
	case one && strings.Contains(mods, "shift"):
		return fmt.Errorf("%s: write the character that it gives: \"A\"", name)
	case one && mods != "" && base != strings.ToLower(base):
		return fmt.Errorf("%s: with ctrl or alt a letter is small", name)
	case one || slices.Contains(namedKeys, base):
		return nil
	}
	return fmt.Errorf("%q is no key; a key is one character or one of %s, after ctrl+ or alt+ where it is held", name, strings.Join(namedKeys, ", "))
}

// nameActions gives a name to every binding that has none: a key of a pane is called after its group and the
// key that it has without a keymap.
func nameActions(table []binding) {
	for i := range table {
		b := &table[i]
		switch {
		case b.name != "":
		case b.local:
			b.name = strings.ToLower(groupNames[b.where]) + "." + b.keys[0]
		default:
			b.name = "key." + b.keys[0]
		}
	}
}

// rebind puts the keys of k into the table. An unknown action and a key that would stand for two actions at a
// time are errors, all of them in one, and leave the table as it was.
func rebind(table []binding, k *Keymap) ([]binding, error) {
	if k == nil {
		return table, nil
	}
	out := slices.Clone(table)
	var problems []error
	for _, action := range k.actions {
		i := slices.IndexFunc(out, func(b binding) bool { return b.name == action })
		if i < 0 {
			problems = append(problems, fmt.Errorf("%s: there is no action %q%s", k.from, action, nearest(action, out)))
			continue
		}
		out[i].keys = slices.Clone(k.keys[action])
		if out[i].name == "quit" && !slices.Contains(out[i].keys, "ctrl+c") {
			out[i].keys = append(out[i].keys, "ctrl+c") // there is always a way out
		}
	}
	for i := range out {
		for j := range out[:i] {
			a, b := &out[j], &out[i]
			if a.local && b.local && a.where != b.where {
				continue
			}
			for _, key := range b.keys {
				if slices.Contains(a.keys, key) {
					problems = append(problems, fmt.Errorf("%s: %s would be both %s and %s; give one of them another key", k.from, key, a.name, b.name))
				}
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return table, err
	}
	return out, nil
}

// nearest names the action that a wrong name may have meant.
func nearest(action string, table []binding) string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].name
	}
	if found := fuzzy.Find(action, names); len(found) > 0 {
		return fmt.Sprintf("; is %s meant?", found[0].Str)
	}
	return "; docs/keys.md lists them"
}
