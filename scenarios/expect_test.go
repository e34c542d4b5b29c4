package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/scenarios"
)

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
	s := parsed(t, text)
	if diff := cmp.Diff(want, s.Expect); diff != "" {
		t.Errorf("Expect differs (-want +got):\n%s", diff)
	}
	again := parsed(t, string(s.Text()))
	if diff := cmp.Diff(s, again, ignorePlaces); diff != "" {
		t.Errorf("Parse(Text()) differs (-want +got):\n%s", diff)
	}
	if faults := s.Validate(); faults != nil {
		t.Errorf("Validate() = %v; want none", faults)
	}
	if err := s.Set("expect.1", "throttled < 2%"); err != nil || s.Expect[1] != "throttled < 2%" {
		t.Errorf("Set(expect.1) = %v and %q; want the other claim", err, s.Expect)
	}
	if err := s.Set("expect", "[throttled < 3%]"); err != nil || !slices.Equal(s.Expect, []string{"throttled < 3%"}) {
		t.Errorf("Set(expect) = %v and %q; want one claim", err, s.Expect)
	}
	if err := s.Set("expect", "[]"); err != nil || len(s.Expect) > 0 {
		t.Errorf("Set(expect) = %v and %q; want none", err, s.Expect)
	}
	if err := s.Set("expect", "[p99(sve) < 1ms]"); err != nil {
		t.Errorf("Set(expect) = %v; want it left to Validate", err)
	}
	if faults := s.Validate(); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "--set expect: byte 4: unknown operation or phase") {
		t.Errorf("Validate() = %v; want the unknown name where it was set", faults)
	}
}

func TestFaultsOfExpectations(t *testing.T) {
	const ops = "get or merge"
	for _, row := range []struct{ name, list, want string }{
		{"a misspelt figure, within quotes", `  - "p98(get) < 20ms"`, `31:6: unknown figure "p98"; did you mean "p90", of the run, a phase or an operation?`},
		{"a misspelt figure, without quotes", `  - throtled < 1%`, `31:5: unknown figure "throtled"; did you mean "throttled", of the run, a phase or an operation?`},
		{"a misspelt figure behind characters of several bytes", `  - 'served("é") / servd > 1'`, `31:20: unknown figure "servd"; did you mean "served", of the run, a phase, an operation or a partition?`},
		{"a figure nothing is near to", `  - weather > 3`, `31:5: unknown figure "weather"; expected p50, p90,`},
		{"a misspelt operation", `  - p99(gt) < 20ms`, `31:9: unknown operation or phase "gt"; did you mean "get"?`},
		{"a misspelt operation of a phase", `  - p99(gt, peak) < 20ms`, `31:9: unknown operation "gt"; did you mean "get"?`},
		{"a misspelt phase", `  - p99(get, paek) < 20ms`, `31:14: unknown phase "paek"; did you mean "peak"?`},
		{"a step of another rate", `  - p99(get, peak 30/s) < 20ms`, `31:14: unknown phase "peak 30/s"; did you mean "peak 10/s"?`},
		{"an operation that the phase does not offer", `  - p99(get, load) < 20ms`, `31:9: operation "get" is not offered by phase "load"; expected none, for there are none`},
		{"the second figure's name", `  - counted(get) / returned(nobody) < 2`, `31:29: unknown operation or phase "nobody"; expected `},
		{"the limit's", `  - p99(get) < 2 * p50(merg)`, `31:24: unknown operation or phase "merg"; did you mean "merge"?`},
		{"no limit", `  - p99(get)`, `31:13: the end stands where the comparison should; expected <, <=, >, >=, == or !=`},
		{"the second of two", "  - throttled < 1%\n  - p99(get) < 20", `32:16: 20 is no limit for p99; expected a time such as 20ms`},
		{"no text", "  - {a: b}", `31:5: expect[0] is a map; expected a text, in quotes where it begins with a brace or a bracket`},
		{"an empty one", `  - ""`, `31:6: the end stands where a figure should; expected one such as p99(get) or throttled`},
		{"a comma in a list in brackets", "  [p99(get, peak) < 20ms]", `31:11: the end stands within the parentheses of p99; expected ) or a comma`},
		{"one that is too long", `  - "` + strings.Repeat(" ", 2000) + `p99 < 1s"`, `31:5: expect[0] is "`},
		{"one too many", strings.Repeat("  - throttled < 1%\n", 51), `31:3: expect has 51 items; expected 0 to 50 checks, such as p99(get) < 20ms`},
		{"no list", `  p99(get) < 20ms`, `31:3: expect is p99(get) < 20ms; expected a list of checks, such as p99(get) < 20ms`},
	} {
		_, err := scenarios.Parse("race.yaml", []byte(expecting(row.list)))
		lines := strings.Split(faultLines(t, err), "\n")
		if !strings.HasPrefix(lines[0], "race.yaml:"+row.want) || len(lines) > 1 && row.name != "a comma in a list in brackets" {
			t.Errorf("%s: Parse(… %q) =\n%s\nwant one fault: race.yaml:%s", row.name, row.list, strings.Join(lines, "\n"), row.want)
		}
	}
	both := strings.Replace(expecting("  - p99(get) < 20ms\n"), "name: peak", "name: get", 1)
	if _, err := scenarios.Parse("race.yaml", []byte(both)); err == nil ||
		err.Error() != `race.yaml:31:9: "get" is an operation and a phase; expected p99(get, *) or p99(*, get)` {
		t.Errorf("Parse() of a name that means two things = %v; want to be asked which", err)
	}
	for _, of := range []string{"(get, *)", "(*, get)", "(get, get)", "(*, get 20.5/s)", ""} {
		if _, err := scenarios.Parse("race.yaml", []byte(strings.Replace(both, "(get) <", of+" <", 1))); err != nil {
			t.Errorf("Parse() of p99%s where %s mean two things = %v; want no error", of, ops, err)
		}
	}
}

func TestStepsOfExpectationsAreThoseOfTheRecord(t *testing.T) {
	steps := func(unit string) string {
		return trafficking("{arrivals: {steps: {rates: [20, 40, 20], each: 5s}}, unit: "+unit+
			", operations: [{verb: query, rows: 10, name: rows}]}", true)
	}
	for _, row := range []struct {
		name, text, phase string
		sound             bool
	}{
		{"a rate that comes twice", steps("operations"), "20/s", true},
		{"the second time", steps("operations"), "20/s #2", true},
		{"a third time there is none", steps("operations"), "20/s #3", false},
		{"entities are no operations", steps("entities"), "20/s", false},
		{"but ten of them are one", steps("entities"), "2/s #2", true},
	} {
		name := strings.TrimSpace(strings.Split(row.text[strings.LastIndex(row.text, "- name: "):], "\n")[0][len("- name: "):])
		text := strings.TrimRight(row.text, "\n") + "\nexpect: [\"share_lost(" + name + " " + row.phase + ") < 1%\"]\n"
		if _, err := scenarios.Parse("race.yaml", []byte(text)); (err == nil) != row.sound {
			t.Errorf("%s: Parse(… share_lost(%s %s) …) = %v; want sound %t", row.name, name, row.phase, err, row.sound)
		}
	}
}
