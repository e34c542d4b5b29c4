package campaign_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// What a scenario selects is what comes back.
func TestAScenarioProjects(t *testing.T) {
	for operation, want := range map[string]int{"": 10, ", select: [Age, Name]": 2, ", select: [RowKey]": 0} {
		s := small(t, "phases.load.entities=300", "phases.peak.rates=[1]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=[{name: page, verb: query, class: point"+operation+"}]")
		w, entities, properties := newWorld(t, s, nil), 0, 0
		noting := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			outcome, done := w.Submit(now, op)
			for _, row := range outcome.Rows {
				list, _ := row.Entity.Unpack(nil)
				entities, properties = entities+1, len(list)
			}
			return outcome, done
		})
		recorded(t, carry(t, t.Context(), &drive.Virtual{Target: noting}, stress(s), nil))
		assert.Truef(t, properties == want && entities == 301,
			"a point query%s returned %d properties, %d entities with those counted; want %d, 301", operation, properties, entities, want)
	}
}

// A query that begins at a token is due to count what is left, and counts it; one whose
// token only its service can read is taken for one of the whole.
func TestOffersOfAResumedQuery(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name string
		at   target.Token
		want int64
	}{
		{"from the beginning", target.Token{}, 300},
		{"from the middle", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1150"}, 150},
		{"from the last entity", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1299"}, 1},
		{"from a token that no key follows", target.Token{Present: true, NextPartitionKey: "~", NextRowKey: ""}, 300},
	} {
		t.Run(row.name, func(t *testing.T) {
			token, err := row.at.MarshalText()
			require.NoError(t, err)
			from := ""
			if row.at.Present {
				from = ", from: " + string(token)
			}
			record := simulated(t, parsed(t, fmt.Sprintf(`name: resume
attributes: {id: {sequence: 1000}}
entity: {size: 200}
design: {partition_key: one, row_key: "{id}"}
phases:
  - {name: load, load: {entities: 300, lanes: 1}}
  - name: read
    traffic:
      partitions: [one]
      arrivals: {constant: 1}
      for: 3s
      operations: [{verb: query, class: partition-scan%s}]
`, from)))
			for i, kind := range record.Manifest.Operations {
				k := &record.Phases[len(record.Phases)-2].Kinds[i]
				assert.Falsef(t, kind.Name == "query" && k.Offered != row.want*k.Operations,
					"%d queries are due to count %d; want %d each", k.Operations, k.Offered, row.want)
				assert.Falsef(t, kind.Name == "query" && row.at.NextPartitionKey != "~" && k.Counted != k.Offered,
					"they counted %d of %d; want all", k.Counted, k.Offered)
			}
		})
	}
}
