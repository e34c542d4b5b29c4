package scenarios_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// attributing is the race with one more attribute, x, on line 11.
func attributing(spelled string) string {
	return strings.Replace(race, "entity:\n", "  x: "+spelled+"\nentity:\n", 1)
}

func TestAttributesAreReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, spelled string
		want          keys.Distribution
	}{
		{"zipf over numbers", "{zipf: {of: 100000, exponent: 1.1}}", keys.Zipf{Ranked: keys.Ranked{Of: 100_000}, Exponent: 1.1}},
		{"zipf over texts, scrambled", "{zipf: {list: [gold, 2], exponent: 0, scramble: true}}",
			keys.Zipf{Ranked: keys.Ranked{List: []string{"gold", "2"}, Scramble: true}}},
		{"a hot set", "{hot_set: {of: 1000, hot: 10%, share: 90%}}", keys.HotSet{Ranked: keys.Ranked{Of: 1000}, Hot: 0.1, Share: 0.9}},
		{"a hot set of texts", "{hot_set: {list: [a, b], hot: 50%, share: 99.5%, scramble: false}}",
			keys.HotSet{Ranked: keys.Ranked{List: []string{"a", "b"}}, Hot: 0.5, Share: 0.995}},
		{"partitions and rows as plain numbers", "{partitions: 1000, rows: 100}", keys.Partitions{Of: 1000, Rows: 100}},
		{"partitions of several sizes", `{partitions: 1000, rows: 100, sizes: ["70% x1", 20%x2.5, "10% x 3.5"]}`,
			keys.Partitions{Of: 1000, Rows: 100, Sizes: []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}}},
		{"partitions that are drawn", "{partitions: 5}", keys.Partitions{Of: 5}},
		{"a bell", "{gaussian: {mean: -38.5, sd: 9, low: -60, high: 79}}", keys.Gaussian{Mean: -38.5, Deviation: 9, Low: -60, High: 79}},
		{"the latest, with what is usual", "{latest: {window: 1000}}", keys.Latest{Window: 1000, Exponent: 1, Every: 1}},
		{"the latest of a sequence that begins at one", "{latest: {window: 50, exponent: 0, every: 10, start: 1}}", keys.Latest{Window: 50, Every: 10, Start: 1}},
		{"a file", "{csv: {file: events.csv, column: city}}", keys.CSV{File: "events.csv", Column: "city"}},
		{"a file with weights", "{csv: {file: events.csv, column: city, weight: count}}", keys.CSV{File: "events.csv", Column: "city", Weight: "count"}},
	} {
		got := reread(t, attributing(tt.spelled)).Attributes[3].Values
		assert.Emptyf(t, cmp.Diff(tt.want, got), "%s: the attribute", tt.name)
	}
}

// Scenarios that share attributes do not share what was read.
func TestReadFilesLeavesCopiesAlone(t *testing.T) {
	s := parsed(t, edited(t, "race.yaml", "\n    list: [NYC, Berlin]\n    weights: [3, 1]", " {csv: {file: events.csv, column: city}}"))
	copied := *s
	require.NoError(t, copied.ReadFiles(opened("city\nNYC\n")), "ReadFiles")
	assert.Nil(t, s.Attributes[0].Values.(keys.CSV).Set, "what the scenario has where the files of a copy were read")
	assert.Equal(t, string(s.Text()), string(copied.Text()), "Text() after the files were read")
}

// tailed is the race with more attributes, and other keys.
func tailed(attributes, partitionKey, rowKey string) string {
	return strings.NewReplacer("  age: {", attributes+"\n  age: {", `"{event}"`, partitionKey, `"{bib}__{age}"`, rowKey,
		"partition_key: NYC", "partition_key: 2026-11-01T00").Replace(race)
}

