package results_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
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
				r.UpdateRecord(func(of *results.Record) { of.Capture = new(results.Capture) })
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

// A record without its idle stretches has the rows of one with all seconds, and the rows of a long record are the sums
// of the seconds that they span.
func TestRowsOfDrawnRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine")
	}
	lengths := []time.Duration{time.Minute, 5 * time.Minute, 9 * time.Hour, 40 * 24 * time.Hour}
	for seed := range resultstest.Cases(12, 300) {
		rng := rand.New(rand.NewPCG(47, uint64(seed)))
		longest := lengths[seed%len(lengths)]
		lasts := (1 + time.Duration(rng.Int64N(int64(longest)))).Round(time.Second)
		instants := make([]time.Duration, 2+rng.IntN(60))
		for i := range instants {
			instants[i] = time.Duration(rng.Int64N(int64(lasts) + 1))
		}
		for range rng.IntN(50) {
			instants = append(instants, min(lasts, instants[0]+time.Duration(rng.Int64N(int64(time.Minute)))))
		}
		begins, ends := min(instants[0], instants[1]), max(instants[0], instants[1])
		if slices.Sort(instants); begins == ends {
			continue
		}
		play := func(all bool, instants ...time.Duration) *results.Memory {
			folder := new(results.Memory)
			recorder := begin(t, folder)
			if all {
				recorder.Listen(func(*results.Interval, []*results.Histogram) {})
			}
			recorder.Phase(results.Phase{Name: "before", End: begins})
			step := recorder.Phase(results.Phase{Name: "step", Begin: begins, End: ends, Rate: 1, Reported: true})
			for n, at := range instants {
				succeed(recorder, step, n%3, at, time.Duration(n)*time.Millisecond)
				advance(t, recorder, at)
			}
			resultstest.Finish(t, recorder, lasts)
			return folder
		}
		sparse := play(false, instants...)
		record := resultstest.Read(t, sparse)
		if longest < time.Hour {
			want := resultstest.Read(t, play(true, instants...)).Intervals
			require.Equal(t, ofStep(want), ofStep(record.Intervals), seed)
		}
		require.Empty(t, verdict.Books(record), seed)
		file, err := results.ReadSeconds(sparse)
		require.NoError(t, err)
		checkSums(t, seed, file.Intervals, record)
		ceil := func(at time.Duration) int64 { return int64((at + time.Second - 1) / time.Second) }
		covered := int64(0)
		for _, row := range ofStep(record.Intervals) {
			covered += row.Seconds()
		}
		assert.Equal(t, ceil(ends)-ceil(begins), covered, "seed %d: seconds of the step", seed)
		assert.LessOrEqual(t, len(record.Intervals), 6*3600+4, seed)

		lost := slices.IndexFunc(file.Intervals, func(row results.Interval) bool { return row.Attempts > 0 })
		lines := bytes.SplitAfter(sparse.Bytes(results.IntervalsFile), []byte("\n"))
		require.NoError(t, sparse.Replace(results.IntervalsFile, bytes.Join(slices.Delete(lines, lost, lost+1), nil)))
		require.NotEmpty(t, verdict.Books(resultstest.Read(t, sparse)), "seed %d, without second %d", seed, file.Intervals[lost].Second)

		parts := make([]results.MergePart, 2)
		for i, some := range [][]time.Duration{instants[:len(instants)/2], instants[len(instants)/2:]} {
			parts[i].Name = "ab"[i:][:1]
			parts[i].Record, err = results.ReadSeconds(play(false, some...))
			require.NoError(t, err)
		}
		merged, err := results.Merge(parts)
		require.NoError(t, err)
		require.Empty(t, verdict.Books(merged.Condensed()), "seed %d, merged", seed)
		checkSums(t, seed, merged.Intervals, merged.Condensed())
	}
}

func ofStep(rows []results.Interval) []results.Interval {
	return slices.DeleteFunc(slices.Clone(rows), func(row results.Interval) bool { return row.Phase != "step" })
}

// checkThroughput compares the throughput with the mean of the whole seconds, minutes or hours of the last half.
func checkThroughput(t *testing.T, seed int, seconds []results.Interval, record *results.Record, unit int64) {
	t.Helper()
	step, length := record.Phases[1], time.Duration(unit)*time.Second
	first := int64((step.Begin+(step.End-step.Begin)/2+length-1)/length) * unit
	end := int64(step.End/length) * unit
	if first >= end {
		return
	}
	served := int64(0)
	for _, one := range seconds {
		if one.Second >= first && one.Second < end {
			served += one.Served
		}
	}
	got := figure.NewFigures(record).Named("throughput")
	require.InDelta(t, float64(served)/float64(end-first), got.Value, 1e-9, seed)
	require.Equal(t, end-first, got.Count, seed)
}

