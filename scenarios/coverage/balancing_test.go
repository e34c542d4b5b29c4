package coverage_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// shape is how a load comes to its rate.
type shape string

func balancing() []row {
	const group = "Load balancing"
	return []row{
		{25, group, strategy, "Load balancing waits for minutes of overload; then the partition is offline for seconds, and nothing is lost.",
			"`loadgen simulate retries-bridge-a-move`",
			"seconds of overload before load balancing acts", "seconds until the first split: those, and up to two ticks of 1 s", false,
			vary(func(detection int) band { return band{float64(detection) + 1, 1} }, secondsUntilSplit, 5, 12)},
		{26, group, strategy, "A loaded server splits its range over other servers; ranges of quiet servers are merged back.",
			"`loadgen simulate ranges-merge-back --anti-pattern`",
			"seconds of quiet before a merge", "seconds until the first merge: 20, the decay of the load to 20/s, and those", false,
			vary(func(quiet int) band { return band{20 + 2*math.Log(75./20) + float64(quiet), 2.5} }, secondsUntilMerge, 10, 25)},
		{27, group, strategy, "A sudden burst does not get its throughput at once; a slow ramp to the same rate does better.", "`loadgen simulate ramp`",
			"load up to 300/s within 10 s, at a limit of 100/s", "share throttled: 1 - L/R for a burst, its square for a ramp", false,
			vary(either[shape]("constant: 300", band{2. / 3, .01}, band{2. / 3 * 2 / 3, .015}), playing[shape]("throttled(order) %", "ramp", "model.detection=1h",
				"phases.sale.for=10s", "phases.sale.arrivals={%v}"), "constant: 300", "ramp: {from: 0, to: 300}")},
		{28, group, strategy, "A new table is throttled until the service has learned its access pattern.", "`loadgen simulate cold-table`",
			"start", "share of the first 300/s throttled: the excess over one range's 100/s; none for a table on many servers", false,
			vary(either("cold", beyond(300, 100, 4), band{0, .01}), playing[string]("throttled(early) %", "cold-table", "start=%v", "phases.first.for=4s",
				"phases.learning.for=1s", "phases.later.for=1s"), "cold", "warm")},
		{29, group, strategy, "Priming a table with artificial load is lost if the real load is distributed differently.",
			"`loadgen simulate priming --anti-pattern`",
			"keys of the artificial load, before 300/s to user keys", "share of user requests throttled: the excess over one range's 100/s; none if the user keys were primed", false,
			vary(either("test-", beyond(300, 100, 5), band{0, .02}), func(t testing.TB, keys string) float64 {
				return play(t, "priming", set("phases.prime.partitions", primed(keys)), "phases.prime.for=40s").of(t, "throttled(real) %")
			}, "test-", "user-")},
		{30, group, checklist, "503 and 500 also come from transient conditions, without overload.", "`loadgen simulate sporadic-faults`",
			"percent of requests answered 503 at random, and half as many 500", "share throttled of 2,000 inserts into separate partitions: 1 - (1 - p) (1 - p/2)", false,
			vary(func(percent int) band {
				p := float64(percent) / 100
				return share(2000, 1-(1-p)*(1-p/2))
			}, func(t testing.TB, percent int) float64 {
				return play(t, "sporadic-faults", "retry=none", "phases.send.for=10s", set("faults", fmt.Sprintf(
					"[{kind: refuse, code: ServerBusy, share: %d%%}, {kind: refuse, code: OperationTimedOut, share: %g%%}]", percent, float64(percent)/2))).of(t, "throttled(reading) %")
			}, 2, 20)},
	}
}

func secondsUntilSplit(t testing.TB, detection int) float64 {
	p := play(t, "retries-bridge-a-move", set("model.detection", fmt.Sprint(detection, "s")), "phases.orders.for=30s", "phases.orders.arrivals.constant=150")
	assert.Zero(t, p.of(t, "lost_writes"), "writes that are lost")
	assert.GreaterOrEqual(t, p.of(t, "offline"), 5e9, "nanoseconds for which a range is offline")
	first, _ := p.decided("split")
	return first
}

func secondsUntilMerge(t testing.TB, quiet int) float64 {
	p := play(t, "ranges-merge-back", "phases.busy.for=20s", "phases.night.for=40s", "phases.night.arrivals.constant=5", "phases.morning.for=1s", "model.detection=3s",
		set("model.quiet", fmt.Sprint(quiet, "s")))
	_, splits := p.decided("split")
	assert.GreaterOrEqual(t, splits, 3, "splits while it is busy")
	first, _ := p.decided("merge")
	return first
}

// primed returns eight keys, of those that the example loads with or of its users'.
func primed(of string) string {
	if of == "test-" {
		return "[test-1, test-2, test-3, test-4, test-5, test-6, test-7, test-8]"
	}
	return "[user-anna, user-chen, user-hiroshi, user-jane, user-lucas, user-maria, user-omar, user-zoe]"
}
