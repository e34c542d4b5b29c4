package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// parsedRow is a text, and what a parser makes of it.
type parsedRow[T comparable] struct {
	name, text string
	want       T
	ok         bool
}

func checkParsed[T comparable](t *testing.T, parse func(string) (T, bool), rows []parsedRow[T]) {
	t.Helper()
	for _, row := range rows {
		if got, ok := parse(row.text); got != row.want || ok != row.ok {
			t.Errorf("%s: of %.80q comes %v, %v; want %v, %v", row.name, row.text, got, ok, row.want, row.ok)
		}
	}
}

// What is done for every request allocates nothing where its room is used again, or little.
func TestAllocations(t *testing.T) {
	key := entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__Kim O'Neil__F__37"}
	room := make([]byte, 0, 4096)
	escaped := string(wire.AppendEntityPath(nil, "Races", key))
	text := string(wire.AppendBatch(nil, "1", batchBase, "Races", hundred(), nil))
	plain := properties("a", entity.String("Zürich"), "b", entity.Int64(1), "c", entity.Double(5.5),
		"d", entity.DateTime(entity.EarliestDateTime), "e", entity.Int32(-1))
	body := string(wire.AppendEntityBody(nil, key, plain))
	packed := entity.Pack(nil, entity.EarliestDateTime, append(plain, entity.Property{Name: "f", Value: entity.GUID(guid)}))
	minimal, full, selected := rendering(wire.MinimalMetadata), rendering(wire.FullMetadata), rendering(wire.MinimalMetadata, "a", "x")
	var one wire.EntityBody
	var batch wire.BatchRequest
	secret, signed := developmentSecret(t), signedRequests()[0]
	for _, row := range []struct {
		name string
		do   func()
		most float64
	}{
		{"writing a path", func() { wire.AppendEntityPath(room, "Races", key) }, 0},
		{"reading one without escapes", func() { wire.ParseResource("T(PartitionKey='a',RowKey='b')") }, 0},
		{"reading one with escapes and a quote", func() { wire.ParseResource(escaped) }, 2},
		{"a hundred inserts in a transaction", func() { batch.Parse("batch_1", text) }, 4},
		{"an entity without binaries and GUIDs", func() { one.Parse(body) }, 0},
		{"a row, minimal", func() { minimal.AppendRow(room, true, key, packed, nil) }, 0},
		{"a row, full", func() { full.AppendRow(room, true, key, packed, nil) }, 0},
		{"a row, selected", func() { selected.AppendRow(room, true, key, packed, nil) }, 0},
		{"signing and verifying", func() {
			secret.AppendAuthorization(room, signed.scheme, &signed.what)
			secret.Verify(signed.scheme, &signed.what, signed.signature)
		}, 0},
	} {
		// A pool may drop what it holds, under the race detector one time in four:
		// the least of many runs counts.
		least := testing.AllocsPerRun(1, row.do)
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, row.do))
		}
		assert.Truef(t, least <= row.most, "%s allocates %v times; want %v at most", row.name, least, row.most)
	}
}

// A call that no caller means panics at once.
func TestPanics(t *testing.T) {
	for name, do := range map[string]func(){
		"a batch with a read":         func() { wire.AppendBatch(nil, "1", batchBase, "Races", []entity.Change{{Verb: entity.Get}}, nil) },
		"a signature of no scheme":    func() { new(wire.Signable).AppendStringToSign(nil, 0) },
		"a corrupt block to be shown": func() { rendering(wire.MinimalMetadata).AppendEntity(nil, entity.Key{}, entity.Packed("short")) },
	} {
		assert.Panics(t, do, name)
	}
}
