package capture_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// shuffledWithin mixes the keys within stretches of so many, as requests that are
// under way together do.
func shuffledWithin(keys []string, stretch int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < len(keys); from += stretch {
		part := keys[from:min(from+stretch, len(keys))]
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return keys
}

func numbered(n int, name func(i int) string) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = name(i)
	}
	return keys
}

func upwards(n int) []string {
	return numbered(n, func(i int) string { return fmt.Sprintf("%06d", i) })
}

func downwards(n int) []string {
	return numbered(n, func(i int) string { return fmt.Sprintf("%06d", n-i) })
}

func TestOrderOfPartitionKeys(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		// How many keys count, and what share goes up and down, at least and at
		// most.
		count    int64
		up, down [2]float64
	}{
		{"each key above the last", upwards(1000), 999, [2]float64{1, 1}, [2]float64{}},
		{"each key below the last", downwards(1000), 999, [2]float64{}, [2]float64{1, 1}},
		{"one key alone has no order", upwards(1), 0, [2]float64{}, [2]float64{}},
		{"two have", upwards(2), 1, [2]float64{1, 1}, [2]float64{}},
		{"a key for each hour, with many entities in it",
			numbered(3000, func(i int) string { return fmt.Sprintf("2011-11-06T%02d", i/150) }), 19, [2]float64{1, 1}, [2]float64{}},
		{"sixty requests under way together", shuffledWithin(upwards(3000), 60), 2999, [2]float64{.9, 1}, [2]float64{0, .1}},
		{"the same, going down", shuffledWithin(downwards(3000), 60), 2999, [2]float64{0, .1}, [2]float64{.9, 1}},
		{"random keys", shuffledWithin(upwards(3000), 3000), 2999, [2]float64{0, .03}, [2]float64{0, .03}},
		{"an outlier hides the order for a while only",
			append([]string{"settings"}, upwards(3000)...), 3000, [2]float64{.95, 1}, [2]float64{0, .01}},
		{"a few keys again and again are new once",
			numbered(3000, func(i int) string { return fmt.Sprint("user", i*7%10) }), 9, [2]float64{0, .8}, [2]float64{0, .8}},
		{"the order is that of UTF-16", []string{"a", "\uE000", "\U00010000"}, 2, [2]float64{.5, .5}, [2]float64{}},
	} {
		s := open(t, capture.Options{})
		for i, key := range row.keys {
			s.saw(insert(time.Duration(i)*ms, "t", key, "r"))
		}
		o := s.end().Capture.Orders[0]
		assert.Truef(t, o.Table == "t" && o.Partitions.Keys == row.count,
			"%s: %d keys of %q count; want %d", row.name, o.Partitions.Keys, o.Table, row.count)
		within(t, row.name+": ascending", o.Partitions.Ascending, o.Partitions.Keys, row.up)
		within(t, row.name+": descending", o.Partitions.Descending, o.Partitions.Keys, row.down)
	}
}

func within(t *testing.T, what string, part, whole int64, bounds [2]float64) {
	t.Helper()
	if share := float64(part) / float64(max(1, whole)); share < bounds[0] || share > bounds[1] {
		t.Errorf("%s: %d of %d; want a share from %v to %v", what, part, whole, bounds[0], bounds[1])
	}
}

func TestOrderOfRowKeysIsWithinTheirPartition(t *testing.T) {
	s := open(t, capture.Options{})
	// Three partitions, of which each has its own ascending rows.
	for i := range 300 {
		s.saw(insert(time.Duration(i)*ms, "log", fmt.Sprint("source", i%3), fmt.Sprintf("%06d", 1000*(3-i%3)+i)))
	}
	for i := range 200 {
		s.saw(insert(time.Duration(i)*ms, "tail", "p", fmt.Sprintf("%06d", 1000-i)))
	}
	orders := s.end().Capture.Orders
	want := []results.Order{{Keys: 297, Ascending: 297}, {Keys: 199, Descending: 199}}
	for i, o := range orders {
		assert.Truef(t, o.Rows == want[i], "the rows of %q = %+v; want %+v", o.Table, o.Rows, want[i])
	}
}

