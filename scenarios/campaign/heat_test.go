package campaign_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// warmth is what went to one place.
type warmth struct{ served, throttled, failed, demanded int64 }

// thermometer is a target that notes by table and PartitionKey what it is asked for, and
// what it answered.
type thermometer struct {
	target.Immediate
	table string
	seen  map[[2]string]*warmth
	// whole is what went to no single partition.
	whole warmth
}

func (m *thermometer) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := m.Immediate.Submit(now, op)
	at := &m.whole
	if key, one := op.PartitionKey(); one {
		place := [2]string{op.Table[len(m.table):], key}
		if m.seen[place] == nil {
			m.seen[place] = new(warmth)
		}
		at = m.seen[place]
	}
	switch outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) {
	case results.Ok:
		at.served += outcome.Counted
		at.demanded += outcome.Counted
	case results.Throttled:
		at.throttled++
		at.demanded += op.Entities()
	default:
		at.failed++
	}
	return outcome, done
}

// sum adds a list up.
func sum(list []int64) (all int64) {
	for _, n := range list {
		all += n
	}
	return all
}

func warmthOf(c *results.HeatCells) *warmth {
	return &warmth{sum(c.Served), sum(c.Throttled), sum(c.Failed), sum(c.Demanded)}
}

// The heat map of a run is what the target saw: by table and PartitionKey, throttled writes
// of copies and retries included.
func TestHeatIsWhatTheTargetSaw(t *testing.T) {
	rows := []struct{ name, design, operations string }{
		{"one partition at a time", "hour", "{verb: insert, weight: 3}, {verb: replace}"},
		{"a transaction", "customer", "{verb: batch, entities: 7, together: [customer]}, {verb: get}"},
		{"copies in the same table and in another", "copied", "{verb: insert}, {verb: merge, properties: [{name: State, value: void}]}, {verb: batch, entities: 4, together: [customer]}"},
		{"copies in the entity's own partition", "beside", "{verb: insert}, {verb: delete}"},
		{"a search before the write", "customer", "{verb: merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"a read before the write", "customer", "{verb: merge, read_first: true, properties: [{name: State, value: void}]}"},
	}
	for _, row := range spread(rows, tier(2, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			s := ordered(t, row.design, "arrivals: {constant: 300}, for: 6s, drain: 5s, operations: ["+row.operations+"]")
			set(t, s, "model.partition_target=40", "attributes.customer={zipf: {of: 40, exponent: 1.5}}")
			meter := &thermometer{Immediate: newWorld(t, s, nil), table: "orders", seen: make(map[[2]string]*warmth)}
			record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: meter}, campaign.Options{Scenario: s, Table: "orders"}, nil))
			h := record.Heat
			require.NotNil(t, h)
			require.LessOrEqual(t, len(meter.seen), results.KeptRows, "partitions, few enough for a row each")
			got := make(map[[2]string]*warmth)
			for i := range h.Rows {
				got[[2]string{h.Rows[i].Table, h.Rows[i].Key}] = warmthOf(&h.Rows[i].HeatCells)
			}
			assert.Empty(t, cmp.Diff(meter.seen, got, cmp.AllowUnexported(warmth{})), "-target +map")
			assert.Equal(t, meter.whole, *warmthOf(&h.Nowhere), "what is of no partition")
			all := record.Total(results.Everything)
			assert.GreaterOrEqual(t, all.Throttled, int64(50), "enough for the test to say something")
			mapped := *warmthOf(&h.Rest)
			for _, one := range append(slices.Collect(maps.Values(got)), warmthOf(&h.Nowhere)) {
				mapped.served += one.served
				mapped.throttled += one.throttled
				mapped.failed += one.failed
			}
			assert.Equal(t, [3]int64{all.Served, all.Throttled, all.Failed}, [3]int64{mapped.served, mapped.throttled, mapped.failed}, "the map sums to the totals")
			assert.EqualValues(t, 0, record.Intervals[len(record.Intervals)-1].InFlight, "attempts are under way at the end")
		})
	}
}

// A copy under the key of its entity, in another table, is a partition of its own: the
// two share no target, and their heat must not add up.
func TestOneKeyInTwoTablesIsTwoPartitions(t *testing.T) {
	s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 100}, for: 5s, operations: [{verb: insert}]"))
	set(t, s, "attributes.customer={list: [\"1\"]}", "designs.copied.copies.state.partition_key={customer}", "designs.copied.copies.number.partition_key=id")
	want := []results.PartitionStats{{Key: "1", Entities: 500, Busiest: 100}, {Table: "ByState", Key: "1", Entities: 500, Busiest: 100}, {Key: "id", Entities: 500, Busiest: 100}}
	phase := reported(t, simulated(t, s))
	assert.Equal(t, want, phase.Offered)
	var names []string
	for i := range phase.Partitions {
		names = append(names, results.PartitionName(phase.Partitions[i].Table, phase.Partitions[i].Key))
	}
	assert.ElementsMatch(t, []string{"1", "1 (table ByState)", "id"}, names)
	shared := []results.SharesClass{{From: 64, Partitions: 3, Offered: 1500}}
	got := phase.Shares
	for i := range got {
		got[i].Served, got[i].Shares, got[i].Squares = 0, 0, 0
	}
	assert.Equal(t, shared, got)
}

// What a run has written is what its tables hold, by the service's rule, where each entity
// is written once.
func TestStoredIsWhatTheTablesHold(t *testing.T) {
	rows := []struct{ design, operations string }{
		{"customer", "{verb: insert}"},
		{"customer", "{verb: batch, entities: 5, together: [customer]}"},
		{"copied", "{verb: insert}, {verb: get}, {name: mine, verb: query, by: [customer], top: 3}"},
		{"beside", "{verb: insert}, {verb: batch, entities: 3, together: [customer]}"},
	}
	for _, row := range spread(rows, tier(2, len(rows))) {
		s := unlimited(t, ordered(t, row.design, "arrivals: {constant: 60}, for: 4s, drain: 20s, operations: ["+row.operations+"]"))
		w := newWorld(t, s, nil)
		// It refuses the first attempt at every seventh operation.
		busy := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			if op.Number%7 == 3 && op.Attempt == 0 {
				return targettest.Busy(op), now.Add(time.Millisecond)
			}
			return w.Submit(now, op)
		})
		record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: busy}, keeping(s, false), nil))
		tables := []string{"orders"}
		if row.design == "copied" {
			tables = append(tables, "ordersByState")
		}
		held := int64(0)
		for _, table := range tables {
			for key, one := range w.engine.Entities(w.accounts[0], table) {
				properties, err := one.Unpack(nil)
				require.NoError(t, err)
				held += int64(entity.Size(key, properties))
			}
		}
		all := record.Total(results.Everything)
		assert.Equal(t, held, all.Stored, row.operations)
		assert.True(t, all.Failed == 0 && all.Throttled > 0)
	}
}
