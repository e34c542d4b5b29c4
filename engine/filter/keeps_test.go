package filter_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
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

func TestKeeps(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       bool
	}{
		{"no filter keeps all", "", true},
		{"true keeps all", "true", true},
		{"false keeps none", "false", false},
		{"and needs both", "Paid and false", false},
		{"or needs one", "false or Paid", true},
		{"not turns it over", "not false", true},

		{"PartitionKey is a system property", "PartitionKey eq '2011 New York City Marathon__Full'", true},
		{"RowKey is one", "RowKey gt '1234' and RowKey lt '1235'", true},
		{"Timestamp is one, to 100 ns", "Timestamp eq datetime'2011-11-06T09:40:00.1234567Z'", true},
		{"the next tick is another", "Timestamp lt datetime'2011-11-06T09:40:00.1234568Z' and Timestamp gt datetime'2011-11-06T09:40:00.1234566Z'", true},
		{"keys are strings and no numbers", "RowKey ne 1234 or PartitionKey ne 2011", false},
		{"names differ by case", "rowkey ne '' or age ne 1", false},

		{"strings are equal to the letter", "Name eq 'Kim''s'", true},
		{"case counts", "Name eq 'kim''s'", false},
		{"upper case comes before lower", "Name lt 'kim' and Name gt 'KIM'", true},
		{"a string is no number", "Name ne 5 or Age ne '37'", false},
		{"an Int32 compares with an Int32", "Age ge 37 and Age le 37 and Age ne 38", true},
		{"an Int32 compares with an Int64", "Age eq 37L and Age lt 38L", true},
		{"an Int32 compares with a Double", "Age eq 37.0 and Age lt 37.5 and Age gt 36.5", true},
		{"an Int64 compares with an Int32", "Chip gt 37", true},
		{"an Int64 compares with a Double exactly", "Chip ne 9007199254740992.0 and Chip gt 9007199254740992.0", true},
		{"a Double compares with a whole number", "Speed gt 12 and Speed lt 13L and Speed ne 12", true},
		{"a Double compares with a Double", "Speed eq 1.25e1", true},
		{"the two zeros are equal", "Zero eq 0.0 and Zero eq 0 and Zero eq -0.0", true},
		{"a NaN equals nothing", "Lost eq 0 or Lost lt 0.0 or Lost ge 0 or Lost gt -1 or Lost le 1.5", false},
		{"a NaN differs from everything", "Lost ne 0 and Lost ne 1.5", true},
		{"a truth value alone", "Paid", true},
		{"a truth value compared", "Paid eq true and Paid ne false and true eq Paid", true},
		{"a property that is no truth value is not true", "Name or Age or RowKey or Timestamp", false},
		{"nor is it false", "Name eq false or Name ne true", false},
		{"instants have an order", "Born lt datetime'1974-02-28T00:00:00.0000001Z' and Born eq datetime'1974-02-28T00:00:00'", true},
		{"GUIDs are equal in any case", "Id eq guid'4185404A-5818-48C3-B9BE-F217DF0DBA6F'", true},
		{"GUIDs have the order of their text", "Id lt guid'4185404b-0000-0000-0000-000000000000' and Id gt guid'41854049-ffff-ffff-ffff-ffffffffffff'", true},
		{"a GUID is no string", "Id ne '4185404a-5818-48c3-b9be-f217df0dba6f'", false},
		{"bytes are equal", "Tag eq X'010232'", true},
		{"bytes compare one by one, unsigned", "Tag gt X'0102' and Tag lt X'ff' and Tag lt binary'01023200'", true},

		{"a property that is not there equals nothing", "Club eq 'x'", false},
		{"nor does it differ", "Club ne 'x'", false},
		{"not of such a comparison is true", "not (Club eq 'x') and not (Club ne 'x')", true},
		{"nor is it true", "Club", false},
	} {
		r := runner()
		if got := parsed(t, row.text).Keeps(r.key, r.packed()); got != row.want {
			t.Errorf("%s: Parse(%q).Keeps(a runner) = %v; want %v", row.name, row.text, got, row.want)
		}
	}
}

