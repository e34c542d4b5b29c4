package campaign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/workflow"
)

// left is a write of one entity: what its workflow reports, and when it was.
type left struct {
	workflow.Report
	due, ended time.Duration
}

func wrote(number uint64, verb entity.Verb, version entity.Ticks, due, ended time.Duration) left {
	return left{workflow.Report{ID: workflow.WriteID{Run: "r", Number: number}, Verb: verb,
		Written: workflow.Acknowledged, Version: version}, due, ended}
}

// unknown makes a write one of which nobody knows.
func unknown(l left) left {
	l.Written, l.Version = workflow.Unknown, 0
	return l
}

// raised makes a write one that raised a counter from a value.
func raised(l left, from int64) left {
	l.Conditional, l.Counter, l.From = true, "Laps", from
	return l
}

// found returns an entity as it is read back.
func found(version entity.Ticks, id string, laps int64) entity.Packed {
	return entity.Pack(nil, version, []entity.Property{
		{Name: workflow.IDProperty, Value: entity.String(id)}, {Name: "Laps", Value: entity.Int64(laps)}})
}

func TestTrail(t *testing.T) {
	insert := wrote(1, entity.Insert, 10, 0, 5)
	merge := wrote(2, entity.Merge, 20, 6, 9)
	lingering := merge
	lingering.Lingers = true
	superseded := wrote(3, entity.Merge, 0, 6, 9)
	superseded.Superseded = true
	gone := entity.Packed(nil)
	var flood []left
	for number := range uint64(20) {
		flood = append(flood, unknown(wrote(100+number, entity.Merge, 0, 6, 9)))
	}
	blind := raised(wrote(3, entity.Merge, 30, 7, 9), 4)
	blind.Conditional = false
	replaced := blind
	replaced.Verb = entity.Replace
	for _, row := range []struct {
		name   string
		writes []left
		there  entity.Packed
		want   results.Audit
	}{
		{"what was written last is there", []left{insert, merge}, found(20, "r-2", 0), results.Audit{}},
		{"whichever was told first", []left{merge, insert}, found(20, "r-2", 0), results.Audit{}},
		{"an older write is there", []left{insert, merge}, found(10, "r-1", 0), results.Audit{Lost: 1}},
		{"an older version of the last is no older write", []left{insert, merge}, found(15, "r-2", 0), results.Audit{}},
		{"nothing is there", []left{insert}, gone, results.Audit{Lost: 1}},
		{"nothing was acknowledged, and nothing is there", []left{unknown(insert)}, gone, results.Audit{}},
		{"a write of which nobody knows came last", []left{insert, unknown(merge)}, found(20, "r-2", 0), results.Audit{}},
		{"or did not come", []left{insert, unknown(merge)}, found(10, "r-1", 0), results.Audit{}},
		{"one came once more", []left{insert, lingering, wrote(4, entity.Merge, 30, 20, 25)}, found(40, "r-2", 0), results.Audit{}},
		{"one that cannot linger came once more", []left{insert, merge, wrote(4, entity.Merge, 30, 20, 25)}, found(40, "r-2", 0), results.Audit{Lost: 1}},
		{"more of which nobody knows than are kept", append(flood, insert), found(40, "r-119", 0), results.Audit{}},
		{"somebody else wrote last", []left{insert}, found(40, "other-1", 0), results.Audit{Overwritten: 1}},
		{"somebody wrote without an id", []left{insert}, found(40, "", 0), results.Audit{Overwritten: 1}},
		{"what somebody else wrote is older", []left{insert, merge}, found(10, "other-1", 0), results.Audit{Lost: 1}},
		{"a transaction has no version, but an id", []left{wrote(1, entity.Insert, 0, 0, 5)}, found(10, "r-1", 0), results.Audit{}},
		{"after a transaction the order is not known", []left{wrote(1, entity.Insert, 0, 0, 5), merge}, found(20, "r-2", 0), results.Audit{}},
		{"a transaction whose entities are gone", []left{wrote(1, entity.Insert, 0, 0, 5)}, gone, results.Audit{Lost: 1}},
		{"a write that others had written over when it was found", []left{superseded, unknown(merge)}, found(20, "r-2", 0), results.Audit{}},

		{"a deletion after the write", []left{insert, wrote(9, entity.Delete, 0, 6, 9)}, gone, results.Audit{}},
		{"a deletion before the write", []left{wrote(9, entity.Delete, 0, 0, 5), wrote(1, entity.Insert, 10, 5, 9)}, gone, results.Audit{Lost: 1}},
		{"a deletion at the time of the write", []left{wrote(9, entity.Delete, 0, 0, 6), wrote(1, entity.Insert, 10, 5, 9)}, gone, results.Audit{}},
		{"a deletion of which nobody knows", []left{unknown(wrote(9, entity.Delete, 0, 0, 5)), wrote(1, entity.Insert, 10, 6, 9)}, gone, results.Audit{}},
		{"a deletion that was not done", []left{insert, wrote(9, entity.Delete, 0, 5, 9)}, found(10, "r-1", 0), results.Audit{Lost: 1}},
		{"of an entity that nobody wrote", []left{wrote(9, entity.Delete, 0, 5, 9)}, found(10, "", 0), results.Audit{Lost: 1}},
		{"a write at the time of the deletion", []left{insert, wrote(9, entity.Delete, 0, 4, 9)}, found(10, "r-1", 0), results.Audit{}},
		{"a deletion, and a write of which nobody knows", []left{unknown(insert), wrote(9, entity.Delete, 0, 5, 9)}, found(10, "r-1", 0), results.Audit{}},

		{"a counter as it was acknowledged", []left{raised(merge, 4), raised(wrote(3, entity.Merge, 30, 7, 9), 5)}, found(30, "r-3", 6), results.Audit{}},
		{"one increment too few", []left{raised(merge, 4), raised(wrote(3, entity.Merge, 30, 7, 9), 4)}, found(30, "r-3", 5), results.Audit{Lost: 1}},
		{"one too few, written without a condition", []left{raised(merge, 4), blind}, found(30, "r-3", 5), results.Audit{Lost: 1, Blind: 1}},
		{"none too few, written without a condition", []left{raised(merge, 3), blind}, found(30, "r-3", 5), results.Audit{}},
		{"without a condition, and the last write is not there", []left{raised(merge, 4), blind}, found(20, "r-2", 5), results.Audit{Lost: 1}},
		{"the same with two increments too few", []left{raised(merge, 4), blind}, found(20, "r-2", 4), results.Audit{Lost: 2, Blind: 1}},
		{"replaced without a condition", []left{raised(merge, 4), replaced}, found(30, "r-3", 5), results.Audit{Lost: 1, Blind: 1}},
		{"one too many", []left{raised(merge, 4)}, found(20, "r-2", 6), results.Audit{Doubled: 1}},
		{"one of which nobody knows", []left{raised(merge, 4), unknown(raised(wrote(3, entity.Merge, 0, 7, 9), 5))}, found(30, "r-3", 6), results.Audit{}},
		{"which did not happen", []left{raised(merge, 4), unknown(raised(wrote(3, entity.Merge, 0, 7, 9), 5))}, found(20, "r-2", 5), results.Audit{}},
		{"three too many where one is unknown", []left{raised(merge, 4), unknown(raised(wrote(3, entity.Merge, 0, 7, 9), 5))}, found(30, "r-3", 9), results.Audit{Doubled: 3}},
		{"a lost increment is lost once", []left{raised(merge, 4)}, found(10, "r-1", 4), results.Audit{Lost: 1}},
		{"the entity with two increments is gone", []left{raised(merge, 4), raised(wrote(3, entity.Merge, 30, 7, 9), 5)}, gone, results.Audit{Lost: 2}},
		{"a replace may have wiped a counter out", []left{raised(merge, 4), wrote(3, entity.Replace, 30, 7, 9)}, found(30, "r-3", 0), results.Audit{}},
		{"what somebody else wrote says nothing of counters", []left{raised(merge, 4)}, found(40, "other-1", 0), results.Audit{Overwritten: 1}},
	} {
		trail := &trail{writeBegan: never, writesEnded: never, deleteBegan: never, deletesEnded: never}
		for i := range row.writes {
			one := &row.writes[i]
			trail.addWrite(&one.Report, &results.Completed{Intended: one.due, Done: one.ended})
		}
		got, fault := trail.compare("r", row.there, row.there.Timestamp(), row.there != nil)
		assert.Equalf(t, got.Lost+got.Doubled > 0, fault != "",
			"%s: compare() names the fault %q of %+v; want one where there is one", row.name, fault, got)
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
