package results_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

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
	got := figure.Of(record).Named("throughput")
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
