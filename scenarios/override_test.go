package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
	"loadgen/scenarios"
)

func TestSet(t *testing.T) {
	traffic, spread := edited(t, "traffic.yaml"), edited(t, "spread.yaml")
	bases := map[string]string{"": race, "traffic": traffic, "spread": spread, "listed": strings.Replace(spread, "s: 2", "s: [NYC]", 1)}
	for _, row := range resultstest.Rows(t, "testdata/set.txt", 6) {
		path, value, base := row[1], row[2], bases[row[5]]
		if attribute, is := strings.CutPrefix(row[5], "x "); is {
			base = attributing(attribute)
		} else if accounts, is := strings.CutPrefix(row[5], "accounts "); is {
			base = sharded(t, accounts, "")
		}
		s := parsed(t, base)
		before := withoutAbout(s)
		require.NoErrorf(t, s.Set(path, value), "%s: Set(%q, %q)", row[0], path, value)
		got, want := withoutAbout(s), strings.Replace(before, row[3], row[4], 1)
		assert.Equalf(t, want, got, "%s: text after Set(%q, %q)", row[0], path, value)
		assert.NotEqual(t, before, got, row[0])
		all := parsed(t, base)
		require.NoErrorf(t, all.SetAll([]scenarios.Setting{{Path: path, Value: value}}), "%s: SetAll(%q, %q)", row[0], path, value)
		assert.Equal(t, got, withoutAbout(all), row[0])
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
