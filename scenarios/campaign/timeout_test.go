package campaign_test

import (
	"context"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// patient counts requests by how long they let the service take.
type patient struct {
	target.Immediate
	table map[entity.Verb]map[time.Duration]int
}

func (p *patient) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	if p.table[op.Verb] == nil {
		p.table[op.Verb] = make(map[time.Duration]int)
	}
	p.table[op.Verb][op.Timeout]++
	return p.Immediate.Submit(now, op)
}

// Each request of an operation, of a workflow's and of retries too, lets the service take as
// long as the scenario says, and those of others as long as the service does.
func TestTimeoutsOfOperations(t *testing.T) {
	s, err := scenarios.Parse("hasty.yaml", []byte(`name: hasty
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
`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "run", NewName: true})
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: c.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{target.NewInProcess(engineOf(t, s, false), "one", nil), make(map[entity.Verb]map[time.Duration]int)}
	if err := c.Run(context.Background(), &drive.Virtual{Target: p}, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	look, hire := p.table[entity.Get][2*time.Second], p.table[entity.Get][30*time.Second]
	if look < 150 || hire < 150 || len(p.table[entity.Get]) != 2 && p.table[entity.Get][0] > 50 {
		t.Errorf("gets by what the service may take: %v; want those of look 2 s, and those of hire 30 s", p.table[entity.Get])
	}
	if batches := p.table[entity.Batch]; batches[30*time.Second] < 20 || batches[2*time.Second] > 0 {
		t.Errorf("transactions by what the service may take: %v; want 30 s but for the load", batches)
	}
	if deletes := p.table[entity.Delete]; len(deletes) != 1 || deletes[0] < 150 {
		t.Errorf("deletes by what the service may take: %v; want none told", deletes)
	}
}
