package scenarios_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// largeLoad is a load whose keys take long to generate: sound, but no use to a
// fuzzer.
var largeLoad = regexp.MustCompile(`entities\W+[0-9]{5,}`)

func FuzzParse(f *testing.F) {
	texts := validTexts(f)
	maps.Copy(texts, brokenTexts(f))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		// Canonical forms are read again below, and those of the library by TestLibrary.
		_, isBuiltin := builtins[name]
		if !strings.HasSuffix(name, canonicalForm) && (!isBuiltin || flag.Lookup("test.fuzz").Value.String() != "") {
			f.Add([]byte(texts[name]))
		}
	}
	j := schemaJudge(f)
	f.Add([]byte("name: [a, {b: c}]\n? x\n: y"))
	f.Add([]byte("a: &x\n  - *x\n- - -\n"))
	f.Add([]byte("{name: \"\\u0000\", phases: [{name: x, load: {entities: 1}}]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 20_000 || largeLoad.Match(text) {
			return
		}
		s, err := scenarios.Parse("fuzz.yaml", text)
		if err != nil {
			var faults fields.Faults
			if s != nil || !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("Parse(%q) = %v, %#v; want faults alone", text, s, err)
			}
			for _, fault := range faults {
				if fault.File != "fuzz.yaml" || fault.Line < 1 || fault.Column < 1 || fault.What == "" {
					t.Fatalf("Parse(%q) has the fault %#v; want one with file, line, column and text", text, fault)
				}
			}
			return
		}
		if faults := s.Validate(); faults != nil {
			t.Fatalf("Parse(%q) = a scenario that is not valid: %v", text, faults)
		}
		if faults, isYAML := j.text(string(s.Text())); !isYAML || len(faults) > 0 {
			t.Fatalf("the schema says of %q %q, YAML %t; want nothing, for it is a scenario", s.Text(), faults, isYAML)
		}
		again, err := scenarios.Parse("again.yaml", s.Text())
		if err != nil {
			t.Fatalf("Parse(Text()) of %q = %v; want no error", text, err)
		}
		if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
			t.Fatalf("Parse(Text()) of %q differs (-want +got):\n%s", text, diff)
		}
		waits := slices.ContainsFunc(s.Attributes, func(a keys.Attribute) bool { return keys.Unread(a.Values) })
		if curve, is := s.Entity.Sizes.(*keys.Curve); is {
			waits = waits || curve.Unread()
		}
		if _, err := s.Generator(); err != nil && !waits {
			t.Fatalf("Generator() of %q = %v; want no error", text, err)
		}
	})
}

// FuzzText writes any text into the places that take one, and reads it back.
func FuzzText(f *testing.F) {
	f.Add("'\"\\ \u0000\u001f\u007f\u0085\u00a0\u2028\ufeff")
	f.Add("\t# a: b\r\n- {x}\n...\n---\n")
	f.Add("🏃 ")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 1000 {
			return
		}
		s := raceParsed()
		s.About, s.Entity.Size = text, 5000
		s.Entity.Properties = append(s.Entity.Properties, scenarios.PropertySpec{Name: "Free", Type: "String", Value: "{free}"})
		s.Attributes = append(s.Attributes, keys.Attribute{Name: "free", Values: keys.ValueList{Values: []string{text, "x"}}})
		again, err := scenarios.Parse("text.yaml", s.Text())
		require.NoErrorf(t, err, "%q", text)
		require.Emptyf(t, cmp.Diff(s, again, ignorePlaces), "%q", text)
	})
}

// Every built-in scenario has a subject, and stands in the list once.
func TestSubjects(t *testing.T) {
	all, err := catalogue()
	require.NoError(t, err)
	var names, order []string
	for _, one := range all {
		names = append(names, one.Name)
		assert.Truef(t, slices.Contains(scenarios.Subjects(), one.Subject),
			"%s is about %q, which is no subject", one.Name, one.Subject)
		if len(order) == 0 || order[len(order)-1] != one.Subject {
			order = append(order, one.Subject)
		}
	}
	assert.Equalf(t, scenarios.Subjects(), order, "the catalogue goes by the subjects %v", order)
	assert.ElementsMatch(t, scenarios.Library(), names, "the catalogue has each scenario once")
}

