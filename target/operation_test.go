package target_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/target"
)

// change is a write of the partition p.
func change(verb entity.Verb) entity.Change {
	return entity.Change{Verb: verb, Key: entity.Key{Partition: "p", Row: "r"}}
}

func between(from, to entity.Key) target.Operation {
	op := target.Operation{Verb: entity.Query}
	op.Query.Range.From, op.Query.Range.To, op.Query.Range.Bounded = from, to, true
	return op
}

func TestPartitionKeyAndEntities(t *testing.T) {
	hundred := make([]entity.Change, 100)
	for i := range hundred {
		hundred[i] = change(entity.Insert)
	}
	k := func(p, r string) entity.Key { return entity.Key{Partition: p, Row: r} }
	for _, row := range []struct {
		name     string
		op       target.Operation
		key      string
		one      bool
		entities int64
	}{
		{"an insert", target.Operation{Verb: entity.Insert, Change: change(entity.Insert)}, "p", true, 1},
		{"a replace", target.Operation{Verb: entity.Replace, Change: change(entity.Replace)}, "p", true, 1},
		{"a merge", target.Operation{Verb: entity.Merge, Change: change(entity.Merge)}, "p", true, 1},
		{"an insert-or-replace", target.Operation{Verb: entity.InsertOrReplace, Change: change(entity.InsertOrReplace)}, "p", true, 1},
		{"an insert-or-merge", target.Operation{Verb: entity.InsertOrMerge, Change: change(entity.InsertOrMerge)}, "p", true, 1},
		{"a delete", target.Operation{Verb: entity.Delete, Change: change(entity.Delete)}, "p", true, 1},
		{"a get", target.Operation{Verb: entity.Get, Change: change(entity.Get)}, "p", true, 1},
		{"the empty partition is a partition", target.Operation{Verb: entity.Get}, "", true, 1},
		{"a transaction of 100", target.Operation{Verb: entity.Batch, Changes: hundred}, "p", true, 100},
		{"a transaction of one", target.Operation{Verb: entity.Batch, Changes: hundred[:1]}, "p", true, 1},
		{"a transaction of none addresses nothing", target.Operation{Verb: entity.Batch}, "", false, 0},
		{"a transaction does not look at the single change", target.Operation{Verb: entity.Batch, Change: change(entity.Insert)}, "", false, 0},
		{"a query of rows of one partition", between(k("p", "a"), k("p", "b")), "p", true, 1},
		{"a query of one whole partition", between(k("p", ""), k("p\x00", "")), "p", true, 1},
		{"a query of two partitions", between(k("p", ""), k("q", "")), "", false, 1},
		{"a query of a range that ends in another partition", between(k("p", "z"), k("q", "a")), "", false, 1},
		{"a query of the whole table", target.Operation{Verb: entity.Query, Query: target.Query{Top: 10}}, "", false, 1},
		{"what goes beside the table, whatever else is filled in", target.Operation{Verb: entity.Insert, Change: change(entity.Insert),
			Beside: &target.Beside{Verb: target.PutMessage}}, "", false, 0},
		{"a query of which is known what it scans", target.Operation{Verb: entity.Query, Query: target.Query{Scans: 7}}, "", false, 7},
		{"a create-table", target.Operation{Verb: entity.CreateTable, Change: change(entity.Insert)}, "", false, 0},
		{"a delete-table", target.Operation{Verb: entity.DeleteTable, Change: change(entity.Insert)}, "", false, 0},
	} {
		if key, one := row.op.PartitionKey(); key != row.key || one != row.one {
			t.Errorf("%s: PartitionKey() = %q, %v; want %q, %v", row.name, key, one, row.key, row.one)
		}
		if got := row.op.Entities(); got != row.entities {
			t.Errorf("%s: Entities() = %d; want %d", row.name, got, row.entities)
		}
	}
}
