package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

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

func TestTableNamesCompareWithoutCase(t *testing.T) {
	s := store.New()
	for _, row := range []struct {
		name string
		do   func() entity.Code
		want entity.Code
	}{
		{"a table is made", func() entity.Code { return s.CreateTable("Races") }, entity.OK},
		{"but not in another case", func() entity.Code { return s.CreateTable("rAcES") }, entity.TableAlreadyExists},
		{"a name with a dash is none", func() entity.Code { return s.CreateTable("ra-ces") }, entity.InvalidResourceName},
		{"a name of 64 letters is none", func() entity.Code { return s.CreateTable(strings.Repeat("a", 64)) }, entity.OutOfRangeInput},
		{"a second table is made", func() entity.Code { return s.CreateTable("abc") }, entity.OK},
		{"a third", func() entity.Code { return s.CreateTable("Other1") }, entity.OK},
		{"a table that is not there is not dropped", func() entity.Code { return s.DeleteTable("none") }, entity.ResourceNotFound},
		{"nor one whose name is too long", func() entity.Code { return s.DeleteTable(strings.Repeat("a", 64)) }, entity.ResourceNotFound},
		{"a table is dropped in any case", func() entity.Code { return s.DeleteTable("OTHER1") }, entity.OK},
		{"and only once", func() entity.Code { return s.DeleteTable("Other1") }, entity.ResourceNotFound},
	} {
		if got := row.do(); got != row.want {
			t.Errorf("%s: code = %q; want %q", row.name, got, row.want)
		}
	}
	if got, want := s.TableNames(), []string{"abc", "Races"}; !slices.Equal(got, want) {
		t.Errorf("TableNames() = %q; want %q", got, want)
	}
	if !s.HasTable("RACES") || s.HasTable("Other1") {
		t.Error("HasTable is wrong; want it of RACES and not of Other1")
	}
}

func TestATableMadeAnewIsEmpty(t *testing.T) {
	s := filled(t, key("a", "1"))
	s.DeleteTable(table)
	s.CreateTable(table)
	if got := s.Count(table); got != 0 {
		t.Errorf("Count after the table was dropped and made = %d; want 0", got)
	}
	if got := s.Count("none"); got != 0 {
		t.Errorf("Count of no table = %d; want 0", got)
	}
}

func TestVersions(t *testing.T) {
	for _, row := range []struct {
		name  string
		times []entity.Ticks
		want  []entity.Ticks
	}{
		{"a version is the instant of its write", []entity.Ticks{101, 205}, []entity.Ticks{101, 205}},
		{"a last digit of zero is passed over", []entity.Ticks{100, 200}, []entity.Ticks{101, 201}},
		{"writes in one tick get versions of their own", []entity.Ticks{105, 105, 105}, []entity.Ticks{105, 106, 107}},
		{"time that goes back does not take versions with it", []entity.Ticks{105, 50, 0}, []entity.Ticks{105, 106, 107}},
		{"a bump passes over zero too", []entity.Ticks{109, 109, 110, 111}, []entity.Ticks{109, 111, 112, 113}},
	} {
		s := filled(t)
		for i, at := range row.times {
			c := entity.Change{Verb: entity.InsertOrMerge, Key: key("a", "1")}
			if got := mustApply(t, s, &c, at); got != row.want[i] {
				t.Errorf("%s: version of write %d at %d = %d; want %d", row.name, i, at, got, row.want[i])
			}
		}
	}
}

// A client that holds the tag of an entity must not change what took its place,
// even if delete and insert fall into one tick.
func TestATagDiesWithItsEntity(t *testing.T) {
	remove := entity.Change{Verb: entity.Delete, Key: key("a", "1"), Match: entity.MatchAny}
	insert := entity.Change{Verb: entity.Insert, Key: key("a", "1")}
	for _, row := range []struct {
		name string
		keys []entity.Key
	}{
		{"in a partition that lives on", []entity.Key{key("a", "1"), key("a", "2")}},
		{"in a partition that is emptied and made anew", []entity.Key{key("a", "1")}},
	} {
		s := filled(t, row.keys...)
		mustApply(t, s, &remove, start)
		mustApply(t, s, &insert, start)
		stale := entity.Change{Verb: entity.Replace, Key: key("a", "1"), Match: entity.MatchExactly(start)}
		if got := s.Apply(table, &stale, start); got.Code != entity.ConditionNotSatisfied {
			t.Errorf("%s: replace under the tag of the deleted entity = %+v; want %q", row.name, got, entity.ConditionNotSatisfied)
		}
	}
}

