package scenarios_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

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
	j, found := schemaJudge(t), map[string]any{}
	fieldsOf("scenario", j.root, func(path string, field map[string]any) {
		fallback, given := field["default"]
		if !given {
			return
		}
		found[path] = fallback
		assert.Emptyf(t, j.faults(path, fallback, field), "the default of %s is %v", path, fallback)
	})
	for path, want := range map[string]any{
		"scenario.start": "warm", "scenario.retry": "short", "scenario.table": "loadgen", "entity.filler": "Filler",
		"model.profile": "documented", "property.type": "String", "traffic.drain": "5s", "traffic.unit": "operations",
	} {
		assert.Equalf(t, want, found[path], "the default of %s is %v", path, found[path])
	}
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
