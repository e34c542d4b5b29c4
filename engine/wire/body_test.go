package wire_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func properties(pairs ...any) []entity.Property {
	var all []entity.Property
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, entity.Property{Name: pairs[i].(string), Value: pairs[i+1].(entity.Value)})
	}
	return all
}

func sameProperties(a, b []entity.Property) bool {
	return slices.EqualFunc(a, b, func(x, y entity.Property) bool { return x.Name == y.Name && x.Value.Equal(y.Value) })
}

func showProperties(all []entity.Property) string {
	var b strings.Builder
	for _, p := range all {
		fmt.Fprintf(&b, "%q %s %.80q;", p.Name, p.Value.Type(), fmt.Sprint(p.Value))
	}
	return b.String()
}

// guid is that of the texts below.
var guid = [16]byte{0xDD, 0x3C, 0xB8, 0xF8, 0x93, 0xB7, 0x44, 0xE2, 0xB7, 0x4A, 0xC0, 0xAA, 0x3B, 0x27, 0xA6, 0xD2}

func ticks(text string) entity.Ticks {
	t, err := entity.ParseTicks(text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestParseEntityBody(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []entity.Property
	}{
		{"an empty object", `{}`, nil},
		{"a string is a string, whatever it looks like", `{"a":"5","b":"true","c":""}`,
			properties("a", entity.String("5"), "b", entity.String("true"), "c", entity.String(""))},
		{"whole numbers within 32 bits", `{"a":0,"b":-0,"c":2147483647,"d":-2147483648}`,
			properties("a", entity.Int32(0), "b", entity.Int32(0), "c", entity.Int32(math.MaxInt32), "d",
				entity.Int32(math.MinInt32))},
		{"whole numbers beyond become a Double", `{"a":2147483648,"b":-2147483649,"c":9223372036854775808}`,
			properties("a", entity.Double(1<<31), "b", entity.Double(-1<<31-1), "c", entity.Double(1<<63))},
		{"a point or an exponent makes a Double", `{"a":5.0,"b":5e0,"c":-0.0,"d":4.81516}`,
			properties("a", entity.Double(5), "b", entity.Double(5), "c", entity.Double(math.Copysign(0, -1)), "d",
				entity.Double(4.81516))},
		{"annotations far from their values",
			`{"a":"5","b@odata.type":"Edm.Double","c":"x","a@odata.type":"Edm.Int64","b":7}`,
			properties("a", entity.Int64(5), "b", entity.Double(7), "c", entity.String("x"))},
		{"an Int64 as a number",
			`{"a@odata.type":"Edm.Int64","a":9223372036854775807}`, properties("a", entity.Int64(math.MaxInt64))},
		{"the ends of an Int64",
			`{"a":"-9223372036854775808","a@odata.type":"Edm.Int64","b":"9223372036854775807","b@odata.type":"Edm.Int64"}`,
			properties("a", entity.Int64(math.MinInt64), "b", entity.Int64(math.MaxInt64))},
		{"annotations that say what is plain",
			`{"a@odata.type":"Edm.String","a":"x","b@odata.type":"Edm.Int32","b":5,"c@odata.type":"Edm.Boolean","c":true,"d@odata.type":"Edm.Double","d":1.5}`,
			properties("a", entity.String("x"), "b", entity.Int32(5), "c", entity.Boolean(true), "d", entity.Double(1.5))},
		{"strings that their annotations turn into values",
			`{"b@odata.type":"Edm.Int32","b":"-5","c@odata.type":"Edm.Boolean","c":"false","d@odata.type":"Edm.Double","d":"1.5"}`,
			properties("b", entity.Int32(-5), "c", entity.Boolean(false), "d", entity.Double(1.5))},
		{"Doubles that are no numbers",
			`{"a@odata.type":"Edm.Double","a":"NaN","b@odata.type":"Edm.Double","b":"Infinity","c@odata.type":"Edm.Double","c":"-Infinity","d":"NaN"}`,
			properties("a", entity.Double(math.NaN()), "b", entity.Double(math.Inf(1)), "c", entity.Double(math.Inf(-1)), "d",
				entity.String("NaN"))},
		{"an instant with an offset", `{"a@odata.type":"Edm.DateTime","a":"2014-05-07T10:20:53+02:00"}`,
			properties("a", entity.DateTime(ticks("2014-05-07T08:20:53Z")))},
		{"the ends of the calendar",
			`{"a@odata.type":"Edm.DateTime","a":"1601-01-01T00:00:00Z","b@odata.type":"Edm.DateTime","b":"9999-12-31T23:59:59.9999999Z"}`,
			properties("a", entity.DateTime(entity.EarliestDateTime), "b", entity.DateTime(entity.LatestDateTime))},
		{"a GUID in either case",
			`{"a@odata.type":"Edm.Guid","a":"dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2","b@odata.type":"Edm.Guid","b":"DD3CB8F8-93B7-44E2-B74A-C0AA3B27A6D2"}`,
			properties("a", entity.GUID(guid), "b", entity.GUID(guid))},
		{"binaries",
			`{"a@odata.type":"Edm.Binary","a":"AQIy","b@odata.type":"Edm.Binary","b":"","c@odata.type":"Edm.Binary","c":"AQ\r\n=="}`,
			properties("a", entity.Binary([]byte{1, 2, 0x32}), "b", entity.Binary(nil), "c", entity.Binary([]byte{1}))},
		{"nulls are left out, with their annotations",
			`{"a":null,"b@odata.type":"Edm.Guid","b":null,"c":1}`, properties("c", entity.Int32(1))},
		{"an annotation of nothing", `{"a@odata.type":"Edm.Guid"}`, nil},
		{"what a service says of itself",
			`{"odata.metadata":{"a":[{}]},"odata.etag":"x","odata.etag":5,"Timestamp@odata.type":5,"Timestamp":[1],"a@odata.id":{},"@odata.type":"#x"}`, nil},
		{"annotations of odd names",
			`{"a@@odata.type":"Edm.Int64","a@":"5","a@@odata.":1,"a@odata.x@y":2,"odata.x@odata.type":"Edm.Guid"}`,
			properties("a@", entity.Int64(5))},
		{"the system's names in another case",
			`{"timestamp":1,"rowkey":2}`, properties("timestamp", entity.Int32(1), "rowkey", entity.Int32(2))},
		{"names that only Validate refuses", `{"a-b":1,"":2,"a@b":3}`,
			properties("a-b", entity.Int32(1), "", entity.Int32(2), "a@b", entity.Int32(3))},
	} {
		var b wire.EntityBody
		code, detail := b.Parse(row.text)
		if code != entity.OK || !sameProperties(b.Properties, row.want) {
			t.Errorf("%s: Parse(%s) = %s, %s %s; want %s", row.name, row.text, showProperties(b.Properties), code, detail,
				showProperties(row.want))
		}
	}
}

func TestParseEntityBodyKeys(t *testing.T) {
	const bad = entity.InvalidInput
	for _, row := range []struct {
		name, text      string
		want            entity.Key
		hasPart, hasRow bool
		code            entity.Code
	}{
		{"both", `{"RowKey":"r","PartitionKey":"p\u00f4","a":1}`, entity.Key{Partition: "pô", Row: "r"}, true, true, ""},
		{"empty ones are there", `{"PartitionKey":"","RowKey":""}`, entity.Key{}, true, true, ""},
		{"a null is none", `{"PartitionKey":null,"RowKey":"r"}`, entity.Key{Row: "r"}, false, true, ""},
		{"none", `{}`, entity.Key{}, false, false, ""},
		{"annotated as strings",
			`{"PartitionKey":"p","PartitionKey@odata.type":"Edm.String"}`, entity.Key{Partition: "p"}, true, false, ""},
		{"a number", `{"PartitionKey":5}`, entity.Key{}, false, false, bad},
		{"annotated as numbers", `{"RowKey@odata.type":"Edm.Int32","RowKey":"5"}`, entity.Key{}, false, false, bad},
		{"twice", `{"RowKey":"r","RowKey":"r"}`, entity.Key{}, false, false, entity.DuplicateProperties},
	} {
		b := wire.EntityBody{Key: entity.Key{Partition: "old", Row: "old"}, HasPartition: true, HasRow: true}
		code, detail := b.Parse(row.text)
		if code != row.code || b.Key != row.want || b.HasPartition != row.hasPart || b.HasRow != row.hasRow {
			t.Errorf("%s: Parse(%s) = %q %v %v, %s %s; want %q %v %v, %s", row.name, row.text,
				b.Key, b.HasPartition, b.HasRow, code, detail, row.want, row.hasPart, row.hasRow, row.code)
		}
	}
}

// Values that were read stay what they are when the body is used again.
func TestParseKeepsWhatItGave(t *testing.T) {
	var b wire.EntityBody
	b.Parse(`{"a":"x\ny","b@odata.type":"Edm.Binary","b":"AQIy"}`)
	kept := slices.Clone(b.Properties)
	b.Parse(`{"a":"u\nv","b@odata.type":"Edm.Binary","b":"////"}`)
	want := properties("a", entity.String("x\ny"), "b", entity.Binary([]byte{1, 2, 0x32}))
	assert.Truef(t, sameProperties(kept, want),
		"after the next Parse the properties are %s; want %s", showProperties(kept), showProperties(want))
}

func TestAppendEntityBody(t *testing.T) {
	got := wire.AppendEntityBody([]byte("x"), entity.Key{Partition: "Zürich \"Full\"", Row: ""}, allTypes())
	const want = `x{"PartitionKey":"Zürich \"Full\"","RowKey":"","Name":"Kim\nØ","Bib":12345,"Paid":true,"Fee":79.5,"Round":5.0,` +
		`"Least":5e-324,"Lost@odata.type":"Edm.Double","Lost":"NaN","Far@odata.type":"Edm.Double","Far":"-Infinity",` +
		`"Chip@odata.type":"Edm.Int64","Chip":"5432873627392","Start@odata.type":"Edm.DateTime","Start":"2014-05-07T08:20:53.2Z",` +
		`"Ticket@odata.type":"Edm.Guid","Ticket":"dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2","Tag@odata.type":"Edm.Binary","Tag":"AQIy"}`
	assert.Equalf(t, want, string(got), "AppendEntityBody =\n%s", got)
}

// allTypes has a property of each type, and the Doubles that are written oddly.
func allTypes() []entity.Property {
	return properties("Name", entity.String("Kim\nØ"), "Bib", entity.Int32(12345), "Paid", entity.Boolean(true), "Fee",
		entity.Double(79.5), "Round", entity.Double(5), "Least", entity.Double(5e-324), "Lost",
		entity.Double(math.NaN()), "Far", entity.Double(math.Inf(-1)), "Chip", entity.Int64(5_432_873_627_392), "Start",
		entity.DateTime(ticks("2014-05-07T08:20:53.2Z")), "Ticket", entity.GUID(guid), "Tag",
		entity.Binary([]byte{1, 2, 0x32}))
}

// randomProperty draws a value of any type that a table stores.
func randomProperty(rng *rand.Rand, i int) entity.Property {
	letters := []rune("abc \"\\\n\t\x00\x7f/<é\u2028\uffff🏃")
	text := make([]rune, rng.IntN(30))
	for j := range text {
		text[j] = letters[rng.IntN(len(letters))]
	}
	var v entity.Value
	switch entity.Type(1 + rng.IntN(8)) {
	case entity.TypeBinary:
		v = entity.Binary([]byte(string(text)))
	case entity.TypeBoolean:
		v = entity.Boolean(rng.IntN(2) == 0)
	case entity.TypeDateTime:
		v = entity.DateTime(entity.EarliestDateTime + entity.Ticks(rng.Int64N(int64(entity.LatestDateTime-entity.EarliestDateTime)+1)))
	case entity.TypeDouble:
		v = entity.Double([]float64{math.Float64frombits(rng.Uint64()), float64(rng.IntN(100)), math.Copysign(0,
			-1)}[rng.IntN(3)])
		if f := v.Float(); f != f {
			v = entity.Double(math.NaN()) // The one NaN that a text can name.
		}
	case entity.TypeGUID:
		v = entity.GUID([16]byte{byte(rng.Uint32()), 15: byte(rng.Uint32())})
	case entity.TypeInt32:
		v = entity.Int32(int32(rng.Uint32()) >> rng.IntN(32))
	case entity.TypeInt64:
		v = entity.Int64(int64(rng.Uint64()) >> rng.IntN(64))
	default:
		v = entity.String(string(text))
	}
	return entity.Property{Name: fmt.Sprintf("Pé%d", i), Value: v}
}

func randomEntity(rng *rand.Rand) (entity.Key, []entity.Property) {
	all := make([]entity.Property, rng.IntN(40))
	for i := range all {
		all[i] = randomProperty(rng, i)
	}
	return entity.Key{Partition: fmt.Sprintf("p'%d é", rng.IntN(9)), Row: strings.Repeat("%\"🏃", rng.IntN(5))}, all
}

func TestRandomEntityBodiesAreReadBack(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	var b wire.EntityBody
	for i := range 1000 {
		k, want := randomEntity(rng)
		text := string(wire.AppendEntityBody(nil, k, want))
		require.Truef(t, json.Valid([]byte(text)), "seed %d, entity %d: %s is no JSON", seed, i, text)
		code, detail := b.Parse(text)
		if code != entity.OK || b.Key != k || !b.HasPartition || !b.HasRow || !sameProperties(b.Properties, want) {
			t.Fatalf("seed %d, entity %d: Parse(%s) = %q %s, %s %s; want %q %s", seed, i, text,
				b.Key, showProperties(b.Properties), code, detail, k, showProperties(want))
		}
	}
}

func TestParseTableName(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
		code             entity.Code
	}{
		{"a name", `{"TableName":"Races"}`, "Races", ""},
		{"with what a service says of itself",
			`{"odata.metadata":"x","TableName@odata.type":"Edm.String","TableName":"R\u00e9"}`, "Ré", ""},
		{"an empty name is a name", `{"TableName":""}`, "", ""},
		{"no name", `{}`, "", entity.PropertiesNeedValue},
		{"a null", `{"TableName":null}`, "", entity.PropertiesNeedValue},
		{"a number", `{"TableName":5}`, "", entity.InvalidInput},
		{"twice", `{"TableName":"a","TableName":"a"}`, "", entity.DuplicateProperties},
		{"another property", `{"TableName":"Races","Size":5}`, "", entity.InvalidInput},
		{"no JSON", `TableName=Races`, "", entity.InvalidInput},
	} {
		got, code, detail := wire.ParseTableName(row.text)
		assert.Falsef(t, got != row.want || code != row.code || code != entity.OK && detail == "",
			"%s: ParseTableName(%s) = %q, %q %s; want %q, %q", row.name, row.text, got, code, detail, row.want, row.code)
	}
	assert.Equal(t, `x{"TableName":"a\"b"}`, string(wire.AppendTableName([]byte("x"), `a"b`)), "AppendTableName")
}

