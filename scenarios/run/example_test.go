package run_test

import (
	"context"
	"fmt"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// The documented stress test of one partition, in virtual time.
func Example() {
	stress, err := scenarios.Builtin("stress")
	if err != nil {
		panic(err)
	}
	record, err := run.Run(context.Background(), run.Plan{Scenario: stress})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: saturates at %.0f entities/s\n", record.Validity, *record.Summary.Saturation)
	// Output: valid: saturates at 2000 entities/s
}
