package trial_test

import (
	"context"
	"fmt"
	"time"

	"loadgen/backoff/trial"
)

// Two policies meet the hand-over of a partition: one outlives it, the other does not.
func ExampleContest() {
	policies, faults := trial.Named("js", "documented")
	c := trial.Contest{Contestants: policies, Length: 15 * time.Second, Clients: 100, Each: 1, Seed: 1}
	if faults = append(faults, c.Validate()...); len(faults) > 0 {
		fmt.Println(faults)
		return
	}
	contest, err := c.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, trial := range contest.Policies {
		fmt.Printf("%-10s lost %4.1f %%\n", trial.Policy, trial.LostPercent)
	}
	// Output:
	// documented lost  0.0 %
	// js         lost 65.0 %
}
