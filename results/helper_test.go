package results_test

import (
	"testing"
	"time"

	"loadgen/results"
)

// manifest has three kinds of operation: one for preparation, one for each of
// the report's tables.
func manifest() results.Manifest {
	return results.Manifest{
		Command:  []string{"loadgen", "stress"},
		Scenario: results.Scenario{Name: "stress"},
		Target:   "in-process", Start: "warm", Profile: "documented", Seed: 7,
		Started: time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC),
		Operations: []results.Kind{
			{Name: "load"}, {Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}},
	}
}

// begin opens a recorder over the folder.
func begin(t testing.TB, folder results.Folder) *results.Recorder {
	t.Helper()
	recorder, err := results.NewRecorder(folder, manifest())
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	return recorder
}

// read loads the record of the folder.
func read(t testing.TB, folder results.Folder) *results.Record {
	t.Helper()
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// finish closes the books of a run that went well.
func finish(t testing.TB, recorder *results.Recorder, end time.Duration) {
	t.Helper()
	if err := recorder.Finish(end, results.Valid, nil, nil); err != nil {
		t.Fatalf("Finish = %v; want no error", err)
	}
}

// succeed records an operation that was sent when it was due and came back ok.
func succeed(r *results.Recorder, phase, kind int, due, took time.Duration) {
	r.Scheduled(&results.Scheduled{Phase: phase, Kind: kind, Intended: due, Sent: due, Entities: 1})
	r.Attempt(&results.Attempt{Phase: phase, Kind: kind, Intended: due, Sent: due, Done: due + took,
		Class: results.Ok, PartitionKey: "full", HasPartition: true, Counted: 1})
	r.Completed(&results.Completed{Phase: phase, Kind: kind, Intended: due, Done: due + took,
		Class: results.Ok, Attempts: 1, Entities: 1, Served: 1})
}
