package coverage_test

import (
	"fmt"
	"testing"
)

func antiPatterns() []row {
	const group = "Anti-patterns"
	return []row{
		{65, group, patterns, "The current hour or day as PartitionKey makes one hot partition; department and employee spread the writes.",
			"`loadgen simulate append-anti-pattern --anti-pattern`, `loadgen simulate day-key --anti-pattern`",
			"key of 400 messages/s, at 200/s for each partition", "share throttled: the excess over one partition; none if spread", false,
			vary(either("by-hour", beyond(400, 200, 4), band{0, .01}), playing[string]("throttled(store) %", "append-anti-pattern", "use=%v",
				"phases.load.load.entities=1", "phases.day.for=4s", "phases.look.for=2s"), "by-hour", "by-employee")},
		{66, group, patterns, "Log messages, buffered and written as lines of blobs, take fewer requests than an entity each.", "`loadgen simulate log-in-blobs`",
			"buffered messages", "messages for each request", false,
			vary(func(buffer int) band { return about(float64(buffer), .08) }, func(t testing.TB, buffer int) float64 {
				p := play(t, "log-in-blobs", set("phases.write.operations.0.with", fmt.Sprintf("{time: At, buffer: %d, over: 30s}", buffer)), "phases.read.for=2s")
				return p.of(t, "counter(append, lines)") / p.of(t, "requests(append)")
			}, 10, 20)},
	}
}
