package entity_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

// reading is what the accessors say of a value.
type reading struct {
	text, bytes string
	whole       int64
	float       float64
	truth       bool
	ticks       entity.Ticks
	guid        [16]byte
}

// Every value has its type's name, its size by hand, and an answer to the accessor of its
// type alone; none equals another.
func TestValuesOfEachType(t *testing.T) {
	guid := [16]byte{1, 15: 2}
	rows := []struct {
		name  string
		value entity.Value
		kind  string
		size  int
		want  reading
	}{
		{"a string of three units takes ten bytes", entity.String("10k"), "Edm.String", 10, reading{text: "10k"}},
		{"a surrogate pair counts as two units", entity.String("\U0001F3C3"), "Edm.String", 8, reading{text: "\U0001F3C3"}},
		{"an empty string still has a length", entity.String(""), "Edm.String", 4, reading{}},
		{"a binary counts its bytes once", entity.Binary([]byte{0, 0xFF, 7}), "Edm.Binary", 7, reading{bytes: "\x00\xff\a"}},
		{"a truth value is one byte", entity.Boolean(true), "Edm.Boolean", 1, reading{truth: true}},
		{"an untruth too", entity.Boolean(false), "Edm.Boolean", 1, reading{}},
		{"an instant is eight", entity.DateTime(77), "Edm.DateTime", 8, reading{ticks: 77}},
		{"a double is eight", entity.Double(-0.5), "Edm.Double", 8, reading{float: -0.5}},
		{"the zeros of a double differ", entity.Double(0), "Edm.Double", 8, reading{}},
		{"and the other", entity.Double(math.Copysign(0, -1)), "Edm.Double", 8, reading{float: math.Copysign(0, -1)}},
		{"a GUID is sixteen", entity.GUID(guid), "Edm.Guid", 16, reading{guid: guid}},
		{"a small integer is four", entity.Int32(-1), "Edm.Int32", 4, reading{whole: -1}},
		{"a large integer is eight", entity.Int64(math.MinInt64), "Edm.Int64", 8, reading{whole: math.MinInt64}},
		{"equal numbers of two types differ", entity.Int64(-1), "Edm.Int64", 8, reading{whole: -1}},
	}
	for i, row := range rows {
		v := row.value
		assert.Equalf(t, row.kind, v.Type().String(), "%s: type", row.name)
		assert.Equalf(t, row.size, v.Size(), "%s: Size()", row.name)
		got := reading{v.Text(), string(v.Bytes()), v.Int(), v.Float(), v.Bool(), v.Ticks(), v.GUID()}
		assert.Equalf(t, row.want, got, "%s: accessors", row.name)
		for j, other := range rows {
			assert.Equalf(t, i == j, v.Equal(other.value), "%s: Equal with %q", row.name, other.name)
		}
		for _, spelling := range []string{row.kind, strings.TrimPrefix(row.kind, "Edm.")} {
			got, ok := entity.ParseType(spelling)
			assert.Truef(t, got == v.Type() && ok, "ParseType(%s) = %v, %v; want %s", spelling, got, ok, row.kind)
		}
	}
	nan := entity.Double(math.NaN())
	assert.True(t, nan.Equal(entity.Double(math.NaN())), "a NaN equals itself")
}

func TestParseTypeRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "Edm.", "edm.String", "string", "Edm.Edm.String", "Edm.GUID", "Single"} {
		got, ok := entity.ParseType(name)
		assert.Truef(t, !ok, "ParseType(%q) = %v; want none", name, got)
	}
	assert.Equal(t, "unknown", (entity.TypeInt64 + 1).String(), "a type that does not exist")
}

func TestValuesAreImmutable(t *testing.T) {
	source := []byte{1, 2, 3}
	v := entity.Binary(source)
	source[0] = 9
	v.Bytes()[1] = 9
	assert.Equal(t, []byte{1, 2, 3}, v.Bytes(), "after changes to its source and its copy")
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
