package resultstest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// Open opens a recorder over a folder.
func Open(t testing.TB, folder results.Folder, m results.Manifest) *results.Recorder {
	t.Helper()
	recorder, err := results.NewRecorder(folder, m)
	require.NoError(t, err, "NewRecorder")
	return recorder
}

// Finish finishes a valid run whose target keeps no counts.
func Finish(t testing.TB, recorder *results.Recorder, end time.Duration) {
	t.Helper()
	require.NoError(t, recorder.Finish(end, results.Valid, nil, nil), "Finish")
}

// Read reads the record of a folder.
func Read(t testing.TB, folder results.Folder) *results.Record {
	t.Helper()
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// Play returns the record of a valid run that play records.
func Play(t testing.TB, m results.Manifest, end time.Duration, play func(r *results.Recorder)) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	recorder := Open(t, folder, m)
	play(recorder)
	Finish(t, recorder, end)
	return Read(t, folder)
}

// Single records an operation with a single attempt. Zero fields of the attempt default to one
// entity, class Ok and, for Ok, a count of its entities.
func Single(to *results.Recorder, a results.Attempt) {
	if a.Entities == 0 {
		a.Entities = 1
	}
	if a.Class == 0 {
		a.Class = results.Ok
	}
	if a.Class == results.Ok && a.Counted == 0 {
		a.Counted = a.Entities
	}
	to.Scheduled(&results.Scheduled{Phase: a.Phase, Kind: a.Kind, Intended: a.Intended, Sent: a.Sent,
		Entities: a.Entities})
	to.Attempt(&a)
	to.Completed(&results.Completed{Phase: a.Phase, Kind: a.Kind, Number: a.Number, Intended: a.Intended, Done: a.Done,
		Class: a.Class, Attempts: 1, Entities: a.Entities, Served: a.Counted})
}

// Causes records operations with a single attempt each, as many as the causes have attempts: ten
// due in a second, from an instant on.
func Causes(to *results.Recorder, phase, kind int, from time.Duration, causes ...results.Cause) {
	number := uint64(0)
	for _, one := range causes {
		for range one.Attempts {
			at := from + time.Duration(number%10)*100*time.Millisecond
			Single(to, results.Attempt{Phase: phase, Kind: kind, Number: number, Intended: at, Sent: at, Done: at + time.Millisecond,
				Class: one.Class, Status: one.Status, Code: one.Code, PartitionKey: Partition, HasPartition: true})
			number++
		}
	}
}

// Successes returns the cause of attempts that succeed.
func Successes(attempts int) results.Cause {
	return results.Cause{Class: results.Ok, Status: 200, Attempts: int64(attempts)}
}
