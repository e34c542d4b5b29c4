package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Each query is sent once the one before has no further page, or has had its pages; what
// is refused is left to the retry policy.
func TestFanOut(t *testing.T) {
	for _, row := range []struct {
		name           string
		pages          int
		attempts, want string
	}{
		{"a page of each", 0, "200 200 200", "query:a query:b query:c succeed"},
		{"further pages of the second", 0, "200 200+ 200+ 200 200", "query:a query:b query:b+ query:b+ query:c succeed"},
		{"two pages of each at most", 2, "200+ 200+ 200 200+ 200+", "query:a query:a+ query:b query:c query:c+ succeed"},
		{"one page of each at most", 1, "200+ 200+ 200+", "query:a query:b query:c succeed"},
		{"a refusal", 0, "200 503 200 200", "query:a query:b settle query:c succeed"},
	} {
		var queries []target.Operation
		for _, partition := range []string{"a", "b", "c"} {
			queries = append(queries, target.Operation{Verb: entity.Query, Table: "log", Query: target.OnePartition(partition)})
		}
		p := workflow.NewFanOut(queries, row.pages)
		assert.Equal(t, row.want, play(p, row.attempts), row.name)
		assert.Len(t, workflow.Requests(p), 3, "the first page of each is foreseen")
	}
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
	} {
		w := newWorld(t)
		for partition, size := range sizes {
			for i := range size {
				w.put("Test", entity.Key{Partition: partition, Row: fmt.Sprintf("%05d", i)})
			}
		}
		w.Partitions = func() []string { return []string{"a", "b", "c", "d", "e", "f", "g"} }
		given := args{"sets": fmt.Sprint(row.sets)}
		all := several(row.operations, func(k int) workflow.Workflow { return w.op("read-set", k, given, thing{}) })
		w.raceWell(3, 3, 20, all)
		var lengths []int64
		for _, p := range all {
			lengths = append(lengths, counted(p)["partitions"])
		}
		assert.Equal(t, row.lengths, lengths, row.sentence)
		assert.EqualValues(t, 1264, total(all, "entities"), row.sentence)
	}
}

// Operations beyond the sets begin again with the first, and forecasts know of a query
// for each partition.
func TestSetsAreCountedRound(t *testing.T) {
	w := newWorld(t)
	w.Partitions = func() []string { return []string{"a", "b", "c", "d"} }
	for k, want := range []string{" Test query:a Test query:b", " Test query:c Test query:d", " Test query:a Test query:b", " Test query:c Test query:d"} {
		got := ""
		for _, op := range workflow.Requests(w.op("read-set", k, args{"sets": "2"}, thing{})) {
			got += " " + op.Table + " " + named(&op)
		}
		assert.Equalf(t, want, got, "operation %d reads", k)
	}
}
