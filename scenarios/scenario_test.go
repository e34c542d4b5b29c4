package scenarios_test

import (
	"errors"
	"fmt"
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

func TestParseFillsInTheStructs(t *testing.T) {
	assert.Empty(t, cmp.Diff(raceParsed(), parsed(t, race), ignorePlaces), "Parse()")
}

func TestTextIsOneForOneMeaning(t *testing.T) {
	want := string(parsed(t, race).Text())
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
		event, _ := g.Value("event", n)
		age, _ := g.Value("age", n)
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
	keysOf := &s.Phases[1].Traffic.Keys
	*keysOf = []string{"berln"}
	if _, err := s.Witnesses(1); !errors.Is(err, scenarios.ErrNoPartition) || !strings.Contains(err.Error(), `"Berlin"`) {
		t.Errorf("Witnesses of berln = %v; want ErrNoPartition and the nearest key", err)
	}
	*keysOf = []string{strings.Repeat("x", 10_000)}
	if _, err := s.Witnesses(1); err == nil || len(err.Error()) > 300 {
		t.Errorf("Witnesses of a long key = %v; want a short error", err)
	}
	s.Design.RowKey = "{bib"
	_, err := s.Witnesses(1)
	assert.ErrorIs(t, err, keys.ErrInvalidOptions, "Witnesses of a broken template")
}
