package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/store"
)

const table = "Registrations"

// start is an instant whose last digit is not zero.
const start entity.Ticks = 636396960326680941

// filled returns a store with one table that holds these entities.
func filled(t testing.TB, open Opener, keys ...entity.Key) engine.Store {
	t.Helper()
	s := open(t)
	if code := s.CreateTable(table); code != entity.OK {
		t.Fatalf("CreateTable(%s) = %q; want success", table, code)
	}
	for _, k := range keys {
		mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k}, start)
	}
	return s
}

func mustApply(t testing.TB, s engine.Store, c *entity.Change, at entity.Ticks) entity.Ticks {
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

func tableNamesCompareWithoutCase(t *testing.T, open Opener) {
	s := open(t)
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
		{"a table that is not there is not dropped", func() entity.Code { return s.DeleteTable("none", 0, 0) }, entity.ResourceNotFound},
		{"nor one whose name is too long", func() entity.Code { return s.DeleteTable(strings.Repeat("a", 64), 0, 0) }, entity.ResourceNotFound},
		{"a table is dropped in any case", func() entity.Code { return s.DeleteTable("OTHER1", 0, 0) }, entity.OK},
		{"and only once", func() entity.Code { return s.DeleteTable("Other1", 0, 0) }, entity.ResourceNotFound},
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

func aTableMadeAnewIsEmpty(t *testing.T, open Opener) {
	s := filled(t, open, key("a", "1"))
	s.DeleteTable(table, 0, 0)
	s.CreateTable(table)
	if got := s.Count(table); got != 0 {
		t.Errorf("Count after the table was dropped and made = %d; want 0", got)
	}
	if got := s.Count("none"); got != 0 {
		t.Errorf("Count of no table = %d; want 0", got)
	}
}

func versions(t *testing.T, open Opener) {
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
		s := filled(t, open)
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
func aTagDiesWithItsEntity(t *testing.T, open Opener) {
	remove := entity.Change{Verb: entity.Delete, Key: key("a", "1"), Match: entity.MatchAny}
	insert := entity.Change{Verb: entity.Insert, Key: key("a", "1")}
	for _, row := range []struct {
		name string
		keys []entity.Key
	}{
		{"in a partition that lives on", []entity.Key{key("a", "1"), key("a", "2")}},
		{"in a partition that is emptied and made anew", []entity.Key{key("a", "1")}},
	} {
		s := filled(t, open, row.keys...)
		mustApply(t, s, &remove, start)
		mustApply(t, s, &insert, start)
		stale := entity.Change{Verb: entity.Replace, Key: key("a", "1"), Match: entity.MatchExactly(start)}
		if got := s.Apply(table, &stale, start); got.Code != entity.ConditionNotSatisfied {
			t.Errorf("%s: replace under the tag of the deleted entity = %+v; want %q", row.name, got, entity.ConditionNotSatisfied)
		}
	}
}

func mergeMayNotGrowAnEntityBeyondTheLimits(t *testing.T, open Opener) {
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
			s := filled(t, open)
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

func aFailedBatchLeavesNothing(t *testing.T, open Opener) {
	s := filled(t, open, key("a", "2"))
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
	if got := partitions(s, table, 1); got != 1 {
		t.Errorf("partitions after a failed batch on a new one = %d; want 1", got)
	}
	if got := s.ApplyBatch("none", changes, start); got.Code != entity.TableNotFound {
		t.Errorf("ApplyBatch on no table = %+v; want %q", got, entity.TableNotFound)
	}
	if got := s.ApplyBatch(table, nil, start); got.Code != entity.InvalidInput {
		t.Errorf("ApplyBatch of nothing = %+v; want %q", got, entity.InvalidInput)
	}
}

// A caller may build keys in memory of its own and use that again.
func keysAreCopied(t *testing.T, open Opener) {
	buffer := []byte("a1")
	s := filled(t, open)
	borrowed := unsafe.String(&buffer[0], 2)
	mustApply(t, s, &entity.Change{Verb: entity.Insert, Key: key(borrowed[:1], borrowed[1:])}, start)
	copy(buffer, "zz")
	page, _ := s.Scan(table, store.Query{})
	if len(page.Rows) != 1 || page.Rows[0].Key != key("a", "1") {
		t.Errorf("Scan after the caller used its memory again = %+v; want the key a, 1", page.Rows)
	}
}

func whatWasReadStaysAsItWas(t *testing.T, open Opener) {
	s := filled(t, open)
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

func keepMayUseTheStore(t *testing.T, open Opener) {
	s := filled(t, open, key("a", "1"), key("a", "2"), key("b", "1"))
	page, _ := s.Scan(table, store.Query{Keep: func(k entity.Key, _ entity.Packed) bool {
		r := s.Apply(table, &entity.Change{Verb: entity.Delete, Key: k, Match: entity.MatchAny}, start)
		return r.Code == entity.OK
	}})
	if len(page.Rows) != 3 || s.Count(table) != 0 {
		t.Errorf("a scan that deletes what it reads has %d rows and leaves %d; want 3 and 0", len(page.Rows), s.Count(table))
	}
}
