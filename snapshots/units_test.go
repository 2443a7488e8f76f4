package snapshots

import (
	"math"
	"strconv"
	"testing"
)

// The factors are decimals from the definitions, with more digits than a float64 has; the nearest float64
// is wanted. arcsec, deg: pi/648000, pi/180 (OEIS A019685 for deg). pc: IAU 2015 Resolution B2, note 4.
func TestConversionFactors(t *testing.T) {
	for _, tc := range []struct{ from, to, factor string }{
		{"deg", "rad", "0.01745329251994329576923690768488612713"},
		{"rad", "deg", "57.29577951308232087679815481410517033240547"},
		{"arcsec", "rad", "4.848136811095359935899141023579479759564e-6"},
		{"arcmin", "deg", "0.0166666666666666666666666666666666666667"},
		// With pi as a float64 the last bit of these three would be another.
		{"mas", "rad", "4.84813681109535993589914102357947975956353302e-9"},
		{"deg/yr", "rad/d", "0.0000477845106637735681567061127580729011209547402749"},
		{"rev/min", "rad/s", "0.104719755119659774615421446109316762806572313312503527"},
		{"rev", "rad", "6.283185307179586476925286766559005768"},
		{"au", "m", "149597870700"},
		{"m", "au", "6.684587122268445495992705e-12"},
		{"au", "km", "149597870.7"},
		{"pc", "m", "3.085677581491367278913937957796472e16"},
		{"pc", "au", "206264.8062470963551564733573307786131966597"},
		{"yr", "d", "365.25"},
		{"d", "yr", "0.002737850787132101300479123887748117727"},
		{"min", "s", "60"},
		{"km/s", "m/s", "1000"},
		{"au/d", "m/s", "1731456.8368055555555555555555555555555556"},
		{"au/d", "km/s", "1731.4568368055555555555555555555555556"},
		{"au^3/d^2", "m^3/s^2", "448485856027460155746227.60778356481481481481481481"},
		{"deg/d", "rad/s", "2.020057004623066640189457e-7"},
		{"m s-2", "m/s^2", "1"},
		{"kg m/s^2", "N", "1"},
		{"1/(s)", "Hz", "1"},
		{"m**2", "cm^2", "1e4"},
	} {
		from, err := parseUnit(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := parseUnit(tc.to)
		if err != nil {
			t.Fatal(err)
		}
		want, err := strconv.ParseFloat(tc.factor, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := from.conversionTo(to)
		if !ok || got.shift != 0 || math.Float64bits(got.factor) != math.Float64bits(want) {
			t.Errorf("%s -> %s: %v (%v), bits %x, want %v, bits %x", tc.from, tc.to, got, ok, math.Float64bits(got.factor), want, math.Float64bits(want))
		}
	}
}

func TestDatesAreShifted(t *testing.T) {
	jd, _ := parseUnit("jd")
	mjd, _ := parseUnit("mjd")
	c, ok := jd.conversionTo(mjd)
	date := 2455171.6470433734
	if !ok || c.apply(date) != date-2400000.5 || c.String() != "minus 2400000.5" {
		t.Errorf("jd -> mjd: %v %v", c, ok)
	}
	back, _ := mjd.conversionTo(jd)
	if back.apply(51544.5) != 2451545 {
		t.Errorf("mjd 51544.5 is jd %v", back.apply(51544.5))
	}
}

func TestWhatDoesNotConvert(t *testing.T) {
	for _, tc := range []struct{ from, to, fromIs, toIs string }{
		{"deg", "au", "an angle", "a length"},
		{"rad/s", "1/s", "an angular speed", "a frequency"},
		{"jd", "d", "a date", "a time"},
		{"m/s", "m/s^2", "a speed", "an acceleration"},
		{"kg^2/s", "m", "a quantity in kg^2/s", "a length"},
		{"deg/rad", "m", "a plain number", "a length"},
	} {
		from, err := parseUnit(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := parseUnit(tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := from.conversionTo(to); ok || from.what() != tc.fromIs || to.what() != tc.toIs {
			t.Errorf("%s is %s, %s is %s, converts: %v", tc.from, from.what(), tc.to, to.what(), ok)
		}
	}
}

func TestUnitsThatCannotBeRead(t *testing.T) {
	for in, want := range map[string]string{
		"":            `unit "" ends where a unit should follow`,
		"degs":        `unit "degs": no unit is called "degs" (did you mean deg?)`,
		"m/":          `unit "m/" ends where a unit should follow`,
		"m^":          `unit "m^": a power is a whole number from -9 to 9`,
		"m^10":        `unit "m^10": a power is a whole number from -9 to 9`,
		"(m/s":        `unit "(m/s": a bracket is not closed`,
		"m)":          `unit "m)": cannot read on at ")"`,
		"10 m":        `unit "10 m": 1 is the only number a unit may hold`,
		"jd/s":        `unit "jd/s": jd is a date and stands alone`,
		"m jd":        `unit "m jd": jd is a date and stands alone`,
		"jd^2":        `unit "jd^2": jd is a date and stands alone`,
		"+m":          `unit "+m": cannot read on at "+m"`,
		"°":           `unit "°": no unit is called "°"`,
		"((m^9)^9)^9": `unit "((m^9)^9)^9": a power is out of reach`,
		"((((((((deg/rad)^9)^9)^9)^9)^9)^9)^9)^9": `unit "((((((((deg/rad)^9)^9)^9)^9)^9)^9)^9)^9": its size is out of reach`,
		"(((((((((m)))))))))":                     `unit "(((((((((m)))))))))": brackets lie too deep`,
	} {
		_, err := parseUnit(in)
		if err == nil || err.Error() != want {
			t.Errorf("parseUnit(%q)\n got %v\nwant %v", in, err, want)
		}
	}
}

func TestSuffixes(t *testing.T) {
	for column, want := range map[string]string{
		"a_au":             "au",
		"mean_anomaly_deg": "deg",
		"period_yr":        "yr",
		"epoch_mjd":        "mjd",
		"v_km_s":           "km/s",
		"n_deg_d":          "deg/d",
		"t_s":              "s",
		"t_start_s":        "s", // start is no length
		"e":                "",
		"au":               "", // a name, not a suffix
		"t_end":            "",
		"r_0":              "",
		"x_":               "",
		"":                 "",
	} {
		got := ""
		if u := suffixUnit(column); u != nil {
			got = u.text
		}
		if got != want {
			t.Errorf("suffix of %q: %q, want %q", column, got, want)
		}
	}
}

func TestEveryUnitOfTheTableReads(t *testing.T) {
	for _, name := range unitNames() {
		u, err := parseUnit(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c, ok := u.conversionTo(unitTable[name].unit(name)); !ok || !c.trivial() {
			t.Errorf("%s does not convert to itself: %v %v", name, c, ok)
		}
	}
}

func FuzzParseUnit(f *testing.F) {
	for _, s := range []string{"m/s^2", "au^3/d^2", "((deg/rad)^9)^9", "1/(kg s-1)", "jd", "m**-2", "°"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := parseUnit(s)
		if (u == nil) == (err == nil) {
			t.Fatalf("unit %v, error %v", u, err)
		}
		if err != nil {
			return
		}
		if again, err := parseUnit(u.text); err != nil || again.dims != u.dims {
			t.Fatalf("%q does not read again: %v", u.text, err)
		}
		suffixUnit("x_" + s)
	})
}
