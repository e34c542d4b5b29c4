package scenarios_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// parsed returns the scenario of a text that is known to be one.
func parsed(t testing.TB, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("race.yaml", []byte(text))
	require.NoError(t, err, "Parse()")
	return s
}

// reread returns the scenario of a text. Its canonical text must mean the same, and be its own.
func reread(t testing.TB, text string) *scenarios.Scenario {
	t.Helper()
	s := parsed(t, text)
	again := parsed(t, string(s.Text()))
	if diff := cmp.Diff(s, again, ignorePlaces); diff != "" || string(again.Text()) != string(s.Text()) {
		t.Errorf("Parse(Text()) differs (-want +got):\n%s\nin\n%s", diff, s.Text())
	}
	assert.Empty(t, s.Validate())
	return s
}

// raceParsed is what the race of the fault tests says, defaults included.
func raceParsed() *scenarios.Scenario {
	age := []scenarios.PropertySpec{{Name: "Age", Type: "Int32", Value: "{age}"}}
	return &scenarios.Scenario{
		Name: "race", Seed: 7, Table: "loadgen", Start: scenarios.StartWarm, Retry: "short", Workers: 8,
		Model: scenarios.Model{Profile: "documented", Overrides: []scenarios.Override{{Name: "partition_target", Text: "500"}}},
		Attributes: []keys.Attribute{
			{Name: "event", Values: keys.ValueList{Values: []string{"NYC", "Berlin"}, Weights: []int64{3, 1}}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
			{Name: "age", Values: keys.Uniform{Low: 18, High: 79}},
		},
		Entity: scenarios.Entity{Size: 600, Filler: "Notes", Properties: age},
		Design: scenarios.Design{PartitionKey: "{event}", RowKey: "{bib}__{age}"},
		Phases: []scenarios.Phase{
			{Name: "load", Load: &scenarios.Load{Entities: 200, Transaction: 100, Lanes: 4}},
			{Name: "peak", Form: scenarios.FormPeak, Traffic: &scenarios.Traffic{
				Keys: []string{"NYC"}, Unit: scenarios.UnitOperations, Drain: 5 * time.Second,
				Arrivals: &scenarios.Arrivals{Steps: &scenarios.Steps{Rates: []float64{10, 20.5}, Each: 2 * time.Second}},
				Operations: []scenarios.OperationSpec{
					{Name: "get", Verb: entity.Get, Weight: 3, Group: scenarios.GroupGet},
					{Name: "merge", Verb: entity.Merge, Weight: 1, Group: scenarios.GroupPut, Properties: age},
				},
			}},
		},
	}
}

var ignorePlaces = cmp.Options{
	cmpopts.IgnoreUnexported(scenarios.Scenario{}, scenarios.Rows{}, scenarios.RowColumn{}),
	cmp.Comparer(func(a, b keys.Template) bool { return a.String() == b.String() }),
}

func TestTextIsOneForOneMeaning(t *testing.T) {
	want := string(parsed(t, race).Text())
	assert.Empty(t, cmp.Diff(raceParsed(), parsed(t, race), ignorePlaces), "Parse()")
	assert.Equal(t, want, string(raceParsed().Text()), "Text() of the structs")
	for _, tt := range []struct{ name, text string }{
		{"the canonical form itself", want},
		{"a byte order mark before it", "\uFEFF" + race},
		{"line ends with carriage returns", strings.ReplaceAll(race, "\n", "\r\n")},
		{"comments and blank lines between", "# a race\n\n" + strings.ReplaceAll(race, "\nworkers", "\n\n# eight\nworkers")},
		{"a document marker before it", "---\n" + race},
		{"fields in another order", strings.Replace(race, "name: race\nseed: 7\n", "", 1) + "seed: 7\nname: race\n"},
		{"defaults written out", strings.Replace(race, "seed: 7", "seed: 7\nstart: warm\nretry: short", 1)},
	} {
		assert.Equalf(t, want, string(parsed(t, tt.text).Text()), "%s: Text()", tt.name)
	}
	assert.NotEqual(t, want, string(parsed(t, strings.Replace(race, "seed: 7", "seed: 8", 1)).Text()), "another seed")
}

// TestTextOfEveryField leaves no field of the format at its default.
func TestTextOfEveryField(t *testing.T) {
	text := textsIn(t, "testdata/valid")["everything.yaml"]
	s := reread(t, text)
	assert.Empty(t, cmp.Diff(text, string(s.Text())), "Text() differs from what was parsed (-want +got)")
	for phase, want := range []uint64{0, 10, 30, 30, 30} {
		assert.Equalf(t, want, s.Loaded(phase), "Loaded(%d)", phase)
	}
	steps := s.Phases[3].Traffic.Arrivals.Steps
	assert.Equal(t, []float64{0.001, 1e6}, steps.Rates)
	assert.True(t, steps.Hold)
	for i, want := range []int{3, 1_000_000, 1, 3, 1} {
		assert.Equalf(t, want, s.Phases[3].Traffic.Operations[i].Offers(), "Offers() of operation %d", i)
	}
}

func TestValidateHoldsForWhatAProgramPutTogether(t *testing.T) {
	s := raceParsed()
	require.Empty(t, s.Validate())
	s.Workers = -1
	s.Phases[1].Traffic.Arrivals.Steps.Rates[1] = -1
	s.Phases[1].Traffic.Keys[0] = "Rome"
	s.Attributes[2].Values = nil
	s.Phases[0].Count = &scenarios.Count{Lanes: 1}
	want := []string{
		"workers workers 1", "attributes.age attributes.age 0", "phases.0 phases.0 2", "phases.1.peak.rates.1 phases.1.peak.rates.1 1 1",
	}
	got := faultPlaces(t, fields.FaultsOf(s.Validate()))
	assert.Equal(t, want, got, "Validate()")
	assert.NotEmpty(t, (&scenarios.Scenario{}).Validate(), "Validate() of the zero scenario")
}

func TestGeneratorFollowsTheScenario(t *testing.T) {
	s := parsed(t, race)
	g, err := s.Generator()
	require.NoError(t, err, "Generator()")
	for n := range uint64(200) {
		event, _ := g.ValueOf("event", keys.Event{Number: n})
		age, _ := g.ValueOf("age", keys.Event{Number: n})
		require.Equalf(t, entity.Key{Partition: event, Row: fmt.Sprintf("%d__%s", n+1, age)}, g.Key(n), "Key(%d)", n)
	}
	part, err := s.Phases[1].Traffic.Operations[1].Part(g)
	require.NoError(t, err, "Part()")
	assert.Equal(t, g.Properties(5)[:1], part.Properties(5), "the merge has the age")

	s.Design.RowKey = "{bib"
	_, err = s.Generator()
	assert.ErrorIs(t, err, keys.ErrInvalidOptions, "Generator() of a broken template")
	broken := scenarios.OperationSpec{Properties: []scenarios.PropertySpec{{Name: "A", Type: "Int3", Value: "{"}}}
	_, err = broken.Part(g)
	assert.ErrorIs(t, err, keys.ErrInvalidOptions, "Part() of a broken template")
}

// What a program calls a peak, and is none, is refused without ado.
func TestPeakThatIsNone(t *testing.T) {
	for _, traffic := range []scenarios.Traffic{{}, {Keys: []string{"NYC"}}, {Keys: []string{"NYC"}, Arrivals: &scenarios.Arrivals{Constant: 1}}} {
		s := parsed(t, race)
		s.Phases[1].Traffic = &traffic
		assert.NotEmptyf(t, s.Validate(), "Validate of a peak that is %+v = nothing; want faults", traffic)
	}
}

// A key that nothing has is answered with the nearest, and a long one is cut.
func TestWitnessesOfWhatIsNotThere(t *testing.T) {
	s := parsed(t, race)
	g, err := s.Generator()
	require.NoError(t, err)
	keysOf := &s.Phases[1].Traffic.Keys
	*keysOf = []string{"berln"}
	if _, err := s.Witnesses(g, 1); !errors.Is(err, scenarios.ErrNoPartition) || !strings.Contains(err.Error(), `"Berlin"`) {
		t.Errorf("Witnesses of berln = %v; want ErrNoPartition and the nearest key", err)
	}
	*keysOf = []string{strings.Repeat("x", 10_000)}
	if _, err := s.Witnesses(g, 1); err == nil || len(err.Error()) > 300 {
		t.Errorf("Witnesses of a long key = %v; want a short error", err)
	}
}

// sharded is the race over accounts, with another PartitionKey if one is given.
func sharded(t testing.TB, accounts, partitionKey string) string {
	text := edited(t, "sharded.yaml", "{number: 2}", accounts)
	if partitionKey != "" {
		text = strings.Replace(text, `partition_key: "{event}"`, "partition_key: "+partitionKey, 1)
		text = text[:strings.Index(text, "  - name: peak")]
	}
	return text
}

func TestAccountsAreReadAndWritten(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       *scenarios.Accounts
	}{
		{"one account goes without saying", race, nil},
		{"a number of them", sharded(t, "{number: 2}", ""), &scenarios.Accounts{Number: 2}},
		{"as many as there can be", sharded(t, "{number: 16}", ""), &scenarios.Accounts{Number: 16}},
		{"one, and what would choose between several", sharded(t, `{by: "{event}"}`, ""), &scenarios.Accounts{Number: 1, By: "{event}"}},
		{"an attribute that chooses", sharded(t, `{number: 3, by: "{event}"}`, ""), &scenarios.Accounts{Number: 3, By: "{event}"}},
		{"text around it", sharded(t, `{number: 3, by: "a{{{event}}}"}`, ""), &scenarios.Accounts{Number: 3, By: "a{{{event}}}"}},
	} {
		assert.Equalf(t, row.want, reread(t, row.text).Accounts, "%s: accounts", row.name)
	}
}

