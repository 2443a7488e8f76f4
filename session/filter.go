package session

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Filter chooses samples by what they hold. The zero value chooses all.
type Filter struct {
	text  string
	root  condition
	names []string // values that it compares, each once
	nan   bool     // it asks for values that are not finite
}

// String is the filter as it was given.
func (f *Filter) String() string { return f.text }

// condition is a node of a filter.
type condition interface {
	holds(r *filterRow) bool
}

// filterRow is one sample while it is looked at.
type filterRow struct {
	sample int
	mask   byte
	finite bool
	label  string
	values []float64 // of the filter's names
}

type (
	both   struct{ a, b condition }
	either struct{ a, b condition }
	not    struct{ of condition }
	// is is a state of the mask: l live, f finished, x faulted.
	is       struct{ state byte }
	isNaN    struct{}
	between  struct{ from, to int }
	labelled struct{ text string }
	// compares holds an operand as the place of a name, or as a number when that is below 0.
	compares struct {
		op   string
		a, b operand
	}
)

type operand struct {
	name   int
	number float64
}

func (o operand) of(r *filterRow) float64 {
	if o.name < 0 {
		return o.number
	}
	return r.values[o.name]
}

func (c both) holds(r *filterRow) bool     { return c.a.holds(r) && c.b.holds(r) }
func (c either) holds(r *filterRow) bool   { return c.a.holds(r) || c.b.holds(r) }
func (c not) holds(r *filterRow) bool      { return !c.of.holds(r) }
func (c isNaN) holds(r *filterRow) bool    { return !r.finite }
func (c between) holds(r *filterRow) bool  { return r.sample >= c.from && r.sample <= c.to }
func (c labelled) holds(r *filterRow) bool { return strings.Contains(strings.ToLower(r.label), c.text) }

func (c is) holds(r *filterRow) bool {
	switch c.state {
	case 'l':
		return r.mask == 0
	case 'x':
		return r.mask == 2
	}
	return r.mask != 0
}

// holds compares as the language does: NaN is unequal to everything, and neither less nor greater.
func (c compares) holds(r *filterRow) bool {
	a, b := c.a.of(r), c.b.of(r)
	switch c.op {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "!=":
		return a != b
	}
	return a == b
}

// filterHelp says what a filter may be.
const filterHelp = "a filter is comparisons (x > 0.5, y_2 <= v), live, finished, faulted, nan, sample 17, sample 3-9, label TEXT, joined by and, or, not and brackets"

// ParseFilter reads a filter of a kernel whose values have the given names; an empty text chooses all samples. The error
// says what was not understood, and where.
func ParseFilter(text string, known []string) (*Filter, error) {
	f := &Filter{text: strings.Join(strings.Fields(text), " ")}
	if f.text == "" {
		return f, nil
	}
	p := &filterParser{f: f, words: filterWords(f.text), known: known}
	root, err := p.either(0)
	if err == nil && p.at < len(p.words) {
		err = p.unexpected("and, or")
	}
	if err != nil {
		return nil, err
	}
	f.root = root
	return f, nil
}

// filterWords parts a text into names, numbers, signs and brackets.
func filterWords(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		from := i
		switch r := runes[i]; {
		case unicode.IsSpace(r):
			i++
			continue
		case strings.ContainsRune("<>=!&|", r):
			for i < len(runes) && strings.ContainsRune("<>=!&|", runes[i]) {
				i++
			}
		case r == '(' || r == ')':
			i++
		case r == '"':
			for i++; i < len(runes) && runes[i] != '"'; i++ {
			}
			i = min(i+1, len(runes))
		default:
			for i < len(runes) && !unicode.IsSpace(runes[i]) && !strings.ContainsRune("<>=!&|()\"", runes[i]) {
				i++
			}
		}
		out = append(out, string(runes[from:i]))
	}
	return out
}

type filterParser struct {
	f     *Filter
	words []string
	at    int
	known []string
}

// deepest bounds how far brackets nest.
const deepest = 64

var errDeep = errors.New("the brackets of the filter are too deep")

