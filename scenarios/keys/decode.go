package keys

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// ErrKey is wrapped by the errors of [Template.Encode] and [Template.Decode].
var ErrKey = errors.New("keys: no such key")

// Reading is what one placeholder left in a key.
type Reading struct {
	// Placeholder is what stands between its braces: "at:inverted", "hash(user,16)".
	Placeholder string
	Attribute   string
	// Value is what the attribute had where Whole is true: an instant in 28 characters, a
	// number without leading zeros. Otherwise it is the text that a function made of it, which cannot be
	// inverted: a hash, a prefix, an hour.
	Value string
	Whole bool
}

// Name returns what the value is one of: the attribute, or the placeholder where it kept less.
func (r Reading) Name() string {
	if r.Whole {
		return r.Attribute
	}
	return r.Placeholder
}

// Encode returns the text of the template with the values of its attributes. Unlike
// [Template.Expand] it refuses a value that its placeholder has no form for: text for a
// padded number or an instant, a number wider than its padding, which would sort before
// smaller ones, an attribute without a value, a value of no attribute.
func (t Template) Encode(given map[string]string) (string, error) {
	known := t.Attributes()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return "", nearest.Faultf(ErrKey, "%s", nearest.Unknown("attribute", name, known))
		}
	}
	var text strings.Builder
	for i := range t.parts {
		p := &t.parts[i]
		if p.attribute == "" {
			text.WriteString(p.literal)
			continue
		}
		value, some := given[p.attribute]
		if !some {
			return "", nearest.Faultf(ErrKey, "byte %d: %s has no value; expected %s=…", p.offset, p.source, p.attribute)
		}
		what := ""
		switch {
		case !utf8.ValidString(value):
			what = "UTF-8"
		case p.format.ofTime():
			if t, ok := readTime(value); !ok || t < entity.EarliestDateTime {
				what = instantForm
			}
		case p.format.kind == toPadded:
			number := p.call.apply([]byte(value), 0)
			if !isWhole(string(number)) || len(number) > p.format.n {
				what = fmt.Sprintf("a whole number of at most %d characters, without leading zeros", p.format.n)
			}
		}
		if what != "" {
			return "", nearest.Faultf(ErrKey, "byte %d: %s is %s; expected %s", p.offset, p.source, nearest.Quote(value), what)
		}
		text.WriteString(p.apply(value))
	}
	return text.String(), nil
}

// isWhole reports whether a text is a whole number as it is written shortest.
func isWhole(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return isNumber([]byte(digits)) && (digits[0] != '0' || text == "0")
}

// Decode returns what each placeholder left in a key, in their order. The error says at
// which byte of the key it is none of the template, or which two ways there are to read it.
func (t Template) Decode(key string) ([]Reading, error) {
	d := decoder{parts: t.parts, key: key, expected: "an end", dead: map[[2]int]bool{}}
	d.readFrom(0, 0)
	switch {
	case len(d.found) == 1:
		return d.found[0], nil
	case len(d.found) > 1:
		return nil, nearest.Faultf(ErrKey, "%s is ambiguous, as %s and as %s; expected fixed widths or separators",
			nearest.Quote(key), shownReadings(d.found[0]), shownReadings(d.found[1]))
	case d.steps > maxSteps:
		return nil, nearest.Faultf(ErrKey, "%s is too ambiguous; expected unique separators", nearest.Quote(key))
	case d.differs != "":
		return nil, nearest.Faultf(ErrKey, "%s has different values of %s", nearest.Quote(key), d.differs)
	default:
		return nil, nearest.Faultf(ErrKey, "byte %d of %s: expected %s", d.furthest, nearest.Quote(key), d.expected)
	}
}

func shownReadings(list []Reading) string {
	return strings.Join(nearest.NamesOf(list, func(r Reading) string { return r.Name() + "=" + nearest.Quote(r.Value) }), " ")
}

// maxSteps bounds the search: a template of many variable parts has more ways to part a
// key than anybody waits for.
const maxSteps = 200_000

// decoder looks for the ways to read a key, up to two.
type decoder struct {
	parts []part
	key   string
	taken []Reading
	found [][]Reading
	steps int
	// dead are the parts and bytes from which no way leads to the end.
	dead map[[2]int]bool
	// part is the last one that a way came to, furthest the last byte at which it was not
	// there, and expected what it is.
	part, furthest int
	expected       string
	// differs is an attribute that had two values on a way that led to the end.
	differs string
}

