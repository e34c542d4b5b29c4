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

// What the waits will be is known before a run.
func ExampleExponential_Bounds() {
	policy, _ := backoff.ByName("documented")
	delay := policy.Delay.(backoff.Exponential)
	for x := 1; x <= policy.Retries; x++ {
		least, mean, greatest := delay.Bounds(x)
		fmt.Printf("retry %d: %v to %v, %v on average\n", x, least, greatest, mean)
	}
	// Output:
	// retry 1: 27s to 39s, 33s on average
	// retry 2: 1m15s to 1m30s, 1m26.875s on average
	// retry 3: 1m30s to 1m30s, 1m30s on average
}