func TestKeepsAtTheEdgesOfNumbers(t *testing.T) {
	for _, row := range []struct {
		name, text string
		value      any
	}{
		{"the greatest Int64 is less than the Double next to it", "N lt 9223372036854775808.0 and N gt 9223372036854774784.0", int64(math.MaxInt64)},
		{"the least Int64 is a Double", "N eq -9223372036854775808.0 and N gt -1e300", int64(math.MinInt64)},
		{"a Double beyond all Int64 is greater", "N gt 9223372036854775807L and N ne 9223372036854775807L", float64(1 << 63)},
		{"so is infinity", "N gt 9223372036854775807L and N gt 1.7e308", math.Inf(1)},
		{"its negative is less", "N lt -9223372036854775808L", math.Inf(-1)},
		{"a negative fraction lies above the whole number below it", "N gt -6 and N lt -5", -5.5},
		{"beyond 2^53 an odd number is no Double", "N gt 9007199254740992L and N lt 9007199254740993L or N eq 9007199254740992L", float64(1 << 53)},
	} {
		r := fixedRows()[0]
		r.properties = map[string]any{"N": row.value}
		if e := parsed(t, row.text); !e.Keeps(r.key, r.packed()) {
			t.Errorf("%s: Parse(%q).Keeps(N = %v) = false; want true", row.name, row.text, row.value)
		}
	}
}

// What a block that nobody packed says is nothing.
func TestKeepsOfABrokenEntity(t *testing.T) {
	for _, p := range []entity.Packed{nil, {1, 2, 3}, make(entity.Packed, 9)} {
		if parsed(t, "Age ne 5 or Paid").Keeps(entity.Key{}, p) {
			t.Errorf("Keeps(%v) = true; want false", p)
		}
	}
}

func TestKeepsAllocatesNothing(t *testing.T) {
	r := runner()
	long := []byte(strings.Repeat("long", 100))
	r.properties["Tag"], r.properties["Name"] = long, string(long)
	packed := r.packed()
	e := parsed(t, fmt.Sprintf("PartitionKey ge '2011' and RowKey ne 'x' and Timestamp gt datetime'2011-01-01T00:00:00Z' and Name eq '%s'"+
		" and Tag ge X'%x' and Id ne guid'00000000-0000-0000-0000-000000000000' and Chip gt 5.0 and Paid and not (Club eq 1)", long, long))
	if !e.Keeps(r.key, packed) {
		t.Fatalf("Parse(%q).Keeps(a runner) = false; want true", e)
	}
	if allocs := testing.AllocsPerRun(100, func() { e.Keeps(r.key, packed) }); allocs != 0 {
		t.Errorf("Keeps allocates %v times; want 0", allocs)
	}
}

// A client's $filter: where to read, and what to keep of it.
func ExampleParse() {
	e, code, detail := filter.Parse("(PartitionKey eq '2011 New York City Marathon__Full')and(RowKey ge '12')and(Age lt 40)")
	if code != entity.OK {
		fmt.Println(code, detail)
		return
	}
	fmt.Println(e.Range().Class(), e.Exact())

	kim := key("2011 New York City Marathon__Full", "1234__Kim__F__37")
	stored := entity.Pack(nil, 1, []entity.Property{{Name: "Age", Value: entity.Int32(37)}})
	fmt.Println(e.Range().Contains(kim), e.Keeps(kim, stored))

	_, code, detail = filter.Parse("Age in (37, 38)")
	fmt.Println(code, detail)
	// Output:
	// row range scan false
	// true true
	// NotImplemented expected an operator after the property "Age", found in, which the table service does not have, at character 5 of the $filter
}

const keyRangeFilter = "PartitionKey eq '2011 New York City Marathon__Full' and RowKey ge '1234' and RowKey lt '1235'"

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, code, detail := filter.Parse(keyRangeFilter); code != entity.OK {
			b.Fatal(detail)
		}
	}
}

// BenchmarkParseHundred is a hundred keys joined by or, as clients send them.
func BenchmarkParseHundred(b *testing.B) {
	text := "PartitionKey eq 'p' and (RowKey eq '0'" + strings.Repeat(" or RowKey eq '1234__Kim__F__37'", 99) + ")"
	b.ReportAllocs()
	for b.Loop() {
		if _, code, detail := filter.Parse(text); code != entity.OK {
			b.Fatal(detail)
		}
	}
}

func BenchmarkKeeps(b *testing.B) {
	r := runner()
	packed := r.packed()
	for _, row := range []struct{ name, text string }{
		{"keys", keyRangeFilter}, {"property", "Age lt 40"}, {"three", "Age lt 40 and Paid and Name ne 'Tom'"},
	} {
		b.Run(row.name, func(b *testing.B) {
			e := parsed(b, row.text)
			b.ReportAllocs()
			for b.Loop() {
				e.Keeps(r.key, packed)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	r := filter.Rows("2011 New York City Marathon__Full", "1234", "1235")
	b.ReportAllocs()
	for b.Loop() {
		r.Text()
	}
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
		if got := parsed(t, row.text).Shape(); got != row.want {
			t.Errorf("%s: Parse(%q).Shape() = %q; want %q", row.name, row.text, got, row.want)
		}
	}
}
