package filter_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

// runner is an entity with a property of every type.
func runner() row {
	return row{
		key:       key("2011 New York City Marathon__Full", "1234__Kim__F__37"),
		timestamp: time.Date(2011, 11, 6, 9, 40, 0, 1234567*100, time.UTC),
		properties: map[string]any{
			"Name": "Kim's", "Age": int32(37), "Chip": int64(1<<53 + 1), "Speed": 12.5, "Lost": math.NaN(), "Zero": math.Copysign(0, -1),
			"Paid": true, "Born": time.Date(1974, 2, 28, 0, 0, 0, 0, time.UTC),
			"Id":  [16]byte{0x41, 0x85, 0x40, 0x4a, 0x58, 0x18, 0x48, 0xc3, 0xb9, 0xbe, 0xf2, 0x17, 0xdf, 0x0d, 0xba, 0x6f},
			"Tag": []byte{1, 2, 0x32},
		},
	}
}

// A block that was not packed by this package has no properties.
func TestKeepsOfABrokenEntity(t *testing.T) {
	for _, p := range []entity.Packed{nil, {1, 2, 3}, make(entity.Packed, 9)} {
		assert.Falsef(t, parsed(t, "Age ne 5 or Paid").Keeps(entity.Key{}, p), "Keeps(%v) = true; want false", p)
	}
}

func TestKeepsAllocatesNothing(t *testing.T) {
	r := runner()
	long := []byte(strings.Repeat("long", 100))
	r.properties["Tag"], r.properties["Name"] = long, string(long)
	packed := r.packed()
	e := parsed(t, fmt.Sprintf("PartitionKey ge '2011' and RowKey ne 'x' and Timestamp gt datetime'2011-01-01T00:00:00Z' and Name eq '%s'"+
		" and Tag ge X'%x' and Id ne guid'00000000-0000-0000-0000-000000000000' and Chip gt 5.0 and Paid and not (Club eq 1)", long, long))
	require.Truef(t, e.Keeps(r.key, packed), "Parse(%q).Keeps(a runner) = false; want true", e)
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { e.Keeps(r.key, packed) }), "allocations of Keeps")
	assert.False(t, parsed(t, "rowkey ne '' or age ne 1").Keeps(r.key, packed), "Keeps of names in another case")
}

func TestShape(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no filter has none", "", ""},
		{"constants go", "PartitionKey eq 'a' and Price gt 5L", "PartitionKey eq ? and Price gt ?"},
		{"types and values make no other shape", "Price gt 1.5 and true", "Price gt ? and ?"},
		{"sides make none either", "'a' eq PartitionKey", "PartitionKey eq ?"},
		{"many alternatives of one shape are one and an ellipsis",
			"PartitionKey eq 'a' or PartitionKey eq 'b' or PartitionKey eq 'c' or PartitionKey eq 'd'", "PartitionKey eq ? or …"},
		{"those of two shapes keep their order", "A eq 1 or A eq 2 or B eq 1 or B eq 2 or A eq 3", "A eq ? or … or B eq ? or … or A eq ?"},
		{"groups are compared as groups", "(A eq 1 and B eq 2) or (A eq 3 and B eq 4)", "A eq ? and B eq ? or …"},
		{"a denial keeps its parentheses", "not (A eq 1)", "not (A eq ?)"},
	} {
		assert.Equalf(t, row.want, parsed(t, row.text).Shape(), "%s: Parse(%q).Shape()", row.name, row.text)
	}
}
