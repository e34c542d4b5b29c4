package results_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// A stretch of more than ten seconds in which nothing happens is not written, whatever its length; what
// reads the record knows it for one.
func TestLongIdleStretchesAreLeftOut(t *testing.T) {
	const day = 24 * time.Hour
	for _, row := range []struct {
		name             string
		reported, sparse bool
		at               []time.Duration
		end              time.Duration
		written          int
		idle, minute     int64
	}{
		{"ten seconds are written", false, false, []time.Duration{0, 11 * time.Second}, 12 * time.Second, 12, 0, 0},
		{"eleven are not", false, false, []time.Duration{0, 12 * time.Second}, 13 * time.Second, 2, 11, 0},
		{"nor is a month, whose rows are hours", false, false, []time.Duration{0, 30 * day}, 30*day + time.Second, 2, 30*24*3600 - 3600, 30 * 24 * 60},
		{"nor a long end", false, false, []time.Duration{0}, time.Hour, 1, 3599, 0},
		{"nor a long beginning", false, false, []time.Duration{time.Hour}, time.Hour + time.Second, 1, 3600, 60},
		{"figures of a reported phase count each", true, false, []time.Duration{0, time.Minute}, time.Minute + time.Second, 61, 0, 1},
		{"but in the traffic of others", true, true, []time.Duration{0, time.Minute}, time.Minute + time.Second, 2, 59, 1},
	} {
		record := playRecord(t, row.end, func(r *results.Recorder) {
			if row.sparse {
				r.Take(func(of *results.Record) { of.Capture = new(results.Capture) })
			}
			step := r.Phase(results.Phase{Name: "step", End: row.end, Rate: 1, Reported: row.reported})
			for n, at := range row.at {
				succeed(r, step, n+1, at, 0)
				advance(t, r, at)
			}
		})
		require.Len(t, record.Intervals, row.written, row.name)
		assert.Equal(t, row.idle, record.IdleSeconds(), row.name)
		assert.Equal(t, !row.reported || row.sparse, record.IsIdle(0, 11), "%s: a gap that is none", row.name)
		last := record.Intervals[row.written-1]
		assert.Equal(t, int64(1), last.Attempts, row.name)
		assert.Equal(t, row.minute, record.Minutes[len(record.Minutes)-1].Minute, row.name)
	}
}

func TestWhatComesBehindTheWatermarkIsKeptAndCounted(t *testing.T) {
	record := playRecord(t, 10*time.Second, func(r *results.Recorder) {
		step := r.Phase(results.Phase{Name: "step", End: 10 * time.Second, Rate: 1, Reported: true})
		advance(t, r, 5*time.Second)
		// Due, sent, answered and completed in a second that has been written.
		succeed(r, step, 1, 2*time.Second, time.Millisecond)
	})
	assert.EqualValues(t, 4, record.Misplaced, "Misplaced")
	for second, interval := range record.Intervals {
		want := int64(0)
		if second == 5 {
			want = 1
		}
		assert.Equalf(t, [4]int64{want, want, want, want}, [4]int64{interval.Scheduled, interval.Sent, interval.Attempts, interval.Operations},
			"second %d", second)
	}
	all := record.Total(results.Everything)
	assert.Equal(t, [3]int64{1, 1, 1}, [3]int64{all.Scheduled, all.Attempts, all.Served}, "the totals")
}