// A search for words and titles of the documents has the scenario of testdata/search.txt among its first three.
func TestSearchFindsWhatTheDocumentsName(t *testing.T) {
	all, err := catalogue()
	require.NoError(t, err)
	search := scenarios.SearchIn(all)
	documented, err := os.ReadFile("testdata/search.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(documented)) {
		words, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var names []string
		for _, one := range search(words) {
			names = append(names, one.Name)
		}
		assert.Containsf(t, names[:min(3, len(names))], want, "search for %q", words)
	}
	assert.Empty(t, search("quaternion"))
	_, near, err := scenarios.Search("lost updtes")
	require.NoError(t, err)
	assert.Empty(t, near, "lost is found")
	_, near, err = scenarios.Search("upsrt")
	require.NoError(t, err)
	assert.Equal(t, "upsert", near[0])
}

// What an operation leaves out has its default.
func TestOperationsAreReadAndWritten(t *testing.T) {
	const byRow = "RowKey eq '1' or RowKey eq '2'"
	written := []scenarios.PropertySpec{{Name: "A", Type: "String", Value: "x"}}
	for _, tt := range []struct {
		text string
		// want lacks what follows from the verb: the name, the weight of 1 and the group.
		want scenarios.OperationSpec
	}{
		{"verb: get", scenarios.OperationSpec{Verb: entity.Get}},
		{"verb: insert", scenarios.OperationSpec{Verb: entity.Insert}},
		{"verb: replace", scenarios.OperationSpec{Verb: entity.Replace}},
		{"verb: insert-or-replace", scenarios.OperationSpec{Verb: entity.InsertOrReplace}},
		{"verb: insert-or-merge, properties: [{name: A, value: x}]",
			scenarios.OperationSpec{Verb: entity.InsertOrMerge, Properties: written}},
		{"verb: delete", scenarios.OperationSpec{Verb: entity.Delete}},
		{"verb: batch", scenarios.OperationSpec{Verb: entity.Batch, Entities: 100, Change: entity.Insert}},
		{"verb: batch, change: replace, entities: 1", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Replace, Entities: 1}},
		{"verb: batch, change: delete", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Delete, Entities: 100}},
		{"verb: batch, change: merge, properties: [{name: A, value: x}]",
			scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Merge, Entities: 100, Properties: written}},
		{"verb: query", scenarios.OperationSpec{Class: scenarios.ClassRows, Rows: 100}},
		{"verb: query, class: rows", scenarios.OperationSpec{Class: scenarios.ClassRows, Rows: 100}},
		{"verb: query, class: point, select: [Age]", scenarios.OperationSpec{Class: scenarios.ClassPoint, Select: []string{"Age"}}},
		{"verb: query, rows: 7, from: from.Tllk.MQ, pages: 2", scenarios.OperationSpec{
			Class: scenarios.ClassRows, Rows: 7, From: scenarios.Resumption{Token: "from.Tllk.MQ"}, Pages: 2}},
		{"verb: query, class: partition-scan, where: 'Age gt {age}', top: 50",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionScan, Where: "Age gt {age}", Top: 50}},
		{"verb: query, class: partition-scan, where: \"" + byRow + "\"",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionScan, Where: byRow}},
		{"verb: query, class: partition-range", scenarios.OperationSpec{Class: scenarios.ClassPartitionRange, Partitions: 2}},
		{"verb: query, class: partition-range, partitions: 10",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionRange, Partitions: 10}},
		{"verb: query, class: table-scan, where: \"RowKey eq '{bib}__{age}'\"",
			scenarios.OperationSpec{Class: scenarios.ClassTableScan, Where: "RowKey eq '{bib}__{age}'"}},
	} {
		got := reread(t, strings.Replace(race, "{verb: get, weight: 3}", "{"+tt.text+"}", 1)).Phases[1].Traffic.Operations[0]
		if tt.want.Class != "" {
			tt.want.Verb = entity.Query
		}
		tt.want.Name, tt.want.Weight, tt.want.Group = tt.want.Verb.String(), 1, scenarios.GroupPut
		if tt.want.Verb == entity.Get || tt.want.Verb == entity.Query {
			tt.want.Group = scenarios.GroupGet
		}
		assert.Emptyf(t, cmp.Diff(tt.want, got), "%s: the operation", tt.text)
		inserts := got.Verb == entity.Insert || got.Verb == entity.Batch && got.Change == entity.Insert
		assert.Equalf(t, inserts, got.Inserts(), "%s: Inserts()", tt.text)
	}
}

