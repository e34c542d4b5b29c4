package engine_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
)

// The experiments of the model that need entities, V12 and V13, and V22 in real
// time. Those of admission and balancing alone are beside the partition layer.

// newCold returns an engine of a profile, changed so, that begins cold, with the
// table Races in account one.
func newCold(t testing.TB, profile string, change func(*model.Model)) *bench {
	t.Helper()
	m := modelOf(t, profile)
	if change != nil {
		change(m)
	}
	require.Empty(t, m.Validate())
	return openBench(t, m, engine.Options{Cold: true})
}

// unlimited takes away what refuses.
func unlimited(m *model.Model) {
	m.PartitionTarget, m.AccountTarget = 0, 0
	m.Stamp.RangeTarget, m.Stamp.ServerTarget, m.AccountIngress, m.AccountEgress = 0, 0, 0, 0
}

// fill inserts entities into one partition, in transactions of a hundred.
func (b *bench) fill(t testing.TB, pk string, entities int) {
	t.Helper()
	for first := 0; first < entities; first += 100 {
		changes := make([]entity.Change, min(100, entities-first))
		for i := range changes {
			changes[i] = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: pk, Row: fmt.Sprintf("%06d", first+i)}}
		}
		b.number++
		r := b.Submit(0, &engine.Request{Account: "one", Table: "Races", Verb: entity.Batch, Changes: changes, Number: b.number})
		require.Equal(t, 202, r.Status, r.Detail)
	}
}

func (b *bench) query(now clock.Instant, q engine.Query) engine.Reply {
	b.number++
	return b.Submit(now, &engine.Request{Account: "one", Table: "Races", Verb: entity.Query, Query: q, Number: b.number})
}

// sparse keeps one entity in n, by the number that its RowKey is.
func sparse(n int) func(entity.Key, entity.Packed) bool {
	return func(k entity.Key, _ entity.Packed) bool {
		number, err := strconv.Atoi(k.Row)
		return err == nil && number%n == 0
	}
}

// A sender that gives up while its insert is worked on is told 500, and the
// insert is there all the same; one that gives up while it waits has done nothing.
func TestTimedOutInsertMayHaveSucceeded(t *testing.T) {
	b := newCold(t, model.Headroom, func(m *model.Model) {
		m.Stamp.PipelineRequest, m.Stamp.PipelineEntity = 10*time.Millisecond, 0
	})
	insert := func(row string, timeout time.Duration) engine.Reply {
		b.number++
		return b.Submit(second, &engine.Request{Account: "one", Table: "Races", Verb: entity.Insert, Number: b.number,
			Timeout: timeout, Change: &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "hot", Row: row}}})
	}
	rows := []struct {
		sentence, row string
		timeout       time.Duration
		insert, get   int
	}{
		{"one that is in time", "1", 0, 204, 200},
		{"one that gives up while it is worked on", "2", 15 * time.Millisecond, 500, 200},
		{"one that gives up while it waits", "3", 15 * time.Millisecond, 500, 404},
	}
	for _, row := range rows {
		assert.Equalf(t, row.insert, insert(row.row, row.timeout).Status, "%s: Insert", row.sentence)
	}
	for i, row := range rows {
		assert.Equalf(t, row.get, b.do(clock.Instant(10+i)*second, "one", "Races", entity.Get, "hot", row.row).Status,
			"%s: Get", row.sentence)
	}
}

// V12: 200,000 entities without limits. A page holds 1,000 results at most; one
// that keeps an entity in a thousand ends after five seconds, 50,000 scanned.
func TestV12PageEndsAtThousandResultsOrFiveSeconds(t *testing.T) {
	b := newCold(t, model.Documented, func(m *model.Model) {
		unlimited(m)
		m.TimeSpread = 0
	})
	b.fill(t, "hot", 200_000)
	for _, row := range []struct {
		sentence                string
		keep                    func(entity.Key, entity.Packed) bool
		pages, results, scanned int
		took                    time.Duration
	}{
		{"every entity", nil, 200, 1000, 1000, 100 * time.Millisecond},
		{"one in a thousand", sparse(1000), 4, 50, 50_000, 5 * time.Second},
	} {
		pages, stretch := 0, filter.OnePartition("hot")
		for more := true; more; pages++ {
			r := b.query(100*second, engine.Query{Range: stretch, Keep: row.keep})
			took := r.Done.Sub(100 * second).Round(100 * time.Millisecond)
			if len(r.Rows) != row.results || r.Counted != int64(row.scanned) || took != row.took {
				t.Fatalf("%s: page %d has %d results of %d scanned after %v; want %d of %d after %v",
					row.sentence, pages, len(r.Rows), r.Counted, took, row.results, row.scanned, row.took)
			}
			more, stretch = r.More, stretch.StartingAt(r.Next)
		}
		assert.Equal(t, row.pages, pages, row.sentence)
	}
}

