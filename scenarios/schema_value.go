package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// typed is whatever can be typed as a single value: texts need no quotes, so that a
// list of years is one of texts, too.
func typed() *schema { return &schema{Type: types{"string", "number", "boolean"}} }

// numeric is a number within bounds, which are written as they are.
func numeric(kind, least, most string) *schema {
	return &schema{Type: types{kind}, Minimum: json.Number(least), Maximum: json.Number(most)}
}

// patterned is a text of a form.
func patterned(form *regexp.Regexp) *schema {
	return &schema{Type: types{"string"}, Pattern: form.String()}
}

func (v textValue) schema() *schema {
	s := typed()
	if v.allow != nil {
		s.Description = sentence(v.expected)
	}
	return s
}

func (v formValue) schema() *schema {
	s := v.textValue.schema()
	s.Type, s.Pattern = types{"string", "boolean"}, v.form.String()
	return s
}

func (v longValue) schema() *schema {
	s := v.textValue.schema()
	s.MaxLength = v.most
	return s
}

func (v wholeValue[T]) schema() *schema {
	return numeric("integer", strconv.FormatInt(int64(v.least), 10), strconv.FormatInt(int64(v.most), 10))
}

func (v seedValue) schema() *schema {
	return numeric("integer", "0", strconv.FormatUint(math.MaxUint64, 10))
}

func (v rateValue) schema() *schema {
	return numeric("number", strconv.FormatFloat(minRate, 'f', -1, 64), strconv.Itoa(maxRate))
}

// durationForm is what [time.ParseDuration] takes.
var durationForm = regexp.MustCompile(`^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`)

func (v durationValue) schema() *schema {
	s := patterned(durationForm)
	s.Description = fmt.Sprintf("A duration with its unit, such as 4s, 2500ms or 1m30s, from %s to %s.", v.least, v.most)
	if v.least <= 0 {
		s.orZero()
	}
	return s
}

// orZero has a duration be a plain 0, too.
func (s *schema) orZero() {
	s.Type, s.Minimum, s.Maximum = types{"string", "integer"}, "0", "0"
}

func (v truthValue) schema() *schema { return &schema{Type: types{"boolean"}} }

func (v choiceValue) schema() *schema { return &schema{Enum: v.of} }

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
