package workflow_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// A procedure continues after a reply that its request expects, and leaves everything else to the
// retry policy.
func TestProcedureContinues(t *testing.T) {
	key := entity.Key{Partition: "p", Row: "r"}
	insert := workflow.WriteOne("T", entity.Change{Verb: entity.Insert, Key: key})
	remove := workflow.WriteOne("T", entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny})
	end := func(*workflow.Tx) {}
	for _, row := range []struct {
		name      string
		first     workflow.Request
		then      func(t *workflow.Tx)
		told, did string
	}{
		{"a success without further requests", insert, end, "201", "insert succeed"},
		{"a success with a further request", insert, func(t *workflow.Tx) { t.Send(remove) }, "201 204", "insert delete succeed"},
		{"a busy server", insert, end, "503 0? 201?", "insert settle settle succeed"},
		{"an unexpected conflict", insert, end, "409", "insert settle"},
		{"an insert after silence meets its own success", insert, end, "0? 409?", "insert settle succeed"},
		{"a deletion after silence meets its own success", remove, end, "0? 404?", "delete settle succeed"},
		{"a deletion of nothing", remove, end, "404", "delete settle"},
		{"a read of nothing", workflow.Read("T", key), end, "404", "get succeed"},
		{"a failure", workflow.Read("T", key), (*workflow.Tx).Fail, "bare", "get fail"},
		{"a crash", insert, func(t *workflow.Tx) { t.CrashIf(true); t.Send(remove) }, "201", "insert succeed"},
	} {
		p := workflow.NewProcedure(func(t *workflow.Tx) { t.Send(row.first); row.then(t) }, row.first)
		assert.Equalf(t, row.did, play(p, row.told), "%s: it did", row.name)
	}
}

// A pause delays the next request only. A stopped procedure ends, and leaves no goroutine.
func TestProcedurePausesAndStops(t *testing.T) {
	before, ended := runtime.NumGoroutine(), false
	read := workflow.Read("T", entity.Key{})
	p := workflow.NewProcedure(func(t *workflow.Tx) {
		defer func() { ended = true }()
		t.Send(read)
		t.Sleep(3 * time.Second)
		for range t.Restarts("again") {
			t.Send(read)
		}
	})
	assert.Len(t, p.Requests(), 1, "only the first request is foreseen")
	var pauses []time.Duration
	for _, status := range []int{200, 200, 503, 200} {
		p.Next(workflow.Attempt{Sent: new(target.Operation), Outcome: &target.Outcome{Status: status}})
		pauses = append(pauses, p.Pause())
	}
	assert.Equal(t, []time.Duration{3 * time.Second, 0, 0, 0}, pauses)
	p.Stop()
	p.Stop()
	assert.True(t, ended, "the function has ended")
	assert.Equal(t, map[string]int64{"again": 2}, counted(p))
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// However the partitions are divided, and whatever replies are lost, as many operations
// as there are sets read each of them once.
func TestSetsMakeUpAllPartitions(t *testing.T) {
	sizes := map[string]int{"a": 1, "b": 40, "c": 3, "d": 1200, "e": 7, "f": 2, "g": 11}
	for _, row := range []struct {
		sentence         string
		sets, operations int
		// lengths are the numbers of partitions in the sets.
		lengths []int64
	}{
		{"one set is all", 1, 1, []int64{7}},
		{"sets differ by one at most", 3, 3, []int64{2, 2, 3}},
		{"a set for each", 7, 7, []int64{1, 1, 1, 1, 1, 1, 1}},
		{"there are no more sets than partitions", 50, 7, []int64{1, 1, 1, 1, 1, 1, 1}},
		{"operations beyond the sets begin again with the first", 2, 4, []int64{3, 4, 3, 4}},
	} {
		w := newWorld(t)
		for partition, size := range sizes {
			for i := range size {
				w.put("Test", entity.Key{Partition: partition, Row: fmt.Sprintf("%05d", i)})
			}
		}
		w.Partitions = func() []string { return []string{"a", "b", "c", "d", "e", "f", "g"} }
		given := args{"sets": fmt.Sprint(row.sets)}
		all := several(row.operations, func(k int) *workflow.Procedure { return w.op("read-set", k, given, thing{}) })
		w.raceWell(3, 3, 20, all)
		var lengths []int64
		for _, p := range all {
			lengths = append(lengths, counted(p)["partitions"])
			assert.Len(t, p.Requests(), int(counted(p)["partitions"]), "a query of each is foreseen")
		}
		assert.Equal(t, row.lengths, lengths, row.sentence)
		assert.EqualValues(t, 1264*max(1, row.operations/row.sets), total(all, "entities"), row.sentence)
	}
}