// V13: a table scan over eight ranges on eight servers, two of them empty, gets
// a token at each boundary, pages without entities among them, and every entity
// once.
func TestV13TableScanCrossesServers(t *testing.T) {
	b := newCold(t, model.Documented, unlimited)
	const ranges = 8
	b.Prewarm(0, "one", "Races", "b", "c", "d", "e", "f", "g", "h")
	want := map[entity.Key]bool{}
	for _, pk := range []string{"a", "b", "bb", "d", "e", "g", "h", "z"} {
		b.fill(t, pk, 30)
		for i := range 30 {
			want[entity.Key{Partition: pk, Row: fmt.Sprintf("%06d", i)}] = true
		}
	}
	tokens, empty, seen := 0, 0, map[entity.Key]bool{}
	stretch := filter.WholeTable()
	for {
		r := b.query(100*second, engine.Query{Range: stretch})
		require.Equalf(t, 200, r.Status, "Query = %s", r.Detail)
		for _, row := range r.Rows {
			assert.NotContains(t, seen, row.Key, "entities that came twice")
			seen[row.Key] = true
		}
		if len(r.Rows) == 0 {
			empty++
		}
		if !r.More {
			break
		}
		tokens++
		stretch = stretch.StartingAt(r.Next)
	}
	assert.Equal(t, ranges-1, tokens, "tokens at boundaries")
	assert.Equal(t, 2, empty, "empty pages")
	assert.Truef(t, maps.Equal(want, seen), "%d entities; want all %d once", len(seen), len(want))
	// One partition never crosses servers, however its range is written.
	r := b.query(100*second, engine.Query{Range: filter.PartitionRange("b", "bc")})
	assert.Truef(t, !r.More && len(r.Rows) == 60, "a scan within a range = %d rows, more %v; want 60, no token", len(r.Rows), r.More)
}

// V22: twenty minutes of virtual time and twenty minutes of a clock that runs, in
// a bubble where waiting is free, give the same replies and the same events.
func TestV22RunningClockEqualsVirtualTime(t *testing.T) {
	run := func(wait func(clock.Instant) clock.Instant) ([]clock.Instant, []engine.Event) {
		b := newCold(t, model.Documented, func(m *model.Model) {
			m.PartitionTarget, m.Stamp.RangeTarget, m.Stamp.ServerTarget = 4, 4, 8
			m.PartitionBurst, m.Stamp.Burst = time.Second, time.Second
			m.Stamp.MergeBelow, m.Stamp.OfflineMost = 1, 9*time.Second
		})
		var done []clock.Instant
		for n := range 24_000 {
			at := wait(clock.Instant(n+1) * second / 20)
			done = append(done, b.do(at, "one", "Races", entity.InsertOrReplace, fmt.Sprint("key", n%8), "row").Done)
		}
		return done, b.DrainEvents()
	}
	done, events := run(func(at clock.Instant) clock.Instant { return at })
	require.Truef(t, len(events) >= 4 && events[0].TableName == "Races" && events[0].AccountName == "one",
		"DrainEvents() = %v; want splits and moves of the table Races of account one", events)
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewReal()
		doneLive, eventsLive := run(func(at clock.Instant) clock.Instant {
			_ = c.Sleep(context.Background(), at)
			return c.Now()
		})
		assert.Truef(t, slices.Equal(done, doneLive) && reflect.DeepEqual(events, eventsLive),
			"a running clock gave\n%v\nvirtual time\n%v", eventsLive, events)
	})
}
