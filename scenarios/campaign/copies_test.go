package campaign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/target"
)

// A copy can be written again after a reply was lost, and it need not be there yet: so
// what inserts or updates an entity upserts its copies, on no condition. One request
// goes to each partition.
func TestCopiesAreWrittenSoThatAgainDoesNoHarm(t *testing.T) {
	for _, row := range []struct {
		name             string
		verb             entity.Verb
		partitions, want []string
	}{
		{"an insert", entity.Insert, []string{"a"}, []string{"a: insert-or-replace"}},
		{"a replace", entity.Replace, []string{"a"}, []string{"a: insert-or-replace"}},
		{"a merge", entity.Merge, []string{"a"}, []string{"a: insert-or-merge"}},
		{"upserts as they are", entity.InsertOrMerge, []string{"a"}, []string{"a: insert-or-merge if *"}},
		{"a deletion of what may be gone", entity.Delete, []string{"a"}, []string{"a: delete if *, or not found"}},
		{"a partition after the other", entity.Insert, []string{"b", "a"}, []string{"b: insert-or-replace", "a: insert-or-replace"}},
		{"those of one partition together", entity.Insert, []string{"b", "a", "b"}, []string{"b: insert-or-replace insert-or-replace", "a: insert-or-replace"}},
	} {
		var changes []entity.Change
		for i, partition := range row.partitions {
			changes = append(changes, entity.Change{Verb: row.verb, Match: entity.MatchAny, Key: entity.Key{Partition: partition, Row: fmt.Sprint(i)}})
		}
		var got []string
		for _, step := range copySteps("Copies", repeatable(changes)) {
			op := step.Operation
			assert.Equal(t, "Copies", op.Table)
			partition, _ := op.PartitionKey()
			text := partition + ":"
			for _, c := range append(op.Changes, op.Change)[:op.Entities()] {
				text += " " + c.Verb.String()
				if c.Match == entity.MatchAny {
					text += " if *"
				}
			}
			if step.Expected == (target.Expected{NotFound: true}) {
				text += ", or not found"
			}
			got = append(got, text)
		}
		assert.Equal(t, row.want, got, row.name)
	}
}

// Copies in the partition of their entities go into the same transaction, as long as it
// holds them.
func TestCopiesJoinTheTransactionOfTheirEntities(t *testing.T) {
	changes := func(prefix string, size int, partitions ...string) (list []entity.Change) {
		for i, partition := range partitions {
			c := entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: partition, Row: fmt.Sprint(prefix, i)}}
			if size > 0 {
				c.Properties = []entity.Property{{Name: "Text", Value: entity.String(strings.Repeat("x", size))}}
			}
			list = append(list, c)
		}
		return list
	}
	fifty := slices.Repeat([]string{"a"}, 50)
	for _, row := range []struct {
		name        string
		own, copies []entity.Change
		all, rest   int
	}{
		{"one of one", changes("", 0, "a"), changes("copy", 0, "a"), 2, 0},
		{"one in another partition follows", changes("", 0, "a"), changes("copy", 0, "b"), 1, 1},
		{"some here, some there", changes("", 0, "a", "a"), changes("copy", 0, "a", "b"), 3, 1},
		{"a hundred in all", changes("", 0, fifty...), changes("copy", 0, fifty...), 100, 0},
		{"one too many", changes("", 0, append(fifty, "a")...), changes("copy", 0, fifty...), 51, 50},
		{"a copy under the entity's own key", changes("", 0, "a"), changes("", 0, "a"), 1, 1},
		{"more than 4 MiB", changes("", 400_000, "a", "a", "a", "a"), changes("copy", 400_000, "a", "a", "a", "a"), 4, 4},
	} {
		all, rest := joined(row.own, row.copies)
		assert.Truef(t, len(all) == row.all && len(rest) == row.rest,
			"%s: joined() = %d changes together and %d apart; want %d and %d", row.name, len(all), len(rest), row.all, row.rest)
		assert.Truef(t, slices.EqualFunc(all[:len(row.own)], row.own, func(a, b entity.Change) bool { return a.Key == b.Key }),
			"%s: the transaction does not begin with the entities", row.name)
	}
}
