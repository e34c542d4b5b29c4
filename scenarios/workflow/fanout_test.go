package workflow_test

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// stock puts so many entities into each partition.
func stock(t *testing.T, w *world, sizes map[string]int) {
	t.Helper()
	for partition, size := range sizes {
		for i := range size {
			c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: fmt.Sprintf("%05d", i)}}
			if o := w.do(&target.Operation{Verb: c.Verb, Table: "Test", Change: c}); o.Status >= 300 {
				t.Fatalf("the entity %v was answered %d", c.Key, o.Status)
			}
		}
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
		stock(t, w, sizes)
		s := w.setting(nil)
		s.Partitions = func() []string { return []string{"a", "b", "c", "d", "e", "f", "g"} }
		var all []workflow.Workflow
		for k := range row.operations {
			all = append(all, perform(t, s, "read-set", uint64(k), map[string]string{"sets": fmt.Sprint(row.sets)}, thing{}))
		}
		if ended := w.race(3, 3, 20, all); slices.Contains(ended, false) {
			t.Errorf("%s: the operations ended well: %v; want all", row.sentence, ended)
		}
		entities, lengths := int64(0), []int64{}
		for _, p := range all {
			counts := counted(p)
			entities += counts["entities"]
			lengths = append(lengths, counts["partitions"])
		}
		if entities != 1264 || !slices.Equal(lengths, row.lengths) {
			t.Errorf("%s: sets of %d partitions held %d entities; want %d and 1264", row.sentence, lengths, entities, row.lengths)
		}
	}
}

// Operations beyond the sets begin again with the first, and forecasts know of a query
// for each partition.
func TestSetsAreCountedRound(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	s.Partitions = func() []string { return []string{"a", "b", "c", "d"} }
	for k, want := range map[uint64][]string{0: {"a", "b"}, 1: {"c", "d"}, 2: {"a", "b"}, 7: {"c", "d"}} {
		var got []string
		for _, op := range workflow.Requests(perform(t, s, "read-set", k, map[string]string{"sets": "2"}, thing{})) {
			partition, _ := op.PartitionKey()
			got = append(got, partition)
			if op.Verb != entity.Query || op.Table != "Test" {
				t.Errorf("operation %d sends a %v to %s; want queries of Test", k, op.Verb, op.Table)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("operation %d reads %q; want %q", k, got, want)
		}
	}
}
