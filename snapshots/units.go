package snapshots

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// unit is a parsed unit expression: scale times the product of the base units to the powers dims. A date
// is a day number instead: it has an origin, and converts only to another date, by a shift.
type unit struct {
	text   string // as written
	scale  *big.Rat
	pi     int // the scale is scale*pi^pi, exactly
	dims   dims
	date   bool
	origin *big.Rat // of a date: the Julian date of its zero
}

// dims are the powers of the base units, in the order of baseNames.
type dims [7]int8

// The base units. An angle is a base unit of its own, so that rad/s and 1/s are not mixed up.
const (
	dimLength = iota
	dimTime
	dimAngle
	dimMass
	dimCurrent
	dimTemperature
	dimAmount
)

var baseNames = [...]string{"m", "s", "rad", "kg", "A", "K", "mol"}

// dimNames says what a user calls the common dimensions.
var dimNames = map[dims]string{
	{}:                                       "a plain number",
	{dimLength: 1}:                           "a length",
	{dimTime: 1}:                             "a time",
	{dimAngle: 1}:                            "an angle",
	{dimMass: 1}:                             "a mass",
	{dimTemperature: 1}:                      "a temperature",
	{dimLength: 2}:                           "an area",
	{dimLength: 3}:                           "a volume",
	{dimTime: -1}:                            "a frequency",
	{dimLength: 1, dimTime: -1}:              "a speed",
	{dimLength: 1, dimTime: -2}:              "an acceleration",
	{dimAngle: 1, dimTime: -1}:               "an angular speed",
	{dimAngle: 1, dimTime: -2}:               "an angular acceleration",
	{dimLength: 3, dimTime: -2}:              "a gravitational parameter",
	{dimMass: 1, dimLength: 1, dimTime: -2}:  "a force",
	{dimMass: 1, dimLength: 2, dimTime: -2}:  "an energy",
	{dimMass: 1, dimLength: 2, dimTime: -3}:  "a power",
	{dimMass: 1, dimLength: -1, dimTime: -2}: "a pressure",
	{dimMass: 1, dimLength: -3}:              "a density",
}

// what is the dimension in a user's words: "an angle", "a quantity in kg^2/s".
func (u *unit) what() string {
	if u.date {
		return "a date"
	}
	if name, ok := dimNames[u.dims]; ok {
		return name
	}
	return "a quantity in " + u.dims.String()
}

// String writes dims as a unit expression in base units.
func (d dims) String() string {
	var over, under []string
	for i, p := range d {
		switch {
		case p == 1:
			over = append(over, baseNames[i])
		case p > 1:
			over = append(over, baseNames[i]+"^"+strconv.Itoa(int(p)))
		case p == -1:
			under = append(under, baseNames[i])
		case p < -1:
			under = append(under, baseNames[i]+"^"+strconv.Itoa(-int(p)))
		}
	}
	s := strings.Join(over, " ")
	if s == "" {
		s = "1"
	}
	for _, u := range under {
		s += "/" + u
	}
	return s
}

// conversion takes values of one unit to another: x*factor + shift, of which one is trivial, so that a
// value is rounded once more than the file's own.
type conversion struct {
	factor float64 // of a multiplication; 1 for none
	shift  float64 // of dates, in days
}

func (c conversion) trivial() bool { return c.factor == 1 && c.shift == 0 }

// apply converts one value. NaN and infinities stay what they are.
func (c conversion) apply(x float64) float64 {
	if c.shift != 0 {
		return x + c.shift
	}
	return x * c.factor
}

// String is the half sentence of a note: "times 0.017453292519943295".
func (c conversion) String() string {
	switch {
	case c.shift > 0:
		return "plus " + strconv.FormatFloat(c.shift, 'f', -1, 64)
	case c.shift < 0:
		return "minus " + strconv.FormatFloat(-c.shift, 'f', -1, 64)
	}
	return "times " + strconv.FormatFloat(c.factor, 'g', -1, 64)
}

