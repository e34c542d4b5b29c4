package chart_test

import (
	"fmt"
	"time"

	"loadgen/report/chart"
	"loadgen/results"
)

// A second of load of which a partition refuses half: the recorder takes it down,
// the numbers of the charts are looked at, and the charts are drawn. What ends in
// the two milliseconds after the step belongs to a second that is not reported.
func Example() {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{
		Scenario:   results.Scenario{Name: "demonstration"},
		Targets:    results.Targets{Partition: 2000},
		Operations: []results.Kind{{Name: "point-get", Group: "GET"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder.Phase(results.Phase{Name: "4,000/s", End: time.Second, Rate: 4000, Reported: true})
	for n := range 4000 {
		due := time.Duration(n) * 250 * time.Microsecond
		attempt := results.Attempt{Class: results.Ok, Number: uint64(n), Intended: due, Sent: due, Done: due + 2*time.Millisecond, Counted: 1}
		operation := results.Completed{Class: results.Ok, Number: uint64(n), Intended: due, Done: attempt.Done, Attempts: 1, Entities: 1, Served: 1}
		if n%2 == 1 {
			attempt.Class, attempt.Counted = results.Throttled, 0
			operation.Class, operation.Served = results.Throttled, 0
		}
		recorder.Scheduled(&results.Scheduled{Intended: due, Entities: 1})
		recorder.Attempt(&attempt)
		recorder.Completed(&operation)
	}
	if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
		fmt.Println(err)
		return
	}
	record, err := results.Read(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, bar := range chart.LatencyBars(record) {
		fmt.Println(bar.Get+bar.Put+bar.Other, "operations took", bar.From, "to", bar.To, "µs")
	}
	for _, bar := range chart.ThrottleBars(record) {
		fmt.Println("second", bar.From, "served", bar.Served, "and throttled", bar.Throttled)
	}
	for _, step := range chart.Steps(record) {
		lost, _ := step.Lost()
		fmt.Printf("of %.0f/s, %.0f/s were served and %.0f %% lost\n", step.Offered, step.Served, 100*lost)
	}
	names, err := chart.DrawAs(folder, record, chart.Options{Charts: []string{"throttle", "steps"}, Form: chart.SVG})
	fmt.Println(names, err)
	// Output:
	// 2000 operations took 1995 to 2041 µs
	// second 0 served 1996 and throttled 1996
	// of 4000/s, 1996/s were served and 50 % lost
	// [throttle.svg steps.svg] <nil>
}