func TestTimesAndTextsOfAFile(t *testing.T) {
	text := tailed("  at: {time: 2026-11-01T00:00:00.5Z, every: 250ms, speed: 0.5}\n  card: {text: \"{event}#{bib:05d}\"}", `"{time:hour}"`, `"{ticks:inverted}_{number}"`)
	s := reread(t, text)
	assert.Equal(t, keys.Time{Start: 639_290_880_005_000_000, Every: 250 * time.Millisecond, Speed: 0.5}, s.Attributes[2].Values)
	g, err := s.Generator()
	require.NoError(t, err)
	card, _ := g.ValueOf("card", keys.Event{Number: 7})
	event, _ := g.ValueOf("event", keys.Event{Number: 7})
	assert.Equal(t, event+"#00008", card, "the card of entity 7")
	// 0.5 s, and 250 ms for each of the 7 before.
	at := entity.Ticks(639_290_880_000_000_000 + 5_000_000 + 7*2_500_000)
	assert.Equal(t, entity.Key{Partition: "2026-11-01T00", Row: inverted(at) + "_7"}, g.Key(7), "Key(7)")
	// What is offered goes on behind the 200 that were loaded.
	at += 193*2_500_000 + 10_000_000
	assert.Equal(t, inverted(at)+"_300", g.KeyOf(keys.Event{Number: 300, Offered: true, Run: 2 * time.Second}).Row,
		"the row of an event 2 s into the load")
	require.NoError(t, s.Set("attributes.at.speed", "60"))
	assert.EqualValues(t, 60, s.Attributes[2].Values.(keys.Time).Speed)
	require.NoError(t, s.Set("attributes.card.text", "{bib}-{uuid}"))
	assert.Equal(t, "{bib}-{uuid}", s.Attributes[3].Values.(keys.Text).Template.String())
	s = parsed(t, tailed("  at: {time: 2026-11-01T00:00:00Z}", `"{at:hour}"`, `"{bib}"`))
	assert.Equal(t, keys.Time{Start: 639_290_880_000_000_000, Every: time.Second, Speed: 1}, s.Attributes[2].Values, "the defaults of a time")
}

// inverted is what {at:inverted} comes to.
func inverted(at entity.Ticks) string { return fmt.Sprintf("%019d", entity.LatestDateTime-at) }

// homesOf returns the generators of a scenario's own keys and of its copies.
func homesOf(t *testing.T, s *scenarios.Scenario) []*keys.Generator {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	homes := []*keys.Generator{g}
	for i := range s.Design.Copies {
		one, err := s.Design.Copies[i].Generator(g)
		require.NoError(t, err)
		homes = append(homes, one)
	}
	return homes
}

// Who asks is sent to the home whose keys serve it best: by class, and of one class by
// how much of what is known they tell.
func TestPlanTakesTheHomeThatServesBest(t *testing.T) {
	s := parsed(t, edited(t, "copies.yaml"))
	homes := homesOf(t, s)
	for _, row := range []struct {
		sentence string
		by       []string
		home     int
		class    filter.Class
	}{
		{"the number begins the entity's own rows", []string{"race", "bib"}, 0, filter.ClassRowRange},
		{"the age those of a copy", []string{"race", "age"}, 1, filter.ClassRowRange},
		{"of homes that tell as much, the first", []string{"race"}, 0, filter.ClassRowRange},
		{"a better class goes before more that is told", []string{"race", "age", "club", "bib"}, 0, filter.ClassPoint},
		{"a point goes before a range", []string{"race", "club", "bib"}, 2, filter.ClassPoint},
	} {
		if plan, home := s.Plan(&scenarios.OperationSpec{By: row.by}, homes); home != row.home || plan.Class != row.class {
			t.Errorf("%s: Plan(%v) = a %v of home %d; want a %v of home %d", row.sentence, row.by, plan.Class, home, row.class, row.home)
		}
	}
}

