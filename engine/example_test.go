package engine_test

import (
	"fmt"
	"time"

	"loadgen/engine"
)

// A server of the race's partitions stands still for a second: requests are
// carried out, but no reply leaves until the second is over.
func ExampleFaultPlan() {
	plan := engine.FaultPlan{Rules: []engine.FaultRule{{
		Kind:      engine.FaultFreeze,
		From:      5 * time.Second,
		To:        6 * time.Second,
		KeyPrefix: "2011 New York City Marathon",
		Share:     engine.WholeShare,
	}}}
	if faults := plan.Validate(); len(faults) > 0 {
		fmt.Println(faults)
		return
	}
	const draw = 42 // from the run's own random stream
	for _, key := range []string{"2011 New York City Marathon__Full", "2011 Boston Marathon__Full"} {
		sent := 5200 * time.Millisecond
		done := sent + 10*time.Millisecond
		reply := plan.Decide(sent, key, draw).Release(done)
		fmt.Println(key, "waits", reply-sent)
	}
	// Output:
	// 2011 New York City Marathon__Full waits 800ms
	// 2011 Boston Marathon__Full waits 10ms
}
