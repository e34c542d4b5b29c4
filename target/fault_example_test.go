package target_test

import (
	"fmt"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/target"
)

// A server stands still for a second, and every third reply is lost.
func ExampleWrapFaults() {
	third := engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: s, Share: engine.WholeShare / 3}
	plan := engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultFreeze, From: 100 * ms, To: 1100 * ms, Share: engine.WholeShare},
		third,
	}}
	if faults := plan.Validate(); len(faults) > 0 {
		fmt.Println(faults)
		return
	}
	wrapped := target.WrapImmediateFaults(&service{}, plan, 7)
	for n := range uint64(4) {
		sent := clock.Instant(98+n) * clock.Instant(ms)
		outcome, done := wrapped.Submit(sent, faultedInsert(n, "2011 New York City Marathon__Full"))
		fmt.Println("sent at", sent.Offset(), "status", outcome.Status, "at", done.Offset())
	}
	fmt.Printf("%+v\n", wrapped.Log())
	// Output:
	// sent at 98ms status 204 at 1.1s
	// sent at 99ms status 0 at 105ms
	// sent at 100ms status 204 at 1.1s
	// sent at 101ms status 204 at 1.1s
	// {DroppedBefore:0 Refused:0 DroppedAfter:1 Cut:0 Frozen:3 Delayed:0 Dripped:0 Abandoned:0 EntitiesLost:1}
}