func TestMergeMayNotGrowAnEntityBeyondTheLimits(t *testing.T) {
	big := func(from, n int) []entity.Property {
		properties := make([]entity.Property, n)
		for i := range properties {
			properties[i] = entity.Property{Name: fmt.Sprintf("S%d", from+i), Value: entity.String(strings.Repeat("s", 32768))}
		}
		return properties
	}
	for _, row := range []struct {
		name         string
		first, merge []entity.Property
		want         entity.Code
	}{
		{"two halves of the number are too many", int32s(252), big(0, 1), entity.TooManyProperties},
		{"as many again under the same names are not", int32s(252), int32s(252), entity.OK},
		{"two halves of the size are too large", big(0, 8), big(8, 8), entity.EntityTooLarge},
		{"as much again under the same names is not", big(0, 15), big(0, 15), entity.OK},
	} {
		for _, verb := range []entity.Verb{entity.Merge, entity.InsertOrMerge} {
			s := filled(t)
			mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: key("a", "1"), Properties: row.first}, start)
			before, _ := s.Get(table, key("a", "1"))
			c := entity.Change{Verb: verb, Key: key("a", "1"), Properties: row.merge}
			if verb == entity.Merge {
				c.Match = entity.MatchAny
			}
			if got := s.Apply(table, &c, start); got.Code != row.want {
				t.Errorf("%s: %v = %q, %s; want %q", row.name, verb, got.Code, got.Detail, row.want)
			}
			if after, _ := s.Get(table, key("a", "1")); row.want != entity.OK && !slices.Equal(after, before) {
				t.Errorf("%s: a refused %v changed the entity", row.name, verb)
			}
		}
	}
}

func TestAFailedBatchLeavesNothing(t *testing.T) {
	s := filled(t, key("a", "2"))
	changes := []entity.Change{
		{Verb: entity.Insert, Key: key("a", "1")},
		{Verb: entity.Delete, Key: key("a", "2"), Match: entity.MatchAny},
		{Verb: entity.Replace, Key: key("a", "3"), Match: entity.MatchAny},
	}
	got := s.ApplyBatch(table, changes, start)
	if got.Code != entity.ResourceNotFound || got.FailedIndex != 2 || got.Versions != nil {
		t.Errorf("ApplyBatch with a replace of nothing = %+v; want %q at 2", got, entity.ResourceNotFound)
	}
	page, _ := s.Scan(table, store.Query{})
	if len(page.Rows) != 1 || page.Rows[0].Key != key("a", "2") {
		t.Errorf("Scan after a failed batch = %+v; want the one entity there was", page.Rows)
	}
	for i := range changes {
		changes[i].Key.Partition = "new"
	}
	s.ApplyBatch(table, changes, start)
	if got := s.Partitions(table); got != 1 {
		t.Errorf("partitions after a failed batch on a new one = %d; want 1", got)
	}
	if got := s.ApplyBatch("none", changes, start); got.Code != entity.TableNotFound {
		t.Errorf("ApplyBatch on no table = %+v; want %q", got, entity.TableNotFound)
	}
	if got := s.ApplyBatch(table, nil, start); got.Code != entity.InvalidInput {
		t.Errorf("ApplyBatch of nothing = %+v; want %q", got, entity.InvalidInput)
	}
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

// A caller may build keys in memory of its own and use that again.
func TestKeysAreCopied(t *testing.T) {
	buffer := []byte("a1")
	s := filled(t)
	borrowed := unsafe.String(&buffer[0], 2)
	mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: key(borrowed[:1], borrowed[1:])}, start)
	copy(buffer, "zz")
	page, _ := s.Scan(table, store.Query{})
	if len(page.Rows) != 1 || page.Rows[0].Key != key("a", "1") {
		t.Errorf("Scan after the caller used its memory again = %+v; want the key a, 1", page.Rows)
	}
}

