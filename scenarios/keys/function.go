package keys

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// transform is one thing that a placeholder does to the text of a value. The zero
// value leaves it as it is.
type transform struct {
	kind transformKind
	// n is the width of a padding, the modulus of a hash, the characters of a
	// prefix, and the bytes that a cut leaves of an instant.
	n int
}

type transformKind uint8

const (
	asIs transformKind = iota
	toPadded
	toHash
	toReverse
	toPrefix
	toLower
	toUpper
	toTicks
	toInverted
	toCut
)

func (f transform) ofTime() bool { return f.kind >= toTicks }

// function is one that a placeholder can call.
type function struct {
	name string
	kind transformKind
	// most is the maximum of the second argument, whose minimum is 1; 0 without a second argument.
	most int
	// example shows a call.
	example string
}

// functions is the closed list.
var functions = []function{
	{"hash", toHash, maxHash, "hash(user,16)"},
	{"reverse", toReverse, 0, "reverse(user)"},
	{"prefix", toPrefix, maxPrefix, "prefix(user,2)"},
	{"lower", toLower, 0, "lower(user)"},
	{"upper", toUpper, 0, "upper(user)"},
}

// Limits of functions.
const (
	maxHash   = 1_000_000_000
	maxPrefix = 512
	maxPadded = 64
)

// timeFormat is a way to write an instant.
type timeFormat struct {
	name string
	transform
}

// timeFormats is the closed list.
var timeFormats = []timeFormat{
	{"ticks", transform{kind: toTicks}},
	{"inverted", transform{kind: toInverted}},
	{"year", transform{toCut, yearWidth}},
	{"month", transform{toCut, monthWidth}},
	{"day", transform{toCut, dayWidth}},
	{"hour", transform{toCut, hourWidth}},
	{"minute", transform{toCut, minuteWidth}},
	{"second", transform{toCut, secondWidth}},
}

// apply transforms what stands in text from start on, and leaves alone what is no
// value for it: letters to be padded, a format of a time for what is none.
// [Options.Validate] foresees that.
func (f transform) apply(text []byte, start int) []byte {
	switch f.kind {
	case toPadded:
		return padded(text, start, f.n)
	case toHash:
		// It must never change: FNV-1a of 64 bits over the UTF-8, mixed by the finaliser of
		// MurmurHash3. The lowest bit of FNV-1a alone is only the parity of the lowest
		// bits of all bytes, and unfit for a remainder.
		const offset, prime = 14695981039346656037, 1099511628211
		h := uint64(offset)
		for _, c := range text[start:] {
			h = (h ^ uint64(c)) * prime
		}
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
		return strconv.AppendUint(text[:start], h%uint64(f.n), 10)
	case toReverse:
		reverse(text[start:])
		return text
	case toPrefix:
		return text[:start+prefixOf(text[start:], f.n)]
	case toLower:
		return append(text[:start], bytes.ToLower(text[start:])...)
	case toUpper:
		return append(text[:start], bytes.ToUpper(text[start:])...)
	case toTicks, toInverted, toCut:
		if t, ok := readTime(string(text[start:])); ok {
			return appendTime(text[:start], t, f)
		}
	}
	return text
}

// padded fills a whole number up with zeros, after its sign. The width counts the
// sign, as Go's %05d does.
func padded(text []byte, start, width int) []byte {
	digits := start
	if digits < len(text) && text[digits] == '-' {
		digits++
	}
	if !isNumber(text[digits:]) {
		return text
	}
	for missing := width - (len(text) - start); missing > 0; missing-- {
		text = slices.Insert(text, digits, '0')
	}
	return text
}

func isNumber(digits []byte) bool {
	return len(digits) > 0 && !slices.ContainsFunc(digits, func(c byte) bool { return c < '0' || c > '9' })
}

// reverse turns the characters of a text round: the bytes, and then those of each
// character back.
func reverse(text []byte) {
	slices.Reverse(text)
	for start, at := 0, 0; at < len(text); at++ {
		if utf8.RuneStart(text[at]) {
			slices.Reverse(text[start : at+1])
			start = at + 1
		}
	}
}

// prefixOf returns how many bytes the first characters of a text have.
func prefixOf(text []byte, characters int) int {
	at := 0
	for ; characters > 0 && at < len(text); characters-- {
		_, width := utf8.DecodeRune(text[at:])
		at += width
	}
	return at
}

// Pinned returns the same generator limited to the partition of entity witness: all
// its entities have that PartitionKey. An attribute that the PartitionKey holds as
// it is, or in a form that gives it away, has the witness's value, too, and with a
// column of whole rows has the others of that row; of one that only a function or a cut
// of it decides about, such as {hash(user,16)}, the values differ as before, as
// everything else does.
func (g *Generator) Pinned(witness uint64) *Generator {
	pinned := *g
	pinned.attributes = slices.Clone(g.attributes)
	o := &occurrence{Event: loaded(witness)}
	g.pinAttributes(pinned.attributes, g.partition, o)
	pinned.partition = layout{{literal: string(g.expand(nil, g.partition, o)), attribute: -1}}
	return &pinned
}

// pinAttributes sets the attributes that a layout determines to the values of an occurrence.
func (g *Generator) pinAttributes(attributes []drawn, l layout, o *occurrence) {
	for i := range l {
		s := &l[i]
		if s.attribute < 0 || !s.isInjective() {
			continue
		}
		d := &g.attributes[s.attribute]
		if d.kind == byTime {
			at := d.time.instantOf(o)
			attributes[s.attribute].fixed, attributes[s.attribute].time = true, timeline{start: at, offered: at}
			continue
		}
		if d.kind == byText {
			g.pinAttributes(attributes, d.text, o)
		}
		together := []int{s.attribute}
		if declared := g.options.Attributes; s.attribute < len(declared) && IsColumn(declared[s.attribute].Values) {
			together = nil
			for at, a := range declared {
				if IsColumn(a.Values) {
					together = append(together, at)
				}
			}
		}
		for _, at := range together {
			text := string(g.fill(nil, &slot{attribute: at}, o))
			held := &attributes[at]
			held.kind, held.fixed, held.values = byChance, true, constantSource(text)
		}
	}
}

func (s *slot) isInjective() bool {
	return !slices.ContainsFunc(s.apply, func(f transform) bool { return !f.isInjective() })
}

// isInjective reports whether different values have different texts.
func (f transform) isInjective() bool {
	switch f.kind {
	case asIs, toPadded, toReverse, toTicks, toInverted:
		return true
	default:
		return false
	}
}