func TestOnlyInsertsThatWereCarriedOutHaveAnOrder(t *testing.T) {
	verb := func(v entity.Verb, inserts bool) accesslog.Observed {
		r := insert(ms, "t", "p", "r")
		r.Verb, r.Inserts = v, inserts
		return r
	}
	nowhere := insert(ms, "t", "p", "r")
	nowhere.HasPartition = false
	for _, row := range []struct {
		name    string
		request accesslog.Observed
		want    bool
	}{
		{"an insert", insert(ms, "t", "p", "r"), true},
		{"an insert of an empty RowKey", insert(ms, "t", "p", ""), true},
		{"upserts", verb(entity.InsertOrMerge, true), true},
		{"upserts that replace", verb(entity.InsertOrReplace, true), true},
		{"a transaction with an insert", verb(entity.Batch, true), true},
		{"a transaction without one", verb(entity.Batch, false), false},
		{"an update", verb(entity.Merge, false), false},
		{"a throttled insert", throttled(insert(ms, "t", "p", "r")), false},
		{"an insert of what is there", answered(insert(ms, "t", "p", "r"), entity.EntityAlreadyExists), false},
		{"an insert nowhere", nowhere, false},
	} {
		assert.Equalf(t, row.want, len(observe(t, capture.Options{}, row.request).Capture.Orders) > 0, "%s: its keys have an order", row.name)
	}
}

// outcomes are how many attempts there were, of how many operations, how many of those
// succeeded, how often a sender waited, and how many requests had no id.
type outcomes struct{ attempts, operations, succeeded, waits, unnamed int64 }

func outcomesOf(record *results.Record) outcomes {
	all := record.Total(results.Everything)
	return outcomes{all.Attempts, all.Operations, all.Succeeded, record.RetryWaits.Count(), record.Capture.Unnamed}
}

func TestRetriesAreKnownByTheirID(t *testing.T) {
	first := named(insert(0, "t", "p", "r"), "one")
	again := named(insert(500*ms, "t", "p", "r"), "one")
	third := named(insert(1500*ms, "t", "p", "r"), "one")
	other := named(insert(500*ms, "t", "p", "other"), "one")
	lost := first
	lost.Status = 0
	late := named(insert(200*time.Second, "t", "p", "r"), "one")
	long := named(first, strings.Repeat("i", 257))
	for _, row := range []struct {
		name     string
		requests []accesslog.Observed
		want     outcomes
	}{
		{"without an id each is an operation", []accesslog.Observed{throttled(named(first, "")), named(again, "")}, outcomes{2, 2, 1, 0, 2}},
		{"a throttled one that comes again is the same", []accesslog.Observed{throttled(first), again}, outcomes{2, 1, 1, 1, 0}},
		{"as often as it comes", []accesslog.Observed{throttled(first), throttled(again), third}, outcomes{3, 1, 1, 2, 0}},
		{"one that is given up ends all the same", []accesslog.Observed{throttled(first), throttled(again)}, outcomes{2, 1, 0, 1, 0}},
		{"a failed one may come again", []accesslog.Observed{answered(first, entity.InternalError), again}, outcomes{2, 1, 1, 1, 0}},
		{"so may one whose reply was lost", []accesslog.Observed{lost, again}, outcomes{2, 1, 1, 1, 0}},
		{"one that succeeded does not", []accesslog.Observed{first, again}, outcomes{2, 2, 2, 0, 0}},
		{"nor one that was told it exists", []accesslog.Observed{answered(first, entity.EntityAlreadyExists), again}, outcomes{2, 2, 2, 0, 0}},
		{"another request under the same id is another", []accesslog.Observed{throttled(first), other}, outcomes{2, 2, 1, 0, 0}},
		{"a retry after the window is another", []accesslog.Observed{throttled(first), late}, outcomes{2, 2, 1, 0, 0}},
		{"an id that is too long is none", []accesslog.Observed{throttled(long), named(again, long.ClientRequestID)}, outcomes{2, 2, 1, 0, 2}},
		{"one that comes before the first reply waits no time",
			[]accesslog.Observed{throttled(first), named(insert(ms, "t", "p", "r"), "one")}, outcomes{2, 1, 1, 0, 0}},
	} {
		s := open(t, capture.Options{})
		for _, r := range row.requests {
			s.saw(r)
			require.NoError(t, s.observer.Advance(r.EndTime().Offset()))
		}
		record := s.end()
		assert.Equalf(t, row.want, outcomesOf(record), "%s", row.name)
		if all := record.Total(results.Everything); all.Retries != all.Attempts-all.Operations {
			t.Errorf("%s: %d of %d attempts of %d operations are retries; want all but the first of each",
				row.name, all.Retries, all.Attempts, all.Operations)
		}
	}
}

