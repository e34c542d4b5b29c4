package drive

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine/entity"
	"loadgen/target"
)

// A copy can be written again after a reply was lost, and it need not be there yet: so
// what inserts or updates an entity upserts its copies, on no condition. One request
// goes to each partition.
func TestCopiesAreWrittenSoThatAgainDoesNoHarm(t *testing.T) {
	for _, row := range []struct {
		name       string
		verb       entity.Verb
		partitions []string
		want       []string
	}{
		{"an insert", entity.Insert, []string{"a"}, []string{"insert-or-replace a 1"}},
		{"a replace", entity.Replace, []string{"a"}, []string{"insert-or-replace a 1"}},
		{"a merge", entity.Merge, []string{"a"}, []string{"insert-or-merge a 1"}},
		{"upserts as they are", entity.InsertOrMerge, []string{"a"}, []string{"insert-or-merge a 1"}},
		{"a deletion of what may be gone", entity.Delete, []string{"a"}, []string{"delete a 1, or not found"}},
		{"a partition after the other", entity.Insert, []string{"b", "a"}, []string{"insert-or-replace b 1", "insert-or-replace a 1"}},
		{"those of one partition together", entity.Insert, []string{"b", "a", "b"}, []string{"batch b 2", "insert-or-replace a 1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var changes []entity.Change
			for i, partition := range row.partitions {
				changes = append(changes, entity.Change{Verb: row.verb, Match: entity.MatchAny,
					Key: entity.Key{Partition: partition, Row: fmt.Sprint(i)}})
			}
			var got []string
			for _, step := range copySteps("Copies", changes) {
				op := step.Operation
				partition, _ := op.PartitionKey()
				text := fmt.Sprintf("%v %s %d", op.Verb, partition, op.Entities())
				if step.Expected == (target.Expected{NotFound: true}) {
					text += ", or not found"
				}
				got = append(got, text)
				for _, c := range append(op.Changes, op.Change) {
					if c.Verb == entity.Insert || c.Verb == entity.Merge || c.Verb == entity.Replace ||
						row.verb != entity.Delete && row.verb != entity.InsertOrMerge && c.Match != (entity.Match{}) {
						t.Errorf("a copy is written by %v on the condition %v; want an upsert without one", c.Verb, c.Match)
					}
				}
				if op.Table != "Copies" {
					t.Errorf("it goes to the table %q; want Copies", op.Table)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("copySteps() = %q; want %q", got, row.want)
			}
		})
	}
}
