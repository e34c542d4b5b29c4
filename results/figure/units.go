package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// units finds the unit in which the claim compares, and refuses what has none in
// common. The limit stands at an offset of the text.
func (p *parser) units(c *Claim, limit int) {
	c.unit = c.left.Unit()
	if c.joint != alone && c.second.Unit() != c.unit {
		p.fail(c.second.Offset, "%s is %s, %s is %s; expected one unit",
			c.left.Name, c.unit, c.second.Name, c.second.Unit())
		return
	}
	if c.joint == divided {
		c.unit = Ratio
	}
	switch {
	case c.againstOther:
		if own := c.right.Unit(); own != c.unit {
			p.fail(c.right.Offset, "%s is %s, its limit %s; expected one unit", c.right.Name, own, c.unit)
		}
	case c.joint == alone:
		k, _ := Find(c.left.Name)
		units := []Unit{k.Unit}
		if k.Unit == Count && k.Scope == OfOperations {
			units = append(units, PerSecond)
		}
		if k.Part {
			units = append(units, Share)
		}
		p.adopt(c, units, limit)
	case c.unit == Ratio:
		p.adopt(c, []Unit{Ratio, Share}, limit)
	default:
		// A difference stays in the unit of its figures.
		p.adopt(c, []Unit{c.unit}, limit)
	}
}

// adopt has the claim compare in the unit of its number, if that is one of those
// that it may be told in.
func (p *parser) adopt(c *Claim, units []Unit, limit int) {
	unit := suffixOf(c.number.suffix).unit
	if c.number.suffix == "" && units[0] != Nanoseconds {
		// A plain number is of whatever the figure is.
		unit = units[0]
	}
	if !slices.Contains(units, unit) {
		expected := example(units[0])
		for _, u := range units[1:] {
			expected += " or " + example(u)
		}
		// From when on a load was throttled was called as the count of throttled attempts is now.
		if c.left.Name == "throttled" && suffixOf(c.number.suffix).unit == Nanoseconds {
			expected += ", or the time throttled_from"
		}
		p.fail(limit, "%s is no limit for %s; expected %s", c.number, c.left.Name, expected)
		return
	}
	c.unit = unit
}

func example(u Unit) string {
	return [...]string{"a number (2)", "a time (20ms)", "a share (1%)", "a rate (500/s)", "a number (2)"}[u]
}

// here returns where the next thing begins.
func (p *parser) here() int {
	p.space()
	return p.at
}

func (p *parser) space() { p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\n\r")) }

// take goes past a word if that is what comes next.
func (p *parser) take(word string) bool {
	p.space()
	if p.fault != nil || !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.space(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// next shows the character that comes next.
func (p *parser) next() string {
	if p.peek() == 0 && p.at == len(p.text) {
		return "the end"
	}
	c, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return fmt.Sprint("the character ", strconv.QuoteRune(c))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// clipped cuts what is too long to be shown.
func clipped(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

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

// isWhole reports whether the number has no decimals.
func (n ClaimNumber) isWhole() bool {
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