func TestAccountOfAPartition(t *testing.T) {
	for _, row := range []struct {
		name, accounts, key string
		// of are PartitionKeys by the account that they must lie in.
		of map[string]int
	}{
		{"one account has them all", "{number: 1}", "", map[string]int{"NYC": 0, "Berlin": 0, "": 0}},
		{"a number below theirs is the account", `{number: 2, by: "{age}"}`, `"{age}"`, map[string]int{"0": 0, "1": 1, "001": 1, "00": 0}},
		{"any other number goes by its hash", `{number: 2, by: "{age}"}`, `"{age}"`, map[string]int{"2": 1, "3": 0, "99999999999999999999": 0}},
		{"a part of the key is", `{number: 16, by: "{age}"}`, `"{event}__{age}"`, map[string]int{"NYC__15": 15, "Berlin__3": 3, "__7": 7}},
		{"its value ends where the next text begins", `{number: 16, by: "{event}"}`, `"{event}_{age}"`, map[string]int{"3_4_5": 3, "12_": 12}},
		{"text before and behind", `{number: 16, by: "{age}"}`, `"x{{{age}}}y"`, map[string]int{"x{9}y": 9}},
		{"two attributes make one number", `{number: 16, by: "{event}{age}"}`, `"{age}-{event}"`, map[string]int{"5-1": 15, "1-": 1}},
		{"a placeholder twice goes by the last", `{number: 16, by: "{age}"}`, `"{age}-{age}"`, map[string]int{"4-4": 4}},
	} {
		h := parsed(t, sharded(t, row.accounts, row.key)).Sharding()
		for key, want := range row.of {
			assert.Equalf(t, want, h.AccountOf(key), "%s: AccountOf(%q)", row.name, key)
		}
	}
}

