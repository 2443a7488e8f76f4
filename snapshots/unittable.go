package snapshots

import (
	"math/big"
	"slices"
	"strings"
)

// unitEntry is one line of the table: a scale to base units as an exact decimal or quotient.
type unitEntry struct {
	scale string // as big.Rat reads it
	pi    int    // times pi to this power
	dims  dims
	date  bool // scale is then the Julian date of the unit's zero
}

// unit makes a unit of its own from the entry.
func (e unitEntry) unit(name string) *unit {
	r, ok := new(big.Rat).SetString(e.scale)
	if !ok {
		panic("snapshots: unit table: " + name)
	}
	if e.date {
		return &unit{text: name, scale: big.NewRat(1, 1), date: true, origin: r}
	}
	return &unit{text: name, scale: r, pi: e.pi, dims: e.dims}
}

var (
	lengthDims   = dims{dimLength: 1}
	timeDims     = dims{dimTime: 1}
	angleDims    = dims{dimAngle: 1}
	massDims     = dims{dimMass: 1}
	forceDims    = dims{dimMass: 1, dimLength: 1, dimTime: -2}
	energyDims   = dims{dimMass: 1, dimLength: 2, dimTime: -2}
	powerDims    = dims{dimMass: 1, dimLength: 2, dimTime: -3}
	pressureDims = dims{dimMass: 1, dimLength: -1, dimTime: -2}
)

// unitTable holds the units that can be named. Factors are exact by definition: the astronomical unit by
// IAU 2012 Resolution B2, the Julian year of 365.25 days, the parsec 648000/pi au by IAU 2015 Resolution
// B2, the light year c times a Julian year, the electronvolt by the SI of 2019, inch and foot by the
// international yard of 1959. What is only measured (solar masses, say) is not in it.
var unitTable = map[string]unitEntry{
	"m":  {scale: "1", dims: lengthDims},
	"km": {scale: "1000", dims: lengthDims},
	"cm": {scale: "1/100", dims: lengthDims},
	"mm": {scale: "1/1000", dims: lengthDims},
	"um": {scale: "1e-6", dims: lengthDims},
	"nm": {scale: "1e-9", dims: lengthDims},
	"au": {scale: "149597870700", dims: lengthDims},
	"AU": {scale: "149597870700", dims: lengthDims},
	"ly": {scale: "9460730472580800", dims: lengthDims},
	"pc": {scale: "96939420213600000", pi: -1, dims: lengthDims}, // 648000*149597870700/pi
	"in": {scale: "0.0254", dims: lengthDims},
	"ft": {scale: "0.3048", dims: lengthDims},

	"s":   {scale: "1", dims: timeDims},
	"ms":  {scale: "1e-3", dims: timeDims},
	"us":  {scale: "1e-6", dims: timeDims},
	"ns":  {scale: "1e-9", dims: timeDims},
	"min": {scale: "60", dims: timeDims},
	"h":   {scale: "3600", dims: timeDims},
	"d":   {scale: "86400", dims: timeDims},
	"day": {scale: "86400", dims: timeDims},
	"yr":  {scale: "31557600", dims: timeDims},
	"kyr": {scale: "31557600e3", dims: timeDims},
	"Myr": {scale: "31557600e6", dims: timeDims},
	"Gyr": {scale: "31557600e9", dims: timeDims},

	"rad":    {scale: "1", dims: angleDims},
	"mrad":   {scale: "1e-3", dims: angleDims},
	"deg":    {scale: "1/180", pi: 1, dims: angleDims},
	"arcmin": {scale: "1/10800", pi: 1, dims: angleDims},
	"arcsec": {scale: "1/648000", pi: 1, dims: angleDims},
	"mas":    {scale: "1/648000000", pi: 1, dims: angleDims},
	"rev":    {scale: "2", pi: 1, dims: angleDims},
	"turn":   {scale: "2", pi: 1, dims: angleDims},

	"kg": {scale: "1", dims: massDims},
	"g":  {scale: "1e-3", dims: massDims},
	"mg": {scale: "1e-6", dims: massDims},

	"A":   {scale: "1", dims: dims{dimCurrent: 1}},
	"K":   {scale: "1", dims: dims{dimTemperature: 1}},
	"mol": {scale: "1", dims: dims{dimAmount: 1}},
	"Hz":  {scale: "1", dims: dims{dimTime: -1}},
	"kHz": {scale: "1e3", dims: dims{dimTime: -1}},
	"MHz": {scale: "1e6", dims: dims{dimTime: -1}},
	"N":   {scale: "1", dims: forceDims},
	"J":   {scale: "1", dims: energyDims},
	"kJ":  {scale: "1e3", dims: energyDims},
	"eV":  {scale: "1.602176634e-19", dims: energyDims},
	"W":   {scale: "1", dims: powerDims},
	"kW":  {scale: "1e3", dims: powerDims},
	"Pa":  {scale: "1", dims: pressureDims},
	"kPa": {scale: "1e3", dims: pressureDims},
	"bar": {scale: "1e5", dims: pressureDims},
	"C":   {scale: "1", dims: dims{dimCurrent: 1, dimTime: 1}},
	"V":   {scale: "1", dims: dims{dimMass: 1, dimLength: 2, dimTime: -3, dimCurrent: -1}},
	"Ohm": {scale: "1", dims: dims{dimMass: 1, dimLength: 2, dimTime: -3, dimCurrent: -2}},

	"jd":  {scale: "0", date: true},
	"JD":  {scale: "0", date: true},
	"mjd": {scale: "2400000.5", date: true},
	"MJD": {scale: "2400000.5", date: true},
}

// unitNames lists the table, sorted without regard to case.
func unitNames() []string {
	names := make([]string, 0, len(unitTable))
	for n := range unitTable {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return names
}