func TestWhatWasReadStaysAsItWas(t *testing.T) {
	s := filled(t)
	put := func(n int32) {
		mustApply(t, s, &entity.Change{Verb: entity.InsertOrReplace, Key: key("a", "1"),
			Properties: []entity.Property{{Name: "N", Value: entity.Int32(n)}}}, start)
	}
	put(1)
	got, _ := s.Get(table, key("a", "1"))
	page, _ := s.Scan(table, store.Query{})
	put(2)
	for _, read := range []entity.Packed{got, page.Rows[0].Entity} {
		if v, _ := read.Lookup("N"); v.Int() != 1 {
			t.Errorf("an entity read before a write has N = %d; want 1", v.Int())
		}
	}
}

func TestKeepMayUseTheStore(t *testing.T) {
	s := filled(t, key("a", "1"), key("a", "2"), key("b", "1"))
	page, _ := s.Scan(table, store.Query{Keep: func(k entity.Key, _ entity.Packed) bool {
		r := s.Apply(table, &entity.Change{Verb: entity.Delete, Key: k, Match: entity.MatchAny}, start)
		return r.Code == entity.OK
	}})
	if len(page.Rows) != 3 || s.Count(table) != 0 {
		t.Errorf("a scan that deletes what it reads has %d rows and leaves %d; want 3 and 0", len(page.Rows), s.Count(table))
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

func TestPagesTogetherAreTheWhole(t *testing.T) {
	s, keys := many(t)
	for _, row := range []struct {
		name  string
		query store.Query
		pages int
	}{
		{"pages of the service's size", store.Query{}, (len(keys) + 999) / 1000},
		{"a size beyond the service's is the service's", store.Query{Top: 2000}, (len(keys) + 999) / 1000},
		{"a negative size is the service's", store.Query{Top: -1, ScanLimit: -1}, (len(keys) + 999) / 1000},
		{"pages of 64", store.Query{Top: 64}, (len(keys) + 63) / 64},
		{"pages of 100 scanned", store.Query{ScanLimit: 100}, (len(keys) + 99) / 100},
	} {
		var got []entity.Key
		pages := 0
		for more := true; more; pages++ {
			page, code := s.Scan(table, row.query)
			if code != entity.OK {
				t.Fatalf("%s: Scan = %q; want success", row.name, code)
			}
			for _, r := range page.Rows {
				got = append(got, r.Key)
			}
			if more = page.More; more {
				row.query.Range = row.query.Range.StartingAt(page.Next)
			}
		}
		if !slices.Equal(got, keys) || pages != row.pages {
			t.Errorf("%s: %d keys on %d pages; want the %d that there are on %d", row.name, len(got), pages, len(keys), row.pages)
		}
	}
}

func TestPagesGoOnWhereTheNextEntityWasDeleted(t *testing.T) {
	s, keys := many(t)
	query := store.Query{Top: 50}
	seen := map[entity.Key]bool{}
	deleted := map[entity.Key]bool{}
	for {
		page, _ := s.Scan(table, query)
		for _, r := range page.Rows {
			if seen[r.Key] || deleted[r.Key] {
				t.Fatalf("the key %+q came twice or after its deletion", r.Key)
			}
			seen[r.Key] = true
		}
		if !page.More {
			break
		}
		// Take away the next entity and what shares its partition's start.
		deleted[page.Next] = true
		mustApply(t, s, &entity.Change{Verb: entity.Delete, Key: page.Next, Match: entity.MatchAny}, start)
		query.Range = query.Range.StartingAt(page.Next)
	}
	if len(deleted) == 0 || len(seen)+len(deleted) != len(keys) {
		t.Errorf("pages saw %d keys and %d were deleted ahead of them; want %d together", len(seen), len(deleted), len(keys))
	}
}

func TestAPageThatKeepsNothingStillMovesOn(t *testing.T) {
	s, keys := many(t)
	query := store.Query{ScanLimit: 10, Keep: func(entity.Key, entity.Packed) bool { return false }}
	page, _ := s.Scan(table, query)
	if len(page.Rows) != 0 || page.Scanned != 10 || !page.More || page.Next != keys[10] {
		t.Errorf("Scan that keeps nothing = %+v; want 10 scanned and %+q next", page, keys[10])
	}
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