func (p *filterParser) peek() string {
	if p.at < len(p.words) {
		return p.words[p.at]
	}
	return ""
}

func (p *filterParser) take(words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(p.peek(), w) && p.peek() != "" {
			p.at++
			return true
		}
	}
	return false
}

func (p *filterParser) unexpected(wanted string) error {
	if p.at >= len(p.words) {
		return fmt.Errorf("the filter ends where %s is expected; %s", wanted, filterHelp)
	}
	return fmt.Errorf("%q stands where %s is expected; %s", p.peek(), wanted, filterHelp)
}

func (p *filterParser) either(depth int) (condition, error) {
	a, err := p.both(depth)
	for err == nil && p.take("or", "||") {
		var b condition
		if b, err = p.both(depth); err == nil {
			a = either{a, b}
		}
	}
	return a, err
}

func (p *filterParser) both(depth int) (condition, error) {
	a, err := p.one(depth)
	for err == nil && p.take("and", "&&") {
		var b condition
		if b, err = p.one(depth); err == nil {
			a = both{a, b}
		}
	}
	return a, err
}

func (p *filterParser) one(depth int) (condition, error) {
	switch {
	case depth > deepest:
		return nil, errDeep
	case p.take("not", "!"):
		c, err := p.one(depth + 1)
		return not{c}, err
	case p.take("("):
		c, err := p.either(depth + 1)
		if err == nil && !p.take(")") {
			err = p.unexpected("a closing bracket")
		}
		return c, err
	case p.take("live"):
		return is{'l'}, nil
	case p.take("finished"):
		return is{'f'}, nil
	case p.take("faulted"):
		return is{'x'}, nil
	case p.take("nan"):
		p.f.nan = true
		return isNaN{}, nil
	case p.take("label"):
		text := strings.Trim(p.peek(), `"`)
		if text == "" {
			return nil, p.unexpected("a part of the label")
		}
		p.at++
		return labelled{strings.ToLower(text)}, nil
	case strings.EqualFold(p.peek(), "sample") && !p.compared():
		p.at++
		return p.samples()
	}
	return p.comparison()
}

// compared says whether a sign of comparison follows the word.
func (p *filterParser) compared() bool {
	return p.at+1 < len(p.words) && comparisons[p.words[p.at+1]] != ""
}

// samples is a number, or two with a dash between.
func (p *filterParser) samples() (condition, error) {
	first, last, ranged := strings.Cut(p.peek(), "-")
	from, err := strconv.Atoi(first)
	to := from
	if err == nil && ranged {
		to, err = strconv.Atoi(last)
	}
	if err != nil {
		return nil, p.unexpected("a sample's number, or two with a dash between")
	}
	p.at++
	return between{from, to}, nil
}

// comparisons are the signs, as they are understood.
var comparisons = map[string]string{"<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "==", "==": "==", "!=": "!=", "<>": "!="}

func (p *filterParser) comparison() (condition, error) {
	a, err := p.operand()
	if err != nil {
		return nil, err
	}
	op := comparisons[p.peek()]
	if op == "" {
		return nil, p.unexpected("a comparison (<, <=, >, >=, =, !=)")
	}
	p.at++
	b, err := p.operand()
	return compares{op, a, b}, err
}

func (p *filterParser) operand() (operand, error) {
	word := p.peek()
	for _, name := range p.known {
		if name != word {
			continue
		}
		p.at++
		for i, n := range p.f.names {
			if n == name {
				return operand{name: i}, nil
			}
		}
		p.f.names = append(p.f.names, name)
		return operand{name: len(p.f.names) - 1}, nil
	}
	if v, err := strconv.ParseFloat(word, 64); err == nil {
		p.at++
		return operand{-1, v}, nil
	}
	if word == "" || !unicode.IsLetter([]rune(word)[0]) {
		return operand{}, p.unexpected("a value or a number")
	}
	return operand{}, fmt.Errorf("the kernel has nothing called %q; it has %s", word, strings.Join(p.known, ", "))
}