// A query asks each bucket by itself unless another home answers it by fewer queries;
// what looks for a key, or stops at some rows, asks once.
func TestPlansOverBuckets(t *testing.T) {
	s := parsed(t, edited(t, "visits.yaml", `"{page}", row_key: "{at:ticks}_{id}"`, `"{hash(id,8)}_{page}", row_key: "{id}",
    copies: [{name: fewer, table: Fewer, partition_key: "{hash(id,3)}_{page}", row_key: "{id}"}]`))
	both := homesOf(t, s)
	for _, tt := range []struct {
		sentence      string
		o             scenarios.OperationSpec
		homes         []*keys.Generator
		queries, home int
	}{
		{"each of the buckets", scenarios.OperationSpec{Verb: entity.Query}, both[:1], 8, 0},
		{"the home with fewer", scenarios.OperationSpec{Verb: entity.Query}, both, 3, 1},
		{"some rows", scenarios.OperationSpec{Verb: entity.Query, Rows: 5}, both[:1], 1, 0},
		{"the key of an update", scenarios.OperationSpec{Verb: entity.Merge}, both[:1], 1, 0},
	} {
		tt.o.By = []string{"page"}
		if plan, home := s.Plan(&tt.o, tt.homes); plan.Queries() != tt.queries || home != tt.home {
			t.Errorf("%s: Plan() = %d queries of home %d; want %d of home %d", tt.sentence, plan.Queries(), home, tt.queries, tt.home)
		}
	}
}

// readSize reads sizes as the value of a field.
func readSize(text string) (most int, by keys.SizeDistribution, faults fields.Faults) {
	faults = readField(text, scenarios.SizeBinding(&most, &by))
	return most, by, faults
}

func TestSizesAreReadAsTheyAreWritten(t *testing.T) {
	for _, row := range []struct {
		text        string
		least, most int
	}{
		{"1024", 1024, 1024},
		{"{p50: 900, p99: 4000}", 900, 4000},
		{"{uniform: [600, 4000]}", 600, 4000},
		{"{lognormal: {p50: 900, p99: 4000, max: 40000}}", 900, 40_000},
		{"{lognormal: {p50: 900, sigma: 0.5, min: 200, max: 3000}}", 200, 3000},
		{"{pareto: {min: 300, tail: 1.5}}", 300, entity.MaxEntityBytes},
		{"{zipf: {min: 300, max: 1000, exponent: 0.99}}", 300, 1000},
		{"{list: [900, 300], weights: [9, 1]}", 300, 900},
		{"{list: [300]}", 300, 300},
		{"{csv: {file: sizes.csv, column: bytes, weight: count}}", 1, 1},
	} {
		most, by, faults := readSize(row.text)
		least := most
		if by != nil {
			least, _ = by.Ends()
		}
		require.Emptyf(t, faults, "size: %s", row.text)
		assert.Equalf(t, []int{row.least, row.most}, []int{least, most}, "size: %s goes from and to", row.text)
		again, other, faults := readSize(writtenField(scenarios.SizeBinding(&most, &by)))
		assert.Emptyf(t, faults, "size: %s, written and read", row.text)
		assert.Equalf(t, most, again, "size: %s, written and read", row.text)
		assert.Equalf(t, by, other, "size: %s, written and read", row.text)
	}
}

// The sizes of a file count as often as their weights say, and what is none is told by its line.
func TestSizesOfAFile(t *testing.T) {
	curve := &keys.Curve{Kind: keys.CurveCSV, High: entity.MaxEntityBytes, File: keys.CSV{File: "sizes.csv", Column: "bytes", Weight: "count"}}
	got, err := scenarios.ReadCurve(curve, strings.NewReader("op,bytes,count\na,900,3\nb,4000,1\nc,900,2\n"))
	require.NoError(t, err)
	if least, most := got.Ends(); least != 900 || most != 4000 || len(got.List) != 2 || got.Weights[0] != 5 || got.Weights[1] != 1 || !curve.Unread() || got.Unread() {
		t.Errorf("the file has sizes %v with weights %v; want 900 five times, 4000 once", got.List, got.Weights)
	}
	for _, row := range []struct {
		name, text string
		line       int
	}{
		{"no byte", "bytes,count\n900,1\n0,1\n", 3},
		{"more than an entity may have", "bytes,count\n1048577,1\n", 2},
		{"no number", "bytes,count\n900,1\nlarge,1\n", 3},
		{"no weight", "bytes,count\n900,0\n", 2},
		{"no such column", "size,count\n900,1\n", 1},
		{"no row", "bytes,count\n", 1},
	} {
		_, err := scenarios.ReadCurve(curve, strings.NewReader(row.text))
		if fault, located := errors.AsType[*csvfile.Fault](err); !located || fault.Line != row.line {
			t.Errorf("%s: Read(%q) = %v; want a fault of line %d", row.name, row.text, err, row.line)
		}
	}
}