// conversionTo gives the conversion from u to v; ok is false when they measure different things, or
// when the factor is no float64 that can be divided by. The factor is formed exactly, with pi to 300 bits where an angle needs it, and rounded once to float64.
func (u *unit) conversionTo(v *unit) (c conversion, ok bool) {
	if u.date != v.date || u.dims != v.dims {
		return conversion{}, false
	}
	if u.date {
		shift, _ := new(big.Rat).Sub(u.origin, v.origin).Float64()
		return conversion{factor: 1, shift: shift}, true
	}
	const bits = 300
	q := new(big.Float).SetPrec(bits).SetRat(new(big.Rat).Quo(u.scale, v.scale))
	pi, _, err := big.ParseFloat(piDigits, 10, bits, big.ToNearestEven)
	if err != nil {
		panic("snapshots: pi: " + err.Error())
	}
	for k := u.pi - v.pi; k > 0; k-- {
		q.Mul(q, pi)
	}
	for k := u.pi - v.pi; k < 0; k++ {
		q.Quo(q, pi)
	}
	factor, _ := q.Float64()
	return conversion{factor: factor}, factor >= 0x1p-1022 && !math.IsInf(factor, 0)
}

// piDigits: OEIS A000796, 100 decimal places.
const piDigits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"

// parseUnit reads a unit expression: names of unitTable with powers ("m/s^2", "m s-2", "au^3/d^2",
// "kg m/(s^2 K)", "1/s"); a product is written "*", "." or with a space, and / holds for the next factor
// only. The error is one sentence.
func parseUnit(text string) (*unit, error) {
	p := unitParser{text: text, rest: strings.TrimSpace(text)}
	if len(p.rest) > 64 {
		return nil, fmt.Errorf("unit %s is longer than 64 bytes", quoted(text))
	}
	u, err := p.product(0)
	if err == nil && p.rest != "" {
		err = fmt.Errorf("unit %q: cannot read on at %q", text, p.rest)
	}
	if err != nil {
		return nil, err
	}
	u.text = strings.TrimSpace(text)
	return u, nil
}

// unitParser reads an expression from left to right.
type unitParser struct {
	text string
	rest string
}

// product = factor { ("*" | "." | " " | "/") factor }.
func (p *unitParser) product(depth int) (*unit, error) {
	acc := &unit{scale: big.NewRat(1, 1)}
	over := false
	for first := true; ; first = false {
		f, err := p.factor(depth)
		if err != nil {
			return nil, err
		}
		if f.date && (!first || p.continues()) {
			return nil, fmt.Errorf("unit %q: %s is a date and stands alone", p.text, f.text)
		}
		if first {
			acc = f
		} else if err := acc.multiply(f, over, p.text); err != nil {
			return nil, err
		}
		if !p.continues() {
			return acc, nil
		}
		trimmed := strings.TrimLeft(p.rest, " ")
		switch trimmed[0] {
		case '*', '.':
			over, p.rest = false, strings.TrimLeft(trimmed[1:], " ")
		case '/':
			over, p.rest = true, strings.TrimLeft(trimmed[1:], " ")
		default:
			over, p.rest = false, trimmed
		}
	}
}

// continues says whether another factor follows.
func (p *unitParser) continues() bool {
	trimmed := strings.TrimLeft(p.rest, " ")
	return trimmed != "" && trimmed[0] != ')'
}

