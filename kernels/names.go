package kernels

import (
	"strings"
	"unicode"
)

// snakeCase is the name of a plane, mask or observable for a Go name: a break before an upper-case letter
// that follows a lower-case one or a digit, or that begins a word after a run of upper-case letters. It is
// the one copy of the rule.
//
//	TEnd -> t_end   DtMax -> dt_max   X2 -> x2   HTTPServer -> http_server   R0Sq -> r0_sq   T_End -> t_end
func snakeCase(name string) string {
	rs := []rune(name)
	var b strings.Builder
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && rs[i-1] != '_' {
			afterLower := !unicode.IsUpper(rs[i-1])
			beforeLower := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
