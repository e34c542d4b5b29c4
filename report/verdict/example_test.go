package verdict_test

import (
	"fmt"

	"loadgen/report/verdict"
	"loadgen/results"
)

// A run of which nobody asked for anything is judged by its books and its load.
func Example() {
	record := &results.Record{Validity: results.Valid, Target: &results.TargetCounts{Requests: 1}}
	summary := verdict.Judge(record)
	fmt.Println(summary.Validity, summary.State)
	fmt.Println(verdict.Books(record))
	// Output:
	// invalid cannot tell
	// [the target counted 1 attempts, the run 0]
}