// factor = ("1" | name | "(" product ")") [ ["^" | "**"] integer ].
func (p *unitParser) factor(depth int) (*unit, error) {
	var u *unit
	switch {
	case p.rest == "":
		return nil, fmt.Errorf("unit %q ends where a unit should follow", p.text)
	case p.rest[0] == '(':
		if depth == 8 {
			return nil, fmt.Errorf("unit %q: brackets lie too deep", p.text)
		}
		p.rest = strings.TrimLeft(p.rest[1:], " ")
		inner, err := p.product(depth + 1)
		if err != nil {
			return nil, err
		}
		p.rest = strings.TrimLeft(p.rest, " ")
		if !strings.HasPrefix(p.rest, ")") {
			return nil, fmt.Errorf("unit %q: a bracket is not closed", p.text)
		}
		p.rest = p.rest[1:]
		u = inner
	case p.rest[0] == '1':
		p.rest = p.rest[1:]
		if digits := strings.TrimLeft(p.rest, "."); digits != "" && digits[0] >= '0' && digits[0] <= '9' {
			return nil, fmt.Errorf("unit %q: 1 is the only number a unit may hold", p.text)
		}
		u = &unit{text: "1", scale: big.NewRat(1, 1)}
	default:
		n := 0
		for n < len(p.rest) && !strings.ContainsRune(" */.^()+-0123456789", rune(p.rest[n])) {
			n++
		}
		name := p.rest[:n]
		entry, ok := unitTable[name]
		if !ok {
			if n == 0 {
				return nil, fmt.Errorf("unit %q: cannot read on at %q", p.text, p.rest)
			}
			return nil, fmt.Errorf("unit %q: no unit is called %q%s", p.text, name, DidYouMean(name, unitNames()))
		}
		p.rest = p.rest[n:]
		u = entry.unit(name)
	}
	power, err := p.power()
	if err != nil {
		return nil, err
	}
	if power == 1 {
		return u, nil
	}
	if u.date {
		return nil, fmt.Errorf("unit %q: %s is a date and stands alone", p.text, u.text)
	}
	return u.raise(power, p.text)
}

// power reads an exponent, 1 when there is none. Its size is bounded, so that factors stay small.
func (p *unitParser) power() (int, error) {
	s, marked := strings.CutPrefix(p.rest, "^")
	if !marked {
		s, marked = strings.CutPrefix(p.rest, "**")
	}
	n := 0
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 && !marked {
		return 1, nil
	}
	v, err := strconv.Atoi(s[:n])
	if err != nil || v < -9 || v > 9 {
		return 0, fmt.Errorf("unit %q: a power is a whole number from -9 to 9", p.text)
	}
	p.rest = s[n:]
	return v, nil
}

// multiply makes u the product of u and f, or the quotient.
func (u *unit) multiply(f *unit, over bool, text string) error {
	sign := 1
	scale := new(big.Rat)
	if over {
		sign = -1
		scale.Quo(u.scale, f.scale)
	} else {
		scale.Mul(u.scale, f.scale)
	}
	if scale.Num().BitLen() > 2048 || scale.Denom().BitLen() > 2048 {
		return fmt.Errorf("unit %q: its size is out of reach", text)
	}
	u.scale = scale
	u.pi += sign * f.pi
	for i := range u.dims {
		d := int(u.dims[i]) + sign*int(f.dims[i])
		if d < -99 || d > 99 {
			return fmt.Errorf("unit %q: a power is out of reach", text)
		}
		u.dims[i] = int8(d)
	}
	return nil
}

// raise is u to a power.
func (u *unit) raise(power int, text string) (*unit, error) {
	out := &unit{scale: big.NewRat(1, 1)}
	for range max(power, -power) {
		if err := out.multiply(u, power < 0, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// suffixUnit finds the unit in a column's name: the part behind the last underscore, if it is a unit by
// itself (a_au, epoch_mjd), or the last two parts when they are a length or an angle and a time (v_km_s,
// n_deg_d), read as a quotient. nil: the name holds no unit.
func suffixUnit(column string) *unit {
	parts := strings.Split(column, "_")
	if len(parts) < 2 {
		return nil
	}
	last, ok := unitTable[parts[len(parts)-1]]
	if !ok {
		return nil
	}
	name := parts[len(parts)-1]
	if len(parts) > 2 {
		before := parts[len(parts)-2]
		if b, ok := unitTable[before]; ok && last.dims == (dims{dimTime: 1}) && !last.date &&
			(b.dims == dims{dimLength: 1} || b.dims == dims{dimAngle: 1}) && !b.date {
			u, err := parseUnit(before + "/" + name)
			if err != nil {
				return nil
			}
			return u
		}
	}
	return last.unit(name)
}
