package ir

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// tokenKind tells the tokens of the text form apart.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // letters, digits and _.+- : names, operations, numbers
	tokenValue            // %12; text is 12
	tokenString           // a Go string literal; text is unquoted
	tokenPos              // @0:12:3-7; text is 0:12:3-7
	tokenPunct            // one of {}()[],=
)

type token struct {
	kind tokenKind
	text string
	line int
}

// String is the token as a message names it.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the text"
	case tokenValue:
		return "%" + t.text
	case tokenPos:
		return "@" + t.text
	}
	return strconv.Quote(t.text)
}

// scanner cuts a text into tokens. Tokens share the text's memory, but for strings with escapes.
type scanner struct {
	text string
	at   int
	line int
}

// next is the token at s.at, which it passes.
func (s *scanner) next() (token, error) {
	s.space()
	if s.at == len(s.text) {
		return token{tokenEnd, "", s.line}, nil
	}
	start := s.at
	switch c := s.text[s.at]; c {
	case '{', '}', '(', ')', '[', ']', ',', '=':
		s.at++
		return token{tokenPunct, s.text[start:s.at], s.line}, nil
	case '"':
		return s.quoted()
	case '%', '@':
		s.at++
		kind := tokenValue
		if c == '@' {
			kind = tokenPos
		}
		s.pass(func(r rune) bool { return wordRune(r) || c == '@' && r == ':' })
		return token{kind, s.text[start+1 : s.at], s.line}, nil
	}
	s.pass(wordRune)
	if s.at == start {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		return token{}, fmt.Errorf("line %d: unexpected character %q", s.line, r)
	}
	return token{tokenWord, s.text[start:s.at], s.line}, nil
}

// space passes white space and comments.
func (s *scanner) space() {
	comment := false
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\n':
			s.line++
			comment = false
		case comment || c == ' ' || c == '\t' || c == '\r':
		case c == '#':
			comment = true
		default:
			return
		}
	}
}

func (s *scanner) pass(want func(rune) bool) {
	for s.at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		if !want(r) {
			return
		}
		s.at += n
	}
}

func wordRune(r rune) bool {
	return r == '_' || r == '.' || r == '+' || r == '-' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// quoted reads a string literal, which ends on its line.
func (s *scanner) quoted() (token, error) {
	start := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '\n'; s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			text, err := strconv.Unquote(s.text[start:s.at])
			if err != nil {
				return token{}, fmt.Errorf("line %d: malformed string", s.line)
			}
			return token{tokenString, text, s.line}, nil
		}
	}
	return token{}, fmt.Errorf("line %d: a string does not end", s.line)
}
