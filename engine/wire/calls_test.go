package wire_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		{"a row, minimal", func() { minimal.AppendRow(room, true, key, packed) }, 0},
		{"a row, full", func() { full.AppendRow(room, true, key, packed) }, 0},
		{"a row, selected", func() { selected.AppendRow(room, true, key, packed) }, 0},
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

// drawn returns an entity of plain texts and of every type.
func drawn(chance *rand.Rand) *entity.Change {
	c := &entity.Change{Verb: entity.Insert, Key: entity.Key{
		Partition: plain(chance, 30), Row: plain(chance, 30)}}
	for i := range chance.IntN(12) {
		c.Properties = append(c.Properties, entity.Property{Name: fmt.Sprint("P", i, strings.Repeat("x", chance.IntN(9))), Value: value(chance)})
	}
	return c
}

func plain(chance *rand.Rand, most int) string {
	return strings.Repeat("ab 9-z", 1+most/6)[:chance.IntN(most+1)]
}

func value(chance *rand.Rand) entity.Value {
	switch v := randomProperty(chance, 0).Value; v.Type() {
	case entity.TypeString:
		return entity.String(plain(chance, 2000))
	case entity.TypeDouble:
		return entity.Double(float64(chance.IntN(100_000) - 50_000))
	default:
		return v
	}
}

// What is reckoned of drawn entities, held to what the codec writes.
func TestEntitiesWeighWhatTheCodecWrites(t *testing.T) {
	chance := rand.New(rand.NewPCG(13, 1))
	levels := []wire.Level{wire.MinimalMetadata, wire.NoMetadata, wire.FullMetadata}
	for round := range 500 {
		level := levels[round%len(levels)]
		shown := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/loadgen", Account: "loadgen"}, Level: level}
		c := drawn(chance)
		body := wire.AppendEntityBody(nil, c.Key, c.Properties)
		got, want := wire.RequestWeight(entity.Insert, c, nil)-wire.InsertHead, int64(len(body))
		require.Truef(t, got == want, "Request of %s = %d bytes; the codec writes %d", body, got, want)
		packed := entity.Pack(nil, entity.Ticks(638_000_000_000_000_000), c.Properties)
		row := shown.AppendEntity(nil, c.Key, packed)
		if got, want := wire.ReplyWeight(entity.Get, c, nil, packed, level)-wire.GotHead, int64(len(row)); got != want {
			t.Fatalf("Reply of %s = %d bytes; the codec writes %d", row, got, want)
		}
		address := wire.AppendLinkLiteral(wire.AppendLinkLiteral(nil, c.Key.Partition), c.Key.Row)
		if got, want := wire.RequestWeight(entity.Get, c, nil)-wire.GetHead, int64(len(address)); got != want {
			t.Fatalf("Request for %v = %d bytes of address; the codec writes %s", c.Key, got, address)
		}
	}
}

// A page of drawn rows, of which all are looked at or some, whole or with selected properties.
func TestPagesWeighWhatTheCodecWrites(t *testing.T) {
	chance := rand.New(rand.NewPCG(13, 2))
	for _, selected := range [][]string{nil, {"Age"}, {"Name", "Nothing"}} {
		for level := range wire.FullMetadata + 1 {
			for _, rows := range []int{0, 1, 2, 63, 64, 65, 1000} {
				shown := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/loadgen", Account: "loadgen"}, Level: level}
				if selected != nil {
					shown.Select = append([]string{"PartitionKey", "RowKey"}, selected...)
				}
				keys, packed := make([]entity.Key, rows), make([]entity.Packed, rows)
				body := shown.AppendPageStart(nil)
				for i := range rows {
					keys[i] = entity.Key{Partition: "Berlin", Row: fmt.Sprintf("%06d", i)}
					packed[i] = entity.Pack(nil, entity.Ticks(638_000_000_000_000_000), []entity.Property{
						{Name: "Name", Value: entity.String(plain(chance, 300))}, {Name: "Age", Value: entity.Int32(int32(20 + chance.IntN(60)))}})
					body = shown.AppendRow(body, i == 0, keys[i], packed[i])
				}
				want := len(shown.AppendPageEnd(body))
				got := wire.PageWeight(rows, func(i int) (entity.Key, entity.Packed) { return keys[i], packed[i] }, selected, level) - wire.PageHead
				if far := got - int64(want); rows <= 64 && (far < -1 || far > 1) || far > int64(want/10) || far < -int64(want/10) {
					t.Errorf("%v at level %v: a page of %d rows is estimated at %d bytes; the codec writes %d", selected, level, rows, got, want)
				}
			}
		}
	}
}
