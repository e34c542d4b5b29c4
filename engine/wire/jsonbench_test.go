package wire_test

import (
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// registration is an entity of ten properties and about 1 KiB, of every type.
func registration() (entity.Key, []entity.Property) {
	return entity.Key{Partition: "2026 New York City Marathon__Full", Row: "00001234__Kim__F__37"}, properties(
		"Name", entity.String("Kim Tanaka"), "Bib", entity.Int32(12345), "Paid", entity.Boolean(true), "Fee", entity.Double(79.5),
		"Registered", entity.DateTime(ticks("2026-03-01T08:30:00.1234567Z")), "Ticket", entity.GUID(guid),
		"Chip", entity.Int64(5_432_873_627_392), "Photo", entity.Binary([]byte(strings.Repeat("\xff\x00", 32))),
		"Address", entity.String("1 Main Street, Springfield"), "Notes", entity.String(strings.Repeat("the course is closed at six; ", 16)))
}

func BenchmarkParseEntityBody(b *testing.B) {
	k, all := registration()
	text := string(wire.AppendEntityBody(nil, k, all))
	var body wire.EntityBody
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if code, detail := body.Parse(text); code != entity.OK {
			b.Fatal(code, detail)
		}
	}
}

func BenchmarkAppendEntityBody(b *testing.B) {
	k, all := registration()
	room := wire.AppendEntityBody(nil, k, all)
	b.SetBytes(int64(len(room)))
	b.ReportAllocs()
	for b.Loop() {
		room = wire.AppendEntityBody(room[:0], k, all)
	}
}

const benchmarkRows = 1000

func benchmarkPage(level wire.Level, room []byte, k entity.Key, p entity.Packed) []byte {
	r := rendering(level)
	room = r.AppendPageStart(room)
	for i := range benchmarkRows {
		room = r.AppendRow(room, i == 0, k, p, nil)
	}
	return r.AppendPageEnd(room)
}

func BenchmarkAppendRow(b *testing.B) {
	k, all := registration()
	p := entity.Pack(nil, ticks("2026-11-01T08:30:00.1234567Z"), all)
	for _, level := range []struct {
		name  string
		level wire.Level
	}{{"minimal", wire.MinimalMetadata}, {"none", wire.NoMetadata}, {"full", wire.FullMetadata}} {
		b.Run(level.name, func(b *testing.B) {
			room := benchmarkPage(level.level, nil, k, p)
			b.SetBytes(int64(len(room)))
			b.ReportAllocs()
			for b.Loop() {
				room = benchmarkPage(level.level, room[:0], k, p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkRows, "ns/row")
		})
	}
}

func BenchmarkParsePage(b *testing.B) {
	k, all := registration()
	text := string(benchmarkPage(wire.MinimalMetadata, nil, k, entity.Pack(nil, ticks("2026-11-01T08:30:00.1234567Z"), all)))
	var rows []wire.Row
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if rows, err = wire.ParsePage(rows[:0], text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkRows, "ns/row")
}
