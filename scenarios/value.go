package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/nearest"
)

var (
	_ binding = textValue{}
	_ binding = formValue{}
	_ binding = longValue{}
	_ binding = wholeValue[int]{}
	_ binding = seedValue{}
	_ binding = rateValue{}
	_ binding = durationValue{}
	_ binding = truthValue{}
	_ binding = choiceValue{}
)

// textValue is a text. Numbers and the like are taken as they are typed, so
// that a list of years needs no quotes.
type textValue struct {
	into *string
	// allow, where set, decides; expected says what it accepts.
	allow    func(string) bool
	expected string
}

func (v textValue) read(r *reader, path string, n *node) {
	switch {
	case n.kind == empty:
		r.fault(n.at, path, "%s is empty; expected a text, in quotes where it is \"\", \"null\" or \"~\"", label(path))
	case n.kind != scalar:
		r.expect(n, path, "a text, in quotes where it begins with a brace or a bracket")
	case v.allow != nil && !v.allow(n.text):
		r.expect(n, path, v.expected)
	default:
		*v.into = n.text
	}
}

func (v textValue) write() *node { return text(*v.into) }

// formValue is a text of one form, which begins with a letter.
type formValue struct {
	textValue
	form *regexp.Regexp
}

func formOf(into *string, form *regexp.Regexp, expected string) formValue {
	return formValue{textValue{into, form.MatchString, expected}, form}
}

var properName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// nameValue is the binding of a name that paths and file names can hold. It is
// no number, for in a path a number is a position.
func nameValue(into *string) formValue {
	return formOf(into, properName, "a name: a letter, then letters, digits, '_' or '-', at most 64")
}

var baseName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{2,39}$`)

// tableValue is the binding of a table's base name: what is left of a table
// name's 63 characters belongs to the suffix.
func tableValue(into *string) formValue {
	return formOf(into, baseName, "the base of a table's name: a letter, then letters or digits, 3 to 40 in all")
}

// longText is the binding of a text of at most so many bytes.
func longText(into *string, most int) longValue {
	return longValue{textValue{into, func(s string) bool { return len(s) <= most }, fmt.Sprintf("a text of at most %d bytes", most)}, most}
}

type longValue struct {
	textValue
	most int
}

// wholeNumber is a whole number without a leading zero, which some readers of
// YAML would take as octal.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// wholeValue is a whole number from least to most.
type wholeValue[T int | int64] struct {
	into        *T
	least, most T
	// unlessZero leaves a zero out when the field is written.
	unlessZero bool
}

func (v wholeValue[T]) read(r *reader, path string, n *node) {
	number, err := strconv.ParseInt(n.text, 10, 64)
	if n.kind != scalar || n.quoted || !wholeNumber.MatchString(n.text) || err != nil || T(number) < v.least || T(number) > v.most {
		r.expect(n, path, fmt.Sprintf("a whole number from %d to %d", v.least, v.most))
		return
	}
	*v.into = T(number)
}

func (v wholeValue[T]) write() *node {
	if v.unlessZero && *v.into == 0 {
		return nil
	}
	return plain(strconv.FormatInt(int64(*v.into), 10))
}

// seedValue is a whole number of 64 bits without a sign.
type seedValue struct{ into *uint64 }

func (v seedValue) read(r *reader, path string, n *node) {
	number, err := strconv.ParseUint(n.text, 10, 64)
	if n.kind != scalar || n.quoted || !wholeNumber.MatchString(n.text) || err != nil {
		r.expect(n, path, fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)))
		return
	}
	*v.into = number
}

func (v seedValue) write() *node { return plain(strconv.FormatUint(*v.into, 10)) }

var decimalNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// The bounds of a rate, in operations per second.
const (
	maxRate = 1_000_000
	// minRate keeps the time between two operations within what can be counted
	// in nanoseconds.
	minRate = 0.001
)

// rateValue is a rate in operations per second.
type rateValue struct{ into *float64 }

func (v rateValue) read(r *reader, path string, n *node) {
	number, err := strconv.ParseFloat(n.text, 64)
	if n.kind != scalar || n.quoted || !decimalNumber.MatchString(n.text) || err != nil || number < minRate || number > maxRate {
		r.expect(n, path, fmt.Sprintf("a rate in operations per second, such as 500 or 0.5, from %v to %d", minRate, maxRate))
		return
	}
	*v.into = number
}

func (v rateValue) write() *node { return plain(strconv.FormatFloat(*v.into, 'f', -1, 64)) }

// durationValue is a length of time, above 0 and at most most.
type durationValue struct {
	into        *time.Duration
	least, most time.Duration
}

func (v durationValue) read(r *reader, path string, n *node) {
	d, err := time.ParseDuration(n.text)
	if n.kind != scalar || n.quoted || err != nil || d < v.least || d > v.most {
		r.expect(n, path, fmt.Sprintf("a duration with its unit, such as 4s, 2500ms or 1m30s, from %s to %s", v.least, v.most))
		return
	}
	*v.into = d
}

func (v durationValue) write() *node { return plain(v.into.String()) }

// truthValue is true or false.
type truthValue struct{ into *bool }

func (v truthValue) read(r *reader, path string, n *node) {
	if n.kind != scalar || n.quoted || n.text != "true" && n.text != "false" {
		r.expect(n, path, "true or false")
		return
	}
	*v.into = n.text == "true"
}

func (v truthValue) write() *node { return plain(strconv.FormatBool(*v.into)) }

// choiceValue is one of a closed list of words; what says what they name.
type choiceValue struct {
	into *string
	what string
	of   []string
}

func (v choiceValue) read(r *reader, path string, n *node) {
	switch {
	case n.kind != scalar || n.text == "":
		r.expect(n, path, "the name of a "+v.what+": "+nearest.Choice(v.of))
	case !slices.Contains(v.of, n.text):
		r.fault(n.at, path, "%s", nearest.Unknown(v.what, n.text, v.of))
	default:
		*v.into = n.text
	}
}

func (v choiceValue) write() *node { return text(*v.into) }