// What a key chooses its account by is all that counts, and what chooses differs
// from what does not.
func TestPartitionsOfOneChoiceShareAnAccount(t *testing.T) {
	h := parsed(t, sharded(t, `{number: 16, by: "{event}"}`, `"{event}_{age}"`)).Sharding()
	accounts := map[int]bool{}
	for event := range 200 {
		first := h.AccountOf(fmt.Sprintf("race%d_18", event))
		accounts[first] = true
		for age := 19; age < 80; age++ {
			if got := h.AccountOf(fmt.Sprintf("race%d_%d", event, age)); got != first {
				t.Fatalf("AccountOf(race%d_%d) = %d; want that of race%d_18, %d", event, age, got, event, first)
			}
		}
	}
	assert.Len(t, accounts, 16, "200 events lie in accounts")
	// A key that is not of the template goes by its whole text.
	ended := parsed(t, sharded(t, `{number: 16, by: "{event}"}`, `"{event}_end"`)).Sharding()
	for _, row := range []struct {
		name, format string
		in           *scenarios.Sharding
	}{
		{"without the design's text", "race-%d", h}, {"that go on behind it", "race_end%d", ended}, {"that break off before it", "race%d_en", ended},
	} {
		others := map[int]bool{}
		for n := range 200 {
			others[row.in.AccountOf(fmt.Sprintf(row.format, n))] = true
		}
		assert.Lenf(t, others, 16, "200 keys %s lie in accounts", row.name)
	}
}

