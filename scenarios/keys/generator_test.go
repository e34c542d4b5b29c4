package keys_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// generator returns the generator of options that are known to be sound.
func generator(t testing.TB, o keys.Options) *keys.Generator {
	t.Helper()
	g, err := keys.New(o)
	require.NoError(t, err, "New()")
	return g
}

// TestKeyIsItsTemplates forms keys and properties a second way: the templates
// expanded with the attributes' values.
func TestKeyIsItsTemplates(t *testing.T) {
	o := race()
	g := generator(t, o)
	for n := range uint64(500) {
		value := func(name string) string {
			text, ok := g.ValueOf(name, keys.Event{Number: n})
			require.Truef(t, ok, "Value(%q, %d) = none; want a value", name, n)
			return text
		}
		want := entity.Key{Partition: o.PartitionKey.Expand(value), Row: o.RowKey.Expand(value)}
		require.Equalf(t, want, g.Key(n), "Key(%d)", n)
		require.Equalf(t, want.Partition, g.PartitionKey(n), "PartitionKey(%d)", n)
		code, detail := entity.ValidateKey(want)
		require.Truef(t, code == entity.OK, "Key(%d) = %v, which is not legal: %s", n, want, detail)
		age, _ := strconv.Atoi(value("age"))
		day, _ := entity.ParseTicks("2011-05-" + value("day") + "T08:00:00Z")
		number, _ := strconv.ParseInt(value("bib"), 10, 64)
		properties := []entity.Property{
			{Name: "Name", Value: entity.String(value("name"))},
			{Name: "Age", Value: entity.Int32(int32(age))},
			{Name: "Number", Value: entity.Int64(number)},
			{Name: "Paid", Value: entity.Boolean(value("paid") == "true")},
			{Name: "Fee", Value: entity.Double(float64(age) + 0.5)},
			{Name: "Registered", Value: entity.DateTime(day)},
		}
		require.Emptyf(t, cmp.Diff(properties, g.Properties(n)[:6]),
			"Properties(%d) differ from the templates (-want +got)", n)
		e := keys.Event{Number: n, Lead: n / 3, Run: time.Duration(n) * time.Second, Offered: n%2 == 0}
		key, whole := g.EntityOf(e)
		if diff := cmp.Diff(fmt.Sprint(g.PropertiesOf(e)), fmt.Sprint(whole)); diff != "" || key != g.KeyOf(e) {
			t.Errorf("EntityOf(%+v) is no entity of its key and its properties: %v, (-want +got):\n%s", e, key, diff)
		}
	}
	if _, ok := g.ValueOf("velocity", keys.Event{Number: 0}); ok {
		t.Errorf("Value(%q, 0) = a value; want none", "velocity")
	}
}

// Around the sizes at which a further filler becomes necessary none is missed by more than the last byte of
// a filler, whose letters have two; 0 fillers are any number.
func TestSizeIsExact(t *testing.T) {
	for _, tt := range []struct {
		name        string
		first, last int
		fillers     int
	}{
		{"the smallest that leaves room for an empty filler", 287, 288, 1},
		{"one KiB, and an odd size", 1023, 1024, 1},
		{"as much as one String holds", 65000, 65000, 1},
		{"just below where a second String is needed", 65536 + 200, 65536 + 230, 1},
		{"around where a second String is needed", 65536 + 231, 65536 + 319, 0},
		{"just above where a second String is needed", 65536 + 320, 65536 + 400, 2},
		{"one MiB", 1 << 20, 1 << 20, 16},
	} {
		for size := tt.first; size <= tt.last; size++ {
			o := race()
			o.Size = size
			g := generator(t, o)
			exact := false
			for n := range uint64(5) {
				key, properties := g.Key(n), g.Properties(n)
				got := entity.Size(key, properties)
				exact = exact || got == o.Size
				assert.Falsef(t, got != o.Size && got != o.Size-1,
					"%s: entity %d has %d bytes; want %d or one less", tt.name, n, got, o.Size)
				change := entity.Change{Verb: entity.Insert, Key: key, Properties: properties}
				code, detail := change.Validate()
				assert.Truef(t, code == entity.OK, "%s: entity %d is not legal: %s: %s", tt.name, n, code, detail)
				if got := len(properties) - len(o.Properties); tt.fillers > 0 && got != tt.fillers {
					t.Errorf("%s: entity %d of %d bytes has %d fillers; want %d", tt.name, n, o.Size, got, tt.fillers)
				}
			}
			// Beside one filler, all entities of the race have an odd size.
			if want := o.Size%2 == 1; tt.fillers == 1 && exact != want {
				t.Errorf("%s: an entity of exactly %d bytes came up: %t; want %t", tt.name, o.Size, exact, want)
			}
		}
	}
}

