package entity_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

// eachType is one value of every type, with its name and its size by hand.
var eachType = []struct {
	name  string
	value entity.Value
	kind  entity.Type
	text  string
	size  int
}{
	{"a string of three units takes ten bytes", entity.String("10k"), entity.TypeString, "Edm.String", 10},
	{"a surrogate pair counts as two units", entity.String("\U0001F3C3"), entity.TypeString, "Edm.String", 8},
	{"an empty string still has a length", entity.String(""), entity.TypeString, "Edm.String", 4},
	{"a binary counts its bytes once", entity.Binary([]byte{0, 0xFF, 7}), entity.TypeBinary, "Edm.Binary", 7},
	{"a truth value is one byte", entity.Boolean(true), entity.TypeBoolean, "Edm.Boolean", 1},
	{"an untruth too", entity.Boolean(false), entity.TypeBoolean, "Edm.Boolean", 1},
	{"an instant is eight", entity.DateTime(entity.LatestDateTime), entity.TypeDateTime, "Edm.DateTime", 8},
	{"a double is eight", entity.Double(-0.5), entity.TypeDouble, "Edm.Double", 8},
	{"a GUID is sixteen", entity.GUID([16]byte{1, 15: 2}), entity.TypeGUID, "Edm.Guid", 16},
	{"a small integer is four", entity.Int32(math.MinInt32), entity.TypeInt32, "Edm.Int32", 4},
	{"a large integer is eight", entity.Int64(math.MinInt64), entity.TypeInt64, "Edm.Int64", 8},
}

func TestValuesOfEachType(t *testing.T) {
	for i, row := range eachType {
		if got := row.value.Type(); got != row.kind || got.String() != row.text {
			t.Errorf("%s: Type() = %v; want %s", row.name, got, row.text)
		}
		assert.Equalf(t, row.size, row.value.Size(), "%s: Size()", row.name)
		for j, other := range eachType {
			assert.Equalf(t, i == j, row.value.Equal(other.value), "%s: Equal with %q", row.name, other.name)
		}
		for _, spelling := range []string{row.text, row.text[len("Edm."):]} {
			got, ok := entity.ParseType(spelling)
			assert.Truef(t, got == row.kind && ok, "ParseType(%s) = %v, %v; want %s", spelling, got, ok, row.text)
		}
	}
}

func TestParseTypeRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "Edm.", "edm.String", "string", "Edm.Edm.String", "Edm.GUID", "Single"} {
		got, ok := entity.ParseType(name)
		assert.Truef(t, !ok, "ParseType(%q) = %v; want none", name, got)
	}
	for _, kind := range []entity.Type{0, entity.TypeInt64 + 1, 255} {
		assert.Equalf(t, "unknown", kind.String(), "Type(%d).String()", kind)
	}
}

// reading is what the accessors say of a value.
type reading struct {
	text, bytes string
	whole       int64
	float       float64
	truth       bool
	ticks       entity.Ticks
	guid        [16]byte
}

func read(v entity.Value) reading {
	return reading{v.Text(), string(v.Bytes()), v.Int(), v.Float(), v.Bool(), v.Ticks(), v.GUID()}
}

func TestAccessorsAnswerForTheirOwnTypeOnly(t *testing.T) {
	guid := [16]byte{0: 0xDD, 15: 0x3C}
	for _, row := range []struct {
		name  string
		value entity.Value
		want  reading
	}{
		{"a string has text", entity.String("é"), reading{text: "é"}},
		{"a binary has bytes", entity.Binary([]byte{1, 0}), reading{bytes: "\x01\x00"}},
		{"a truth value has truth", entity.Boolean(true), reading{truth: true}},
		{"an instant has ticks", entity.DateTime(77), reading{ticks: 77}},
		{"a double has a float", entity.Double(1e300), reading{float: 1e300}},
		{"a GUID has its bytes", entity.GUID(guid), reading{guid: guid}},
		{"a negative Int32 keeps its sign", entity.Int32(-1), reading{whole: -1}},
		{"the least Int64 is kept", entity.Int64(math.MinInt64), reading{whole: math.MinInt64}},
		{"the zero value has nothing", entity.Value{}, reading{}},
	} {
		assert.Equalf(t, row.want, read(row.value), "%s: accessors", row.name)
	}
}

func TestValuesAreImmutable(t *testing.T) {
	source := []byte{1, 2, 3}
	v := entity.Binary(source)
	source[0] = 9
	v.Bytes()[1] = 9
	if got := v.Bytes(); !bytes.Equal(got, []byte{1, 2, 3}) {
		t.Errorf("Binary([1 2 3]).Bytes() = %v after changes to its source and its copy; want [1 2 3]", got)
	}
}

// Texts are measured many bytes at a time, so that what is not ASCII has to be
// found wherever it stands.
func TestSizesOfTextsWithOneOddCharacter(t *testing.T) {
	for at := range 80 {
		for _, rest := range []int{0, 1, 9, 40} {
			before, after := strings.Repeat("a", at), strings.Repeat("a", rest)
			for odd, units := range map[string]int{"é": 1, "\uffff": 1, "\U0001F3C3": 2} {
				require.Equalf(t, 4+2*(at+units+rest), entity.String(before+odd+after).Size(),
					"Size of %+q after %d and before %d letters", odd, at, rest)
			}
			c := entity.Change{Verb: entity.Insert, Properties: named("a", entity.String(before+"\xff"+after))}
			if code, _ := c.Validate(); code != entity.InvalidInput {
				t.Fatalf("Validate of a bad byte after %d and before %d letters = %q; want %q", at, rest, code, entity.InvalidInput)
			}
		}
	}
}

func TestEqualComparesBits(t *testing.T) {
	for _, row := range []struct {
		name string
		a, b entity.Value
		want bool
	}{
		{"a NaN equals itself", entity.Double(math.NaN()), entity.Double(math.NaN()), true},
		{"the zeros of a double differ", entity.Double(0), entity.Double(math.Copysign(0, -1)), false},
		{"equal numbers of two types differ", entity.Int32(5), entity.Int64(5), false},
		{"equal strings of two origins are equal", entity.String("ab"), entity.String(string([]byte("ab"))), true},
	} {
		assert.Equalf(t, row.want, row.a.Equal(row.b), "%s: Equal", row.name)
	}
}
