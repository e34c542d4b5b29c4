package scenarios_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

func TestSet(t *testing.T) {
	spread, traffic := edited(t, "spread.yaml"), edited(t, "traffic.yaml")
	for _, tt := range []struct {
		name        string
		path, value string
		// old is the part of the canonical text that the override replaces.
		old, new string
		// text is the scenario, the race where there is none.
		text string
	}{
		{"a single value", "seed", "9", "seed: 7", "seed: 9", ""},
		{"a default that the file leaves out", "retry", "none", "retry: short", "retry: none", ""},
		{"a model parameter that is set already", "model.partition_target", "1000", "partition_target: 500", "partition_target: 1000", ""},
		{"a model parameter that is not", "model.read_time", "1ms", "partition_target: 500", "partition_target: 500\n  read_time: 1ms", ""},
		{"a whole map", "model", "{profile: documented}", "  partition_target: 500\n", "", ""},
		{"an attribute's bounds", "attributes.age.uniform", "[18,40]", "[18, 79]", "[18, 40]", ""},
		{"one of an attribute's bounds", "attributes.age.uniform.1", "40", "[18, 79]", "[18, 40]", ""},
		{"an attribute's whole distribution", "attributes.bib", "{sequence: 100}", "sequence: 1\n", "sequence: 100\n", ""},
		{"a field of a phase by the phase's name", "phases.peak.each", "3s", "each: 2s", "each: 3s", ""},
		{"the same with the kind written out", "phases.peak.peak.each", "3s", "each: 2s", "each: 3s", ""},
		{"the same by position", "phases.1.each", "3s", "each: 2s", "each: 3s", ""},
		{"a duration in another unit", "phases.peak.each", "1500ms", "each: 2s", "each: 1.5s", ""},
		{"a list of one", "phases.peak.rates", "[100]", "rates: [10, 20.5]", "rates: [100]", ""},
		{"an item of a list by position", "phases.peak.rates.1", "30", "[10, 20.5]", "[10, 30]", ""},
		{"an operation by its name", "phases.peak.operations.get.weight", "0", "weight: 3", "weight: 0", ""},
		{"a property by its name", "entity.properties.Age.type", "Int64", "type: Int32\n      value: \"{age}\"\ndesign", "type: Int64\n      value: \"{age}\"\ndesign", ""},
		{"a text with braces, without quotes", "design.row_key", "{bib}", "row_key: \"{bib}__{age}\"", "row_key: \"{bib}\"", ""},
		{"a text that looks like YAML", "about", "a: [b]", "name: race\n", "name: race\nabout: \"a: [b]\"\n", ""},
		{"a text that is a number", "about", "2011", "name: race\n", "name: race\nabout: \"2011\"\n", ""},
		{"a text with an equals sign", "phases.peak.partition_key", "a=b", "partition_key: NYC", "partition_key: \"a=b\"", ""},
		{"a text that is empty", "entity.filler", "", "filler: Notes", "filler: \"\"", ""},
		{"a phase's kind", "phases.load.load.lanes", "5", "lanes: 4", "lanes: 5", ""},
		{"what nothing stood for", "phases.peak.hold", "true", "hold: false", "hold: true", ""},
		{"a list of maps", "phases.peak.operations", "[{verb: get, weight: 3}]",
			"        - name: merge\n          verb: merge\n          weight: 1\n          group: PUT\n          properties:\n            - name: Age\n              type: Int32\n              value: \"{age}\"\n", "", ""},
		{"an exponent", "attributes.x.zipf.exponent", "1.3", "exponent: 1\n", "exponent: 1.3\n", attributing("{zipf: {of: 9, exponent: 1}}")},
		{"what was left out", "attributes.x.zipf.scramble", "true", "exponent: 1\n", "exponent: 1\n      scramble: true\n", attributing("{zipf: {of: 9, exponent: 1}}")},
		{"a share", "attributes.x.hot_set.share", "75%", "share: 50%", "share: 75%", attributing("{hot_set: {of: 9, hot: 20%, share: 50%}}")},
		{"a number of partitions", "attributes.x.partitions", "12", "partitions: 9", "partitions: 12", attributing("{partitions: 9, rows: 2}")},
		{"one size", "attributes.x.sizes.1", "50% x7", "50% x2", "50% x7", attributing(`{partitions: 9, sizes: ["50% x1", "50% x2"]}`)},
		{"all sizes", "attributes.x.sizes", "[100% x2]", `["50% x1", "50% x2"]`, `["100% x2"]`, attributing(`{partitions: 9, sizes: ["50% x1", "50% x2"]}`)},
		{"another kind", "attributes.x", "{latest: {window: 5}}", "sequence: 1\nentity", "latest:\n      window: 5\n      exponent: 1\n      every: 1\n      start: 0\nentity", attributing("{sequence: 1}")},
		{"another file", "attributes.x.csv.file", "b.csv", "a.csv", "b.csv", attributing("{csv: {file: a.csv, column: c}}")},
		{"a number of accounts", "accounts.number", "2", "attributes:", "accounts:\n  number: 2\nattributes:", ""},
		{"all of the accounts", "accounts", `{number: 4, by: "{event}"}`, "attributes:", "accounts:\n  number: 4\n  by: \"{event}\"\nattributes:", ""},
		{"another number of accounts", "accounts.number", "1", "number: 3", "number: 1", sharded(t, "{number: 3}", "")},
		{"what chooses an account", "accounts.by", "{event}", "number: 3", "number: 3\n  by: \"{event}\"", sharded(t, "{number: 3}", "")},
		{"the rate of a spread", "phases.spread.rate", "50", "rate: 1\n", "rate: 50\n", spread},
		{"the length of a spread", "phases.spread.for", "30m", "for: 1s", "for: 30m0s", spread},
		{"a number of partitions of a spread", "phases.spread.partitions", "1", "partitions: 2", "partitions: 1", spread},
		{"a list of partitions for their number", "phases.spread.partitions", "[NYC]", "partitions: 2", "partitions: [NYC]", spread},
		{"a number of partitions for their list", "phases.spread.partitions", "2", "[NYC]", "2", strings.Replace(spread, "s: 2", "s: [NYC]", 1)},
		{"the entities of a spread", "phases.spread.spread.entities", "9", "entities: 1000", "entities: 9", spread},
		{"a start", "start", "cold", "start: warm", "start: cold", ""},
		{"a rate of arrivals", "phases.measure.arrivals.constant", "200", "constant: 5\n", "constant: 200\n", traffic},
		{"other arrivals", "phases.measure.arrivals", "{poisson: 7}", "constant: 5\n", "poisson: 7\n", traffic},
		{"an end of traffic", "phases.measure.stop_on", "[throttled > 20%]", "drain: 5s\n", "drain: 5s\n      stop_on: [\"throttled > 20%\"]\n", traffic},
		{"the partitions of traffic", "phases.measure.partitions", "[NYC]", "arrivals:", "partitions: [NYC]\n      arrivals:", traffic},
		{"a bound of stability", "phases.measure.stop_when_stable", "1%", "drain: 5s\n", "drain: 5s\n      stop_when_stable: 1%\n", traffic},
		{"a unit", "phases.measure.traffic.unit", "entities", "unit: operations", "unit: entities", traffic},
	} {
		s := parsed(t, cmp.Or(tt.text, race))
		before := withoutAbout(s)
		require.NoErrorf(t, s.Set(tt.path, tt.value), "%s: Set(%q, %q)", tt.name, tt.path, tt.value)
		got := withoutAbout(s)
		if want := strings.Replace(before, tt.old, tt.new, 1); got != want || want == before {
			t.Errorf("%s: after Set(%q, %q) the text is\n%s\nwant\n%s", tt.name, tt.path, tt.value, got, want)
		}
		all := parsed(t, cmp.Or(tt.text, race))
		require.NoErrorf(t, all.SetAll([]scenarios.Setting{{Path: tt.path, Value: tt.value}}), "%s: SetAll(%q, %q)", tt.name, tt.path, tt.value)
		assert.Equal(t, got, withoutAbout(all), tt.name)
	}
}

