package fields

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/nearest"
)

// Text is a text. Numbers and the like are taken as they are typed, so
// that a list of years needs no quotes.
type Text struct {
	Into *string
	// Allow, where set, decides; Expected says what it accepts.
	Allow    func(string) bool
	Expected string
	// form, where set, is the form of the text, which begins with a letter; most is the
	// greatest number of its bytes, 0 for any.
	form *regexp.Regexp
	most int
}

// Read implements [Binding].
func (v Text) Read(r *Reader, path string, n *Node) {
	switch {
	case n.Kind == Empty:
		r.Fault(n.At, path, "%s is empty; expected a text, in quotes where it is \"\", \"null\" or \"~\"", Label(path))
	case n.Kind != Scalar:
		r.Expect(n, path, "a text, in quotes where it begins with a brace or a bracket")
	case v.Allow != nil && !v.Allow(n.Text):
		r.Expect(n, path, v.Expected)
	default:
		*v.Into = n.Text
	}
}

// Write implements [Binding].
func (v Text) Write() *Node { return TextNode(*v.Into) }

// FormOf is the binding of a text of a form, which begins with a letter; expected says what
// it is.
func FormOf(into *string, form *regexp.Regexp, expected string) Text {
	return Text{Into: into, Allow: form.MatchString, Expected: expected, form: form}
}

var properName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// Name is the binding of a name that paths and file names can hold. It is
// no number, for in a path a number is a position.
func Name(into *string) Text {
	return FormOf(into, properName, "a name: a letter, then letters, digits, '_' or '-', at most 64")
}

// BaseName is the form of the base of a table's name.
var BaseName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{2,39}$`)

// LongText is the binding of a text with a maximum length in bytes.
func LongText(into *string, most int) Text {
	return Text{Into: into, Allow: func(s string) bool { return len(s) <= most }, Expected: fmt.Sprintf("a text of at most %d bytes", most), most: most}
}

// wholeNumber is a whole number without a leading zero, which some readers of
// YAML would take as octal.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// Whole is a whole number from least to most.
type Whole[T int | int64] struct {
	Into        *T
	Least, Most T
	// Expected, where set, says what else stands in the number's place.
	Expected string
}

// Read implements [Binding].
func (v Whole[T]) Read(r *Reader, path string, n *Node) {
	number, err := strconv.ParseInt(n.Text, 10, 64)
	if n.Kind != Scalar || n.Quoted || !wholeNumber.MatchString(n.Text) || err != nil || T(number) < v.Least || T(number) > v.Most {
		r.Expect(n, path, cmp.Or(v.Expected, fmt.Sprintf("a whole number from %d to %d", v.Least, v.Most)))
		return
	}
	*v.Into = T(number)
}

// Write implements [Binding].
func (v Whole[T]) Write() *Node { return PlainNode(strconv.FormatInt(int64(*v.Into), 10)) }

// Single is a value without quotes that one function makes of its text, and another
// writes.
type Single[T any] struct {
	Into *T
	// Parse returns false for text that is no such value; Expected says what is one.
	Parse    func(text string) (T, bool)
	Expected string
	Written  func(T) string
	// Quotes is whether the text may stand in quotes, as it is written then.
	Quotes bool
	Form   *Schema
}

// Read implements [Binding].
func (v Single[T]) Read(r *Reader, path string, n *Node) {
	value, sound := v.Parse(n.Text)
	if n.Kind != Scalar || n.Quoted && !v.Quotes || !sound {
		r.Expect(n, path, v.Expected)
		return
	}
	*v.Into = value
}

// Write implements [Binding].
func (v Single[T]) Write() *Node {
	return &Node{Kind: Scalar, Text: v.Written(*v.Into), Quoted: v.Quotes}
}

// Seed is a whole number of 64 bits without a sign.
func Seed(into *uint64) Single[uint64] {
	const most = uint64(math.MaxUint64)
	written := func(number uint64) string { return strconv.FormatUint(number, 10) }
	return Single[uint64]{Into: into, Expected: fmt.Sprintf("a whole number from 0 to %d", most), Written: written,
		Form: Numeric("integer", "0", written(most)),
		Parse: func(text string) (uint64, bool) {
			number, err := strconv.ParseUint(text, 10, 64)
			return number, wholeNumber.MatchString(text) && err == nil
		}}
}

// Decimal is a number of a form, within bounds.
func Decimal(into *float64, form *regexp.Regexp, least, most float64, expected string) Single[float64] {
	written := func(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }
	return Single[float64]{Into: into, Expected: expected, Written: written,
		Form: Numeric("number", written(least), written(most)),
		Parse: func(text string) (float64, bool) {
			number, err := strconv.ParseFloat(text, 64)
			return number, form.MatchString(text) && err == nil && number >= least && number <= most
		}}
}

// DecimalNumber is the form of a number that is not negative, with or without decimals.
var DecimalNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// The bounds of a rate, in operations per second.
const (
	MaxRate = 1_000_000
	// MinRate keeps the time between two operations within what can be counted
	// in nanoseconds.
	MinRate = 0.001
)

// Rate is a rate in operations per second.
func Rate(into *float64) Single[float64] {
	return Decimal(into, DecimalNumber, MinRate, MaxRate,
		fmt.Sprintf("a rate in operations per second, such as 500 or 0.5, from %v to %d", MinRate, MaxRate))
}

// Duration is a length of time, above 0 and at most most.
type Duration struct {
	Into        *time.Duration
	Least, Most time.Duration
}

// Read implements [Binding].
func (v Duration) Read(r *Reader, path string, n *Node) {
	d, err := time.ParseDuration(n.Text)
	if n.Kind != Scalar || n.Quoted || err != nil || d < v.Least || d > v.Most {
		r.Expect(n, path, fmt.Sprintf("a duration with its unit, such as 4s, 2500ms or 1m30s, from %s to %s", v.Least, v.Most))
		return
	}
	*v.Into = d
}

// Write implements [Binding].
func (v Duration) Write() *Node { return PlainNode(v.Into.String()) }

// Truth is true or false.
func Truth(into *bool) Single[bool] {
	return Single[bool]{Into: into, Expected: "true or false", Written: strconv.FormatBool, Form: &Schema{Type: Types{"boolean"}},
		Parse: func(text string) (bool, bool) { return text == "true", text == "true" || text == "false" }}
}

// Choice is one of a closed list of words; what says what they name.
type Choice struct {
	Into *string
	What string
	Of   []string
}

// Read implements [Binding].
func (v Choice) Read(r *Reader, path string, n *Node) {
	switch {
	case n.Kind != Scalar || n.Text == "":
		r.Expect(n, path, "the name of a "+v.What+": "+nearest.Choice(v.Of))
	case !slices.Contains(v.Of, n.Text):
		r.Fault(n.At, path, "%s", nearest.Unknown(v.What, n.Text, v.Of))
	default:
		*v.Into = n.Text
	}
}

// Write implements [Binding].
func (v Choice) Write() *Node { return TextNode(*v.Into) }
