package figure_test

import (
	"strings"
	"testing"

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
		{"one more is", 1000, func(r *results.Record) { kind(r).LastHalf.FirstThrottled = 26 }, false, ""},
		{"one operation of it is lost", 1000, func(r *results.Record) { kind(r).LastHalf.Succeeded-- }, false, ""},
		{"half of it is", 500, nil, false, ""},
		{"one was never sent", 1000, func(r *results.Record) { kind(r).Dropped = 1 }, false, "did not send"},
		{"one of its ten seconds was held back", 1000, func(r *results.Record) { r.Intervals[7].Lag.P99 = &held }, false, "did not send"},
		{"a second was held back by its longest alone", 1000, func(r *results.Record) { r.Intervals[7].Lag.Max = &held }, false, "did not send"},
		{"it ended before its last half", 1000, func(r *results.Record) { kind(r).LastHalf = results.Cohort{} }, false, "ended before"},
		{"at the target, which chance passes in its last half", 2000, func(r *results.Record) {
			kind(r).LastHalf = results.Cohort{Due: 10_050, Sent: 10_050, Succeeded: 10_050, Offered: 10_050, Served: 10_050}
		}, true, ""},
		{"beyond the target", 2010, nil, false, "saved up"},
		{"beyond it, at the service, which says itself what it bears", 2010, func(r *results.Record) { r.Manifest.Genuine = true }, true, ""},
		{"beyond it, in a model that lets partitions exceed it", 2010,
			func(r *results.Record) { r.Manifest.Time, r.Manifest.Profile = "virtual", "headroom" }, true, ""},
		{"beyond it, over several partitions", 2010, func(r *results.Record) { r.Manifest.PartitionKey = "" }, true, ""},
		{"beyond it in its last half, below it as a mean", 2010,
			func(r *results.Record) { r.Phases[0].Rate, r.Phases[0].Varying = 1500, true }, false, "saved up"},
	} {
		offered := max(row.served, 1000)
		record := steps(same(10, offered, row.served))
		if row.change != nil {
			row.change(record)
		}
		got := figure.Of(record).Holds(figure.Steps(record)[0])
		if got.Holds != row.holds || (got.Why == "") != (row.why == "") || !strings.Contains(got.Why, row.why) {
			t.Errorf("%s: %+v; want %t, why %q", row.name, got, row.holds, row.why)
		}
		if got.NotSent() != (row.why == "did not send") {
			t.Errorf("%s: NotSent = %t", row.name, got.NotSent())
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
		if got := figure.Steps(record)[0].OnTime(); got != row.want {
			t.Errorf("%d of 10,000 late, %d dropped: on time = %t; want %t", row.late, row.dropped, got, row.want)
		}
	}
}
