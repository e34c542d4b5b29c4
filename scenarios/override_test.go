package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/scenarios"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name        string
		path, value string
		// old is the part of the canonical text that the override replaces.
		old, new string
	}{
		{"a single value", "seed", "9", "seed: 7", "seed: 9"},
		{"a default that the file leaves out", "retry", "none", "retry: short", "retry: none"},
		{"a model parameter that is set already", "model.partition_target", "1000", "partition_target: 500", "partition_target: 1000"},
		{"a model parameter that is not", "model.read_time", "1ms", "partition_target: 500", "partition_target: 500\n  read_time: 1ms"},
		{"a whole map", "model", "{profile: documented}", "  partition_target: 500\n", ""},
		{"an attribute's bounds", "attributes.age.uniform", "[18,40]", "[18, 79]", "[18, 40]"},
		{"one of an attribute's bounds", "attributes.age.uniform.1", "40", "[18, 79]", "[18, 40]"},
		{"an attribute's whole distribution", "attributes.bib", "{sequence: 100}", "sequence: 1\n", "sequence: 100\n"},
		{"a field of a phase by the phase's name", "phases.peak.each", "3s", "each: 2s", "each: 3s"},
		{"the same with the kind written out", "phases.peak.peak.each", "3s", "each: 2s", "each: 3s"},
		{"the same by position", "phases.1.each", "3s", "each: 2s", "each: 3s"},
		{"a duration in another unit", "phases.peak.each", "1500ms", "each: 2s", "each: 1.5s"},
		{"a list of one", "phases.peak.rates", "[100]", "rates: [10, 20.5]", "rates: [100]"},
		{"an item of a list by position", "phases.peak.rates.1", "30", "[10, 20.5]", "[10, 30]"},
		{"an operation by its name", "phases.peak.operations.get.weight", "0", "weight: 3", "weight: 0"},
		{"a property by its name", "entity.properties.Age.type", "Int64", "type: Int32\n      value: \"{age}\"\ndesign", "type: Int64\n      value: \"{age}\"\ndesign"},
		{"a text with braces, without quotes", "design.row_key", "{bib}", "row_key: \"{bib}__{age}\"", "row_key: \"{bib}\""},
		{"a text that looks like YAML", "about", "a: [b]", "name: race\n", "name: race\nabout: \"a: [b]\"\n"},
		{"a text that is a number", "about", "2011", "name: race\n", "name: race\nabout: \"2011\"\n"},
		{"a text with an equals sign", "phases.peak.partition_key", "a=b", "partition_key: NYC", "partition_key: \"a=b\""},
		{"a text that is empty", "entity.filler", "", "filler: Notes", "filler: \"\""},
		{"a phase's kind", "phases.load.load.lanes", "5", "lanes: 4", "lanes: 5"},
		{"what nothing stood for", "phases.peak.hold", "true", "hold: false", "hold: true"},
		{"a list of maps", "phases.peak.operations", "[{verb: get, weight: 3}]",
			"        - name: merge\n          verb: merge\n          weight: 1\n          group: PUT\n          properties:\n            - name: Age\n              type: Int32\n              value: \"{age}\"\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, race)
			before := withoutAbout(s)
			if err := s.Set(tt.path, tt.value); err != nil {
				t.Fatalf("Set(%q, %q) = %v; want no error", tt.path, tt.value, err)
			}
			got := withoutAbout(s)
			if want := strings.Replace(before, tt.old, tt.new, 1); got != want || want == before {
				t.Errorf("after Set(%q, %q) the text is\n%s\nwant\n%s", tt.path, tt.value, got, want)
			}
		})
	}
}

// withoutAbout returns the canonical text, without the line of an empty about.
func withoutAbout(s *scenarios.Scenario) string {
	return strings.Replace(string(s.Text()), "about: \"\"\n", "", 1)
}

