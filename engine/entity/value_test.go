package entity_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

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

func TestTicksTable(t *testing.T) {
	for _, row := range []struct {
		name  string
		time  time.Time
		ticks entity.Ticks
		text  string
	}{
		{"tick zero is the first instant of year one", time.Time{}, 0, "0001-01-01T00:00:00Z"},
		{"one tick is 100 ns", time.Time{}.Add(100), 1, "0001-01-01T00:00:00.0000001Z"},
		{"the Unix epoch is where .NET has it", time.Unix(0, 0), 621355968000000000, "1970-01-01T00:00:00Z"},
		{"trailing zeros of the fraction are trimmed",
			time.Date(2017, 8, 30, 13, 20, 32, 668_000_000, time.UTC), 636396960326680000, "2017-08-30T13:20:32.668Z"},
		{"the last digit is kept where it is not zero",
			time.Date(2017, 8, 30, 13, 20, 32, 668_094_600, time.UTC), 636396960326680946, "2017-08-30T13:20:32.6680946Z"},
		{"another zone is brought to UTC",
			time.Date(2017, 8, 30, 15, 20, 32, 0, time.FixedZone("", 7200)), 636396960320000000, "2017-08-30T13:20:32Z"},
		{"a DateTime begins with the year 1601",
			time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), entity.EarliestDateTime, "1601-01-01T00:00:00Z"},
		{"and ends with the year 9999",
			time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC), entity.LatestDateTime, "9999-12-31T23:59:59.9999999Z"},
	} {
		assert.Equalf(t, row.ticks, entity.TicksOf(row.time), "%s: TicksOf(%v)", row.name, row.time)
		if got := row.ticks.Time(); !got.Equal(row.time) || got.Location() != time.UTC {
			t.Errorf("%s: Ticks(%d).Time() = %v; want %v in UTC", row.name, row.ticks, got, row.time)
		}
		assert.Equalf(t, row.text, row.ticks.String(), "%s: Ticks(%d).String()", row.name, row.ticks)
		if got, err := entity.ParseTicks(row.text); got != row.ticks || err != nil {
			t.Errorf("%s: ParseTicks(%s) = %d, %v; want %d", row.name, row.text, got, err, row.ticks)
		}
	}
}

func TestTicksOfRoundsDownAndSaturates(t *testing.T) {
	for _, row := range []struct {
		name string
		time time.Time
		want entity.Ticks
	}{
		{"199 ns lie in tick 1", time.Time{}.Add(199), 1},
		{"1 ns before tick zero lies in tick -1", time.Time{}.Add(-1), -1},
		{"a time beyond the range comes out as the last tick", time.Unix(1<<60, 0), math.MaxInt64},
		{"a time before the range comes out as the first", time.Unix(-1<<60, 0), -math.MaxInt64},
	} {
		assert.Equalf(t, row.want, entity.TicksOf(row.time), "%s: TicksOf", row.name)
	}
}

func TestETagTable(t *testing.T) {
	const version entity.Ticks = 636396960326680946
	for _, row := range []struct {
		name, tag string
		want      entity.Ticks
		err       error
	}{
		{"the tag as the service writes it", `W/"datetime'2017-08-30T13%3A20%3A32.6680946Z'"`, version, nil},
		{"lower-case escapes", `W/"datetime'2017-08-30T13%3a20%3a32.6680946Z'"`, version, nil},
		{"seven digits with trailing zeros", `W/"datetime'2017-08-30T13%3A20%3A32.6680000Z'"`, 636396960326680000, nil},
		{"nothing", ``, 0, entity.ErrETag},
		{"a star is no tag", `*`, 0, entity.ErrETag},
		{"a strong tag", `"datetime'2017-08-30T13%3A20%3A32.6680946Z'"`, 0, entity.ErrETag},
		{"two tags", `W/"a", W/"b"`, 0, entity.ErrETag},
		{"a weak tag of another server", `W/"33a64df5"`, 0, entity.ErrForeignETag},
		{"an empty weak tag", `W/""`, 0, entity.ErrForeignETag},
		{"a weak tag that only begins like ours", `W/"datetime'"`, 0, entity.ErrForeignETag},
		{"a day that does not exist", `W/"datetime'2017-02-30T13%3A20%3A32Z'"`, 0, entity.ErrForeignETag},
	} {
		got, err := entity.ParseETag(row.tag)
		assert.Truef(t, got == row.want && errors.Is(err, row.err),
			"%s: ParseETag(%s) = %d, %v; want %d, %v", row.name, row.tag, got, err, row.want, row.err)
	}
	assert.Equalf(t, `W/"datetime'2017-08-30T13%3A20%3A32.6680946Z'"`, version.ETag(), "Ticks(%d).ETag()", version)
}

func TestParseTicksRefusesWhatTheServiceNeverWrites(t *testing.T) {
	for _, text := range []string{
		"", "Z", "2017-08-30", "2017-08-30T13:20:32", "2017-08-30T13:20:32+00:00", "2017-08-30 13:20:32Z",
		"2017-08-30T13:20:32.Z", "2017-08-30T13:20:32.12345678Z", "2017-08-30T13:20:32,5Z", "2017-8-30T13:20:32Z",
		"2017-13-01T00:00:00Z", "2017-00-01T00:00:00Z", "2017-06-31T00:00:00Z", "2017-06-30T24:00:00Z",
		"2017-06-30T23:60:00Z", "2017-06-30T23:59:60Z", "0000-01-01T00:00:00Z", "+017-01-01T00:00:00Z",
		"2017-08-30T13:20:32.1-2Z", "12017-08-30T13:20:32Z",
	} {
		if got, err := entity.ParseTicks(text); !errors.Is(err, entity.ErrTicks) {
			t.Errorf("ParseTicks(%q) = %d, %v; want %v", text, got, err, entity.ErrTicks)
		}
	}
}

func FuzzParseETag(f *testing.F) {
	f.Add(`W/"datetime'2017-08-30T13%3A20%3A32.6680946Z'"`)
	f.Add(`W/"datetime'0001-01-01T00%3a00:00.0Z'"`)
	f.Add(`W/"x"`)
	f.Fuzz(func(t *testing.T, tag string) {
		version, err := entity.ParseETag(tag)
		if err != nil {
			if !errors.Is(err, entity.ErrETag) && !errors.Is(err, entity.ErrForeignETag) {
				t.Fatalf("ParseETag(%q) fails with %v; want a sentinel", tag, err)
			}
			return
		}
		if back, err := entity.ParseETag(version.ETag()); back != version || err != nil {
			t.Fatalf("ParseETag(%q) = %d; its own tag %s reads as %d, %v", tag, version, version.ETag(), back, err)
		}
	})
}

func FuzzParseTicks(f *testing.F) {
	f.Add("2017-08-30T13:20:32.6680946Z")
	f.Add("9999-12-31T23:59:59.9999999Z")
	f.Fuzz(func(t *testing.T, text string) {
		ticks, err := entity.ParseTicks(text)
		if err != nil {
			return
		}
		reference, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || entity.TicksOf(reference) != ticks {
			t.Fatalf("ParseTicks(%q) = %d; want %d, %v", text, ticks, entity.TicksOf(reference), err)
		}
		if back, err := entity.ParseTicks(ticks.String()); back != ticks || err != nil {
			t.Fatalf("ParseTicks(%q) = %d; its own text %s reads as %d, %v", text, ticks, ticks, back, err)
		}
	})
}
