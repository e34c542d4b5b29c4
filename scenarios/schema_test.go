package scenarios_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

var rewrite = flag.Bool("rewrite", false, "write the schema and the golden faults anew; read the difference before committing it")

func TestSchemaIsCheckedIn(t *testing.T) {
	if *rewrite {
		require.NoError(t, os.WriteFile(scenarios.SchemaFile, scenarios.Schema(), 0o644))
	}
	file, err := os.ReadFile(scenarios.SchemaFile)
	assert.Truef(t, err == nil && string(file) == string(scenarios.Schema()),
		"%s is not Schema(), %v; run the test with -rewrite and read the difference", scenarios.SchemaFile, err)
	assert.Truef(t, strings.HasSuffix(scenarios.SchemaHeader, "$schema="+scenarios.SchemaFile) && strings.HasPrefix(scenarios.SchemaHeader, "# "),
		"SchemaHeader = %q; want a comment that names %s", scenarios.SchemaHeader, scenarios.SchemaFile)
}

// fieldsOf visits every field of every object of a schema.
func fieldsOf(name string, schema map[string]any, visit func(path string, field map[string]any)) {
	fields, _ := schema["properties"].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		visit(name+"."+field, fields[field].(map[string]any))
	}
	definitions, _ := schema["$defs"].(map[string]any)
	for _, other := range slices.Sorted(maps.Keys(definitions)) {
		fieldsOf(other, definitions[other].(map[string]any), visit)
	}
}

func TestSchemaDescribesEveryField(t *testing.T) {
	fields := 0
	fieldsOf("scenario", schemaJudge(t).root, func(path string, field map[string]any) {
		fields++
		says, _ := field["description"].(string)
		if first := strings.SplitAfterN(says, " ", 2)[0]; len(says) < 8 || strings.ToUpper(first[:1]) != first[:1] || !strings.HasSuffix(says, ".") {
			t.Errorf("the schema says of %s %q; want a sentence: give the field a says", path, says)
		}
	})
	assert.Truef(t, fields >= 80, "the schema has %d fields; want all of the format", fields)
}

// What stands where nothing is given is accepted itself, and is what is read.
func TestSchemaDefaults(t *testing.T) {
	j, found := schemaJudge(t), 0
	fieldsOf("scenario", j.root, func(path string, field map[string]any) {
		fallback, given := field["default"]
		if !given {
			return
		}
		found++
		assert.Emptyf(t, j.faults(path, fallback, field), "the default of %s is %v", path, fallback)
	})
	assert.GreaterOrEqual(t, found, 8, "fields with a default")
}

// canonicalForm ends the name of a valid text that is another in its canonical form.
const canonicalForm = " in canonical form"

// validTexts are scenarios in which every field of the format occurs.
func validTexts(t testing.TB) map[string]string {
	t.Helper()
	texts := map[string]string{"the race": race}
	for _, name := range scenarios.Library() {
		source, err := scenarios.Source(name)
		require.NoError(t, err)
		texts[name] = string(source)
		texts[name+canonicalForm] = string(builtin(t, name).Text())
	}
	for name, text := range textsIn(t, "testdata/valid") {
		texts[name] = text
		texts[name+canonicalForm] = string(parsed(t, text).Text())
	}
	for _, c := range textCases(t) {
		if len(c.want) == 0 && !c.contested {
			texts["the case of "+c.name] = c.text
		}
	}
	return texts
}