// Hashed keys fall into the accounts evenly, whatever they have in common: the
// count in each lies within five standard deviations of the binomial mean.
func TestHashedPartitionsAreEven(t *testing.T) {
	const keys = 20_000
	for _, row := range []struct{ name, format string }{
		{"numbers", "%d"}, {"numbers with zeros before", "%010d"}, {"names that end alike", "user-%d@example.org"},
		{"even numbers", "%d0"}, {"days", "2026-11-21T%05d"}, {"the same number twice", "%[1]d-%[1]d"},
	} {
		for _, number := range []int{2, 3, 7, 16} {
			h := parsed(t, sharded(t, fmt.Sprintf("{number: %d}", number), "")).Sharding()
			counts := make([]int, number)
			for n := range keys {
				counts[h.AccountOf(fmt.Sprintf(row.format, n))]++
			}
			p := 1 / float64(number)
			mean, deviation := keys*p, math.Sqrt(keys*p*(1-p))
			for account, count := range counts {
				assert.LessOrEqualf(t, math.Abs(float64(count)-mean), 5*deviation,
					"%s over %d accounts: account %d has %d of %d", row.name, number, account, count, keys)
			}
		}
	}
}

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
		require.Emptyf(t, s.Validate(), "%s: nothing checks it where it is read", name)
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

// What is left out of a gate is the default, which a scenario without one has, too.
func TestGateOfAScenario(t *testing.T) {
	byDefault := []string{"p99", "served", "share_lost"}
	for _, row := range []struct {
		name, gate string
		metrics    []string
		threshold  float64
		text       string
	}{
		{"none", "", byDefault, .05, ""},
		{"a threshold alone", "gate: {threshold: 10%}", byDefault, .1, "gate:\n  metrics: [p99, served, share_lost]\n  threshold: 10%\n"},
		{"metrics alone", "gate: {metrics: [\"p50(get, peak)\"]}", []string{"p50(get, peak)"}, .05, "gate:\n  metrics: [\"p50(get, peak)\"]\n  threshold: 5%\n"},
	} {
		s := reread(t, expecting("  - throttled < 1%")+"\n"+row.gate+"\n")
		got := s.Gated()
		assert.Equalf(t, scenarios.Gate{Metrics: row.metrics, Threshold: row.threshold}, got, "%s: Gated()", row.name)
		if text := string(s.Text()); !strings.Contains(text, row.text) || strings.Contains(text, "gate:") != (row.gate != "") {
			t.Errorf("%s: Text() =\n%s\nwant %q in it", row.name, text, row.text)
		}
		if got.Metrics[0] = "max"; s.Gated().Metrics[0] == "max" {
			t.Errorf("%s: Gated() returns the scenario's own slice", row.name)
		}
	}
	// A gate is changed by its path like any other value, and checked likewise.
	s := parsed(t, expecting("  - throttled < 1%"))
	require.NoError(t, s.Set("gate", "{metrics: [served]}"))
	require.Equal(t, []string{"served"}, s.Gated().Metrics)
	require.NoError(t, s.Set("gate.metrics.0", "p99(gte)"))
	faults := s.Validate()
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "--set gate.metrics.0: byte 4: ", "the unknown name where it was set")
}