// A quote in a value stays within the text of the filter.
func TestAFilterTakesTheValuesOfAnEntity(t *testing.T) {
	where, err := keys.ParseTemplate("Name eq '{name}' and Age gt {age}")
	require.NoError(t, err)
	values := map[string]string{"name": "O'Neill", "age": "40"}
	got := new(scenarios.OperationSpec).Wanted(where, func(name string) string { return values[name] })
	assert.Equalf(t, "Name eq 'O''Neill' and Age gt 40", got, "Wanted(%s)", where)
	for _, row := range []struct{ name, within, where, want string }{
		{"both", "PartitionKey eq 'p'", "A eq 1 or B eq 2", "PartitionKey eq 'p' and (A eq 1 or B eq 2)"},
		{"the range alone", "PartitionKey eq 'p'", "", "PartitionKey eq 'p'"},
		{"the filter alone", "", "A eq 1", "A eq 1"},
		{"neither", "", "", ""},
	} {
		got := scenarios.Narrow(row.within, row.where)
		if _, code, detail := filter.Parse(got); got != row.want || code != entity.OK {
			t.Errorf("%s: Narrow(%q, %q) = %q (%s %s); want %q", row.name, row.within, row.where, got, code, detail, row.want)
		}
	}
}

// The text of every field of event traffic is read as what it was written from.
func TestTextOfEventTraffic(t *testing.T) {
	text := edited(t, "visits.yaml", `{at:ticks}_{id}"`, `{at:ticks}_{id}", copies: [{name: n, table: Numbers, partition_key: "n{id}", row_key: "{page}", properties: [Page]}, `+
		`{name: m, partition_key: "m{id}", row_key: "{page}"}]`,
		"[{verb: insert}]", `[{name: a, verb: get, of: latest}, {name: b, verb: get, of: {latest: 40}}, {name: c, verb: get, of: {zipf: 0}}, `+
			`{name: d, verb: get, of: {hot: 5%, share: 100%}}, `+
			`{name: e, verb: query, by: [page, id], span: 90m, of: uniform}, {name: f, verb: batch, together: [page]}, {name: g, verb: delete, by: [id]}]`)
	s := reread(t, text)
	list := s.Phases[1].Traffic.Operations
	for i, want := range []scenarios.Access{{Kind: "latest", Window: 1}, {Kind: "latest", Window: 40}, {Kind: "zipf"}, {Kind: "hot", Hot: 0.05, Share: 1}, {}} {
		assert.Equalf(t, want, list[i].Of, "operation %s is of", list[i].Name)
	}
	require.NoError(t, s.Set("use", "other"))
	assert.Equal(t, "o{id}", s.Design.PartitionKey)
	assert.Empty(t, s.Tables())
}

