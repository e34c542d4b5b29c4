package store_test

import (
	"fmt"
	"math/rand/v2"
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

// A partition that has become large is found by another structure than it is scanned by:
// whatever is written, both hold the same.
func TestGetsAndPagesAgree(t *testing.T) {
	const keys, unindexed = 600, 255
	rng := rand.New(rand.NewPCG(27, 1))
	s := filled(t)
	want := map[string]entity.Ticks{}
	at, grown, emptied := start, 0, 0
	rowOf := func(n int) string { return fmt.Sprintf("%03d-\U0001F3C3", n) }
	write := func(verb entity.Verb) entity.Change {
		c := entity.Change{Verb: verb, Key: key("Large", rowOf(rng.IntN(keys))), Properties: storetest.Int32s(2)}
		if verb == entity.Delete {
			c.Match = entity.MatchAny
		}
		return c
	}
	for step := range 4000 {
		at += 10
		verbs := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge, entity.Insert, entity.Delete}
		changes := []entity.Change{write(verbs[rng.IntN(len(verbs))]), write(verbs[rng.IntN(len(verbs))])}
		if step/1000%2 == 1 { // It shrinks until nothing is left, and grows again.
			changes = []entity.Change{write(entity.Delete)}
			changes[0].Key.Row = rowOf(step % keys)
		}
		if got := s.ApplyBatch(table, changes, at); got.Code == entity.OK {
			for i := range changes {
				if want[changes[i].Key.Row] = got.Versions[i]; got.Versions[i] == 0 {
					delete(want, changes[i].Key.Row)
				}
			}
		}
		if len(want) == 0 {
			emptied++
			continue
		}
		if rows, indexed := s.Indexed(table, "Large"); rows != len(want) || indexed != 0 && indexed != rows || indexed == 0 && rows > unindexed {
			t.Fatalf("step %d: %d rows and %d in the index; want %d, and as many or none of a few", step, rows, indexed, len(want))
		} else if indexed > 0 {
			grown++
		}
		row := rowOf(rng.IntN(keys))
		if got, code := s.Get(table, key("Large", row)); (code == entity.OK) != (want[row] != 0) || got.Timestamp() != want[row] {
			t.Fatalf("step %d: Get(%q) = %q of %v; want %v", step, row, code, got.Timestamp(), want[row])
		}
		page, _ := s.Scan(table, store.Query{Range: filter.OnePartition("Large")})
		for _, r := range page.Rows {
			if got, _ := s.Get(table, r.Key); got.Timestamp() != r.Entity.Timestamp() || got.Timestamp() != want[r.Key.Row] {
				t.Fatalf("step %d: Get(%q) is of %v and its row of %v; want %v", step, r.Key.Row, got.Timestamp(), r.Entity.Timestamp(), want[r.Key.Row])
			}
		}
		if len(page.Rows) != len(want) {
			t.Fatalf("step %d: a page of %d rows; want %d", step, len(page.Rows), len(want))
		}
	}
	assert.Truef(t, grown >= 500 && emptied != 0, "the partition was large in %d steps and empty in %d; want both", grown, emptied)
}