func TestResponseIsFromTheFirstArrivalToTheLastReply(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 20 {
		at := time.Duration(i) * time.Second
		id := fmt.Sprint("op", i)
		s.saw(named(throttled(insert(at, "t", "p", fmt.Sprint(i))), id))
		s.saw(named(insert(at+700*ms, "t", "p", fmt.Sprint(i)), id))
	}
	record := s.end()
	all := record.Total(results.Everything)
	response, service := results.QuantilesOf(all.Response), results.QuantilesOf(all.Service[results.Ok])
	for _, row := range []struct {
		what      string
		got, want int64
	}{{"response", *response.P50, 704_000}, {"service", *service.P50, 4_000},
		{"wait", *results.QuantilesOf(record.RetryWaits).P50, 698_000}} {
		if off := row.got - row.want; off < -row.want/500 || off > row.want/500 {
			t.Errorf("the median %s is %d µs; want %d", row.what, row.got, row.want)
		}
	}
	// A retry adds no load to its partition.
	assert.EqualValues(t, 1, record.Capture.Partitions[0].Offered, "entities offered in the busiest second")
	if lost := all.Offered - all.Served; all.Offered != 20 || lost != 0 {
		t.Errorf("%d entities were offered and %d not served; want 20 and 0", all.Offered, lost)
	}
}

func TestForgottenOperationsAreCounted(t *testing.T) {
	s := open(t, capture.Options{Retries: 3})
	request := func(i int, at time.Duration) accesslog.Observed {
		return named(insert(at, "t", "p", fmt.Sprint(i)), fmt.Sprint("op", i))
	}
	for i := range 5 {
		s.saw(throttled(request(i, time.Duration(i)*10*ms)))
	}
	// The first two had to make room for the last two.
	for i := range 5 {
		s.saw(request(i, time.Second+time.Duration(i)*10*ms))
	}
	record := s.end()
	got, want := outcomesOf(record), (outcomes{10, 7, 5, 3, 0})
	assert.Truef(t, got == want, "%+v; want %+v", got, want)
	assert.EqualValues(t, 2, record.Capture.Forgotten, "operations were forgotten")
}

// What ends with its window does so on its own, in a second that is still open.
func TestOperationsEndWithTheirWindow(t *testing.T) {
	s := open(t, capture.Options{Window: 10 * time.Second, Hold: time.Second})
	s.saw(named(throttled(get(0, "t", "p")), "one"))
	s.last = time.Minute
	for at := time.Second; at < time.Minute; at += time.Second {
		require.NoError(t, s.observer.Advance(at))
	}
	record := s.end()
	assert.EqualValues(t, 0, record.Misplaced, "counts are misplaced")
	for _, second := range record.Intervals {
		if want := int64(0); second.Operations != want && second.Second != 9 {
			t.Errorf("an operation ended in second %d; want it to be noted in second 9, the oldest that was open", second.Second)
		}
	}
	assert.EqualValues(t, 2000, record.Phases[0].Kinds[0].Lost.Max(), "the operation took µs")
}
