package wire_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// spaced returns a JSON text with blanks between its parts, where the fast way
// of reading one has no part in it.
func spaced(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// mustParseAlike fails where blanks between the parts of a body change what it
// means.
func mustParseAlike(t *testing.T, text string) {
	t.Helper()
	var dense, loose wire.EntityBody
	code, detail := dense.Parse(text)
	other, otherDetail := loose.Parse(spaced(text))
	if place := " at byte "; strings.Contains(detail, place) && strings.Contains(otherDetail, place) {
		detail, otherDetail = "", ""
	}
	if code != other || detail != otherDetail || code == entity.OK && (dense.Key != loose.Key ||
		dense.HasPartition != loose.HasPartition || dense.HasRow != loose.HasRow || !sameProperties(dense.Properties, loose.Properties)) {
		t.Fatalf("Parse(%q) = %q, %q with %+q %s; with blanks between its parts %q, %q with %+q %s", text, code, detail,
			dense.Key, showProperties(dense.Properties), other, otherDetail, loose.Key, showProperties(loose.Properties))
	}
}

func TestBlanksChangeNothing(t *testing.T) {
	members := []string{
		`"PartitionKey":"p"`, `"RowKey":"r"`, `"a":"x"`, `"a":"x"`, `"a@odata.type":"Edm.Int64"`, `"a@odata.type":"Edm.Sbyte"`,
		`"b@odata.type":"Edm.Int64"`, `"b":"12"`, `"b":12`, `"c":-1`, `"c":0`, `"c":012`, `"c":1.50`, `"d":null`, `"d":true`, `"e":{}`,
		`"odata.etag":"W/\"x\""`, `"odata.type":"a.b"`, `"f@odata.nextLink":"x"`, `"@odata.type":"Edm.Int32"`, `"g@h":"x"`,
		`"Timestamp":"2017-08-30T13:20:32Z"`, `"Timestamp@odata.type":"Edm.DateTime"`, `"":"x"`, `"é":"é"`, `"h":"a\u00e9\n"`,
		`"i":123456789012`, `"i":"` + strings.Repeat("long ", 30) + `"`, `"j":"` + strings.Repeat("long ", 30) + `\t"`,
		`"o":"x"`, `"odata.x@odata.type":"Edm.Int32"`, `"k":"x`, `"k":12`, `"k" "x"`, `k:"x"`, `"Edm@odata.type":"Int32"`,
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for range 3000 {
		picked := make([]string, 0, 8)
		for range 1 + rng.IntN(7) {
			picked = append(picked, members[rng.IntN(len(members))])
		}
		mustParseAlike(t, "{"+strings.Join(picked, ",")+"}")
	}
}
