package run

import (
	"context"
	"fmt"
	"math"
	"testing"

	"loadgen/results"
	"loadgen/scenarios"
)

// What a rehearsal weighs is what a run over a socket sends and receives, whatever it is.
func TestRehearsalWeighsWhatIsSent(t *testing.T) {
	rows := []struct{ name, operation string }{
		{"all together", "{name: a, verb: insert}, {name: b, verb: get}, {name: c, verb: replace}, {name: d, verb: batch, entities: 3, together: [region]}, " +
			"{name: e, verb: query, by: [region]}"},
		{"inserts", "{name: o, verb: insert}"},
		{"gets", "{name: o, verb: get}"},
		{"merges", "{name: o, verb: merge, properties: [{name: Doc, type: Int64, value: \"{doc}\"}]}"},
		{"replaces", "{name: o, verb: replace}"},
		{"upserts", "{name: o, verb: insert-or-merge, properties: [{name: Doc, type: Int64, value: \"{doc}\"}]}"},
		{"deletes", "{name: o, verb: delete}"},
		{"transactions", "{name: o, verb: batch, entities: 7, together: [region]}"},
		{"partitions", "{name: o, verb: query, by: [region]}"},
		{"some rows of them", "{name: o, verb: query, by: [region], rows: 20, select: [Doc]}"},
	}
	for i, row := range rows[:tier(1, len(rows))] {
		// Small and large ones in turn.
		for _, size := range []int{300, 3000}[i%2:][:1] {
			s, err := scenarios.Parse("weight.yaml", fmt.Appendf(nil, `name: weight
seed: 1
retry: none
model: {profile: "off"}
attributes: {region: {list: [north, "the south"]}, doc: {sequence: 1}}
entity: {size: %d, filler: Notes, properties: [{name: Doc, type: Int64, value: "{doc}"}]}
design: {partition_key: "{region}", row_key: "{doc:09d}"}
phases:
  - {name: load, load: {entities: 200}}
  - {name: work, traffic: {arrivals: {constant: 100}, for: 1s, operations: [%s]}}
`, size, row.operation))
			if err != nil {
				t.Fatal(err)
			}
			plan := Plan{Scenario: s}
			r, err := plan.Rehearse(context.Background(), 10_000)
			if err != nil {
				t.Fatal(err)
			}
			plan.On, plan.NoProbe = Embedded, true
			record, err := Run(context.Background(), plan)
			if err != nil {
				t.Fatal(err)
			}
			all := record.Total(results.Everything)
			off := func(got, want int64) bool { return math.Abs(float64(got-want)) > 0.05*float64(want) }
			if off(r.Sent, all.BytesOut) || off(r.Received, all.BytesIn) {
				t.Errorf("%s of %d bytes: %d sent and %d received; %d and %d on the wire: %+.1f and %+.1f per operation", row.name, size, r.Sent, r.Received,
					all.BytesOut, all.BytesIn, float64(all.BytesOut-r.Sent)/100, float64(all.BytesIn-r.Received)/100)
			}
		}
	}
}