// readFrom reads the parts from number i on at a byte, and reports whether one way, whatever
// attributes are on it, leads to the end.
func (d *decoder) readFrom(i, at int) (leads bool) {
	if d.steps++; d.steps > maxSteps || len(d.found) > 1 || d.dead[[2]int{i, at}] {
		return false
	}
	if i == len(d.parts) {
		if at < len(d.key) {
			d.fails(i, at, "end of key")
			return false
		}
		d.arrive()
		return true
	}
	p := &d.parts[i]
	if p.attribute == "" {
		if strings.HasPrefix(d.key[at:], p.literal) {
			return d.readFrom(i+1, at+len(p.literal))
		}
		d.fails(i, at, strconv.Quote(p.literal))
		return false
	}
	least, most := p.widths(len(d.key) - at)
	read := false
	for width := least; width <= most && d.steps <= maxSteps; width++ {
		d.steps++
		value, whole, ok := p.read(d.key[at : at+width])
		if !ok {
			continue
		}
		read = true
		d.taken = append(d.taken, Reading{strings.Trim(p.source, "{}"), p.attribute, value, whole})
		leads = d.readFrom(i+1, at+width) || leads
		d.taken = d.taken[:len(d.taken)-1]
	}
	if !read {
		d.fails(i, at, p.expectation())
	}
	if !leads && d.steps <= maxSteps && len(d.found) <= 1 {
		d.dead[[2]int{i, at}] = true
	}
	return leads
}

func (d *decoder) fails(i, at int, expected string) {
	if i > d.part || i == d.part && at >= d.furthest {
		d.part, d.furthest, d.expected = i, at, expected
	}
}

// arrive keeps a way to the end, unless an attribute has two values on it.
func (d *decoder) arrive() {
	d.steps += len(d.parts)
	known := map[string]string{}
	for _, r := range d.taken {
		if r.Whole {
			known[r.Attribute] = r.Value
		}
	}
	at := 0
	for i := range d.parts {
		p := &d.parts[i]
		if p.attribute == "" {
			continue
		}
		r := d.taken[at]
		at++
		if value, some := known[p.attribute]; some && (r.Whole && value != r.Value || !r.Whole && p.apply(value) != r.Value) {
			d.differs = p.attribute
			return
		}
	}
	d.found = append(d.found, slices.Clone(d.taken))
}

// widths returns how many bytes a placeholder's text has at least and at most, of those
// that are left; the least is the greater one where it has no room.
func (p *part) widths(left int) (least, most int) {
	switch p.format.kind {
	case toTicks, toInverted:
		least, most = ticksWidth, ticksWidth
	case toCut:
		least, most = p.format.n, p.format.n
	case toPadded:
		least, most = p.format.n, left
	default:
		return 0, left
	}
	return least, min(most, left)
}

// read returns the value that a placeholder's text stands for, or the text where it keeps
// less than the whole. It is none where no value has that text.
func (p *part) read(text string) (value string, whole, ok bool) {
	switch p.format.kind {
	case toTicks, toInverted:
		t, ok := readTicks(text)
		if p.format.kind == toInverted {
			t = entity.LatestDateTime - t
		}
		value = string(appendTime(nil, t, transform{}))
		return value, true, ok && t >= entity.EarliestDateTime && p.apply(value) == text
	case toCut:
		_, ok := readTime(text + "0001-01-01T00:00:00.0000000Z"[len(text):])
		return text, false, ok
	case toPadded:
		digits, negative := strings.CutPrefix(text, "-")
		if value = strings.TrimLeft(digits, "0"); value == "" {
			value = "0"
		} else if negative {
			value = "-" + value
		}
		if !isWhole(value) || string(padded([]byte(value), 0, p.format.n)) != text {
			return "", false, false
		}
		if p.call.kind == asIs {
			return value, true, true
		}
		return text, false, p.call.yields(value)
	}
	if !utf8.ValidString(text) {
		// The width ends within a character.
		return "", false, false
	}
	if p.call.kind == toReverse {
		letters := []byte(text)
		reverse(letters)
		return string(letters), true, true
	}
	return text, p.call.kind == asIs, p.call.yields(text)
}

// yields reports whether a function returns a text for some value.
func (f transform) yields(text string) bool {
	switch f.kind {
	case toHash:
		n, err := strconv.Atoi(text)
		return err == nil && isWhole(text) && n >= 0 && n < f.n
	case toPrefix:
		return prefixOf([]byte(text), f.n) == len(text)
	case toLower, toUpper:
		return string(f.apply([]byte(text), 0)) == text
	default:
		return true
	}
}

// expectation describes the valid texts of a placeholder.
func (p *part) expectation() string {
	what := "text"
	switch p.format.kind {
	case toTicks, toInverted:
		what = fmt.Sprintf("%d digits, ticks of years 1601 to 9999,", ticksWidth)
	case toCut:
		what = fmt.Sprintf("a %d-character instant", p.format.n)
	case toPadded:
		what = fmt.Sprintf("a %d-digit number", p.format.n)
	default:
		if p.call.kind == toHash {
			what = fmt.Sprintf("0 to %d", p.call.n-1)
		}
	}
	return what + " of " + p.source
}
