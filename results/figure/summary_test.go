package figure_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/figure"
)

// A rate is held where next to nothing of its last half was throttled and nothing lost;
// what was not sent, or what an idle partition had saved up, cannot be told.
func TestWhatAStepHolds(t *testing.T) {
	held := 2 * results.HeldBackAfter.Microseconds()
	kind := func(r *results.Record) *results.KindStats { return &r.Phases[0].Kinds[1] }
	for _, row := range []struct {
		name   string
		served int64
		change func(*results.Record)
		holds  bool
		why    string
	}{
		{"all of it is served", 1000, nil, true, ""},
		{"one in two hundred of the first attempts of its last half is throttled, and comes through", 1000,
			func(r *results.Record) { kind(r).LastHalf.FirstThrottled = 25 }, true, ""},
		{"one in a hundred is, in every second, and comes through", 1000, func(r *results.Record) { refuse(r, 8, 4, 14, 10, 16, 6, 13, 5, 12, 10) }, true, ""},
		{"a third is in one second, and comes through", 1000, func(r *results.Record) { refuse(r, 0, 0, 0, 0, 0, 0, 500) }, false, ""},
		{"as many are in each second, and come through", 1000, func(r *results.Record) { refuse(r, slices.Repeat([]int64{10}, 10)...) }, false, "at its limit"},
		{"one operation of it is lost", 1000, lose, false, ""},
		{"one of its first half is lost", 1000, func(r *results.Record) { kind(r).Succeeded-- }, false, ""},
		{"half of it is", 500, nil, false, ""},
		{"one was never sent", 1000, func(r *results.Record) { kind(r).Dropped = 1 }, false, "was late"},
		{"one of its ten seconds was held back", 1000, func(r *results.Record) { r.Intervals[7].Lag.P99 = &held }, false, "was late"},
		{"in one of them nothing was sent", 1000, func(r *results.Record) {
			r.Intervals[7].Sent, r.Intervals[8].Sent, r.Intervals[8].Lag.P99 = 0, 2000, &held
		}, false, "was late"},
		{"what was due at its end was sent soon after", 1000, func(r *results.Record) { r.Intervals[7].Sent, r.Intervals[8].Sent = 0, 2000 }, true, ""},
		{"in one a tenth was sent in the next", 1000, func(r *results.Record) {
			r.Intervals[7].Sent, r.Intervals[8].Sent, r.Intervals[8].Lag.Max = 900, 1100, new(int64(99_000))
		}, true, ""},
		{"a second was held back by its longest alone", 1000, func(r *results.Record) { r.Intervals[7].Lag.Max = &held }, false, "was late"},
		{"it came in a heap, of which more than that was throttled", 1000, func(r *results.Record) {
			r.Intervals[7].Lag.P99, kind(r).LastHalf.FirstThrottled = &held, 800
			r.Intervals[7].Throttled, r.Intervals[8].Throttled = 500, 300
		}, false, "in bursts"},
		{"it came in a heap, and one operation of it is lost", 1000, func(r *results.Record) {
			r.Intervals[7].Lag.P99 = &held
			lose(r)
		}, false, "in bursts"},
		{"one in thirty is throttled, in a heap and in time, and comes through", 1000, func(r *results.Record) {
			r.Intervals[2].Lag.P99 = &held
			refuse(r, 0, 0, 0, 0, 0, 30, 30, 30, 30, 500)
		}, false, ""},
		{"half of it is throttled, by a limit below it, and every other second is a heap", 500, func(r *results.Record) {
			for i := 1; i < 10; i += 2 {
				r.Intervals[i].Lag.P99 = &held
			}
		}, false, ""},
		{"it ended before its last half", 1000, func(r *results.Record) { r.Duration = 5 * time.Second }, false, "ended before"},
		{"nothing was due in its last half, of one operation in all", 1000, func(r *results.Record) {
			kind(r).Scheduled, kind(r).Sent, kind(r).Succeeded, kind(r).LastHalf = 1, 1, 1, results.Cohort{}
		}, true, ""},
		{"nothing was due at all", 1000, func(r *results.Record) { *kind(r) = results.KindStats{} }, false, "nothing was due"},
		{"at the target, which chance passes in its last half", 2000, func(r *results.Record) {
			kind(r).LastHalf = results.Cohort{Counts: results.Counts{Scheduled: 10_050, Sent: 10_050, Succeeded: 10_050, Offered: 10_050, Served: 10_050}}
		}, true, ""},
		{"beyond the target", 2010, nil, false, "burst allowance"},
		{"beyond it, at the service, which says itself what it bears", 2010, func(r *results.Record) { r.Manifest.Genuine = true }, true, ""},
		{"beyond it, in a model that lets partitions exceed it", 2010,
			func(r *results.Record) {
				r.Manifest.Model = []results.Parameter{{Name: "headroom", Value: "2000"}}
			}, true, ""},
		{"beyond it, in a cold one that does not", 2010,
			func(r *results.Record) {
				r.Manifest.Model = []results.Parameter{{Name: "headroom", Value: "1000"}}
			}, false, "burst allowance"},
		{"beyond it, over several partitions", 2010, func(r *results.Record) { r.Manifest.PartitionKey = "" }, true, ""},
		{"beyond it in its last half, below it as a mean", 2010,
			func(r *results.Record) { r.Phases[0].Rate, r.Phases[0].Varying = 1500, true }, false, "burst allowance"},
	} {
		offered := max(row.served, 1000)
		record := steps(same(10, offered, row.served))
		if row.change != nil {
			row.change(record)
		}
		got := figure.Of(record).Holds(figure.Steps(record)[0], nobody)
		assert.Truef(t, got.Holds == row.holds && (got.Why == "") == (row.why == "") && strings.Contains(got.Why, row.why),
			"%s: %+v; want %t, why %q", row.name, got, row.holds, row.why)
		assert.Equalf(t, row.why == "was late" || strings.Contains(row.name, "heap"), got.Unsent != "",
			"%s: Unsent = %q", row.name, got.Unsent)
	}
}