func FuzzEntityBody(f *testing.F) {
	f.Add(string(wire.AppendEntityBody(nil, entity.Key{Partition: "p", Row: "r"}, allTypes())))
	f.Add(`{"a":"5","a@odata.type":"Edm.Int64","b":null,"odata.x":[{}],"Timestamp":1}`)
	f.Add(`{"a":1e400,"b":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		mustParseAlike(t, text)
		var first, second wire.EntityBody
		if code, detail := first.Parse(text); code != entity.OK {
			if detail == "" || strings.ContainsAny(detail, "\n\r") {
				t.Fatalf("Parse(%q) = %q, %q; want one line of detail", text, code, detail)
			}
			return
		}
		// encoding/json takes a name twice, and says so of nothing that is taken here.
		var decoded map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &decoded); err != nil {
			t.Fatalf("Parse(%q) = OK; encoding/json says %v", text, err)
		}
		for _, p := range first.Properties {
			if _, ok := decoded[p.Name]; !ok {
				t.Fatalf("Parse(%q) has %q; encoding/json has not", text, p.Name)
			}
			if strings.HasPrefix(p.Name, "odata.") || strings.Contains(p.Name, "@odata.") {
				t.Fatalf("Parse(%q) shows %q; want it passed over", text, p.Name)
			}
		}
		again := string(wire.AppendEntityBody(nil, first.Key, first.Properties))
		if code, detail := second.Parse(again); code != entity.OK || second.Key != first.Key ||
			!sameProperties(first.Properties, second.Properties) {
			t.Fatalf("Parse(%q) = %q %s, %s %s; want %q %s", again, second.Key, showProperties(second.Properties), code, detail,
				first.Key, showProperties(first.Properties))
		}
	})
}

// refusal is a text that is not taken, and the code that says so.
type refusal struct {
	name, text string
	want       entity.Code
}

func checkRefusals(t *testing.T, rows []refusal) {
	t.Helper()
	for _, row := range rows {
		var b wire.EntityBody
		code, detail := b.Parse(row.text)
		assert.Truef(t, code == row.want && detail != "" && !strings.ContainsAny(detail, "\n\r") && len(detail) <= 500,
			"%s: Parse(%.80s) = %q, %q; want %q and one line", row.name, row.text, code, detail, row.want)
	}
}

// typed is a body with one property of an annotated type.
func typed(edm, value string) string { return `{"a@odata.type":"Edm.` + edm + `","a":` + value + `}` }

func TestParseEntityBodyRefuses(t *testing.T) {
	const bad, duplicate = entity.InvalidInput, entity.DuplicateProperties
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, `"P%d":1,`, i)
	}
	checkRefusals(t, []refusal{
		{"no text", ``, bad},
		{"no object", `[]`, bad},
		{"a comma too many", `{"a":1,}`, bad},
		{"a number beyond a Double", `{"a":1e400}`, bad},
		{"a bad string in a member that does not matter", `{"odata.x":"\ud800"}`, bad},
		{"an object for a value", `{"a":{"b":1}}`, bad},
		{"a name twice", `{"a":1,"b":2,"a":1}`, duplicate},
		{"a name twice, once null", `{"a":null,"a":1}`, duplicate},
		{"a name twice, once escaped", `{"a":1,"\u0061":1}`, duplicate},
		{"two annotations", `{"a@odata.type":"Edm.Int64","a":"5","a@odata.type":"Edm.Int64"}`, duplicate},
		{"properties without end", `{` + many.String() + `"x":1}`, entity.TooManyProperties},
		{"a text that no request may have", `{"a":"` + strings.Repeat("a", 4<<20) + `"}`, entity.RequestBodyTooLarge},
	})
}

func TestParseEntityBodyRefusesValues(t *testing.T) {
	const bad = entity.InvalidInput
	checkRefusals(t, []refusal{
		{"an unknown type", typed("Decimal", "1"), bad},
		{"a type without Edm", `{"a@odata.type":"Int64","a":"5"}`, bad},
		{"an annotation that is no string", `{"a@odata.type":5,"a":"5"}`, bad},
		{"a number annotated as a string", typed("String", "5"), bad},
		{"an Int32 too large", typed("Int32", "2147483648"), bad},
		{"an Int32 too small", typed("Int32", `"-2147483649"`), bad},
		{"an Int32 with a fraction", typed("Int32", "5.0"), bad},
		{"an Int64 too large", typed("Int64", `"9223372036854775808"`), bad},
		{"an Int64 too small", typed("Int64", `"-9223372036854775809"`), bad},
		{"an Int64 that comes round to 5 in 64 bits", typed("Int64", `"18446744073709551621"`), bad},
		{"an Int64 with a leading zero", typed("Int64", `"05"`), bad},
		{"an Int64 with a plus sign", typed("Int64", `"+5"`), bad},
		{"an empty Int64", typed("Int64", `""`), bad},
		{"an Int64 with a fraction", typed("Int64", `5.5`), bad},
		{"a Double in letters", typed("Double", `"five"`), bad},
		{"a Double in Go's hexadecimal", typed("Double", `"0x1p4"`), bad},
		{"a Double with an underscore", typed("Double", `"1_000"`), bad},
		{"a Double in another spelling of infinity", typed("Double", `"Inf"`), bad},
		{"a Double too large", typed("Double", `"1e400"`), bad},
		{"truth in capitals", typed("Boolean", `"True"`), bad},
		{"truth as a number", typed("Boolean", `1`), bad},
		{"an instant that is none", typed("DateTime", `"yesterday"`), bad},
		{"an instant as a number", typed("DateTime", `5`), bad},
		{"an instant before 1601", typed("DateTime", `"1600-12-31T23:59:59.9999999Z"`), entity.OutOfRangeInput},
		{"an instant after 9999", typed("DateTime", `"9999-12-31T23:59:59-00:01"`), entity.OutOfRangeInput},
		{"a GUID without dashes", typed("Guid", `"dd3cb8f893b744e2b74ac0aa3b27a6d2"`), bad},
		{"a GUID in braces", typed("Guid", `"{dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2}"`), bad},
		{"a GUID with a dash for a digit", typed("Guid", `"dd3cb8f--93b7-44e2-b74a-c0aa3b27a6d2"`), bad},
		{"a GUID with a letter too far", typed("Guid", `"dd3cb8fg-93b7-44e2-b74a-c0aa3b27a6d2"`), bad},
		{"base64 without its padding", typed("Binary", `"AQ"`), bad},
		{"base64 of the kind for addresses", typed("Binary", `"-_8="`), bad},
		{"base64 as a number", typed("Binary", `1234`), bad},
		{"a binary that is far too long",
			typed("Binary", `"`+strings.Repeat("A", 200_000)+`"`), entity.PropertyValueTooLarge},
	})
}

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