// checkSums compares rows with the seconds of the file, of which each has to lie in one of them.
func checkSums(t *testing.T, seed int, seconds []results.Interval, record *results.Record) {
	t.Helper()
	next, unit := int64(0), int64(1)
	for i := range record.Intervals {
		unit = max(unit, record.Intervals[i].Seconds())
	}
	checkThroughput(t, seed, seconds, record, unit)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		var sum results.Counts
		slowest, buckets := int64(0), [results.Buckets]int64{}
		for ; len(seconds) > 0 && seconds[0].Second < row.End(); seconds = seconds[1:] {
			one := &seconds[0]
			sum.Add(&one.Counts)
			require.True(t, one.Second >= row.Second && one.Phase == row.Phase, "seed %d: second %d in %+v", seed, one.Second, row)
			if one.Response.Max != nil {
				slowest = max(slowest, *one.Response.Max)
			}
			for b, n := range one.ResponseBuckets {
				buckets[b] += n
			}
		}
		require.True(t, row.Second >= next && row.Counts.Equal(&sum) && row.ResponseBuckets == buckets, "seed %d: %+v; want %+v", seed, row, sum)
		require.True(t, slowest == 0 || *row.Response.Max >= slowest && *row.Response.Max <= slowest+slowest/500+1, "seed %d: %+v", seed, row)
		for _, minute := range record.Minutes {
			if row.Second == 60*minute.Minute && row.Seconds() == 60 {
				require.Equal(t, results.QuantilesOf(minute.Response), row.Response, "seed %d, minute %d", seed, minute.Minute)
			}
		}
		next = row.End()
	}
	require.Empty(t, seconds, seed)
}

// Rows of a run of more than 6 hours that nobody closed end with the phases that its seconds name, and where seconds
// are missing that are no idle stretch.
func TestRowsOfAKilledRun(t *testing.T) {
	record := &results.Record{Manifest: manifest()}
	for _, second := range []int64{0, 1, 30, 100, 105, 25_000} {
		row := results.Interval{Second: second, Phase: "load", Counts: results.Counts{Attempts: 1}, InFlight: 100 + second}
		if second >= 30 {
			row.Phase = "step"
		}
		record.Intervals = append(record.Intervals, row)
	}
	var got [][4]int64
	for _, row := range record.Condensed().Intervals {
		got = append(got, [4]int64{row.Second, row.Seconds(), row.Attempts, row.InFlight})
	}
	assert.Equal(t, [][4]int64{{0, 2, 2, 101}, {2, 58, 1, 130}, {60, 41, 1, 200}, {105, 15, 1, 205}, {24_960, 41, 1, 25_100}}, got)
}

// What many goroutines tell at the same time comes to the very record of one that tells it all,
// to the byte: whenever it is taken down.
func TestManyTellWhatOneTells(t *testing.T) {
	for seed := range uint64(resultstest.Cases(1, 3)) {
		ops := spread{counterPhases(), 6, 1, false}.operations(rand.New(rand.NewPCG(seed, 1)), 2000)
		one := recordOf(t, func(r *results.Recorder) error {
			r.DisableLocks()
			return play(r, ops)
		})
		for _, goroutines := range []int{2, 8} {
			many := recordOf(t, func(r *results.Recorder) error { return playTogether(r, ops, goroutines) })
			for _, name := range []string{results.RunFile, results.IntervalsFile} {
				assert.Truef(t, bytes.Equal(one.Bytes(name), many.Bytes(name)),
					"seed %d: %s of %d goroutines differs from that of one", seed, name, goroutines)
			}
		}
	}
}

// recordOf returns what a recorder has written that was told of the phases of counterPhases
// and of what happened in them.
func recordOf(t *testing.T, tell func(*results.Recorder) error) *results.Memory {
	t.Helper()
	folder := new(results.Memory)
	recorder := begin(t, folder)
	for _, p := range counterPhases() {
		recorder.Phase(p)
	}
	require.NoError(t, tell(recorder), "Advance")
	resultstest.Finish(t, recorder, 80*time.Second)
	return folder
}

// playTogether records the operations by so many goroutines, which wait for each other at the
// end of each second.
func playTogether(r *results.Recorder, ops []operation, goroutines int) error {
	moments := momentsOf(ops)
	for len(moments) > 0 {
		end := moments[0].at.Truncate(time.Second) + time.Second
		n := 0
		for n < len(moments) && moments[n].at < end {
			n++
		}
		var running sync.WaitGroup
		for g := range goroutines {
			running.Go(func() {
				for i := g; i < n; i += goroutines {
					moments[i].call(r)
				}
			})
		}
		running.Wait()
		moments = moments[n:]
		if err := r.Advance(end - maxAttemptLength); err != nil {
			return err
		}
	}
	return nil
}

