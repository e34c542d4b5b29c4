package campaign_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// dying has clients that die between an entity and its copy, which has the same RowKey in
// another table and another partition.
const dying = `name: dying
seed: 1
table: staff
retry: documented
model: {profile: off}
attributes:
  department: {list: [Sales, Finance]}
  employee: {sequence: 1}
  pay: {uniform: [1, 100000]}
entity:
  properties: [{name: Employee, value: "{employee:06d}"}, {name: Pay, type: Int64, value: "{pay}"}]
design:
  partition_key: "{department}"
  row_key: "{employee:06d}"
  copies: [{name: paid, table: Paid, partition_key: "paid_{department}", row_key: "{employee:06d}", properties: [Pay]}]
phases:
  - name: load
    load: {entities: 200}
  - name: day
    traffic:
      clients: 1
      count: 600
      operations:
        - {name: hire, verb: insert, weight: 3, killed: 20%}
        - {name: raise, verb: merge, properties: [{name: Pay, type: Int64, value: "{pay}"}], killed: 20%}
        - {name: leave, verb: delete, weight: 2, killed: 20%}
`

const repaired = `  - name: mend
    traffic: {clients: 1, count: 1, operations: [{name: mend, workflow: repair-copies}]}
`

// ledger is a target that keeps its own books of what lies in each table by the replies to
// writes.
type books struct {
	target.Immediate
	tables map[string]map[entity.Key]map[string]entity.Value
}

func (b *books) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	o, done := b.Immediate.Submit(now, op)
	if o.Status >= 300 {
		return o, done
	}
	if b.tables[op.Table] == nil {
		b.tables[op.Table] = make(map[entity.Key]map[string]entity.Value)
	}
	changes := op.Changes
	if op.Verb.IsChange() {
		changes = []entity.Change{op.Change}
	}
	for _, c := range changes {
		rows := b.tables[op.Table]
		switch c.Verb {
		case entity.Delete:
			delete(rows, c.Key)
			continue
		case entity.Insert, entity.Replace, entity.InsertOrReplace:
			delete(rows, c.Key)
		}
		if rows[c.Key] == nil {
			rows[c.Key] = make(map[string]entity.Value)
		}
		for _, p := range c.Properties {
			rows[c.Key][p.Name] = p.Value
		}
	}
	return o, done
}

// wrong returns how many copies are missing, of no entity, or have other values.
func (b *books) wrong() (missing, orphaned, stale int64) {
	own, copied := b.tables["run"], b.tables["runPaid"]
	for key, properties := range own {
		if strings.HasPrefix(key.Partition, "_") || key.Row == "" || properties["Employee"] == (entity.Value{}) {
			continue
		}
		there, some := copied[entity.Key{Partition: "paid_" + key.Partition, Row: key.Row}]
		switch {
		case !some:
			missing++
		case !there["Pay"].Equal(properties["Pay"]):
			stale++
		}
	}
	for key := range copied {
		partition, is := strings.CutPrefix(key.Partition, "paid_")
		if _, some := own[entity.Key{Partition: partition, Row: key.Row}]; is && !some {
			orphaned++
		}
	}
	return missing, orphaned, stale
}

// What the check counts is what is wrong by books of another kind, for clients one by one and
// for many that race; a repair leaves nothing wrong. As many die as are to.
func TestCopiesOfDeadClients(t *testing.T) {
	for _, clients := range []int{1, 8} {
		for seed := range tier(2, 20) {
			for _, repairs := range []bool{false, true} {
				text := dying
				if repairs {
					text += repaired
				}
				s := parsed(t, text, fmt.Sprint("seed=", seed), fmt.Sprint("phases.day.clients=", clients))
				b := &books{newWorld(t, s, nil), make(map[string]map[entity.Key]map[string]entity.Value)}
				record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: b}, campaign.Options{Scenario: s, Table: "run", NewName: true}, nil))
				missing, orphaned, stale := b.wrong()
				one := record.Invariants[0]
				if len(record.Invariants) != 1 || one.Faults != missing+orphaned+stale || repairs && one.Faults != 0 || one.Looked < 300 {
					t.Errorf("%d clients, seed %d, repaired %v: %q counts %d of %d, %q; want %d missing, %d of no entity and %d with other values",
						clients, seed, repairs, one.Name, one.Faults, one.Looked, one.Examples, missing, orphaned, stale)
				}
				judgeDeaths(t, record, clients, repairs, missing+orphaned+stale)
			}
		}
	}
}

// judgeDeaths holds how many clients died to the share that was to, and what was repaired to
// what was wrong.
func judgeDeaths(t *testing.T, record *results.Record, clients int, repairs bool, wrong int64) {
	t.Helper()
	counts := make(map[string]int64)
	for _, one := range record.Counters {
		if one.Name == "killed" {
			counts["killed"] += one.Count
		} else {
			counts["mended"] += one.Count
		}
	}
	const operations, share = 600, 0.2
	if dead := float64(counts["killed"]); math.Abs(dead-operations*share) > 4*math.Sqrt(operations*share*(1-share)) {
		t.Errorf("%v of %d clients died; want a fifth within four deviations", dead, operations)
	}
	if clients == 1 && !repairs && (wrong == 0 || wrong > counts["killed"]) {
		t.Errorf("%d copies are wrong by %d dead clients, one after another; want some, one each at most", wrong, counts["killed"])
	}
	assert.False(t, repairs && counts["mended"] == 0, "nothing was mended")
}
