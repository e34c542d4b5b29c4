package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// refusal is a body that is not taken, and the code that says so.
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
		{"an object cut off", `{"a":1`, bad},
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
		{"a binary that is far too long",
			typed("Binary", `"`+strings.Repeat("A", 200_000)+`"`), entity.PropertyValueTooLarge},
	})
}
