package chart_test

import (
	"fmt"

	"loadgen/report/chart"
	"loadgen/results"
)

// The charts are drawn that a record has data for.
func Example() {
	record := &results.Record{Phases: []results.Phase{{Name: "4,000/s", Reported: true}},
		Intervals: []results.Interval{{Second: 0, Phase: "4,000/s", Counts: results.Counts{Served: 2000, Throttled: 2000}}}}
	names, err := chart.Save(new(results.Memory), chart.Figures(record, "")...)
	fmt.Println(names, err)
	// Output:
	// [throttle.png throttle.svg] <nil>
}
