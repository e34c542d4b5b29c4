package capture_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/rest"
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
		if o.Table != "t" || o.Partitions.Keys != row.count {
			t.Errorf("%s: %d keys of %q count; want %d", row.name, o.Partitions.Keys, o.Table, row.count)
		}
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
		if o.Rows != want[i] {
			t.Errorf("the rows of %q = %+v; want %+v", o.Table, o.Rows, want[i])
		}
	}
}

func TestOnlyInsertsThatWereCarriedOutHaveAnOrder(t *testing.T) {
	batch := func(row string, inserts bool) rest.Seen {
		r := insert(ms, "t", "p", row)
		r.Verb, r.Inserts = entity.Batch, inserts
		return r
	}
	verb := func(v entity.Verb) rest.Seen {
		r := insert(ms, "t", "p", "r")
		r.Verb, r.Inserts = v, v != entity.Merge
		return r
	}
	nowhere := insert(ms, "t", "p", "r")
	nowhere.HasPartition = false
	for _, row := range []struct {
		name    string
		request rest.Seen
		want    bool
	}{
		{"an insert", insert(ms, "t", "p", "r"), true},
		{"an insert of an empty RowKey", insert(ms, "t", "p", ""), true},
		{"upserts", verb(entity.InsertOrMerge), true},
		{"upserts that replace", verb(entity.InsertOrReplace), true},
		{"a transaction with an insert", batch("r", true), true},
		{"a transaction without one", batch("r", false), false},
		{"an update", verb(entity.Merge), false},
		{"a throttled insert", throttled(insert(ms, "t", "p", "r")), false},
		{"an insert of what is there", answered(insert(ms, "t", "p", "r"), entity.EntityAlreadyExists), false},
		{"an insert nowhere", nowhere, false},
	} {
		s := open(t, capture.Options{})
		s.saw(row.request)
		if got := len(s.end().Capture.Orders) > 0; got != row.want {
			t.Errorf("%s: its keys have an order: %t; want %t", row.name, got, row.want)
		}
	}
}
