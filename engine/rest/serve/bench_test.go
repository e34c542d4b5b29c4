package serve_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// registrations are entities such as a stress test loads.
func registrations(n int) []serve.ArchiveRecord {
	records := make([]serve.ArchiveRecord, n)
	for i := range records {
		records[i] = one("2011 New York City Marathon__Full", fmt.Sprintf("%06d__Kim__F__37", i),
			property("Name", entity.String("Kim")), property("Fee", entity.Int32(255)), property("Paid", entity.Boolean(true)),
			property("Registered", entity.DateTime(entity.EarliestDateTime)), property("Notes", entity.String(strings.Repeat("n", 100))))
	}
	return records
}

// An operation is one entity.
func BenchmarkRead(b *testing.B) {
	for name, f := range formats {
		text := written(b, f, registrations(1000))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; done += 1000 {
				if err := serve.ReadArchive(f, strings.NewReader(text), func(*serve.ArchiveRecord) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An operation is one entity.
func BenchmarkWrite(b *testing.B) {
	records := registrations(1000)
	for name, f := range formats {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; done += 1000 {
				if err := serve.WriteArchive(f, io.Discard, each(records)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