func TestFillerIsIncompressibleAndItsOwn(t *testing.T) {
	g := generator(t, race())
	filler := func(n uint64) string {
		properties := g.Properties(n)
		return properties[len(properties)-1].Value.Text()
	}
	assert.Equal(t, filler(7), filler(7), "two calls give entity 7 two fillers; want one")
	assert.True(t, filler(7) != filler(8), "entities 7 and 8 share a filler; want one each")
	counts := map[rune]int64{}
	total := int64(0)
	for n := range uint64(100) {
		for _, letter := range filler(n) {
			counts[letter]++
			total++
		}
	}
	require.Len(t, counts, 62, "the filler is written in characters")
	checkFit(t, slices.Collect(maps.Values(counts)), powers(62, 0, 62, from(0)), "letters")
}

func TestPart(t *testing.T) {
	g := generator(t, race())
	specs := []keys.PropertySpec{
		{Name: "Distance", Type: entity.TypeString, Value: template("{distance}")},
		{Name: "Age", Type: entity.TypeInt32, Value: template("{age}")},
	}
	part, err := g.Pinned(3).Part(specs)
	require.NoError(t, err, "Part()")
	want, _ := g.ValueOf("distance", keys.Event{Number: 3})
	for n := range uint64(100) {
		got := part.Properties(n)
		age, _ := g.ValueOf("age", keys.Event{Number: n})
		require.Truef(t, len(got) == 2 && got[0].Value.Text() == want && fmt.Sprint(got[1].Value.Int()) == age,
			"Properties(%d) = %v; want the pinned distance %q and the age %s", n, got, want, age)
	}
	if _, err := g.Part([]keys.PropertySpec{{Name: "A", Type: entity.TypeInt32, Value: template("{agee}")}}); err == nil || !strings.Contains(err.Error(), `did you mean "age"?`) {
		t.Errorf("Part() of an unknown attribute = %v; want an error with the nearest name", err)
	}
}

// Blank fillers are as long as those by chance, and all else is the same.
func TestBlankFillersHaveTheSameSizes(t *testing.T) {
	for _, size := range []int{100, 333, 1024, 70_000} {
		g := generator(t, keys.Options{Seed: 3, Attributes: []keys.Attribute{{Name: "id", Values: keys.Sequence{Start: 1}}},
			PartitionKey: template("{id}"), RowKey: template("row"), Size: size, Filler: "Notes"})
		copied, err := g.Blank().Design(template("copy"), template("{id}"))
		require.NoError(t, err)
		for n := range uint64(20) {
			one, blank, twin := g.Properties(n), g.Blank().Properties(n), copied.Properties(n)
			if a, b := entity.Size(g.Key(n), one), entity.Size(g.Blank().Key(n), blank); a != b || len(one) != len(blank) || g.Key(n) != g.Blank().Key(n) {
				t.Errorf("size %d, entity %d: %d bytes in %d properties by chance, %d in %d when blank", size, n, a, len(one), b, len(blank))
			}
			for _, filler := range []string{blank[0].Value.Text(), twin[0].Value.Text()} {
				assert.Truef(t, one[0].Value != blank[0].Value && strings.Trim(filler, "0") == "",
					"size %d, entity %d: the filler of a blank entity is %.20q; want zeros", size, n, filler)
			}
		}
	}
}

// A property that is the same of every entity is what its text says; one whose text was not
// foreseen and is not of its type is left out.
func TestPropertiesOfOneTextAndOfNone(t *testing.T) {
	o := race()
	o.Filler, o.Size = "", 0
	o.Properties = []keys.PropertySpec{
		{Name: "Paid", Type: entity.TypeBoolean, Value: template("true")},
		{Name: "Club", Type: entity.TypeString, Value: template("none")},
		{Name: "Age", Type: entity.TypeInt32, Value: template("42")},
		{Name: "N", Type: entity.TypeInt32, Value: template("{bib}")},
	}
	g := generator(t, o)
	want := []entity.Property{{Name: "Paid", Value: entity.Boolean(true)}, {Name: "Club", Value: entity.String("none")},
		{Name: "Age", Value: entity.Int32(42)}, {Name: "N", Value: entity.Int32(1<<30 + 1)}}
	if got := g.Properties(1 << 30); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Properties(1<<30) = %v; want %v", got, want)
	}
	if got := g.Properties(1 << 40); fmt.Sprint(got) != fmt.Sprint(want[:3]) {
		t.Errorf("Properties(1<<40) = %v; want %v, for the number is no Int32", got, want[:3])
	}
}
