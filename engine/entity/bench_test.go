package entity_test

import (
	"testing"

	"loadgen/engine/entity"
)

func BenchmarkValidate(b *testing.B) {
	c := entity.Change{Verb: entity.Insert,
		Key: entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__Kim__F__37"}, Properties: registration()}
	b.ReportAllocs()
	for b.Loop() {
		c.Validate()
	}
}

func BenchmarkValidateBatch(b *testing.B) {
	changes := inserts(100)
	for i := range changes {
		changes[i].Properties = registration()
	}
	b.ReportAllocs()
	for b.Loop() {
		entity.ValidateBatch(changes)
	}
}

func BenchmarkPack(b *testing.B) {
	properties := registration()
	b.ReportAllocs()
	for b.Loop() {
		entity.Pack(nil, 1, properties)
	}
}

func BenchmarkMergePacked(b *testing.B) {
	properties := registration()
	stored := entity.Pack(nil, 1, properties)
	b.ReportAllocs()
	for b.Loop() {
		entity.MergePacked(stored, 2, properties[2:4])
	}
}

func BenchmarkUnpack(b *testing.B) {
	stored := entity.Pack(nil, 1, registration())
	room := make([]entity.Property, 0, 16)
	b.ReportAllocs()
	for b.Loop() {
		stored.Unpack(room)
	}
}

func BenchmarkLookup(b *testing.B) {
	stored := entity.Pack(nil, 1, registration())
	b.ReportAllocs()
	for b.Loop() {
		stored.Lookup("Chip")
	}
}

func BenchmarkCompare(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		entity.Compare("2011 New York City Marathon__Full", "2011 New York City Marathon__Half")
	}
}
