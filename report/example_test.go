package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
)

// A record is read, judged, and told; the verdict comes first.
func Example() {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{
		Scenario: results.Scenario{Name: "example"}, Target: "in-process", Profile: "documented", PartitionKey: "full",
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
		recorder.Attempt(&results.Attempt{Phase: step, Intended: due, Sent: due, Done: due + 4*time.Millisecond,
			Class: class, Counted: served})
		recorder.Completed(&results.Completed{Phase: step, Intended: due, Done: due + 4*time.Millisecond,
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

	var text bytes.Buffer
	if err := report.Screen(&text, report.Document(record, verdict.Judge(record)), layout.Look{Verbose: true}); err != nil {
		fmt.Println(err)
	}
	for _, section := range strings.Split(text.String(), "\n\n") {
		if strings.HasPrefix(section, "GET") {
			fmt.Println(section)
		}
	}
	// Output:
	// GET by step (get)
	//                                                              response, ms --------  service, ms ---------
	//   step  offered  served  throttled  lost, settled  tries/op   p50   p90  p99   max   p50   p90  p99   max
	//     40       40      30         10         25.0 %      1.00  4.00  4.00    –  4.00  4.00  4.00    –  4.00
	//   response: ms of the operations that succeeded, from the instant at which they were due to the end of their
	//   last attempt, waits included; service: ms of one ok attempt; –: fewer than ten durations lie beyond
}
