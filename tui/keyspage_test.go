package tui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// updating says whether files are to be rewritten: the flag is that of the goldens.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

const keysPage = "../docs/keys.md"

func TestThePageOfKeysIsCurrent(t *testing.T) {
	got := pageOfKeys()
	if updating() {
		if err := os.WriteFile(keysPage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(keysPage); err != nil || got != string(want) {
		t.Errorf("%s is not what the table of keys gives (%v); go test ./tui -run PageOfKeys -update rewrites it", keysPage, err)
	}
}

// pageOfKeys is docs/keys.md.
func pageOfKeys() string {
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille)
	var b strings.Builder
	b.WriteString(`# Keys

<!-- Generated from the table of keys by: go test ./tui -run PageOfKeys -update -->

The same table is behind the keys, the footer, help (?) and the palette (:). A key that is off says why when it is
pressed. Everything can be done with the mouse too: a click gives a pane the focus, shows a tab, presses a key of the
footer, or puts the cursor on a time axis; the wheel scrolls; the bar between two columns can be dragged.

## Keys of your own

A file ` + "`eaglet/keys.toml`" + ` in the folder where programs keep their settings (on Linux ` + "`~/.config`" + `), or the one
that ` + "`--keys FILE`" + ` or ` + "`EAGLET_KEYS`" + ` names, gives actions other keys:

    launch = "ctrl+l"
    zoom-in = ["+", "="]

A key is one character, or one of ` + "`" + strings.Join(namedKeys, " ") + "`" + `, after ` + "`ctrl+`" + ` or ` + "`alt+`" + `
where that is held. The keys given take the place of all usual ones of the action. ctrl+c always quits. An action that
is not known and a key that would stand for two actions are errors, said before the workbench opens. Sentences on screen
name the usual keys.
`)
	section := func(heading string, in func(*binding) bool) {
		begun := false
		for i := range m.keys {
			x := &m.keys[i]
			if !in(x) {
				continue
			}
			if !begun {
				fmt.Fprintf(&b, "\n## %s\n\n| keys | what it does | action |\n| --- | --- | --- |\n", heading)
				begun = true
			}
			var keys []string
			for _, k := range x.keys {
				keys = append(keys, "`"+k+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(keys, " "), strings.ReplaceAll(x.title(m), "|", `\|`), x.name)
		}
	}
	section("Everywhere", func(x *binding) bool { return !x.local })
	for g := range groupCount {
		section("In "+groupNames[g], func(x *binding) bool { return x.local && x.where == g })
	}
	return b.String()
}