func TestSetFaults(t *testing.T) {
	for _, tt := range []struct {
		name        string
		path, value string
		want        string
	}{
		{"a mistyped field", "sede", "9", `unknown field "sede"; did you mean "seed"?`},
		{"a mistyped map on the way", "modle.partition_target", "500", `unknown field "modle"; did you mean "model"?`},
		{"a mistyped model parameter", "model.partition_taget", "500", `unknown model parameter "partition_taget"; did you mean "partition_target"?`},
		{"a mistyped attribute", "attributes.agee.uniform", "[18,40]", `unknown attribute "agee"; did you mean "age"?`},
		{"a new attribute", "attributes.speed", "{sequence: 1}", `unknown attribute "speed"; expected event, bib or age`},
		{"a mistyped phase", "phases.peek.each", "2s", `unknown item of phases "peek"; did you mean "peak"?`},
		{"a position that is not there", "phases.2.each", "2s", `unknown item of phases "2"; expected load or peak`},
		{"a position among values without names", "phases.peak.rates.2", "7", `rates has no item "2"; expected a position from 0 to 1`},
		{"a mistyped field of a phase's kind", "phases.peak.eech", "2s", `unknown field "eech"; did you mean "each"?`},
		{"a path below a single value", "seed.x", "1", `seed is a single value and has no "x"; expected its path alone`},
		{"an empty path", "", "1", "the path has an empty part; expected names or positions with dots between, such as phases.peak.each"},
		{"two dots", "phases..each", "1s", "the path has an empty part; expected names or positions with dots between, such as phases.peak.each"},
		{"a path without end", strings.Repeat("a.", 100) + "a", "1", "the path has 101 parts; expected at most 20"},
		{"a value of the wrong kind", "workers", "many", "workers is many; expected a whole number from 1 to 100000"},
		{"a value out of bounds", "phases.load.entities", "0", "entities is 0; expected a whole number from 1 to 10000000"},
		{"a value for a model parameter out of bounds", "model.partition_target", "-5", "partition_target is -5; it must be from 0 to 100000000"},
		{"a list for a single value", "seed", "[1]", "seed is [1]; expected a whole number from 0 to 18446744073709551615"},
		{"a single value for a list", "phases.peak.rates", "100", "rates is 100; expected a list of rates in operations per second"},
		{"a list that is never closed", "phases.peak.rates", "[100", "not YAML: sequence end token ']' not found; expected quotes and brackets that are closed, and blanks that indent"},
		{"a tag in a list", "phases.peak.rates", "[!!int 100]", "a tag is not part of the scenario format; expected values written out"},
		{"a second kind of values", "attributes.age.sequence", "1", "an attribute has 2 of list, uniform, sequence, zipf, hot_set, partitions, gaussian, latest, csv, time, text; expected exactly one"},
		{"a fault inside a map", "phases.peak.operations.0", "{verb: get, wieght: 2}", `unknown field "wieght"; did you mean "weight"?`},
		{"a text that is not UTF-8", "about", "a\xff", "byte 0xff is no part of a character; expected UTF-8 text"},
		{"a path whose end is a list", "phases", "now", "phases is now; expected a list of phases"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, race)
			before := string(s.Text())
			got := faultLines(t, s.Set(tt.path, tt.value))
			if want := "--set " + tt.path + ": " + tt.want; got != want {
				t.Errorf("Set(%.40q, %q) =\n%s\nwant\n%s", tt.path, tt.value, got, want)
			}
			if after := string(s.Text()); after != before {
				t.Errorf("Set(%.40q, %q) failed and changed the scenario to\n%s", tt.path, tt.value, after)
			}
		})
	}
}

// TestOverridesAreJudgedTogether sets two fields that only make sense together,
// and then one that does not fit the rest.
func TestOverridesAreJudgedTogether(t *testing.T) {
	s := parsed(t, race)
	for _, o := range [][2]string{{"design.partition_key", "{event}-2011"}, {"phases.peak.partition_key", "NYC-2011"}} {
		if err := s.Set(o[0], o[1]); err != nil {
			t.Fatalf("Set(%q, %q) = %v; want no error", o[0], o[1], err)
		}
	}
	if faults := s.Validate(); faults != nil {
		t.Errorf("Validate() after both overrides = %v; want none", faults)
	}
	for _, o := range [][2]string{{"design.partition_key", "{evnt}"}, {"attributes.age.list", "[a, b]"}} {
		_ = s.Set(o[0], o[1])
	}
	if err := s.Set("attributes.age", "{list: [a, b]}"); err != nil {
		t.Fatalf("Set() = %v; want no error", err)
	}
	want := []string{
		`--set design.partition_key: unknown attribute "evnt"; did you mean "event"?`,
		`race.yaml:15:39: value can become "a", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
		`race.yaml:29:70: value can become "a", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
	}
	var got []string
	for _, err := range s.Validate() {
		got = append(got, err.Error())
	}
	if !slices.Equal(got, want) {
		t.Errorf("Validate() =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
			faultLines(t, err)
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
