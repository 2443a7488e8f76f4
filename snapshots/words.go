package snapshots

import (
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
)

// listed writes names for an error, at most 24 of them.
func listed(names []string) string {
	const most = 24
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + engine.Grouped(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// quoted is text from a file in quotes, cut so that a message stays one line.
func quoted(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "..."
	}
	return strconv.Quote(s)
}

// DidYouMean is a half sentence with the nearest of names, empty when none is near.
func DidYouMean(name string, names []string) string {
	if len(name) > 64 {
		return ""
	}
	best, least := "", max(1, len(name)/3)+1
	for _, n := range names {
		if len(n) > 64 {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(n)); d < least && d < len(name) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// editDistance is Levenshtein's: the fewest insertions, deletions and replacements of bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
