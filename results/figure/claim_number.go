package figure

import "strconv"

// ClaimNumber is a number of a claim with its unit.
type ClaimNumber struct {
	// digits is the number as its shortest decimals, suffix the unit as it is
	// written, empty for a plain number.
	digits, suffix string
}

// Value returns the number: a time in nanoseconds, a percentage as a share of one.
// Powers of ten are taken from the decimals, so that 0.1% is what 1/1000 is.
func (n ClaimNumber) Value() float64 {
	s := suffixOf(n.suffix)
	value, err := strconv.ParseFloat(n.digits+"e"+strconv.Itoa(s.exponent), 64)
	if err != nil {
		panic("figure: invalid number: " + err.Error())
	}
	return value * s.times
}

// String returns the number as it is written.
func (n ClaimNumber) String() string { return n.digits + n.suffix }

// whole reports whether the number has no decimals.
func (n ClaimNumber) whole() bool {
	_, err := strconv.ParseInt(n.digits, 10, 64)
	return err == nil
}

// suffix is a unit as it is written: the value is the number at the power of ten,
// so many times.
type suffix struct {
	name     string
	exponent int
	times    float64
	unit     Unit
}

// suffixOf returns a unit by its name, one that multiplies by 0 for an unknown one. A plain number is a [Ratio].
func suffixOf(name string) suffix {
	for _, s := range []suffix{
		{"", 0, 1, Ratio},
		{"ns", 0, 1, Nanoseconds}, {"us", 3, 1, Nanoseconds}, {"ms", 6, 1, Nanoseconds}, {"s", 9, 1, Nanoseconds},
		{"m", 9, 60, Nanoseconds}, {"h", 9, 3600, Nanoseconds},
		{"%", -2, 1, Share}, {"/s", 0, 1, PerSecond},
	} {
		if s.name == name {
			return s
		}
	}
	return suffix{unit: Ratio}
}