func TestPartitionsBeyondTheBoundAreCountedTogether(t *testing.T) {
	folder := new(results.Memory)
	recorder := begin(t, folder)
	first := recorder.Phase(results.Phase{Name: "first", End: time.Second, Rate: 1})
	second := recorder.Phase(results.Phase{Name: "second", Begin: time.Second, End: 2 * time.Second, Rate: 1})
	idle := recorder.Phase(results.Phase{Name: "idle", Begin: 2 * time.Second, End: 3 * time.Second, Rate: 1})
	const keys = 10_100
	for i := range keys {
		// Throttled at first, and served only in the next phase.
		key := string(rune('\u4e00' + i))
		recorder.Attempt(&results.Attempt{Phase: first, Class: results.Throttled, Entities: 3, HasPartition: true, PartitionKey: key})
		recorder.Attempt(&results.Attempt{Phase: first, Try: 1, Retry: true, Done: time.Second, Class: results.Ok, Entities: 3, Counted: 2,
			HasPartition: true, PartitionKey: key})
	}
	recorder.Attempt(&results.Attempt{Phase: first, Class: results.Failed, Entities: 1, HasPartition: true, PartitionKey: "\u4e07"})
	// An operation across partitions has none.
	recorder.Attempt(&results.Attempt{Phase: first, Class: results.Ok, Entities: 50, Counted: 50})
	resultstest.Finish(t, recorder, 3*time.Second)
	record := resultstest.Read(t, folder)
	for _, row := range []struct {
		name                string
		phase               int
		offered, served     []results.PartitionStats
		over, overServed, n int64
	}{
		{"what is offered belongs to the operation's phase, ties by key", first,
			[]results.PartitionStats{{Key: "\u4e07", Entities: 4, Busiest: 4}, {Key: "\u4e00", Entities: 3, Busiest: 3}, {Key: "\u4e01", Entities: 3, Busiest: 3}}, nil, 3 * 100, 0, 10_000},
		{"what is served belongs to the phase in which it ended", second, nil,
			[]results.PartitionStats{{Key: "\u4e00", Entities: 2, Busiest: 2}, {Key: "\u4e01", Entities: 2, Busiest: 2}, {Key: "\u4e02", Entities: 2, Busiest: 2}}, 0, 2 * 100, 0},
		{"a phase without load", idle, nil, nil, 0, 0, 0},
	} {
		phase := record.Phases[row.phase]
		assert.Truef(t, phase.Offered != nil, "%s: Offered is null; want a list, for it is known", row.name)
		for _, list := range []struct {
			what      string
			want, got []results.PartitionStats
		}{{"Offered", row.offered, phase.Offered}, {"Partitions", row.served, phase.Partitions}} {
			if len(list.want) > 0 && len(list.got) != 2*results.KeptPartitions || len(list.want) == 0 && len(list.got) > 0 {
				t.Errorf("%s: %s = %+v; want %+v and seventeen more, or none", row.name, list.what, list.got, list.want)
				continue
			}
			if diff := cmp.Diff(list.want, list.got[:len(list.want)]); len(list.want) > 0 && diff != "" {
				t.Errorf("%s: %s differs (-want +got):\n%s", row.name, list.what, diff)
			}
		}
		assert.Equal(t, [3]int64{row.over, row.overServed, row.n}, [3]int64{phase.OfferedOver, phase.PartitionsOver, phase.PartitionsHit}, row.name)
	}
}

// What becomes known after its second was written counts in a later one, and is
// not misplaced.
func TestWhatIsNotedLaterCountsLater(t *testing.T) {
	const noted = 5 * time.Second
	record := playRecord(t, 9*time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "observed", Reported: true, End: 9 * time.Second})
		advance(t, r, noted)
		// What was noted before its own second counts in that.
		for _, due := range []time.Duration{time.Second, 6 * time.Second} {
			sent, done := due+time.Second, due+2*time.Second
			r.Scheduled(&results.Scheduled{Phase: phase, Intended: due, Sent: sent, Noted: noted})
			r.Attempt(&results.Attempt{Class: results.Ok, Phase: phase, Intended: due, Sent: sent, Done: done, Noted: noted})
			r.Completed(&results.Completed{Class: results.Ok, Phase: phase, Intended: due, Done: done, Noted: noted, Attempts: 1})
		}
	})
	assert.EqualValues(t, 0, record.Misplaced, "counts are misplaced")
	var got []int64
	for _, second := range record.Intervals {
		got = append(got, 1000*second.Scheduled+100*second.Sent+10*second.Attempts+second.Operations)
	}
	assert.Equal(t, []int64{0, 0, 0, 0, 0, 1111, 1000, 100, 11}, got, "the seconds")
	took := record.Phases[0].Kinds[0].Response.Max()
	assert.Truef(t, took >= 1_999_000 && took <= 2_001_000, "the longest response took %d µs", took)
}

// The seconds of other processes replace its own from the first one on, numbered where those end.
func TestSecondsOfOthersAreWritten(t *testing.T) {
	folder := new(results.Memory)
	recorder := begin(t, folder)
	step := recorder.Phase(results.Phase{Name: "step", End: 10 * time.Second, Rate: 1})
	succeed(recorder, step, 1, 1500*time.Millisecond, 0)
	advance(t, recorder, 2*time.Second)
	kinds := make([]results.IntervalKind, 3)
	recorder.AppendSecond(&results.Interval{Second: 7, Counts: results.Counts{Attempts: 5}, Kinds: kinds})
	recorder.AppendSecond(&results.Interval{Second: 8, Counts: results.Counts{Attempts: 6}, Kinds: kinds})
	recorder.AppendSecond(&results.Interval{Second: 9, Counts: results.Counts{Attempts: 7}, Kinds: kinds[:1]}) // of another scenario
	advance(t, recorder, 5*time.Second)
	var got [][2]int64
	for _, one := range resultstest.Read(t, folder).Intervals {
		got = append(got, [2]int64{one.Second, one.Attempts})
	}
	assert.Equal(t, [][2]int64{{0, 0}, {1, 1}, {2, 5}, {3, 6}}, got)
}
