package campaign_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// Each request of an operation, of a workflow's and of retries too, lets the service take as
// long as the scenario says, and those of others as long as the service does.
func TestTimeoutsOfOperations(t *testing.T) {
	s := parsed(t, `name: hasty
seed: 4
table: staff
retry: documented
model: {partition_target: 500}
attributes: {employee: {sequence: 1}, office: {list: [Rome]}}
entity: {properties: [{name: Employee, value: "{employee}"}, {name: Total, type: Int64, value: "{employee}"}]}
design:
  partition_key: "{office}"
  row_key: "{employee:06d}"
  places: [{name: sum, partition_key: "{office}", row_key: sum}]
phases:
  - name: load
    load: {entities: 50}
  - name: day
    traffic:
      arrivals: {constant: 200}
      for: 3s
      operations:
        - {name: look, verb: get, timeout: 2s}
        - {name: leave, verb: delete}
        - {name: hire, workflow: summed-insert, with: {summary: sum, adds: Total}, timeout: 30s}
`)
	w, table := newWorld(t, s, nil), make(map[entity.Verb]map[time.Duration]int)
	counting := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		if table[op.Verb] == nil {
			table[op.Verb] = make(map[time.Duration]int)
		}
		table[op.Verb][op.Timeout]++
		return w.Submit(now, op)
	})
	recorded(t, carry(t, t.Context(), &drive.Virtual{Target: counting}, campaign.Options{Scenario: s, Table: "run", NewName: true}, nil))
	look, hire := table[entity.Get][2*time.Second], table[entity.Get][30*time.Second]
	assert.Truef(t, look >= 150 && hire >= 150 && (len(table[entity.Get]) == 2 || table[entity.Get][0] <= 50),
		"gets by what the service may take: %v; want those of look 2 s, and those of hire 30 s", table[entity.Get])
	if batches := table[entity.Batch]; batches[30*time.Second] < 20 || batches[2*time.Second] > 0 {
		t.Errorf("transactions by what the service may take: %v; want 30 s but for the load", batches)
	}
	if deletes := table[entity.Delete]; len(deletes) != 1 || deletes[0] < 150 {
		t.Errorf("deletes by what the service may take: %v; want none told", deletes)
	}
}
