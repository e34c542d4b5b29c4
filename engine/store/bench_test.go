package store_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/store/storetest"
)

// registration is an entity of ten properties and about 1 KiB.
func registration() []entity.Property {
	properties := []entity.Property{
		{Name: "Name", Value: entity.String("Kim Tanaka")},
		{Name: "Age", Value: entity.Int32(37)},
		{Name: "Paid", Value: entity.Boolean(true)},
		{Name: "Fee", Value: entity.Double(79.5)},
		{Name: "Registered", Value: entity.DateTime(start)},
		{Name: "Ticket", Value: entity.GUID([16]byte{0xDD, 15: 1})},
		{Name: "Chip", Value: entity.Int64(5_432_873_627_392)},
	}
	for i := range 3 {
		properties = append(properties, entity.Property{Name: fmt.Sprintf("Note%d", i), Value: entity.String(strings.Repeat("x", 280))})
	}
	return properties
}

func rowKey(i int) string { return fmt.Sprintf("%08d__Kim__F__37", i) }

// loaded returns a store with n registrations in one partition.
func loaded(b *testing.B, n int) *store.Store {
	s := filled(b)
	for i := range n {
		storetest.MustApply(b, s, &entity.Change{Verb: entity.Insert, Key: key("Full", rowKey(i)), Properties: registration()}, start)
	}
	return s
}

// BenchmarkInsert begins anew every 50,000 entities, to bound its memory.
func BenchmarkInsert(b *testing.B) {
	const most = 50_000
	c := entity.Change{Verb: entity.Insert, Properties: registration()}
	keys := make([]entity.Key, most)
	for i := range keys {
		keys[i] = key(fmt.Sprintf("partition-%02d", i%16), rowKey(i*7919%most))
	}
	s := filled(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%most == 0 {
			s.DeleteTable(table, 0, 0)
			s.CreateTable(table)
		}
		c.Key = keys[i%most]
		s.Apply(table, &c, start)
	}
}

func BenchmarkMerge(b *testing.B) {
	s := loaded(b, 10_000)
	c := entity.Change{Verb: entity.Merge, Match: entity.MatchAny, Key: key("Full", rowKey(777)), Properties: registration()[:3]}
	b.ReportAllocs()
	for b.Loop() {
		s.Apply(table, &c, start)
	}
}

func BenchmarkGet(b *testing.B) {
	const entities = 20_000
	s := loaded(b, entities)
	keys := make([]entity.Key, entities)
	for i := range keys {
		keys[i] = key("Full", rowKey(i*7919%entities))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Get(table, keys[i%entities])
	}
}

// BenchmarkBatch replaces the same 100 entities with each transaction.
func BenchmarkBatch(b *testing.B) {
	s := loaded(b, 10_000)
	changes := make([]entity.Change, entity.MaxBatchChanges)
	for i := range changes {
		changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: key("Full", rowKey(i*50)), Properties: registration()}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.ApplyBatch(table, changes, start)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, row := range []struct {
		name string
		keep func(entity.Key, entity.Packed) bool
	}{
		{"1000", nil},
		{"1000-keep-none", func(_ entity.Key, e entity.Packed) bool { v, _ := e.Lookup("Age"); return v.Int() > 90 }},
	} {
		b.Run(row.name, func(b *testing.B) {
			s := loaded(b, 5000)
			query := store.Query{Range: filter.RowsFrom("Full", rowKey(1000)), ScanLimit: 1000, Keep: row.keep}
			b.ReportAllocs()
			for b.Loop() {
				s.Scan(table, query)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
		})
	}
}
