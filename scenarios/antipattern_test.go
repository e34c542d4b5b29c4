package scenarios_test

import (
	"strings"
	"testing"

	"loadgen/scenarios"
)

// example is the race with an anti-pattern.
func example(set string) string {
	return race + "anti_pattern:\n  about: what is wrong\n  set: {" + set + "}\n"
}

func TestAntiPatterns(t *testing.T) {
	for _, row := range []struct{ name, set, holds string }{
		{"a number", "phases.peak.each: 7s", "each: 7s"},
		{"a text with braces", `design.row_key: "{bib:05d}__{age}"`, `row_key: "{bib:05d}__{age}"`},
		{"a list", "phases.peak.rates: [5, 7]", "rates: [5, 7]"},
		{"a list of maps, whose texts have quotes of their own",
			"phases.peak.operations: [{verb: query, class: partition-scan, where: Age eq 5 or Age eq 7}]", `where: "Age eq 5 or Age eq 7"`},
		{"a text in quotes of the filter", `phases.peak.operations: [{verb: query, class: partition-scan, where: Timestamp ne datetime'2020-01-01T00:00:00Z'}]`, `where: "Timestamp ne datetime'2020-01-01T00:00:00Z'"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := scenarios.Parse("race.yaml", []byte(example(row.set)))
			if err != nil {
				t.Fatal(err)
			}
			again, err := scenarios.Parse("race.yaml", s.Text())
			if err != nil || string(again.Text()) != string(s.Text()) {
				t.Fatalf("Parse(Text()) = %v, %v; want the same scenario", again, err)
			}
			for _, one := range []*scenarios.Scenario{s, again} {
				opposed, err := one.Opposed()
				if err != nil {
					t.Fatalf("Opposed() = %v", err)
				}
				if text := string(opposed.Text()); !strings.Contains(text, row.holds) {
					t.Errorf("Opposed() =\n%s\nwant %s in it", text, row.holds)
				}
				if strings.Contains(string(one.Text()[:strings.Index(string(one.Text()), "anti_pattern:")]), row.holds) {
					t.Errorf("the example itself has %s; want it changed in the anti-pattern alone", row.holds)
				}
			}
		})
	}
	if none, err := new(scenarios.Scenario).Opposed(); none != nil || err != nil {
		t.Errorf("Opposed() of a scenario without an anti-pattern = %v, %v; want none", none, err)
	}
}

func TestFaultsOfAntiPatterns(t *testing.T) {
	for _, row := range []struct{ name, set, want string }{
		{"a path that leads nowhere", "phases.peek.each: 7s", "unknown item of phases"},
		{"a value out of its bounds", "phases.peak.each: 7ms", "expected"},
		{"values that do not go together", `design.row_key: "{nobody}"`, "unknown attribute"},
		{"nothing to set", "", "a map from paths to values"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := scenarios.Parse("race.yaml", []byte(example(row.set)))
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "race.yaml:") {
				t.Errorf("Parse = %v; want a place in the file and %q", err, row.want)
			}
		})
	}
}
