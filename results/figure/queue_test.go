package figure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/figure"
)

// A queue in front of the target shows where the target is behind; what the generator did not
// send for a reason of its own is none.
func TestQueuesAreTheTargets(t *testing.T) {
	for _, row := range []struct {
		name string
		// waiting more attempts are under way at the end of each second, unsent more operations
		// due; starved is the part of each second without a free worker, slower how many times
		// as long as in the first step the target takes, busy the part of the CPU that is taken.
		waiting, unsent       int64
		starved, slower, busy float64
		kind                  figure.Throttling
		rate                  float64
		holds                 string
	}{
		{"attempts pile up at the target", 100, 0, 0, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a slow target", 0, 100, 1, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a target that answers as it does", 0, 100, 1, 1, .2, figure.Unthrottled, 0, "untold"},
		{"nobody waits, and operations are late", 0, 100, 0, 5, .2, figure.Unthrottled, 0, "untold"},
		{"the process has no CPU to spare", 0, 100, 1, 5, .99, figure.Unthrottled, 0, "untold"},
		{"nothing piles up", 0, 0, 0, 1, .2, figure.Unthrottled, 0, "holds"},
	} {
		record := steps(same(10, 200, 200), same(10, 500, 500))
		record.Generator = &results.Generator{Cores: 2}
		var waiting, unsent int64
		for i := range record.Intervals {
			one := &record.Intervals[i]
			slower := 1.
			if i >= 10 {
				waiting, unsent, slower = waiting+row.waiting, unsent+row.unsent, row.slower
				less := row.waiting + row.unsent
				one.Operations, one.Succeeded, one.Served, one.Ok = one.Operations-less, one.Succeeded-less, one.Served-less, one.Ok-less
				if one.Sent -= row.unsent; row.unsent > 0 {
					one.Late, one.Lag.P99 = one.Sent, new(int64(time.Second/time.Microsecond))
				}
			}
			one.InFlight, one.Service.P50 = waiting, new(int64(10_000*slower))
			one.Generator = &results.Health{Lasted: time.Second, CPU: time.Duration(row.busy * 2e9), Starved: time.Duration(row.starved * float64(time.Second))}
		}
		figures := figure.Of(record)
		l := figures.Ladders()[0]
		assert.Truef(t, l.Throttling == row.kind && (l.Throttling != figure.Queued || l.Rate == row.rate),
			"%s: %s at %v; want %s at %v", row.name, l.Throttling, l.Rate, row.kind, row.rate)
		got, holding := "fails", figures.Holds(figure.Steps(record)[1], nobody)
		switch {
		case holding.Why != "":
			got = "untold"
		case holding.Holds:
			got = "holds"
		}
		if row.unsent > 0 && row.kind == figure.Queued {
			// Whose doing the lateness is, is told by the caller.
			holding = figures.Holds(figure.Steps(record)[1], func(int64) string { return "the target queues" })
			if got = "fails"; holding.Holds || holding.Why != "" {
				got = holding.Why
			}
		}
		assert.Equalf(t, row.holds, got, "%s: %+v", row.name, holding)
	}
}