const (
	fileOfRows = "year,division,bib,finished\n2001,M,1,10\n2001,W,2,11\n2002,W,1,11.5\n2002,M,3,12\n2002,M,4,12.5\n"
	traced     = "{arrivals: {trace: r.csv, time: finished}, operations: [{verb: insert}]}"
)

// A trace over the rows begins with the row behind those that were loaded, each
// operation at the time of the row that it is about, whatever design forms its key.
func TestTraceOverRows(t *testing.T) {
	for _, row := range []struct {
		sentence, trace string
		at              []time.Duration
	}{
		{"of the same file", traced, []time.Duration{0, time.Second / 2}},
		{"of the same file, spelled otherwise", strings.Replace(traced, "r.csv", "./r.csv", 1), []time.Duration{0, time.Second / 2}},
		{"of another file", strings.Replace(traced, "r.csv", "t.csv", 1), []time.Duration{0, 1e9, 1.5e9, 2e9, 2.5e9}},
	} {
		for _, design := range []string{"year", "bib"} {
			s := parsed(t, edited(t, "results.yaml", traced, row.trace))
			s.Choose(design)
			require.NoError(t, s.ReadFiles(opened(fileOfRows)))
			schedule, err := s.Phases[1].Traffic.Schedule(clock.NewStream(1, "arrivals"))
			require.NoError(t, err)
			var at []time.Duration
			for n := range schedule.Len() {
				at = append(at, schedule.DueTime(n))
			}
			assert.Equalf(t, row.at, at, "%s, design %s: operations are due", row.sentence, design)
			g, err := s.Generator()
			require.NoError(t, err)
			key := g.Key(3)
			assert.Equal(t, map[string]string{"year": "20023", "bib": "32002"}[design], key.Partition+key.Row, "the fourth row's key")
		}
	}
}

// Files are read once, however many copies of a scenario ask for them.
func TestFilesAreReadOnce(t *testing.T) {
	written(t, map[string]string{"tables/r.csv": fileOfRows, "tables/results.yaml": edited(t, "results.yaml")})
	s, folder, err := scenarios.OpenWhole("tables/results.yaml")
	require.Truef(t, err == nil && folder == "tables", "OpenWhole: in %s, %v; want it in tables", folder, err)
	files := scenarios.FilesIn("tables")
	for i, design := range []string{"year", "bib"} {
		other, err := s.WithDesign(design)
		require.NoError(t, err)
		assert.NoErrorf(t, files.Read(other), "design %d is read, from memory if need be", i)
		if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && i == 0 {
			t.Fatal(err)
		}
	}
	for sentence, want := range map[string]string{"a folder": "a folder", "nothing": "no such file or directory"} {
		if sentence == "a folder" {
			require.NoError(t, os.Mkdir(filepath.Join("tables", "r.csv"), 0o755))
		} else if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_, _, err := scenarios.OpenWhole("tables/results.yaml")
		if got, want := fmt.Sprint(err), "tables/results.yaml:2:14: cannot read the rows: "+want+"; expected a file"; !strings.HasPrefix(got, want) {
			t.Errorf("%s in place of the rows: %s; want %s", sentence, got, want)
		}
	}
}

// A scenario that goes into another folder takes the paths of its rows along.
func TestMovedTakesRowsAlong(t *testing.T) {
	moved, err := parsed(t, edited(t, "results.yaml")).Moved(func(file string) string { return "../" + file })
	require.NoError(t, err)
	var opened []string
	_ = moved.ReadFiles(func(path string) (io.ReadCloser, error) {
		opened = append(opened, path)
		return io.NopCloser(strings.NewReader(fileOfRows)), nil
	})
	assert.Equalf(t, []string{"../r.csv", "../r.csv"}, opened, "the moved scenario reads %q", opened)
}
