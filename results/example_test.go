package results_test

import (
	"fmt"
	"time"

	"loadgen/results"
)

// An operation on one partition, recorded and read back.
func Example() {
	folder := new(results.Memory) // results.MakeDir gives one on disk
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	step := recorder.Phase(results.Phase{Name: "1/s", End: time.Second, Rate: 1, Reported: true})
	recorder.Scheduled(&results.Scheduled{Phase: step, Entities: 1})
	recorder.Attempt(&results.Attempt{Phase: step, Done: 4 * time.Millisecond, Class: results.Ok, PartitionKey: "full", HasPartition: true, Counted: 1})
	recorder.Completed(&results.Completed{Phase: step, Done: 4 * time.Millisecond, Class: results.Ok, Attempts: 1, Entities: 1, Served: 1})
	if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
		fmt.Println(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := record.Total(results.Reported)
	fmt.Println(record.Phases[step].Name, sum.Attempts, sum.Ok, sum.Response.Max(), "µs")
	// Output:
	// 1/s 1 1 4001 µs
}
