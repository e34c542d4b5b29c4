package keys_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// november is 2026-11-01T00:00:00Z in ticks.
const november entity.Ticks = 639_290_880_000_000_000

// telemetry returns the options of vehicles that report.
func telemetry() keys.Options {
	return keys.Options{
		Seed: 7, History: 1000,
		Attributes: []keys.Attribute{
			{Name: "vehicle", Values: keys.Uniform{Low: 0, High: 49}},
			{Name: "at", Values: keys.Time{Start: november, Every: time.Second, Speed: 60}},
			{Name: "site", Values: keys.ValueList{Values: []string{"Bern", "Oslo", "Zürich"}}},
			{Name: "name", Values: keys.Text{Template: template("{site}-{vehicle:03d}")}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
		},
		PartitionKey: template("{at:hour}"),
		RowKey:       template("{at:inverted}_{uuid}"),
		Properties: []keys.PropertySpec{
			{Name: "At", Type: entity.TypeDateTime, Value: template("{at}")},
			{Name: "Vehicle", Type: entity.TypeString, Value: template("{name}")},
		},
	}
}

func TestTime(t *testing.T) {
	for _, tt := range []struct {
		name  string
		time  keys.Time
		event keys.Event
		want  string
	}{
		{"the first event is at the start", keys.Time{Start: november, Every: time.Second}, keys.Event{}, "2026-11-01T00:00:00.0000000Z"},
		{"the next is one distance later", keys.Time{Start: november, Every: time.Second}, keys.Event{Number: 1}, "2026-11-01T00:00:01.0000000Z"},
		{"a distance below a tick adds up", keys.Time{Start: november, Every: 30}, keys.Event{Number: 7}, "2026-11-01T00:00:00.0000002Z"},
		{"without a distance all are simultaneous", keys.Time{Start: november}, keys.Event{Number: 7}, "2026-11-01T00:00:00.0000000Z"},
		{"what is offered first goes on behind the last loaded", keys.Time{Start: november, Every: time.Second, Speed: 60}, keys.Event{Number: 5, Offered: true}, "2026-11-01T00:16:40.0000000Z"},
		{"time passes at its speed", keys.Time{Start: november, Every: time.Second, Speed: 60}, keys.Event{Offered: true, Run: 20 * time.Second}, "2026-11-01T00:36:40.0000000Z"},
		{"time can pass slowly", keys.Time{Start: november, Speed: 0.5}, keys.Event{Offered: true, Run: 3 * time.Second}, "2026-11-01T00:00:01.5000000Z"},
		{"time can stand still", keys.Time{Start: november}, keys.Event{Offered: true, Run: time.Hour}, "2026-11-01T00:00:00.0000000Z"},
		{"Run does not count for what was loaded", keys.Time{Start: november, Speed: 1}, keys.Event{Run: time.Hour}, "2026-11-01T00:00:00.0000000Z"},
		{"a Run before the beginning is its beginning", keys.Time{Start: november, Speed: 1}, keys.Event{Offered: true, Run: -time.Hour}, "2026-11-01T00:00:00.0000000Z"},
		{"a leap day", keys.Time{Start: november - 10_000_000, Every: 24 * time.Hour}, keys.Event{Number: 486}, "2028-02-29T23:59:59.0000000Z"},
		{"time ends with the year 9999", keys.Time{Start: november, Every: 24_000 * time.Hour}, keys.Event{Number: 1 << 61}, "9999-12-31T23:59:59.9999999Z"},
		{"so it does where the product fits into 64 bits", keys.Time{Start: november, Every: time.Hour}, keys.Event{Number: 1 << 30}, "9999-12-31T23:59:59.9999999Z"},
		{"so it does for what is offered", keys.Time{Start: november, Speed: 1e6}, keys.Event{Offered: true, Run: math.MaxInt64}, "9999-12-31T23:59:59.9999999Z"},
	} {
		g := generator(t, keys.Options{History: 1000, Attributes: []keys.Attribute{{Name: "at", Values: tt.time}}})
		got, _ := g.ValueOf("at", tt.event)
		require.Equalf(t, tt.want, got, "%s: ValueOf(at, %+v)", tt.name, tt.event)
		read, err := entity.ParseTicks(got)
		ticks, _ := g.ValueOf("ticks", tt.event)
		assert.Truef(t, err == nil && ticks == fmt.Sprintf("%019d", int64(read)),
			"%s: ValueOf(at, …) = %s, %v; ValueOf(ticks, …) = %s is another instant", tt.name, got, err, ticks)
		again, _ := g.ValueOf("time", tt.event)
		assert.Truef(t, again == got, "%s: ValueOf(time, …) = %s; want %s, the only time", tt.name, again, got)
	}
}

func TestEventsOfATimeline(t *testing.T) {
	g := generator(t, telemetry())
	assert.Equal(t, "2026-11-01T00", g.Key(3599).Partition, "Key(3599) lies in")
	e := keys.Event{Number: 5000, Offered: true, Run: 44 * time.Second}
	assert.Equalf(t, "2026-11-01T01", g.PartitionKeyOf(e), "PartitionKeyOf(%+v)", e)
	assert.Equalf(t, g.PartitionKeyOf(e), g.KeyOf(e).Partition, "KeyOf(%+v) lies in", e)
	assert.Equalf(t, november+3640*10_000_000, g.PropertiesOf(e)[0].Value.Ticks(), "PropertiesOf(%+v) has the instant", e)
	part, err := g.Part([]keys.PropertySpec{{Name: "At", Type: entity.TypeDateTime, Value: template("{time:minute}:00Z")}})
	require.NoError(t, err)
	assert.Equalf(t, november+3600*10_000_000, part.PropertiesOf(e)[0].Value.Ticks(), "Part.PropertiesOf(%+v)", e)
	// The latest row comes first.
	earlier, later := g.KeyOf(keys.Event{Offered: true, Run: time.Second}), g.KeyOf(keys.Event{Offered: true, Run: 2 * time.Second})
	assert.Truef(t, later.Compare(earlier) < 0,
		"the key %v of the later event is behind %v; want it before, for its ticks are inverted", later, earlier)
	for n := range uint64(100) {
		require.Equalf(t, g.KeyOf(keys.Event{Number: n}), g.Key(n), "Key(%d) is not KeyOf the loaded event", n)
	}
}

func TestIdentifiers(t *testing.T) {
	o := telemetry()
	o.RowKey = template("{uuid7}")
	o.PartitionKey = template("{uuid}_{number}")
	g := generator(t, o)
	seen := map[string]bool{}
	last := ""
	for n := range uint64(5000) {
		key := g.Key(n)
		random, number, _ := strings.Cut(key.Partition, "_")
		for text, version := range map[string]byte{random: '4', key.Row: '7'} {
			if len(text) != 36 || text[14] != version || !strings.ContainsRune("89ab", rune(text[19])) {
				t.Fatalf("entity %d has the UUID %s; want 36 characters of version %c", n, text, version)
			}
			if seen[text] {
				t.Fatalf("entity %d has a UUID that another has: %s", n, text)
			}
			seen[text] = true
		}
		if value, _ := g.ValueOf("number", keys.Event{Number: n}); value != number {
			t.Fatalf("Value(number, %d) = %s; want %s", n, value, number)
		}
		if key.Row <= last {
			t.Fatalf("the ordered UUID %s of entity %d is not after %s", key.Row, n, last)
		}
		last = key.Row
	}
}

// TestOrderedIdentifiersOfOneMillisecond are those of simultaneous events.
func TestOrderedIdentifiersOfOneMillisecond(t *testing.T) {
	o := keys.Options{Attributes: []keys.Attribute{{Name: "at", Values: keys.Time{Start: 639_291_422_451_234_560}}}, RowKey: template("{uuid7}")}
	g := generator(t, o)
	var rows []string
	for _, n := range []uint64{0, 1, 2, 1<<30 - 1, 1 << 30, 1<<30 + 1, 1 << 35, 1<<42 - 1} {
		rows = append(rows, g.Key(n).Row)
	}
	// 2026-11-01T15:04:05.123Z is 0x1a197a39f03 milliseconds after 1970.
	for _, row := range rows {
		assert.Truef(t, strings.HasPrefix(row, "01a197a3-9f03-7"),
			"the ordered UUID is %s; want it to begin with 01a197a3-9f03-7", row)
	}
	assert.Truef(t, slices.IsSorted(rows),
		"the ordered UUIDs of one millisecond are %q; want them in the order of their numbers", rows)
}

// numbered is an attribute that was drawn, with all its numbers in their order.
type numbered struct {
	keys.Distribution
	all []int64
}

func drawNumbered(r *rand.Rand, entities int) numbered {
	low := int64(r.IntN(150))
	from := func(low, count int64) (all []int64) {
		for n := low; n < low+count; n++ {
			all = append(all, n)
		}
		return all
	}
	switch r.IntN(5) {
	case 0:
		count := 1 + int64(r.IntN(1500))
		return numbered{keys.Uniform{Low: low, High: low + count - 1}, from(low, count)}
	case 1:
		count := 1 + int64(r.IntN(300))
		return numbered{keys.Zipf{Ranked: keys.Ranked{Of: count}, Exponent: 1}, from(0, count)}
	case 2:
		var one numbered
		var texts []string
		for range 1 + r.IntN(4) {
			one.all = append(one.all, int64(r.IntN(120)))
		}
		slices.Sort(one.all)
		one.all = slices.Compact(one.all)
		for _, n := range one.all {
			texts = append(texts, strconv.FormatInt(n, 10))
		}
		one.Distribution = keys.ValueList{Values: texts}
		return one
	default:
		return numbered{keys.Sequence{Start: low}, from(low, int64(entities))}
	}
}

// Whether numbers lie in their order is told from few of them, and is so of all: of as many
// as there are, sorted as texts. What is told for a cure puts them in order, and the two
// that are named lie the wrong way round.
func TestDisorders(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	disordered, ordered := 0, 0
	for range 150 * drawn {
		entities := 1 + r.IntN(1300)
		one := drawNumbered(r, entities)
		format := []string{"{n}", "{n}", "{n:02d}", "{n:03d}"}[r.IntN(4)]
		before, behind := []string{"", "a_"}[r.IntN(2)], []string{"", "_x", "!x", "5"}[r.IntN(4)]
		options := keys.Options{Attributes: []keys.Attribute{{Name: "n", Values: one}}}
		if options.Attributes[0].Values = one.Distribution; behind == "5" && format == "{n}" {
			continue // what is a digit of a number, and what is none, nobody can tell
		}
		sorted := func(format string) bool {
			template := parsed(t, before+format+behind)
			texts := make([]string, len(one.all))
			for i, n := range one.all {
				texts[i] = template.Expand(func(string) string { return strconv.FormatInt(n, 10) })
			}
			return slices.IsSortedFunc(texts, entity.Compare)
		}
		got := options.Disorders(parsed(t, before+format+behind), uint64(entities))
		what := fmt.Sprintf("%s of %T from %d to %d", before+format+behind, one.Distribution, one.all[0], one.all[len(one.all)-1])
		if sorted(format) {
			ordered++
			assert.Lenf(t, got, 0, "%s: %+v", what, got)
			continue
		}
		disordered++
		if len(got) != 1 {
			t.Errorf("%s: %+v; want the one, since not all lie in their order", what, got)
			continue
		}
		smaller, _ := strconv.Atoi(got[0].Smaller)
		larger, _ := strconv.Atoi(got[0].Larger)
		if got[0].Placeholder != format || smaller >= larger || strings.Compare(got[0].Smaller+behind, got[0].Larger+behind) < 0 ||
			!slices.Contains(one.all, int64(smaller)) || !slices.Contains(one.all, int64(larger)) {
			t.Errorf("%s: %+v; want two of the numbers that lie the wrong way round", what, got[0])
		}
		if !sorted(got[0].Padded) || got[0].Greatest != one.all[len(one.all)-1] {
			t.Errorf("%s: padded as %s for %d they lie in no order", what, got[0].Padded, got[0].Greatest)
		}
	}
	assert.Truef(t, disordered >= 25*drawn && ordered >= 25*drawn,
		"%d cases out of order, %d in order; want a sixth of each", disordered, ordered)
}

// What has no order of numbers is asked for none: hashes, instants, letters, negative numbers.
func TestDisordersOfWhatIsNoNumber(t *testing.T) {
	o := keys.Options{Attributes: []keys.Attribute{
		{Name: "n", Values: keys.Uniform{Low: 1, High: 500}}, {Name: "city", Values: keys.ValueList{Values: []string{"Rome", "10", "9"}}},
		{Name: "old", Values: keys.ValueList{Values: []string{"007", "10"}}}, {Name: "below", Values: keys.Uniform{Low: -500, High: 500}}}}
	for _, text := range []string{"{hash(n,16)}", "{reverse(n)}", "{city}", "{old}", "{below}", "{uuid}", "constant", "{{n}}"} {
		assert.Len(t, o.Disorders(parsed(t, text), 1000), 0, text)
	}
	if got := o.Disorders(parsed(t, "{number}_{n}"), 101); len(got) != 2 || got[0].Padded != "{number:03d}" || got[1].Padded != "{n:03d}" {
		t.Errorf("{number}_{n}: %+v; want both, of three digits", got)
	}
}