// Nobody who tells of operations waits for a second that is being written, and what is told
// meanwhile is in the record.
func TestSendersDoNotWaitForTheDisk(t *testing.T) {
	writes, let := make(chan struct{}, 10), make(chan struct{})
	folder := &faulty{write: func(name string, text []byte) (int, error) {
		if name == results.IntervalsFile {
			writes <- struct{}{}
			<-let
		}
		return len(text), nil
	}}
	recorder := begin(t, folder)
	step := recorder.Phase(results.Phase{Name: "500/s", End: 10 * time.Second, Rate: 500, Reported: true})
	succeed(recorder, step, 1, 0, time.Millisecond)
	var writing sync.WaitGroup
	writing.Go(func() { assert.NoError(t, recorder.Advance(2*time.Second), "Advance") })
	<-writes
	const n = 2000
	told := make(chan struct{})
	go func() {
		defer close(told)
		for i := range n {
			succeed(recorder, step, 1+i%2, 2*time.Second+time.Duration(i)*time.Millisecond, time.Millisecond)
			recorder.Waited(step, time.Millisecond)
			recorder.FurtherRequest(2 * time.Second)
			recorder.LimitDelay(step, 1, 2*time.Second, time.Millisecond)
		}
	}()
	select {
	case <-told:
	case <-time.After(30 * time.Second):
		t.Fatal("those who tell of operations wait for a write that does not end")
	}
	close(let)
	writing.Wait()
	resultstest.Finish(t, recorder, 10*time.Second)
	record := resultstest.Read(t, &folder.Memory)
	all := record.Total(results.Everything)
	assert.Equal(t, [5]int64{n + 1, n + 1, n, n, 0}, [5]int64{all.Attempts, all.Succeeded, record.RetryWaits.Count(), record.LimitWaits.Count(),
		record.Misplaced}, "attempts, successes, waits to retry and for a limit, misplaced")
}

func TestEventsOfManyGoroutinesAreAllWritten(t *testing.T) {
	record := playRecord(t, time.Second, func(r *results.Recorder) {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for range 100 {
					r.Event(results.Event{What: results.PhaseBegins})
				}
			})
		}
		running.Wait()
	})
	assert.Len(t, record.Events, 400)
}

// The last seconds have the same counts before and after they are written, and the totals are those of the record. Other
// goroutines may read them although one alone records.
func TestRecentSeconds(t *testing.T) {
	chance := rand.New(rand.NewPCG(47, 2))
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, results.Manifest{Operations: []results.Kind{{Name: "get"}, {Name: "put"}}})
	recorder.KeepRecent()
	recorder.Share()
	recorder.DisableLocks()
	recorder.Phase(results.Phase{Name: "first", End: 10 * time.Second, Reported: true})
	recorder.Phase(results.Phase{Name: "second", Begin: 10 * time.Second, End: 40 * time.Second})
	var reading sync.WaitGroup
	seen := make(map[int64]results.Counts)
	for second := range int64(40) {
		reading.Go(func() { recorder.Totals() })
		for range chance.IntN(50) {
			at := time.Duration(second)*time.Second + time.Duration(chance.Int64N(int64(time.Second)))
			resultstest.Single(recorder, results.Attempt{Phase: int(second / 10 % 2), Kind: chance.IntN(2), Intended: at, Sent: at, Done: at,
				Class: results.Class(1 + chance.IntN(3))})
		}
		seen[second] = recorder.WindowCounts(second, second+1)
		require.NoError(t, recorder.Advance(time.Duration(second-3)*time.Second))
		for back := range min(second, 10) {
			again := recorder.Window(second-back, second-back+1)
			assert.Truef(t, again.Equal(new(seen[second-back])), "second %d, %d s later", second-back, back)
			assert.Equal(t, again.Succeeded, again.Response.Count())
		}
	}
	assert.Zero(t, recorder.WindowCounts(0, 20).Attempts, "long ago")
	recorder.FurtherRequest(39 * time.Second)
	reading.Wait()
	totals := recorder.Totals()
	assert.EqualValues(t, 1, totals.InFlight)
	assert.Equal(t, int64(39), int64(recorder.Latest()/time.Second))
	resultstest.Finish(t, recorder, 40*time.Second)
	record := resultstest.Read(t, folder)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		counts := seen[row.Second]
		assert.Equal(t, []int64{counts.Scheduled, counts.Attempts, counts.Ok, counts.Throttled, counts.Failed, counts.Served - row.Served},
			[]int64{row.Scheduled, row.Attempts, row.Ok, row.Throttled, row.Failed, 0}, "second %d", row.Second)
	}
	var sum results.Counts
	for p := range totals.Phases {
		for k, got := range totals.Phases[p] {
			assert.Truef(t, got.Equal(&record.Phases[p].Kinds[k].Counts), "phase %d, kind %d", p, k)
			sum.Add(&got)
		}
	}
	assert.True(t, totals.Equal(&sum))
}
