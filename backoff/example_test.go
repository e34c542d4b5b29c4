package backoff_test

import (
	"fmt"

	"loadgen/backoff"
)

// A partition refuses an operation four times: the policy says what to do after
// each refusal. The chances would come from the run's own random stream.
func Example() {
	policy, err := backoff.ByName("short")
	if err != nil {
		fmt.Println(err)
		return
	}
	for attempt, chance := range []float64{0.5, 0.25, 0, 0.75} {
		if !policy.Retryable(503, "ServerBusy") {
			fmt.Println("not worth another attempt")
			return
		}
		wait, again := policy.Wait(attempt+1, chance)
		if !again {
			fmt.Println("give up after", policy.Retries, "retries")
			return
		}
		fmt.Println("retry", attempt+1, "after", wait)
	}
	// Output:
	// retry 1 after 150ms
	// retry 2 after 320ms
	// retry 3 after 610ms
	// give up after 3 retries
}
