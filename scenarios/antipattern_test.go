package scenarios_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
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
			s := reread(t, example(row.set))
			opposed, err := s.Opposed()
			require.NoError(t, err, "Opposed()")
			assert.Contains(t, string(opposed.Text()), row.holds, "Opposed()")
			if own, _, _ := strings.Cut(string(s.Text()), "anti_pattern:"); strings.Contains(own, row.holds) {
				t.Errorf("the example itself has %s; want it changed in the anti-pattern alone", row.holds)
			}
		})
	}
	if none, err := new(scenarios.Scenario).Opposed(); none != nil || err != nil {
		t.Errorf("Opposed() of a scenario without an anti-pattern = %v, %v; want none", none, err)
	}
}

// The anti-pattern of an example is the example but for what it says it sets, and it sets
// nothing that is so already.
func TestAntiPatternsDifferInWhatTheySetAlone(t *testing.T) {
	for _, name := range scenarios.Library() {
		s := builtin(t, name)
		opposed, err := s.Opposed()
		if err != nil || opposed == nil {
			continue
		}
		told := make(map[string]bool)
		for _, path := range differences(treeOf(t, s), treeOf(t, opposed), nil) {
			covered := false
			for _, one := range s.AntiPattern.Set {
				if set := byName(treeOf(t, s), strings.Split(one.Path, ".")); path == set || strings.HasPrefix(path, set+".") {
					covered, told[one.Path] = true, true
				}
			}
			assert.Truef(t, covered, "%s: %s differs, and anti_pattern.set does not name it", name, path)
		}
		for _, one := range s.AntiPattern.Set {
			assert.Truef(t, told[one.Path], "%s: anti_pattern.set has %s, and nothing differs in it", name, one.Path)
		}
	}
	race, changed := example("phases.peak.each: 7s"), example("phases.peak.each: 7s")
	changed = strings.Replace(changed, "bib", "rib", 1)
	if got := differences(readTree(t, race), readTree(t, changed), nil); len(got) == 0 {
		t.Error("a scenario with another name within it: no difference; want one")
	}
}

func treeOf(t *testing.T, s *scenarios.Scenario) *fields.Node { return readTree(t, string(s.Text())) }

func readTree(t *testing.T, text string) *fields.Node {
	t.Helper()
	n, faults := fields.ReadTree("one.yaml", []byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return n
}

// plainPath is a path without what says of which kind a phase is, which may be left out.
func plainPath(path []string) string {
	if len(path) > 2 && path[0] == "phases" && (path[2] == "traffic" || path[2] == "load" || path[2] == "peak" || path[2] == "spread") {
		path = slices.Delete(slices.Clone(path), 2, 3)
	}
	return strings.Join(path, ".")
}

// byName is a path without that, and with the names of operations in the place of their
// numbers.
func byName(n *fields.Node, path []string) string {
	path = strings.Split(plainPath(path), ".")
	if len(path) > 3 && path[2] == "operations" {
		if operation := n.Step("phases").Step(path[1]).Step("traffic").Step("operations").Step(path[3]); operation != nil {
			path[3] = operation.Find("name").Text
		}
	}
	return strings.Join(path, ".")
}

// differences returns the paths at which two trees differ, each as far down as both have it.
func differences(a, b *fields.Node, path []string) []string {
	below := func(step string) []string { return append(slices.Clone(path), step) }
	var found []string
	if a == nil && b.Kind == fields.Dict {
		a, b = b, &fields.Node{Kind: fields.Dict}
	}
	switch {
	case a != nil && b == nil && a.Kind == fields.Dict:
		return differences(a, &fields.Node{Kind: fields.Dict}, path)
	case a == nil || b == nil || a.Kind != b.Kind || a.Text != b.Text, a.Kind == fields.List && len(a.Items) != len(b.Items):
		return []string{plainPath(path)}
	case a.Kind == fields.List:
		for i := range a.Items {
			step := strconv.Itoa(i)
			if name := a.Items[i].Find("name"); name != nil {
				step = name.Text
			}
			found = append(found, differences(a.Items[i], b.Items[i], below(step))...)
		}
	case a.Kind == fields.Dict:
		for _, e := range a.Entries {
			found = append(found, differences(e.Value, b.Find(e.Key), below(e.Key))...)
		}
		for _, e := range b.Entries {
			if a.Find(e.Key) == nil {
				found = append(found, differences(nil, e.Value, below(e.Key))...)
			}
		}
	}
	return found
}
