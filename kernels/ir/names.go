package ir

import "unicode"

// ReservedNames are the planes that the runner owns (runner.md, section 1, and the maps of a reordered
// batch); no plane, observable or mask of a kernel may have one of them.
var ReservedNames = []string{"finished_count", "active_map", "active_count", "fused_steps", "steps_taken", "perm", "inv"}

// Reserved says whether name is one of [ReservedNames].
func Reserved(name string) bool {
	for _, r := range ReservedNames {
		if r == name {
			return true
		}
	}
	return false
}

// SnakeName says whether s is a name as planes have it: a lower-case letter, then lower-case letters,
// digits and single underscores, none at the end. ASCII only.
func SnakeName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
		case '0' <= c && c <= '9' && i > 0:
		case c == '_' && i > 0 && s[i-1] != '_' && i < len(s)-1:
		default:
			return false
		}
	}
	return s != ""
}

// identifier says whether s is a Go identifier; with dots also what the compiler makes of several words
// and numbers by joining them ("steps.1").
func identifier(s string, dots bool) bool {
	last := '\x00' // at the beginning
	for _, c := range s {
		switch {
		case c == '_' || unicode.IsLetter(c):
		case unicode.IsDigit(c) && last != 0:
		case c == '.' && dots && last != 0 && last != '.':
		default:
			return false
		}
		last = c
	}
	return last != 0 && last != '.'
}
