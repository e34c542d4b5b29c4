package report_test

import (
	"fmt"
	"os"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
)

// A record is judged, and its document written; the answer comes first.
func Example() {
	record := &results.Record{Validity: results.Valid, Manifest: results.Manifest{
		Scenario: results.Scenario{Name: "example"}, Target: results.InProcess, Profile: "documented", PartitionKey: "full"}}
	d := report.Document(record, verdict.Judge(record))
	d.Sections = nil
	if err := report.Screen(os.Stdout, d, layout.Look{Verbose: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// loadgen example · in-process, limits modelled · seed 0 · run valid
	//
	//  ? CANNOT TELL
	//    No step of load was reported.
	//
	// What was found
	//   0 operations due: 0 succeeded, 0 did not
	//   0 requests: 0 throttled, 0 failed, 0 billed · counters reconcile
	//   modelled, not measured: limits and times of the service may differ
}