// What can be read is accepted, whichever fields it has.
func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	j := schemaJudge(t)
	texts := validTexts(t)
	for name, text := range texts {
		// What has a canonical form was read for it, and that is read by FuzzParse.
		if _, read := texts[name+canonicalForm]; !read && !strings.HasSuffix(name, canonicalForm) {
			parsed(t, text)
		}
		faults, isYAML := j.text(text)
		assert.Truef(t, isYAML && len(faults) <= 0, "%s: the schema says %q, YAML %t; want nothing", name, faults, isYAML)
	}
	fieldsOf("scenario", j.root, func(path string, field map[string]any) {
		// Of the parameters of the model each is read alike.
		assert.Falsef(t, !j.met[fmt.Sprintf("%p", field)] && !strings.HasPrefix(path, "model."),
			"no valid text of the tests has %s; want one in validTexts", path)
	})
}

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
	err := decoder.Decode(&j.root)
	require.NoError(t, err, "Schema()")
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
	sound, says := true, words[word]
	list, isList := value.([]any)
	fields, isMap := value.(map[string]any)
	switch word {
	case "$schema", "$id", "$defs", "title", "description", "default":
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
		sound = fits == 1 || fits > 1 && word == "anyOf"
	case "type":
		kinds, many := says.([]any)
		if !many {
			kinds = []any{says}
		}
		sound = slices.ContainsFunc(kinds, func(kind any) bool { return isA(kind.(string), value) })
	case "enum":
		sound = slices.Contains(says.([]any), value)
	case "minItems":
		sound = !isList || len(list) >= whole(says)
	case "maxItems":
		sound = !isList || len(list) <= whole(says)
	case "minProperties":
		sound = !isMap || len(fields) >= whole(says)
	case "maxProperties":
		sound = !isMap || len(fields) <= whole(says)
	case "items", "required", "properties", "additionalProperties", "propertyNames":
		return j.parts(path, value, word, words)
	default:
		sound = fitsScalar(value, word, says)
	}
	if sound {
		return nil
	}
	return []string{fmt.Sprintf("%s: %.80v, and %s is %v", path, value, word, says)}
}

// fitsScalar reports whether a text or a number fits one word of a schema.
func fitsScalar(value any, word string, says any) bool {
	text, isText := value.(string)
	number := exact(value)
	switch word {
	case "const":
		return !isText && (number == nil || number.Cmp(exact(says)) == 0)
	case "minimum":
		return number == nil || number.Cmp(exact(says)) >= 0
	case "maximum":
		return number == nil || number.Cmp(exact(says)) <= 0
	case "maxLength":
		return !isText || utf8.RuneCountInString(text) <= whole(says)
	case "pattern":
		return !isText || pattern(says.(string)).MatchString(text)
	}
	panic("unknown word " + word)
}

// parts returns what is wrong with the items of a list, or the fields of a map.
func (j judge) parts(path string, value any, word string, words map[string]any) []string {
	says := words[word]
	var faults []string
	if list, isList := value.([]any); isList && word == "items" {
		for i, item := range list {
			faults = append(faults, j.faults(fmt.Sprintf("%s.%d", path, i), item, says)...)
		}
	}
	given, isMap := value.(map[string]any)
	if required, _ := says.([]any); isMap && word == "required" {
		for _, name := range required {
			if _, is := given[name.(string)]; !is {
				faults = append(faults, fmt.Sprintf("%s: has no %v", path, name))
			}
		}
	}
	fields, _ := words["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		below := path + "." + name
		switch field, listed := fields[name]; {
		case word == "properties" && listed:
			j.met[fmt.Sprintf("%p", field)] = true
			faults = append(faults, j.faults(below, given[name], field)...)
		case word == "additionalProperties" && !listed:
			faults = append(faults, j.faults(below, given[name], says)...)
		case word == "propertyNames":
			faults = append(faults, j.faults(below, name, says)...)
		}
	}
	return faults
}

// isA reports whether a value is of a kind of JSON.
func isA(kind string, value any) bool {
	switch value.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	number := exact(value)
	return number != nil && (kind == "number" || kind == "integer" && number.IsInt())
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

// patterns are those of the schema that were compiled.
var patterns = map[string]*regexp.Regexp{}

func pattern(text string) *regexp.Regexp {
	if patterns[text] == nil {
		patterns[text] = regexp.MustCompile(text)
	}
	return patterns[text]
}

func whole(number any) int {
	n, err := number.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return int(n)
}
