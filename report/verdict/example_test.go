package verdict_test

import (
	"fmt"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// A step of 40 operations per second on a partition that serves 30 of them.
func Example() {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{
		Target: "in-process", Profile: "documented", PartitionKey: "full",
		Targets:    results.Targets{Partition: 30, Account: 20_000},
		Operations: []results.Kind{{Name: "get", Group: "GET"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	step := recorder.Phase(results.Phase{Name: "40/s", End: 4 * time.Second, Rate: 40, Reported: true})
	for i := range 160 {
		due := time.Duration(i) * 25 * time.Millisecond
		class, served := results.Ok, int64(1)
		if i%4 == 3 {
			class, served = results.Throttled, 0
		}
		recorder.Scheduled(&results.Scheduled{Phase: step, Intended: due, Sent: due, Entities: 1})
		recorder.Attempt(&results.Attempt{Phase: step, Intended: due, Sent: due, Done: due + time.Millisecond,
			Class: class, Counted: served})
		recorder.Completed(&results.Completed{Phase: step, Intended: due, Done: due + time.Millisecond,
			Class: class, Attempts: 1, Entities: 1, Served: served})
	}
	if err := recorder.Finish(4*time.Second, results.Valid, nil, nil); err != nil {
		fmt.Println(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		fmt.Println(err)
		return
	}

	summary := verdict.Judge(record)
	fmt.Println(summary.Validity, verdict.Books(record))
	fmt.Println(*summary.Saturation, summary.SaturationInterval, *summary.Phases[0].ShareLost)
	fmt.Println(summary.Verdict)
	// Output:
	// valid []
	// 30 [30 30] 0.25
	// The partition "full" saturates at 30 entities/s (30 to 30 in 3 seconds), against the model's 30/s, not Azure's documented 2,000/s; of the 40/s offered 25.0 % is lost. Every operation of this PartitionKey goes to one partition: a peak above 30/s needs keys that spread it, one of 40/s over at least 2 partitions. An embedded run cannot tell how the real service balances its partitions and what it grants beyond its targets: limits and times are modelled.
}
