package results_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// manifest has three kinds of operation: one for preparation, one for each of
// the report's tables.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) { m.Seed, m.Operations = 7, m.Operations[:3] })
}

// begin opens a recorder over the folder.
func begin(t testing.TB, folder results.Folder) *results.Recorder {
	t.Helper()
	return resultstest.Open(t, folder, manifest())
}

// playRecord returns the record of a run that lasts so long.
func playRecord(t testing.TB, lasts time.Duration, play func(*results.Recorder)) *results.Record {
	t.Helper()
	return resultstest.Play(t, manifest(), lasts, play)
}

// advance moves the watermark of a recorder that can write.
func advance(t testing.TB, r *results.Recorder, watermark time.Duration) {
	t.Helper()
	require.NoError(t, r.Advance(watermark), "Advance")
}

// succeed records an operation that was sent when it was due and came back ok.
func succeed(r *results.Recorder, phase, kind int, due, took time.Duration) {
	resultstest.Single(r, results.Attempt{Phase: phase, Kind: kind, Intended: due, Sent: due, Done: due + took,
		PartitionKey: "full", HasPartition: true})
}
