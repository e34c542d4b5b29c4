package wire_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// What is remembered of rows alters none: each is what it is by itself, whatever the names
// and types at its places before, on however many pages.
func TestRowsSeenAlterNoRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 2))
	names := []string{"a", "b", "Paid", "Größe", strings.Repeat("n", 40), strings.Repeat("n", 92), strings.Repeat("n", 93), strings.Repeat("n", 255)}
	values := []entity.Value{entity.String("x"), entity.String("\"\n"), entity.Int32(-1), entity.Int64(1 << 60), entity.Double(2.5), entity.Double(math.NaN()),
		entity.Boolean(true), entity.DateTime(ticks("2026-11-01T08:30:00Z")), entity.GUID(guid), entity.Binary([]byte{0, 1})}
	var seen wire.RowsSeen
	row := make([]entity.Property, 0, 40)
	for range 6000 {
		r := rendering([]wire.Level{wire.MinimalMetadata, wire.NoMetadata, wire.FullMetadata}[rng.IntN(3)])
		switch rng.IntN(4) {
		case 0:
			row = row[:rng.IntN(len(row)+1)]
		case 1:
			for len(row) < cap(row) && rng.IntN(8) > 0 {
				row = append(row, entity.Property{Name: names[rng.IntN(len(names))] + strconv.Itoa(len(row)), Value: values[rng.IntN(len(values))]})
			}
		}
		for i := range row {
			if rng.IntN(6) == 0 {
				row[i].Value = values[rng.IntN(len(values))]
			}
		}
		k, p := entity.Key{Partition: "p", Row: "r"}, entity.Pack(nil, ticks("2026-11-01T08:30:00.1234567Z"), row)
		got, want := string(r.AppendRow(nil, true, k, p, &seen)), string(r.AppendRow(nil, true, k, p, nil))
		if got != want {
			t.Fatalf("AppendRow = %s; want %s", got, want)
		}
	}
}

// Doubles leave as the shortest text that is read as the same: hundredths, their
// neighbours and any others.
func TestDoublesLeaveShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	for i := range 60_000 {
		f := float64(rng.Int64N(4_000_000_000_000)-2_000_000_000_000) / 100
		switch i % 5 {
		case 1:
			f = float64(rng.IntN(20_000)-10_000) / 100
		case 2:
			f = math.Nextafter(f, 0)
		case 3:
			f = math.Float64frombits(rng.Uint64())
		case 4:
			f = float64(rng.IntN(2_000_000)-1_000_000) / 1000
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		format := byte('f')
		if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
			format = 'e'
		}
		want := strconv.FormatFloat(f, format, -1, 64)
		if !strings.ContainsAny(want, ".e") {
			want += ".0"
		}
		p := entity.Pack(nil, ticks("2026-11-01T08:30:00Z"), properties("a", entity.Double(f)))
		text := string(rendering(wire.NoMetadata).AppendRow(nil, true, entity.Key{}, p, nil))
		if _, got, _ := strings.Cut(text, `"a":`); got != want+"}" {
			t.Fatalf("%x is shown as %s; want %s", f, got, want)
		}
	}
}
