package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
)

// withWorkflows has the workflows of a run count two things and leave three rules
// behind, of which one is broken and one has nothing to hold of.
func withWorkflows(record *results.Record) {
	record.Counters = results.NewCounters(map[results.CounterName]int64{
		{Operation: "transfer", Name: "killed"}:            1_219,
		{Operation: "look-up", Name: "neither " + hostile}: 0,
	})
	record.Invariants = []results.Invariant{
		{Name: "the legs of each transfer sum to zero", Looked: 40_000, Faults: 12,
			Examples: []string{"the legs of transfer 100007 sum to -5", "the legs of transfer " + hostile + " sum to 7"}},
		{Name: "each entity is in the list of its name", Looked: 1_000},
		{Name: "no message is left"},
	}
}

// What is not there is not spoken of, and what is not so has its number.
func TestWorkflowsAreShownWhereThereAreAny(t *testing.T) {
	record := stress().Record(t)
	if plain := text(t, record); strings.Contains(plain, "Counted by workflows") || strings.Contains(plain, "What must hold") {
		t.Errorf("a run without workflows tells of them:\n%s", plain)
	}
	withWorkflows(record)
	shown := text(t, record)
	for _, want := range []string{"  1,219  transfer   killed\n", "NO       40,000      12  the legs of each transfer sum to zero\n",
		"  - and 10 more, where", "yes       1,000       0  each entity is in the list of its name\n", "unknown       0       0  no message is left\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the report does not show %q:\n%s", want, shown)
		}
	}
}

// Scripts read the same from the summary, which has no field for what was not there.
func TestSummaryHoldsWhatWorkflowsCame(t *testing.T) {
	record := stress().Record(t)
	plain, err := json.Marshal(verdict.Judge(record))
	if err != nil || strings.Contains(string(plain), "counters") || strings.Contains(string(plain), "invariants") {
		t.Errorf("%v; the summary of a run without workflows is %s", err, plain)
	}
	withWorkflows(record)
	summary := verdict.Judge(record)
	spelled, err := json.Marshal(summary)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"operation":"transfer","name":"killed","count":1219}`,
		`{"name":"each entity is in the list of its name","looked":1000,"violations":0}`} {
		if !strings.Contains(string(spelled), want) {
			t.Errorf("the summary has no %s:\n%s", want, spelled)
		}
	}
	summary.Counters[0].Count, summary.Invariants[0].Examples[0] = -1, ""
	if record.Counters[0].Count == -1 || record.Invariants[0].Examples[0] == "" {
		t.Error("the summary shares memory with the record; want copies")
	}
}
