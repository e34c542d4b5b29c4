package wire_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

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
	shown := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/loadgen"}}
	for range 500 {
		c := drawn(chance)
		body := wire.AppendEntityBody(nil, c.Key, c.Properties)
		got, want := wire.RequestWeight(entity.Insert, c, nil)-wire.InsertHead, int64(len(body))
		require.Truef(t, got == want, "Request of %s = %d bytes; the codec writes %d", body, got, want)
		packed := entity.Pack(nil, entity.Ticks(638_000_000_000_000_000), c.Properties)
		row := shown.AppendEntity(nil, c.Key, packed)
		if got, want := wire.ReplyWeight(entity.Get, c, nil, packed)-wire.GotHead, int64(len(row)); got != want {
			t.Fatalf("Reply of %s = %d bytes; the codec writes %d", row, got, want)
		}
		address := wire.AppendLinkLiteral(wire.AppendLinkLiteral(nil, c.Key.Partition), c.Key.Row)
		if got, want := wire.RequestWeight(entity.Get, c, nil)-wire.GetHead, int64(len(address)); got != want {
			t.Fatalf("Request for %v = %d bytes of address; the codec writes %s", c.Key, got, address)
		}
	}
}

// A page of drawn rows, of which all are looked at or some.
func TestPagesWeighWhatTheCodecWrites(t *testing.T) {
	chance := rand.New(rand.NewPCG(13, 2))
	shown := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/loadgen"}}
	for _, rows := range []int{0, 1, 2, 63, 64, 65, 1000} {
		keys, packed := make([]entity.Key, rows), make([]entity.Packed, rows)
		body := shown.AppendPageStart(nil)
		for i := range rows {
			keys[i] = entity.Key{Partition: "Berlin", Row: fmt.Sprintf("%06d", i)}
			packed[i] = entity.Pack(nil, entity.Ticks(638_000_000_000_000_000), []entity.Property{
				{Name: "Name", Value: entity.String(plain(chance, 300))}, {Name: "Age", Value: entity.Int32(int32(20 + chance.IntN(60)))}})
			body = shown.AppendRow(body, i == 0, keys[i], packed[i], nil)
		}
		want := len(shown.AppendPageEnd(body))
		got := wire.PageWeight(rows, func(i int) (entity.Key, entity.Packed) { return keys[i], packed[i] }) - wire.PageHead
		if far := got - int64(want); rows <= 64 && (far < -1 || far > 1) || far > int64(want/10) || far < -int64(want/10) {
			t.Errorf("a page of %d rows is reckoned at %d bytes; the codec writes %d", rows, got, want)
		}
	}
}