// withoutAbout returns the canonical text, without the line of an empty about.
func withoutAbout(s *scenarios.Scenario) string {
	return strings.Replace(string(s.Text()), "about: \"\"\n", "", 1)
}

// TestOverridesAreJudgedTogether sets two fields that only make sense together,
// and then one that does not fit the rest.
func TestOverridesAreJudgedTogether(t *testing.T) {
	s := parsed(t, race)
	keys := []scenarios.Setting{{Path: "design.partition_key", Value: "{event}-2011"}, {Path: "phases.peak.partition_key", Value: "NYC-2011"}}
	require.NoError(t, s.SetAll(keys), "SetAll()")
	assert.Empty(t, s.Validate(), "after both overrides")
	for _, o := range [][2]string{{"design.partition_key", "{evnt}"}, {"attributes.age.list", "[a, b]"}} {
		_ = s.Set(o[0], o[1])
	}
	require.NoError(t, s.Set("attributes.age", "{list: [a, b]}"), "Set()")
	want := []string{
		`--set design.partition_key: unknown attribute "evnt"; did you mean "event"?`,
		`race.yaml:15:39: value can be "a", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
		`race.yaml:29:70: value can be "a", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
	}
	var got []string
	for _, err := range s.Validate() {
		got = append(got, err.Error())
	}
	assert.Equal(t, want, got, "Validate()")
}

func FuzzSet(f *testing.F) {
	f.Add("phases.peak.each", "2s")
	f.Add("attributes.age.uniform", "[18, 40]")
	f.Add("phases.peak.operations", "[{verb: query, rows: 3}]")
	f.Add("design.row_key", "{bib}")
	f.Add("model.partition_target", "500")
	f.Add("phases.0", "{name: x, count: {}}")
	f.Add("a.b.c", "{")
	s, err := scenarios.Parse("race.yaml", []byte(race))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		changed := *s
		if err := changed.Set(path, value); err != nil {
			faultPlaces(t, err)
			return
		}
		if text := string(changed.Text()); len(changed.Validate()) == 0 {
			again := parsed(t, text)
			if string(again.Text()) != text {
				t.Fatalf("after Set(%q, %q), Parse(Text()) has the text\n%s\nwant\n%s", path, value, again.Text(), text)
			}
		}
	})
}
