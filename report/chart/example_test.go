package chart_test

import (
	"fmt"

	"loadgen/report/chart"
	"loadgen/results"
)

// The numbers of a chart are looked at, and the chart is drawn.
func Example() {
	record := &results.Record{Phases: []results.Phase{{Name: "4,000/s", Reported: true}},
		Intervals: []results.Interval{{Second: 0, Phase: "4,000/s", Counts: results.Counts{Served: 2000, Throttled: 2000}}}}
	for _, bar := range chart.ThrottleBars(record) {
		fmt.Println("second", bar.From, "served", bar.Served, "and throttled", bar.Throttled)
	}
	names, err := chart.Draw(new(results.Memory), record, "")
	fmt.Println(names, err)
	// Output:
	// second 0 served 2000 and throttled 2000
	// [throttle.png throttle.svg] <nil>
}
