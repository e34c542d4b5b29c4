package coverage_test

import (
	"fmt"
	"testing"
)

func antiPatterns() []row {
	const group = "Anti-patterns"
	return []row{
		{65, group, patterns, "The current hour, or day, as PartitionKey sends every write to one partition; department and employee spread them.",
			"`append-anti-pattern`, `day-key`", "key of 400 messages a second, of which a partition bears 200", "share throttled: what is beyond the one partition's; none where they spread", false,
			vary(either("by-hour", beyond(400, 200, 4), band{0, .01}), playing[string]("throttled(store) %", "append-anti-pattern", "use=%v",
				"phases.load.load.entities=1", "phases.day.for=4s", "phases.look.for=2s"), "by-hour", "by-employee")},
		{66, group, patterns, "Messages of a log are gathered and written as lines of blobs, which takes fewer requests than an entity each.",
			"`log-in-blobs`, `log-by-hour`", "messages gathered before they are written", "messages to a request", false,
			vary(func(buffer int) band { return about(float64(buffer), .08) }, func(t testing.TB, buffer int) float64 {
				p := play(t, "log-in-blobs", set("phases.write.operations.0.with", fmt.Sprintf("{time: At, buffer: %d, over: 30s}", buffer)), "phases.read.for=2s")
				return p.of(t, "counter(append, lines)") / p.of(t, "requests(append)")
			}, 10, 20)},
	}
}
