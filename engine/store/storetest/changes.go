package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// Table is that of [Filled].
const Table = "Registrations"

// Start is an instant whose last digit is not zero.
const Start entity.Ticks = 636396960326680941

// Filled returns a store with one table that holds these entities.
func Filled(t testing.TB, open Opener, keys ...entity.Key) engine.Store {
	t.Helper()
	s := open(t)
	require.Equalf(t, entity.OK, s.CreateTable(Table), "CreateTable(%s)", Table)
	for _, k := range keys {
		MustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k}, Start)
	}
	return s
}

// MustApply makes a change, which has to succeed, and returns the version.
func MustApply(t testing.TB, s engine.Store, c *entity.Change, at entity.Ticks) entity.Ticks {
	t.Helper()
	r := s.Apply(Table, c, at)
	require.Truef(t, r.Code == entity.OK, "Apply(%v of %+q) = %+v; want success", c.Verb, c.Key, r)
	return r.Version
}

// Key returns a key.
func Key(pk, rk string) entity.Key { return entity.Key{Partition: pk, Row: rk} }

// Int32s returns so many properties.
func Int32s(n int) []entity.Property {
	properties := make([]entity.Property, n)
	for i := range properties {
		properties[i] = entity.Property{Name: fmt.Sprintf("P%d", i), Value: entity.Int32(int32(i))}
	}
	return properties
}

// What else becomes of names is held by Model.
func namesThatAreNone(t *testing.T, open Opener) {
	s, long := open(t), strings.Repeat("a", 64)
	assert.Equal(t, entity.InvalidResourceName, s.CreateTable("ra-ces"), "CreateTable of a name with a dash")
	assert.Equal(t, entity.OutOfRangeInput, s.CreateTable(long), "CreateTable of a name of 64 letters")
	assert.Equal(t, entity.ResourceNotFound, s.DeleteTable(long, 0, 0), "DeleteTable of a name of 64 letters")
	assert.Equal(t, entity.OK, s.CreateTable("Races"), "CreateTable")
	assert.Equal(t, entity.OK, s.CreateTable("abc"), "CreateTable")
	assert.Equal(t, []string{"abc", "Races"}, s.TableNames(), "TableNames")
	assert.Equal(t, entity.InvalidInput, s.ApplyBatch("Races", nil, Start).Code, "ApplyBatch of nothing")
}

// A client that holds the tag of an entity must not change what took its place,
// even if delete and insert fall into one tick.
func aTagDiesWithItsEntity(t *testing.T, open Opener) {
	remove := entity.Change{Verb: entity.Delete, Key: Key("a", "1"), Match: entity.MatchAny}
	insert := entity.Change{Verb: entity.Insert, Key: Key("a", "1")}
	for _, row := range []struct {
		name string
		keys []entity.Key
	}{
		{"in a partition that lives on", []entity.Key{Key("a", "1"), Key("a", "2")}},
		{"in a partition that is emptied and made anew", []entity.Key{Key("a", "1")}},
	} {
		s := Filled(t, open, row.keys...)
		MustApply(t, s, &remove, Start)
		MustApply(t, s, &insert, Start)
		stale := entity.Change{Verb: entity.Replace, Key: Key("a", "1"), Match: entity.MatchExactly(Start)}
		assert.Equalf(t, entity.ConditionNotSatisfied, s.Apply(Table, &stale, Start).Code,
			"%s: replace under the tag of the deleted entity", row.name)
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
		{"two halves of the number are too many", Int32s(252), big(0, 1), entity.TooManyProperties},
		{"as many again under the same names are not", Int32s(252), Int32s(252), entity.OK},
		{"two halves of the size are too large", big(0, 8), big(8, 8), entity.EntityTooLarge},
		{"as much again under the same names is not", big(0, 15), big(0, 15), entity.OK},
	} {
		for _, verb := range []entity.Verb{entity.Merge, entity.InsertOrMerge} {
			s := Filled(t, open)
			MustApply(t, s, &entity.Change{Verb: entity.Insert, Key: Key("a", "1"), Properties: row.first}, Start)
			before, _ := s.Get(Table, Key("a", "1"))
			c := entity.Change{Verb: verb, Key: Key("a", "1"), Properties: row.merge}
			if verb == entity.Merge {
				c.Match = entity.MatchAny
			}
			if got := s.Apply(Table, &c, Start); got.Code != row.want {
				t.Errorf("%s: %v = %q, %s; want %q", row.name, verb, got.Code, got.Detail, row.want)
			}
			if after, _ := s.Get(Table, Key("a", "1")); row.want != entity.OK && !slices.Equal(after, before) {
				t.Errorf("%s: a refused %v changed the entity", row.name, verb)
			}
		}
	}
}

// A caller may build keys in memory of its own and use that again.
func keysAreCopied(t *testing.T, open Opener) {
	buffer := []byte("a1")
	s := Filled(t, open)
	borrowed := unsafe.String(&buffer[0], 2)
	MustApply(t, s, &entity.Change{Verb: entity.Insert, Key: Key(borrowed[:1], borrowed[1:])}, Start)
	copy(buffer, "zz")
	page, _ := s.Scan(Table, store.Query{})
	assert.Truef(t, len(page.Rows) == 1 && page.Rows[0].Key == Key("a", "1"),
		"Scan after the caller used its memory again = %+v; want the key a, 1", page.Rows)
}

func whatWasReadStaysAsItWas(t *testing.T, open Opener) {
	s := Filled(t, open)
	put := func(n int32) {
		MustApply(t, s, &entity.Change{Verb: entity.InsertOrReplace, Key: Key("a", "1"),
			Properties: []entity.Property{{Name: "N", Value: entity.Int32(n)}}}, Start)
	}
	put(1)
	got, _ := s.Get(Table, Key("a", "1"))
	page, _ := s.Scan(Table, store.Query{})
	put(2)
	for _, read := range []entity.Packed{got, page.Rows[0].Entity} {
		v, _ := read.Lookup("N")
		assert.Truef(t, v.Int() == 1, "an entity read before a write has N = %d; want 1", v.Int())
	}
}

func keepMayUseTheStore(t *testing.T, open Opener) {
	s := Filled(t, open, Key("a", "1"), Key("a", "2"), Key("b", "1"))
	page, _ := s.Scan(Table, store.Query{Keep: func(k entity.Key, _ entity.Packed) bool {
		r := s.Apply(Table, &entity.Change{Verb: entity.Delete, Key: k, Match: entity.MatchAny}, Start)
		return r.Code == entity.OK
	}})
	assert.Truef(t, len(page.Rows) == 3 && s.Count(Table) == 0,
		"a scan that deletes what it reads has %d rows and leaves %d; want 3 and 0", len(page.Rows), s.Count(Table))
}
