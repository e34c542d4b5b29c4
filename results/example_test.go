package results_test

import (
	"fmt"
	"time"

	"loadgen/results"
)

// A second of load on one partition, recorded, read back and judged.
func Example() {
	folder := new(results.Memory) // results.MakeDir gives one on disk
	recorder, err := results.NewRecorder(folder, results.Manifest{
		Scenario:   results.Scenario{Name: "example"},
		Operations: []results.Kind{{Name: "get", Group: "GET"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	step := recorder.Phase(results.Phase{Name: "100/s", End: time.Second, Rate: 100, Reported: true})
	for i := range 100 {
		due := time.Duration(i) * 10 * time.Millisecond
		class, served := results.Ok, int64(1)
		if i%4 == 3 {
			class, served = results.Throttled, 0
		}
		recorder.Scheduled(&results.Scheduled{Phase: step, Intended: due, Sent: due, Entities: 1})
		recorder.Attempt(&results.Attempt{Phase: step, Intended: due, Sent: due, Done: due + 4*time.Millisecond,
			Class: class, PartitionKey: "2011 New York City Marathon__Full", HasPartition: true, Counted: served})
		recorder.Completed(&results.Completed{Phase: step, Intended: due, Done: due + 4*time.Millisecond,
			Class: class, Attempts: 1, Entities: 1, Served: served})
		if err := recorder.Advance(due); err != nil {
			fmt.Println(err)
		}
	}
	if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
		fmt.Println(err)
	}

	record, err := results.Read(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := record.Total(results.Reported)
	median, told := sum.Response.Quantile(.5)
	_, toldToo := sum.Response.Quantile(.99)
	fmt.Printf("%s: %d operations, %d attempts = %d ok + %d throttled + %d failed\n",
		record.Phases[step].Name, sum.Operations, sum.Attempts, sum.Ok, sum.Throttled, sum.Failed)
	fmt.Printf("median %d µs (%t), p99 of so few: %t\n", median, told, toldToo)
	fmt.Printf("busiest: %+v\n", record.Phases[step].Partitions)

	if err := recorder.Seal(&results.Summary{Verdict: "A quarter was throttled."}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 100/s: 100 operations, 100 attempts = 75 ok + 25 throttled + 0 failed
	// median 4001 µs (true), p99 of so few: false
	// busiest: [{Table: Key:2011 New York City Marathon__Full Entities:75 Busiest:75 AtLeast:false}]
}
