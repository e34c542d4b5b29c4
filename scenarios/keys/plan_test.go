package keys_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
)

// designed returns the generator of the marathon and of telemetry under two keys.
func designed(t testing.TB, partition, row string) *keys.Generator {
	t.Helper()
	return generator(t, keys.Options{
		Seed: 5, History: 5000,
		Attributes: []keys.Attribute{
			{Name: "event", Values: keys.ValueList{Values: []string{"2011 New York City Marathon", "2011 Berlin Marathon"}}},
			{Name: "distance", Values: keys.ValueList{Values: []string{"Full", "Half", "10 km"}}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
			{Name: "name", Values: keys.ValueList{Values: []string{"John", "Ada", "田中"}}},
			{Name: "age", Values: keys.Uniform{Low: 18, High: 20}},
			{Name: "user", Values: keys.Uniform{Low: 0, High: 99}},
			{Name: "email", Values: keys.Text{Template: template("user{user}@example.com")}},
			{Name: "at", Values: keys.Time{Start: november, Every: time.Second, Speed: 30}},
			{Name: "day", Values: keys.Text{Template: template("day_{at:day}")}},
		},
		PartitionKey: template(partition), RowKey: template(row),
	})
}

// planned is the class of the plan for a reader who knows some attributes and wants a span.
type planned struct {
	name, keys string
	know       string
	span       time.Duration
	class      filter.Class
	// by is the part of a key that keeps the plan from being better, and how many values it has.
	by string
	// queries is how many are asked, one for each bucket.
	queries int
}

func TestPlans(t *testing.T) {
	for _, tt := range []planned{
		{"a registration by all that its keys hold", "{event}__{distance}|{bib}__{name}__M__{age}", "event distance bib name age", 0,
			filter.ClassPoint, "", 1},
		{"a registration by its number", "{event}__{distance}|{bib}__{name}__M__{age}", "event distance bib", 0,
			filter.ClassRowRange, "{name}", 1},
		{"a registration by its age", "{event}__{distance}|{bib}__{name}__M__{age}", "event distance age", 0,
			filter.ClassPartitionScan, "{bib}", 1},
		{"the copy by age", "{event}__{distance}|AGE:{age:03d}__{bib}__{name}__M", "event distance age", 0,
			filter.ClassRowRange, "{bib}", 1},
		{"all distances of an event", "{event}__{distance}|{bib}", "event bib", 0, filter.ClassPartitionRangeScan, "{distance}", 1},
		{"an exact RowKey alone is no help", "{event}__{distance}|{bib}", "bib", 0, filter.ClassTableScan, "{event}", 1},
		{"the copy by email in a partition", "{event}|email_{email}", "event user", 0, filter.ClassPoint, "", 1},
		{"what is derived does not tell what it is derived from", "{event}|{user}", "event email", 0,
			filter.ClassPartitionScan, "{user}", 1},
		{"what is derived may be all the reader knows", "{event}|email_{email}", "event email", 0, filter.ClassPoint, "", 1},
		{"a text is known as far as its beginning is", "{event}|{email}", "event", 0, filter.ClassRowRange, "{user}", 1},
		{"compound keys: all years of an employee", "{event}|{user:06d}_{at:year}", "event user", 0,
			filter.ClassRowRange, "{at:year}", 1},
		{"compound keys: one year of an employee", "{event}|{user:06d}_{at:year}", "event user at", 0, filter.ClassPoint, "", 1},
		{"types before the key", "{event}|EMPLOYEE_{bib:06d}", "event", 0, filter.ClassRowRange, "{bib:06d}", 1},
		{"log tail: the latest of a user", "{user}|{at:inverted}_{uuid}", "user", 5 * time.Minute,
			filter.ClassRowRange, "{at:inverted}", 1},
		{"log tail: without a span all of a user", "{user}|{at:inverted}_{uuid}", "user", 0,
			filter.ClassPartitionScan, "{at:inverted}", 1},
		{"hour key: the last minutes", "{at:hour}|{at}_{uuid}", "", 5 * time.Minute, filter.ClassPartitionRangeScan, "{at:hour}", 1},
		{"hour key: an instant", "{at:hour}|{at}_{uuid}", "at", 0, filter.ClassRowRange, "{uuid}", 1},
		{"hour key: a user", "{at:hour}|{user}_{uuid}", "user", 0, filter.ClassTableScan, "{at:hour}", 1},
		{"an hour and then a bucket", "{at:hour}_{hash(user,16):02d}|{at}_{uuid}", "", 5 * time.Minute,
			filter.ClassPartitionRangeScan, "{at:hour} 16", 1},
		{"a bucket and then an hour", "{hash(user,16):02d}_{at:hour}|{at}_{uuid}", "", 5 * time.Minute,
			filter.ClassTableScan, "{hash(user,16):02d} 16", 1},
		{"a bucket of what the reader knows", "{hash(user,16):02d}|{user}_{bib}", "user", 0, filter.ClassRowRange, "{bib}", 1},
		{"a source per partition: a span of all sources", "{user}|{at}", "", 2 * time.Minute, filter.ClassTableScan, "{user}", 1},
		{"a user id", "{user}|", "user", 0, filter.ClassPoint, "", 1},
		{"one partition for all", "all|{bib}", "bib", 0, filter.ClassPoint, "", 1},
		{"one partition for all, of which nothing is known", "|{bib}", "", 0, filter.ClassPartitionScan, "{bib}", 1},
		{"a day in a derived attribute", "{day}|{at}_{bib}", "", time.Hour, filter.ClassPartitionRangeScan, "{at:day}", 1},
		{"ordered UUIDs over a span", "{user}|{uuid7}", "user", time.Hour, filter.ClassRowRange, "{uuid7}", 1},
		{"ordered UUIDs of an instant", "{user}|{uuid7}", "user at", 0, filter.ClassRowRange, "{uuid7}", 1},
		{"ordered UUIDs of an unknown time", "{user}|{uuid7}", "user", 0, filter.ClassPartitionScan, "{uuid7}", 1},
		{"a hash of a time is in no order", "{hash(at,9)}|{bib}", "", time.Hour, filter.ClassTableScan, "{hash(at,9)} 9", 1},
		{"a reversed time is in no order", "{reverse(at)}|{bib}", "", time.Hour, filter.ClassTableScan, "{reverse(at)}", 1},
		{"a name that does not exist is no help, a span below zero none", "{at:hour}|{bib}", "velocity", -time.Hour,
			filter.ClassTableScan, "{at:hour}", 1},
		{"the time by its other name", "{time:hour}|{ticks}", "time", 0, filter.ClassPoint, "", 1},
	} {
		partition, row, _ := strings.Cut(tt.keys, "|")
		g := designed(t, partition, row)
		plan := g.Plan(strings.Fields(tt.know), tt.span)
		assert.Truef(t, plan.Class == tt.class && namesParts(plan.Why, tt.by),
			"%s: Plan(%q, %s) = %s: %s; want %s by %s", tt.name, tt.know, tt.span, plan.Class, plan.Why, tt.class, tt.by)
		for n := range uint64(200) {
			e := keys.Event{Number: 31 * n}
			got := plan.Range(e)
			if class := got.Class(); tt.span <= 0 && class != tt.class || class > tt.class {
				t.Fatalf("%s: Range(%+v) = %+v is a %s; want a %s", tt.name, e, got, class, tt.class)
			}
			require.Truef(t, got.Contains(g.KeyOf(e)),
				"%s: Range(%+v) = %+v does not hold the event's own key %v", tt.name, e, got, g.KeyOf(e))
		}
	}
}

// namesParts reports whether a reason names the parts of keys and the numbers that are listed,
// and none where nothing is.
func namesParts(why, parts string) bool {
	for part := range strings.FieldsSeq(parts) {
		if !strings.Contains(why, part) {
			return false
		}
	}
	return parts != "" || !strings.Contains(why, "{")
}

func TestRanges(t *testing.T) {
	const hour = 60 * time.Minute
	for _, tt := range []struct {
		name           string
		partition, row string
		know           string
		span           time.Duration
		event          keys.Event
		want           filter.Range
	}{
		{"the log tail begins with the event and goes back", "10 km", "{at:inverted}", "", 10 * time.Second, keys.Event{Number: 60},
			rows("10 km", "2516088095399999999", "251608809549999999:")},
		{"a span within an hour", "{at:hour}", "{at}_{bib}", "", 10 * time.Minute, keys.Event{Number: 3599},
			rows("2026-11-01T00", "2026-11-01T00:49:59.0000000Z", "2026-11-01T00:59:59.0000000[")},
		{"a span over the hour", "{at:hour}", "{at}_{bib}", "", 10 * time.Minute, keys.Event{Number: 3600},
			filter.Range{From: entity.Key{Partition: "2026-11-01T00"}, To: entity.Key{Partition: "2026-11-01T02"}, Bounded: true}},
		{"a span of more than a century", "{at:hour}", "{bib}", "", 1 << 62, keys.Event{},
			filter.Range{From: entity.Key{Partition: "1880-09-11T00"}, To: entity.Key{Partition: "2026-11-01T01"}, Bounded: true}},
		{"what is offered goes on behind the load", "{at:hour}", "{bib}", "", hour, keys.Event{Number: 9000, Offered: true, Run: 2 * time.Minute},
			filter.Range{From: entity.Key{Partition: "2026-11-01T01"}, To: entity.Key{Partition: "2026-11-01T03"}, Bounded: true}},
		{"a point", "all", "{bib}", "bib", 0, keys.Event{Number: 6}, rows("all", "7", "7\x00")},
		{"a partition", "all", "{bib}", "", 0, keys.Event{Number: 6},
			filter.Range{From: entity.Key{Partition: "all"}, To: entity.Key{Partition: "all\x00"}, Bounded: true}},
		{"a prefix ends before the next character", "all", "x_{bib}", "", 0, keys.Event{}, rows("all", "x_", "x`")},
		{"what comes behind an unknown part does not count", "all", "{email}_x", "", 0, keys.Event{}, rows("all", "user", "uses")},
		{"before the surrogates stand all supplementary characters", "all", "\ud7ff{bib}", "", 0, keys.Event{}, rows("all", "\ud7ff", "\U00010000")},
		{"behind the last supplementary character", "all", "\U0010ffff{bib}", "", 0, keys.Event{}, rows("all", "\U0010ffff", "\ue000")},
		{"behind the last character comes the next of the one before", "all", "a\uffff{bib}", "", 0, keys.Event{}, rows("all", "a\uffff", "b")},
		{"nothing in a partition is behind the last characters", "all", "\uffff\uffff{bib}", "", 0, keys.Event{},
			filter.Range{From: entity.Key{Partition: "all", Row: "\uffff\uffff"}, To: entity.Key{Partition: "all\x00"}, Bounded: true}},
		{"nothing in the table is", "\uffff{bib}", "{bib}", "", 0, keys.Event{}, filter.Range{From: entity.Key{Partition: "\uffff"}}},
		{"the whole table", "{bib}", "", "", 0, keys.Event{}, filter.Range{}},
	} {
		g := designed(t, tt.partition, tt.row)
		plan := g.Plan(strings.Fields(tt.know), tt.span)
		assert.Equalf(t, tt.want, plan.Range(tt.event), "%s: Range(%+v)", tt.name, tt.event)
	}
}

func rows(partition, from, to string) filter.Range {
	return filter.Range{From: entity.Key{Partition: partition, Row: from}, To: entity.Key{Partition: partition, Row: to}, Bounded: true}
}

func TestASpanEndsWithTheCalendar(t *testing.T) {
	g := generator(t, keys.Options{
		Attributes:   []keys.Attribute{{Name: "at", Values: keys.Time{Start: entity.EarliestDateTime}}},
		PartitionKey: template("{at:year}"),
	})
	plan := g.Plan(nil, 2*time.Hour)
	assert.Equal(t, rows("1601", "", "\x00"), plan.Range(keys.Event{}),
		"Range of the first instant and the two hours before")
}

// keyPieces are what random keys are put together from.
var keyPieces = []string{
	"{event}", "{distance}", "{bib}", "{bib:05d}", "{name}", "{age}", "{user}", "{email}", "{at}", "{at:hour}", "{at:minute}", "{at:inverted}",
	"{at:ticks}", "{day}", "{hash(user,4)}", "{prefix(name,1)}", "{prefix(at,15)}", "{lower(at)}", "{reverse(user)}", "{uuid}", "{uuid7}", "{number}", "_", "x",
}

// joinPieces returns one to three pieces of a key.
func joinPieces(rng *rand.Rand, pieces []string) (key string) {
	for range 1 + rng.IntN(3) {
		key += pieces[rng.IntN(len(pieces))]
	}
	return key
}

// TestRangesHoldWhatIsAskedFor draws designs, readers and events, and looks at all entities: whoever
// shares with the event what the reader knows lies in the range, and a range of an exact key holds
// none with another.
func TestRangesHoldWhatIsAskedFor(t *testing.T) {
	const entities = 10_000
	designs := 15 * drawn
	attributes := []string{"event", "distance", "bib", "name", "age", "user", "email", "at", "number", "uuid"}
	narrow := 0
	for seed := range uint64(designs) {
		rng := rand.New(rand.NewPCG(seed, 2))
		partition, row := joinPieces(rng, keyPieces), joinPieces(rng, keyPieces)
		g := designed(t, partition, row)
		var know []string
		for range rng.IntN(4) {
			know = append(know, attributes[rng.IntN(len(attributes))])
		}
		span := time.Duration(rng.IntN(3)) * time.Duration(rng.Int64N(int64(time.Hour)))
		plan, asked, inside := g.Plan(know, span), eventOf(rng.Uint64N(entities)), 0
		whole := plan.Range(asked)
		_, one := whole.Partition()
		for n := range uint64(entities) {
			e := eventOf(n)
			key := g.KeyOf(e)
			in, asksFor := whole.Contains(key), shares(g, know, span, asked, e)
			if asksFor && !in || in && one && key.Partition != g.PartitionKeyOf(asked) ||
				in && plan.Class == filter.ClassPoint && key != g.KeyOf(asked) {
				t.Fatalf("seed %d: %q and %q for a reader of %q and %s: Range(%+v) = %+v, a %s, holds %v: %t; asked for: %t",
					seed, partition, row, know, span, asked, whole, plan.Class, key, in, asksFor)
			}
			if in {
				inside++
			}
		}
		if inside < entities/2 {
			narrow++
		}
	}
	// A planner that always reads the whole table would hold all that is asked for.
	assert.GreaterOrEqualf(t, narrow, designs/4, "of %d ranges these hold less than half of the entities", designs)
}

// A reader that queries each bucket by itself gets each entity of the whole range that it asks for
// once, and reads no more; sometimes far less.
func TestFannedRangesHoldWhatIsAskedFor(t *testing.T) {
	const entities = 4_000
	designs := 20 * drawn
	pieces := []string{"{hash(user,4)}", "{hash(user,7):02d}_", "{day}", "{at:hour}_", "{event}", "{name}_", "{hash(bib,2)}"}
	attributes := []string{"event", "bib", "name", "age", "day"}
	fanned, less := 0, 0
	for seed := range uint64(designs) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := designed(t, "{hash(bib,5)}"[:13*rng.IntN(2)]+joinPieces(rng, pieces), joinPieces(rng, pieces)+"{bib}")
		var know []string
		for _, i := range rng.Perm(len(attributes))[:1+rng.IntN(3)] {
			know = append(know, attributes[i])
		}
		span := time.Duration(rng.IntN(2)) * time.Duration(rng.Int64N(int64(3*time.Hour)))
		plan := g.FannedPlan(know, span)
		if plan.Queries() == 1 {
			assert.Equalf(t, []filter.Range{plan.Range(eventOf(3))}, plan.Ranges(eventOf(3)), "seed %d: the ranges of one query", seed)
			continue
		}
		fanned++
		asked := eventOf(rng.Uint64N(entities))
		ranges, whole := plan.Ranges(asked), plan.Range(asked)
		assert.LessOrEqualf(t, len(ranges), plan.Queries(), "seed %d: ranges", seed)
		read, readAtOnce := 0, 0
		for n := range uint64(entities) {
			e := eventOf(n)
			key, lies := g.KeyOf(e), 0
			for _, r := range ranges {
				if r.Contains(key) {
					lies++
				}
			}
			in := whole.Contains(key)
			if lies > 1 || lies == 0 && shares(g, know, span, asked, e) || lies == 1 && !in {
				t.Fatalf("seed %d: for a reader of %q and %s %v lies in %d of the ranges %+v; want it in one if it is asked for, and then in %+v",
					seed, know, span, key, lies, ranges, whole)
			}
			if read += lies; in {
				readAtOnce++
			}
		}
		if read*2 < readAtOnce {
			less++
		}
	}
	assert.Truef(t, fanned >= 10*drawn/4 && less >= fanned/3,
		"%d of %d readers query each bucket, %d of them read less than half of what one query would; want more", fanned, designs, less)
}

