package advise

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run/runtest"
)

// A workflow is told as such, with the requests and entities that it sends, and not as
// the verb that stands for it.
func TestWorkflowsAreToldByWhatTheySend(t *testing.T) {
	s := runtest.Builtin(t, "bank-transfer")
	opposed, err := s.Opposed()
	require.NoError(t, err)
	for _, row := range []struct {
		sentence   string
		s          *scenarios.Scenario
		requests   float64
		partitions []string
	}{
		{"both legs together", s, 1, []string{"100000", "100000"}},
		{"each with its account", opposed, 2, []string{"account 10461", "account 10378"}},
	} {
		e := explained(t, row.s)
		one := e.Used().Loads[0].Approaches[0]
		assert.Truef(t, one.Workflow == "transfer" && math.Abs(one.Requests-row.requests) <= .02 && math.Abs(one.Entities-2) <= .02 && one.Class == "" && !one.AtLeast && one.Beside == 0,
			"%s: the operation is %+v; want the workflow transfer, %v requests and 2 entities, of no class", row.sentence, one, row.requests)
		samples := e.Used().Samples
		if len(samples) != 2 || samples[0].PartitionKey != row.partitions[0] || samples[1].PartitionKey != row.partitions[1] ||
			samples[0].Of != "transfer" || samples[0].Bytes > 200 {
			t.Errorf("%s: the samples are %+v; want the two legs, in %v", row.sentence, samples, row.partitions)
		}
		checkDocument(t, row.sentence, e.Document(), e.State, 20, "workflow ")
		for _, id := range []string{"batches", "point-queries"} {
			if f := findingOf(e.Findings, id); f.Verdict != NotApplicable {
				t.Errorf("%s: %s is %s: %s; want it not to apply", row.sentence, f.ID, f.Verdict, f.Evidence)
			}
		}
	}
}

// What nobody knows before a run is said to be so.
func TestWorkflowsThatAskAreCountedAtLeast(t *testing.T) {
	counted := counter{operations: 4, entities: 8, performed: 2, sent: campaign.Sent{Requests: 10, Queries: 2, Beside: 3}}
	assert.EqualValues(t, 5, counted.requests(&campaign.Approach{Spec: &scenarios.OperationSpec{}}),
		"requests of ten by two operations")
	load := Load{Phase: "day", Approaches: []Operation{{Name: "move", Verb: "get", Workflow: "move", AtLeast: true, Beside: 1.5, Entities: 3, Share: 1}}}
	table := load.table("day")
	if counts, does := cellOf(t, table, 0, "counts"), cellOf(t, table, 0, "does"); counts != "3+" || does != "workflow move" {
		t.Errorf("the operation counts %s and does %s; want at least 3 entities, and the workflow's name", counts, does)
	}
	if notes := strings.Join(load.Approaches[0].unknown(), " "); !strings.Contains(notes, "queries") || !strings.Contains(notes, "1.5") {
		t.Errorf("what is unknown is %q; want what its queries read, and 1.5 requests beside", notes)
	}
	write := Operation{Name: "move", Workflow: "move"}
	if notes := write.unknown(); len(notes) > 0 {
		t.Errorf("of a workflow that only writes %q is unknown; want nothing", notes)
	}
}
