package store_test

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/store/storetest"
)

func memory(testing.TB) engine.Store { return store.New() }

func TestConformance(t *testing.T) { storetest.Conformance(t, memory) }

func TestAgainstMap(t *testing.T) { storetest.Model(t, 24, memory, nil) }

const table = "Registrations"

// start is an instant whose last digit is not zero.
const start entity.Ticks = 636396960326680941

// filled returns a store with one table that holds these entities.
func filled(t testing.TB, keys ...entity.Key) *store.Store {
	t.Helper()
	s := store.New()
	if code := s.CreateTable(table); code != entity.OK {
		t.Fatalf("CreateTable(%s) = %q; want success", table, code)
	}
	for _, k := range keys {
		mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k}, start)
	}
	return s
}

func mustApply(t testing.TB, s *store.Store, c *entity.Change, at entity.Ticks) entity.Ticks {
	t.Helper()
	r := s.Apply(table, c, at)
	if r.Code != entity.OK {
		t.Fatalf("Apply(%v of %+q) = %+v; want success", c.Verb, c.Key, r)
	}
	return r.Version
}

func key(pk, rk string) entity.Key { return entity.Key{Partition: pk, Row: rk} }

func int32s(n int) []entity.Property {
	properties := make([]entity.Property, n)
	for i := range properties {
		properties[i] = entity.Property{Name: fmt.Sprintf("P%d", i), Value: entity.Int32(int32(i))}
	}
	return properties
}

// Whoever looked a partition up before it was emptied can tell, once it has the
// lock, that a write there would be lost.
func TestAnEmptiedPartitionIsMarked(t *testing.T) {
	s := filled(t, key("a", "1"), key("b", "1"))
	dead := s.Dead(table, "a")
	mustApply(t, s, &entity.Change{Verb: entity.Replace, Key: key("a", "1"), Match: entity.MatchAny}, start)
	if dead() {
		t.Error("a partition with an entity is marked dead; want it alive")
	}
	mustApply(t, s, &entity.Change{Verb: entity.Delete, Key: key("a", "1"), Match: entity.MatchAny}, start)
	if !dead() || s.Partitions(table) != 1 {
		t.Errorf("an emptied partition is marked %v with %d partitions left; want true with 1", dead(), s.Partitions(table))
	}
}

// many returns a store of several partitions, of one row up to several levels
// of the tree, and all its keys in order.
func many(t testing.TB) (*store.Store, []entity.Key) {
	s := filled(t)
	var keys []entity.Key
	for p, size := range []int{1, 2500, 1, 63, 64, 1200, 1, 1} {
		for i := range size {
			keys = append(keys, key(fmt.Sprintf("partition-%02d", p), fmt.Sprintf("%06d", i*11%size)))
		}
	}
	for _, k := range keys {
		mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k}, start)
	}
	slices.SortFunc(keys, entity.Key.Compare)
	return s, keys
}

func TestReadsAllocateLittle(t *testing.T) {
	s, keys := many(t)
	replace := entity.Change{Verb: entity.Replace, Key: keys[700], Match: entity.MatchAny, Properties: int32s(10)}
	for _, row := range []struct {
		name string
		do   func()
		most float64
	}{
		{"a get allocates nothing", func() { s.Get(table, keys[700]) }, 0},
		{"a replace allocates the block and the key", func() { s.Apply(table, &replace, start) }, 2},
		{"a page of 1,000 allocates its rows in few steps", func() { s.Scan(table, store.Query{Range: filter.OnePartition("partition-01")}) }, 12},
	} {
		if got := testing.AllocsPerRun(20, row.do); got > row.most {
			t.Errorf("%s: allocations = %v; want at most %v", row.name, got, row.most)
		}
	}
}

// A snapshot would have the next write copy the nodes on its way to the row.
func TestAWriteAfterAPageCopiesNothing(t *testing.T) {
	s, keys := many(t)
	page := func() { s.Scan(table, store.Query{Range: filter.OnePartition(keys[700].Partition)}) }
	replace := entity.Change{Verb: entity.Replace, Key: keys[700], Match: entity.MatchAny, Properties: int32s(10)}
	write := func() { s.Apply(table, &replace, start) }
	want := testing.AllocsPerRun(20, page) + testing.AllocsPerRun(20, write)
	if got := testing.AllocsPerRun(20, func() { page(); write() }); got != want {
		t.Errorf("allocations of a page and a write = %v; want %v, as of each alone", got, want)
	}
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
			if got := row.put(s); got != entity.OK {
				t.Errorf("%s: code = %q; want success", row.name, got)
			}
		})
		if _, got := s.Get(table, key("a", "2")); got != entity.OK || s.Count(table) != 1 {
			t.Errorf("%s: Get of what was written = %q, %d entities; want success and 1", row.name, got, s.Count(table))
		}
	}
}
