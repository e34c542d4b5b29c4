package fields

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Typed is whatever can be typed as a single value: texts need no quotes, so that a
// list of years is one of texts, too.
func Typed() *Schema { return &Schema{Type: Types{"string", "number", "boolean"}} }

// Numeric is a number within bounds, which are written as they are.
func Numeric(kind, least, most string) *Schema {
	return &Schema{Type: Types{kind}, Minimum: json.Number(least), Maximum: json.Number(most)}
}

// Patterned is a text of a form.
func Patterned(form *regexp.Regexp) *Schema {
	return &Schema{Type: Types{"string"}, Pattern: form.String()}
}

// Schema implements [Binding].
func (v Text) Schema() *Schema {
	s := Typed()
	if v.Allow != nil {
		s.Description = Sentence(v.Expected)
	}
	if v.form != nil {
		s.Type, s.Pattern = Types{"string", "boolean"}, v.form.String()
	}
	s.MaxLength = v.most
	return s
}

// Schema implements [Binding].
func (v Whole[T]) Schema() *Schema {
	return Numeric("integer", strconv.FormatInt(int64(v.Least), 10), strconv.FormatInt(int64(v.Most), 10))
}

// Schema implements [Binding]. It is the caller's.
func (v Single[T]) Schema() *Schema {
	own := *v.Form
	return &own
}

// DurationForm is what [time.ParseDuration] takes.
var DurationForm = regexp.MustCompile(`^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`)

// Schema implements [Binding].
func (v Duration) Schema() *Schema {
	s := Patterned(DurationForm)
	s.Description = fmt.Sprintf("A duration with its unit, such as 4s, 2500ms or 1m30s, from %s to %s.", v.Least, v.Most)
	if v.Least <= 0 {
		s.OrZero()
	}
	return s
}

// OrZero has a duration be a plain 0, too.
func (s *Schema) OrZero() {
	s.Type, s.Minimum, s.Maximum = Types{"string", "integer"}, "0", "0"
}

// Schema implements [Binding].
func (v Choice) Schema() *Schema { return &Schema{Enum: v.Of} }

// Sentence returns a text with a capital letter and a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