// refuse has some of the first attempts of each second throttled, whose retries succeed.
func refuse(r *results.Record, bySecond ...int64) {
	of := &r.Phases[0].Kinds[1]
	for i, refused := range bySecond {
		row := &r.Intervals[i]
		row.Throttled, row.Attempts = refused, row.Attempts+refused
		of.Throttled, of.FirstThrottled, of.Attempts = of.Throttled+refused, of.FirstThrottled+refused, of.Attempts+refused
		if 2*i >= len(r.Intervals) {
			of.LastHalf.FirstThrottled += refused
		}
	}
}

// lose has one operation of the last half fail.
func lose(r *results.Record) {
	r.Phases[0].Kinds[1].Succeeded--
	r.Phases[0].Kinds[1].LastHalf.Succeeded--
}

// nobody waited for the target.
func nobody(int64) string { return "" }

// What waited for a silent target was not held back by the generator: whether the rate holds
// cannot be told for that, and where operations were never sent for it, it does not hold.
func TestWhatWaitedForTheTarget(t *testing.T) {
	const silence, own = "the target answered nothing", "was late"
	held := 2 * results.HeldBackAfter.Microseconds()
	for _, row := range []struct {
		name string
		// late and silent are seconds of the step, drops how many of each were never sent,
		// which half tells of in the last half of the step.
		late, silent []int64
		drops, half  int64
		holds        bool
		why, unsent  string
	}{
		{"a second was late for the target's silence", []int64{7}, []int64{7}, 0, 0, false, silence, silence},
		{"one was by itself", []int64{7}, nil, 0, 0, false, own, own},
		{"one was by itself beside two that were not", []int64{3, 6, 7}, []int64{6, 7}, 0, 0, false, own, own},
		{"a silence in which nothing was late", nil, []int64{7}, 0, 0, true, "", ""},
		{"operations of its last half waited until it was too late", []int64{7}, []int64{7}, 5, 5, false, "", silence},
		{"those of its first half did", []int64{3}, []int64{3}, 5, 0, false, "", silence},
		{"some were dropped in the silence and some were not", []int64{6, 7}, []int64{7}, 5, 10, false, own, own},
		{"they were dropped in no silence", []int64{7}, nil, 5, 5, false, own, own},
	} {
		record := steps(same(10, 1000, 1000))
		kind := &record.Phases[0].Kinds[1]
		for _, second := range row.late {
			record.Intervals[second].Lag.P99, record.Intervals[second].Dropped = &held, row.drops
			kind.Dropped += row.drops
		}
		kind.Sent, kind.Succeeded = kind.Sent-kind.Dropped, kind.Succeeded-kind.Dropped
		kind.LastHalf.Sent, kind.LastHalf.Succeeded = kind.LastHalf.Sent-row.half, kind.LastHalf.Succeeded-row.half
		waited := func(second int64) string {
			if slices.Contains(row.silent, second) {
				return silence
			}
			return ""
		}
		got := figure.Of(record).Holds(figure.Steps(record)[0], waited)
		if got.Holds != row.holds || (got.Why == "") != (row.why == "") || !strings.Contains(got.Why, row.why) ||
			(got.Unsent == "") != (row.unsent == "") || !strings.Contains(got.Unsent, row.unsent) {
			t.Errorf("%s: %+v; want %t, why %q, unsent %q", row.name, got, row.holds, row.why, row.unsent)
		}
	}
}

// A step is on time where all of it was sent, 99 % of it within 5 ms.
func TestStepOnTime(t *testing.T) {
	for _, row := range []struct {
		late, dropped int64
		want          bool
	}{{0, 0, true}, {100, 0, true}, {101, 0, false}, {0, 1, false}} {
		record := steps(same(10, 1000, 1000))
		record.Phases[0].Kinds[1].Late, record.Phases[0].Kinds[1].Dropped = row.late, row.dropped
		assert.Equalf(t, row.want, figure.Steps(record)[0].OnTime(),
			"%d of 10,000 late, %d dropped: on time", row.late, row.dropped)
	}
}
