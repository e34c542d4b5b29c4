package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/store/storetest"
)

func memory(testing.TB) engine.Store { return store.New() }

func TestConformance(t *testing.T) { storetest.Conformance(t, memory) }

func TestAgainstMap(t *testing.T) { storetest.Model(t, 24, memory, nil) }

const (
	table = storetest.Table
	start = storetest.Start
)

var key = storetest.Key

// filled returns a store in memory with one table that holds these entities.
func filled(t testing.TB, keys ...entity.Key) *store.Store {
	return storetest.Filled(t, memory, keys...).(*store.Store)
}

// Whoever looked a partition up before it was emptied can tell, once it has the
// lock, that a write there would be lost.
func TestAnEmptiedPartitionIsMarked(t *testing.T) {
	s := filled(t, key("a", "1"), key("b", "1"))
	dead := s.Dead(table, "a")
	storetest.MustApply(t, s, &entity.Change{Verb: entity.Replace, Key: key("a", "1"), Match: entity.MatchAny}, start)
	assert.False(t, dead(), "a partition with an entity is marked dead")
	storetest.MustApply(t, s, &entity.Change{Verb: entity.Delete, Key: key("a", "1"), Match: entity.MatchAny}, start)
	assert.True(t, dead(), "an emptied partition is marked dead")
	assert.Equal(t, 1, s.Partitions(table), "partitions left")
}

func TestReadsAllocateLittle(t *testing.T) {
	s, keys := storetest.Many(t, memory)
	replace := entity.Change{Verb: entity.Replace, Key: keys[700], Match: entity.MatchAny, Properties: storetest.Int32s(10)}
	for _, row := range []struct {
		name string
		do   func()
		most float64
	}{
		{"a get allocates nothing", func() { s.Get(table, keys[700]) }, 0},
		{"a replace allocates the block and the key", func() { s.Apply(table, &replace, start) }, 2},
		{"a page of 1,000 allocates its rows in few steps", func() { s.Scan(table, store.Query{Range: filter.OnePartition("partition-01")}) }, 12},
	} {
		assert.LessOrEqualf(t, testing.AllocsPerRun(20, row.do), row.most, "%s: allocations", row.name)
	}
}

// A snapshot would have the next write copy the nodes on its way to the row.
func TestAWriteAfterAPageCopiesNothing(t *testing.T) {
	s, keys := storetest.Many(t, memory)
	page := func() { s.Scan(table, store.Query{Range: filter.OnePartition(keys[700].Partition)}) }
	replace := entity.Change{Verb: entity.Replace, Key: keys[700], Match: entity.MatchAny, Properties: storetest.Int32s(10)}
	write := func() { s.Apply(table, &replace, start) }
	want := testing.AllocsPerRun(20, page) + testing.AllocsPerRun(20, write)
	assert.Equal(t, want, testing.AllocsPerRun(20, func() { page(); write() }), "allocations of a page and a write")
}

// A write that was waiting for a partition while that was emptied lands in the
// partition that takes its place.
func TestAWriteLooksAgainWhereItsPartitionIsGone(t *testing.T) {
	for _, row := range []struct {
		name string
		put  func(*store.Store) entity.Code
	}{
		{"a single write", func(s *store.Store) entity.Code {
			return s.Apply(table, &entity.Change{Verb: entity.Insert, Key: key("a", "2")}, start).Code
		}},
		{"a batch", func(s *store.Store) entity.Code {
			return s.ApplyBatch(table, []entity.Change{{Verb: entity.Insert, Key: key("a", "2")}}, start).Code
		}},
	} {
		s := filled(t, key("a", "1"))
		s.EmptyBeneath(table, "a", func() {
			assert.Equalf(t, entity.OK, row.put(s), "%s: code", row.name)
		})
		_, got := s.Get(table, key("a", "2"))
		assert.Equalf(t, entity.OK, got, "%s: Get of what was written", row.name)
		assert.EqualValues(t, 1, s.Count(table), row.name)
	}
}