// A copy answers what it keeps: names of properties are told from all else in a filter.
func TestCopiesAnswer(t *testing.T) {
	some := &scenarios.Copy{Properties: []string{"Page", "Count_2"}}
	for _, row := range []struct {
		where  string
		fields []string
		want   bool
	}{
		{"", nil, true},
		{"", []string{"Page", "RowKey", "Timestamp"}, true},
		{"", []string{"Page", "Seen"}, false},
		{"Page eq 'Seen''s' and not (Count_2 ge 5L)", nil, true},
		{"Page eq '{page}' or Seen lt datetime'2026-01-01T00:00:00Z'", nil, false},
		{"Count_2 eq {Seen} and true", nil, true},
		{"RowKey gt 'a' and Count_2 lt 1.5E3", nil, true},
		{"'a' eq Pages", nil, false},
		{"Page eq 'no end", nil, true},
	} {
		o := &scenarios.OperationSpec{Where: row.where, Select: row.fields}
		assert.Equalf(t, row.want, some.Answers(o), "Answers(%q, %v)", row.where, row.fields)
		assert.Truef(t, new(scenarios.Copy).Answers(o),
			"Answers(%q, %v) of a copy of everything = false; want true", row.where, row.fields)
	}
}

// expecting is the race with claims.
func expecting(list string) string { return race + "expect:\n" + list }

func TestExpectationsOfAScenario(t *testing.T) {
	text := expecting(`  - p99(get) < 20ms
  - throttled < 1%
  - "share_lost(peak 20.5/s) <= 0.1%"
  - offered("NYC") < 2000
  - counted(merge, peak) / returned(*, peak) <= 1.2
  - length(load) < 1m
  - 'requests(load) == 0'
`)
	want := []string{"p99(get) < 20ms", "throttled < 1%", "share_lost(peak 20.5/s) <= 0.1%", `offered("NYC") < 2000`,
		"counted(merge, peak) / returned(*, peak) <= 1.2", "length(load) < 1m", "requests(load) == 0"}
	s := reread(t, text)
	assert.Equal(t, want, s.Expect)
	require.NoError(t, s.Set("expect.1", "throttled < 2%"))
	assert.Equal(t, "throttled < 2%", s.Expect[1])
	require.NoError(t, s.Set("expect", "[throttled < 3%]"))
	assert.Equal(t, []string{"throttled < 3%"}, s.Expect)
	require.NoError(t, s.Set("expect", "[]"))
	assert.Empty(t, s.Expect)
	require.NoError(t, s.Set("expect", "[p99(sve) < 1ms]"), "what a claim is of is left to Validate")
	faults := s.Validate()
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "--set expect: byte 4: ", "the unknown name where it was set")
}

// Each name of before is a fault at its line that names the one of now, and the only one: of a
// field, and of a figure within a claim.
func TestRenamedFieldsAndFigures(t *testing.T) {
	workflows, contrary := textsIn(t, "testdata/valid")["workflows.yaml"], example("phases.peak.each: 7s")
	check := func(was, is, text string) {
		t.Helper()
		before, _, _ := strings.Cut(text, was)
		place := fmt.Sprintf("own.yaml:%d:%d: ", 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n"))
		_, err := scenarios.Parse("own.yaml", []byte(text))
		if faults := faultPlaces(t, err); len(faults) != 1 || !strings.HasPrefix(err.Error(), place+was+" ") || !strings.Contains(err.Error(), " "+is+" ") {
			t.Errorf("Parse with %s = %v; want %s and %s", was, err, place, is)
		}
	}
	check("procedure", "workflow", strings.Replace(workflows, "workflow:", "procedure:", 1))
	check("opposite", "anti_pattern", strings.Replace(contrary, "anti_pattern:", "opposite:", 1))
	check("refused", "throttled", race+"expect:\n  - p99 < 1s\n  - refused < 1\n")
	err := parsed(t, race).Set("model.refusal_time", "5")
	assert.ErrorContains(t, err, " throttle_time ", "a parameter of the model in --set")
}

// So is each scenario of before, by all who take the name of one.
func TestRenamedExamples(t *testing.T) {
	for _, one := range scenarios.RenamedExamples() {
		was, is := one[0], one[1]
		if names := scenarios.Library(); slices.Contains(names, was) || !slices.Contains(names, is) {
			t.Errorf("%s and %s: want the second alone to be built in", was, is)
		}
		if _, _, err := scenarios.Open(was); !errors.Is(err, scenarios.ErrUnknown) || !strings.Contains(err.Error(), " "+is+";") {
			t.Errorf("Open(%s) = %v; want %s", was, err, is)
		}
	}
}
