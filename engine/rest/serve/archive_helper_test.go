package serve_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// formats are both, by name.
var formats = map[string]serve.ArchiveFormat{"JSON lines": serve.ArchiveLines, "CSV": serve.ArchiveCSV}

// readAll returns what an archive holds, in records of its own.
func readAll(f serve.ArchiveFormat, text string) ([]serve.ArchiveRecord, error) {
	var all []serve.ArchiveRecord
	err := serve.ReadArchive(f, strings.NewReader(text), func(r *serve.ArchiveRecord) error {
		own := *r
		own.Properties = slices.Clone(r.Properties)
		all = append(all, own)
		return nil
	})
	return all, err
}

// written returns records as an archive.
func written(t testing.TB, f serve.ArchiveFormat, records []serve.ArchiveRecord) string {
	t.Helper()
	var text strings.Builder
	if err := serve.WriteArchive(f, &text, each(records)); err != nil {
		t.Fatalf("Write(%d, %d records) = %v; want no error", f, len(records), err)
	}
	return text.String()
}

// each yields pointers to records.
func each(records []serve.ArchiveRecord) func(func(*serve.ArchiveRecord) bool) {
	return func(yield func(*serve.ArchiveRecord) bool) {
		for i := range records {
			if !yield(&records[i]) {
				return
			}
		}
	}
}

// shown is a record as a text in which no two that differ are alike: CSV does
// not keep the order of properties, a NaN equals itself, and the zeros differ.
func shown(r *serve.ArchiveRecord) string {
	var properties []string
	for _, p := range r.Properties {
		v := p.Value
		properties = append(properties, fmt.Sprintf("%q %v %q %x %v %d %x %x",
			p.Name, v.Type(), v.Text(), v.Bytes(), v.Bool(), v.Ticks(), math.Float64bits(v.Float()), v.GUID())+fmt.Sprint(v.Int()))
	}
	slices.Sort(properties)
	return fmt.Sprintf("%q %v %q %q\n%s", r.Table, r.HasEntity, r.Key.Partition, r.Key.Row, strings.Join(properties, "\n"))
}

// wantSame fails the test unless the records are the same one by one.
func wantSame(t testing.TB, what string, got, want []serve.ArchiveRecord) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s = %d records; want %d", what, len(got), len(want))
	}
	for i := range want {
		if shown(&got[i]) != shown(&want[i]) {
			t.Errorf("%s: record %d =\n%s\nwant\n%s", what, i, shown(&got[i]), shown(&want[i]))
		}
	}
}

// one is a record of one table.
func one(partition, row string, properties ...entity.Property) serve.ArchiveRecord {
	return serve.ArchiveRecord{Table: "Races", HasEntity: true, Key: entity.Key{Partition: partition, Row: row}, Properties: properties}
}

func property(name string, v entity.Value) entity.Property {
	return entity.Property{Name: name, Value: v}
}

// hostile are records that an archive may get wrong.
func hostile() []serve.ArchiveRecord {
	var records []serve.ArchiveRecord
	values := []entity.Value{
		entity.String(""), entity.String("plain"), entity.String(`"`), entity.String(`""`), entity.String(","), entity.String("\r\n"),
		entity.String("\r"), entity.String("\n\n"), entity.String("a\tb\\u0041\x00\x1f\u2028\u00a0"), entity.String(" blank at both ends "),
		entity.String("\ufeff"), entity.String("żółć 日本 😀 \U0010ffff"), entity.String("null"), entity.String("=1+1"), entity.String("NaN"),
		entity.String("2011-11-06T09:40:00Z"), entity.String(strings.Repeat("x\"\n", 10_000)),
		entity.Binary(nil), entity.Binary([]byte{0, 255, 10, 13}), entity.Boolean(true), entity.Boolean(false),
		entity.DateTime(entity.EarliestDateTime), entity.DateTime(entity.LatestDateTime), entity.DateTime(entity.EarliestDateTime + 1),
		entity.Double(0), entity.Double(math.Copysign(0, -1)), entity.Double(1), entity.Double(-1.5), entity.Double(math.MaxFloat64),
		entity.Double(math.SmallestNonzeroFloat64), entity.Double(math.NaN()), entity.Double(math.Inf(1)), entity.Double(math.Inf(-1)),
		entity.Double(1 << 53), entity.GUID([16]byte{0: 0xab, 15: 1}), entity.GUID([16]byte{}),
		entity.Int32(0), entity.Int32(math.MinInt32), entity.Int32(math.MaxInt32), entity.Int64(0), entity.Int64(math.MinInt64), entity.Int64(math.MaxInt64),
	}
	for i, v := range values {
		records = append(records, one("values", fmt.Sprintf("%03d", i), property("Value", v)))
	}
	for _, key := range []string{"", " ", `"`, `""`, ",", "'", "a b", "żółć", "😀", "\ue000", "%2F", "Table", "null", strings.Repeat("k", 511)} {
		records = append(records, one(key, "row"), one("partition", key+"."), one(key, key+"-"))
	}
	records = append(records,
		one("names", "own", property("Table", entity.Int32(5)), property("table", entity.String("x"))),
		one("names", "text", property("A", entity.Boolean(true)), property("Table", entity.String("Other"))),
		one("names", "unicode", property("żółć", entity.String("x")), property("_", entity.Int64(1))),
		one("names", "many", func() (all []entity.Property) {
			for i := range entity.MaxProperties {
				all = append(all, property(fmt.Sprintf("P%d", i), entity.Int32(int32(i))))
			}
			return all
		}()...),
		serve.ArchiveRecord{Table: "Empty"},
		serve.ArchiveRecord{Table: strings.Repeat("t", entity.MaxTableName), HasEntity: true},
	)
	return records
}