// eventOf returns an event: half of them were loaded, half were offered one after
// another.
func eventOf(n uint64) keys.Event {
	if n < 5000 {
		return keys.Event{Number: n}
	}
	return keys.Event{Number: n, Offered: true, Run: time.Duration(n-5000) * 40 * time.Millisecond}
}

// shares reports whether an event has the known values of another, and its time lies
// in the span.
func shares(g *keys.Generator, know []string, span time.Duration, asked, e keys.Event) bool {
	for _, name := range know {
		a, _ := g.ValueOf(name, asked)
		if b, _ := g.ValueOf(name, e); a != b {
			return false
		}
	}
	if span <= 0 {
		return true
	}
	text, _ := g.ValueOf("at", asked)
	until, _ := entity.ParseTicks(text)
	text, _ = g.ValueOf("at", e)
	at, _ := entity.ParseTicks(text)
	return at <= until && at >= until-entity.Ticks(span/100)
}

// TestAKnowingReaderGetsAPoint looks at the plans of a pinned generator: what is
// pinned, everybody knows.
func TestAKnowingReaderGetsAPoint(t *testing.T) {
	g := designed(t, "{event}__{distance}", "{distance}_{bib}")
	plan := g.Pinned(3).Plan([]string{"bib"}, 0)
	assert.Equalf(t, filter.ClassPoint, plan.Class, "Plan(bib) of a pinned generator =: %s", plan.Why)
}
