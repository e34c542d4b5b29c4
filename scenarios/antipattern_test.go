package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		s := reread(t, example(row.set))
		opposed, err := s.Opposed()
		require.NoErrorf(t, err, "%s: Opposed()", row.name)
		assert.Containsf(t, string(opposed.Text()), row.holds, "%s: Opposed()", row.name)
		if own, _, _ := strings.Cut(string(s.Text()), "anti_pattern:"); strings.Contains(own, row.holds) {
			t.Errorf("%s: the example itself has %s; want it changed in the anti-pattern alone", row.name, row.holds)
		}
	}
	if none, err := new(scenarios.Scenario).Opposed(); none != nil || err != nil {
		t.Errorf("Opposed() of a scenario without an anti-pattern = %v, %v; want none", none, err)
	}
}

// The anti-pattern of an example sets nothing that is so already.
func TestAntiPatternsSetWhatIsOtherwise(t *testing.T) {
	for _, name := range scenarios.Library() {
		s := *builtin(t, name)
		if s.AntiPattern == nil {
			continue
		}
		for _, one := range s.AntiPattern.Set {
			before := string(s.Text())
			require.NoErrorf(t, s.Set(one.Path, one.Value), "%s: Set(%s)", name, one.Path)
			require.NotEqualf(t, before, string(s.Text()), "%s: Set(%s)", name, one.Path)
		}
	}
}
