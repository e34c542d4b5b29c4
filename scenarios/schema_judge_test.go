package scenarios_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"loadgen/scenarios"
)

// judge holds values against a JSON Schema, as far as the scenario format's goes: a
// keyword that it does not know is a fault of the schema.
type judge struct {
	root map[string]any
	// met are the fields that values had, by where their schemas are.
	met map[string]bool
}

// schemaJudge judges by the scenario format's schema.
func schemaJudge(t testing.TB) judge {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(scenarios.Schema()))
	decoder.UseNumber()
	j := judge{met: map[string]bool{}}
	if err := decoder.Decode(&j.root); err != nil {
		t.Fatalf("Schema() = %v; want JSON", err)
	}
	return j
}

// text returns what is wrong with a YAML text, as an editor would see it. It is
// false where the text is not YAML, so that there is nothing to judge.
func (j judge) text(text string) ([]string, bool) {
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return nil, false
	}
	return j.faults("", value, j.root), true
}

// faults returns what is wrong with a value.
func (j judge) faults(path string, value, against any) []string {
	if never, ok := against.(bool); ok {
		if !never {
			return []string{path + ": is not allowed"}
		}
		return nil
	}
	var faults []string
	words := against.(map[string]any)
	for _, word := range slices.Sorted(maps.Keys(words)) {
		faults = append(faults, j.word(path, value, word, words)...)
	}
	return faults
}

// word returns what is wrong with a value by one word of a schema.
func (j judge) word(path string, value any, word string, words map[string]any) []string {
	says := words[word]
	switch word {
	case "$schema", "$id", "$defs", "title", "description", "default":
		return nil
	case "$ref":
		name := strings.TrimPrefix(says.(string), "#/$defs/")
		return j.faults(path, value, j.root["$defs"].(map[string]any)[name])
	case "anyOf", "oneOf":
		fits := 0
		for _, one := range says.([]any) {
			if len(j.faults(path, value, one)) == 0 {
				fits++
			}
		}
		return unless(fits == 1 || fits > 1 && word == "anyOf", "%s: fits %d of %s", path, fits, word)
	case "type":
		kinds, many := says.([]any)
		if !many {
			kinds = []any{says}
		}
		return unless(slices.ContainsFunc(kinds, func(kind any) bool { return isA(kind.(string), value) }), "%s: is no %v", path, says)
	case "enum":
		return unless(slices.Contains(says.([]any), value), "%s: %v is none of %v", path, value, says)
	}
	switch value := value.(type) {
	case string:
		return ofText(path, value, word, says)
	case []any:
		return j.ofList(path, value, word, says)
	case map[string]any:
		return j.ofMap(path, value, word, words)
	default:
		return ofNumber(path, value, word, says)
	}
}

func unless(sound bool, format string, args ...any) []string {
	if sound {
		return nil
	}
	return []string{fmt.Sprintf(format, args...)}
}

// isA reports whether a value is of a kind of JSON.
func isA(kind string, value any) bool {
	switch kind {
	case "string":
		_, ok := value.(string)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "array":
		_, ok := value.([]any)
		return ok
	case "object":
		_, ok := value.(map[string]any)
		return ok
	case "number":
		return exact(value) != nil
	case "integer":
		number := exact(value)
		return number != nil && number.IsInt()
	default:
		panic("unknown type " + kind)
	}
}

// exact returns a number as a fraction, nil for what is none.
func exact(value any) *big.Rat {
	switch value.(type) {
	case int64, uint64, float64, int, json.Number:
		if number, ok := new(big.Rat).SetString(fmt.Sprint(value)); ok {
			return number
		}
	}
	return nil
}

// known are the words that are about one kind of value.
var known = []string{
	"const", "minimum", "maximum", "maxLength", "pattern", "minItems", "maxItems", "items",
	"minProperties", "maxProperties", "propertyNames", "properties", "required", "additionalProperties",
}

func otherwise(word string) []string {
	if !slices.Contains(known, word) {
		panic("unknown word " + word)
	}
	return nil
}

func ofNumber(path string, value any, word string, says any) []string {
	number, bound := exact(value), exact(says)
	if number == nil || bound == nil {
		return otherwise(word)
	}
	switch word {
	case "const":
		return unless(number.Cmp(bound) == 0, "%s: %v is not %v", path, value, says)
	case "minimum":
		return unless(number.Cmp(bound) >= 0, "%s: %v is below %v", path, value, says)
	case "maximum":
		return unless(number.Cmp(bound) <= 0, "%s: %v is above %v", path, value, says)
	}
	return otherwise(word)
}

// patterns are those of the schema that were compiled.
var patterns = map[string]*regexp.Regexp{}

func pattern(text string) *regexp.Regexp {
	if patterns[text] == nil {
		patterns[text] = regexp.MustCompile(text)
	}
	return patterns[text]
}

func ofText(path, value, word string, says any) []string {
	switch word {
	case "const":
		return unless(false, "%s: %q is not %v", path, value, says)
	case "maxLength":
		return unless(utf8.RuneCountInString(value) <= whole(says), "%s: has more than %v characters", path, says)
	case "pattern":
		return unless(pattern(says.(string)).MatchString(value), "%s: %q does not match %v", path, value, says)
	}
	return otherwise(word)
}

func (j judge) ofList(path string, value []any, word string, says any) []string {
	switch word {
	case "minItems":
		return unless(len(value) >= whole(says), "%s: has fewer than %v items", path, says)
	case "maxItems":
		return unless(len(value) <= whole(says), "%s: has more than %v items", path, says)
	case "items":
		var faults []string
		for i, item := range value {
			faults = append(faults, j.faults(fmt.Sprintf("%s.%d", path, i), item, says)...)
		}
		return faults
	}
	return otherwise(word)
}

func (j judge) ofMap(path string, value map[string]any, word string, words map[string]any) []string {
	says := words[word]
	var faults []string
	switch word {
	case "minProperties":
		return unless(len(value) >= whole(says), "%s: has fewer than %v fields", path, says)
	case "maxProperties":
		return unless(len(value) <= whole(says), "%s: has more than %v fields", path, says)
	case "required":
		for _, name := range says.([]any) {
			_, given := value[name.(string)]
			faults = append(faults, unless(given, "%s: has no %v", path, name)...)
		}
		return faults
	}
	fields, _ := words["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		below := path + "." + name
		switch field, listed := fields[name]; {
		case word == "properties" && listed:
			j.met[fmt.Sprintf("%p", field)] = true
			faults = append(faults, j.faults(below, value[name], field)...)
		case word == "additionalProperties" && !listed:
			faults = append(faults, j.faults(below, value[name], says)...)
		case word == "propertyNames":
			faults = append(faults, j.faults(below, name, says)...)
		default:
			otherwise(word)
		}
	}
	return faults
}

func whole(number any) int {
	n, err := number.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return int(n)
}
