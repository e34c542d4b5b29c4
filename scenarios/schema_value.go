package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"loadgen/engine/model"
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

func (v level) schema() *schema {
	s := rateValue(v).schema()
	s.AnyOf = []*schema{{Constant: "0"}, {Minimum: s.Minimum}}
	s.Minimum = ""
	return s
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

func (v verbValue) schema() *schema {
	s := &schema{}
	for _, verb := range v.of {
		s.Enum = append(s.Enum, verb.String())
	}
	return s
}

func (v shareValue) schema() *schema {
	s := patterned(percentage)
	s.Description = "A share in percent above 0, such as 2%."
	return s
}

func (v budgetValue) schema() *schema {
	return &schema{Type: types{"string"},
		Pattern: "^(" + strings.Join(Budgets(), "|") + ") *> *" + strings.TrimPrefix(percentage.String(), "^")}
}

func (v partitionsValue) schema() *schema {
	return &schema{AnyOf: []*schema{
		numeric("integer", "1", strconv.Itoa(maxSpread)),
		v.list().schema(),
	}}
}

func (v allValue) schema() *schema {
	s := v.partitionsValue.schema()
	s.AnyOf = append(s.AnyOf, &schema{Enum: []string{allPartitions}})
	return s
}

// schema returns the profile and every parameter with its bounds. A parameter is
// read as a text, and may stand in quotes.
func (v modelValue) schema() *schema {
	profile := choiceValue{&v.into.Profile, "profile", model.Profiles()}.schema()
	profile.Description = "The set of parameters to start from."
	profile.Default = jsonText(model.Documented)
	s := &schema{called: "model", Type: types{"object"}, Additional: false, Properties: properties{{profileField, profile}}}
	documented, err := model.New(model.Documented)
	if err != nil {
		panic("scenarios: the documented profile does not exist: " + err.Error())
	}
	for _, p := range documented.Parameters() {
		s.Properties = append(s.Properties, property{p.Name, parameterSchema(p)})
	}
	return s
}

var wholeText = regexp.MustCompile(`^[-+]?[0-9]+$`)

func parameterSchema(p model.Parameter) *schema {
	least, most := strconv.FormatInt(p.Least, 10), strconv.FormatInt(p.Greatest, 10)
	s := numeric("integer", least, most)
	s.Type = types{"integer", "string"}
	s.Pattern = wholeText.String()
	if p.Unit == model.Duration {
		s.orZero()
		s.Pattern = durationForm.String()
	}
	s.Description = sentence(p.About)
	return s
}

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
