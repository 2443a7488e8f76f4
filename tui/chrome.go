package tui

// chromeKeys are the keys of what lies around the panes: palette, filters, copies, exports, looks.
func chromeKeys() []binding {
	keys := []binding{
		{name: "palette", keys: []string{":", "ctrl+p"}, title: says("palette: everything that can be done, by its name"), brief: says("palette"), do: openPalette},
		{name: "lessons", keys: []string{"L"}, title: says("lessons: how batches are run, on real runs"), off: lessonsOff, do: openLessons},
	}
	keys = append(keys, findKeys()...)
	keys = append(keys, forkKeys()...)
	keys = append(keys, copyKeys()...)
	keys = append(keys, playerKeys()...)
	return append(keys,
		binding{name: "theme", keys: []string{"T"}, title: says("colours for a dark background, a light one, or as the terminal says"), do: nextTheme},
		binding{name: "glyphs", keys: []string{"ctrl+g"}, title: says("draw with braille dots, blocks, or ASCII"), do: nextGlyphs},
		binding{name: "output", keys: []string{"!"}, title: says("what was written to standard output and error"), do: showOutput},
		binding{name: "mouse", keys: []string{"M"}, title: mouseTitle, do: toggleMouse},
	)
}

func mouseTitle(m *model) string {
	if m.mouse.on {
		return "leave the mouse to the terminal, so that text can be selected"
	}
	return "take the mouse back from the terminal"
}
