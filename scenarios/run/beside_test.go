package run_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// small is the stress test with one step of a second.
func small(t *testing.T) run.Plan {
	t.Helper()
	return run.Plan{Scenario: runtest.Builtin(t, "stress", "phases.peak.rates=[200]", "phases.peak.each=1s", "phases.load.entities=100")}
}

// In virtual and in real time a run writes its interval log and its table to the end, over
// what an earlier run left in these files.
func TestRunWritesItsSeconds(t *testing.T) {
	for _, on := range []run.Place{run.Simulated, run.InProcess} {
		synctest.Test(t, func(t *testing.T) {
			plan := small(t)
			plan.On, plan.NoProbe = on, true
			plan.HistogramLog, plan.SecondsTable = filepath.Join(t.TempDir(), "run.hlog"), filepath.Join(t.TempDir(), "run.csv")
			require.NoError(t, os.WriteFile(plan.SecondsTable, bytes.Repeat([]byte("older\n"), 100_000), 0o644))
			record := runtest.Run(t, plan)
			table, err := os.ReadFile(plan.SecondsTable)
			require.NoError(t, err)
			rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
			assert.Truef(t, err == nil && len(rows) == len(record.Intervals)+1, "place %d: %d rows, %v", on, len(rows), err)
			log, err := os.ReadFile(plan.HistogramLog)
			require.NoError(t, err)
			got, most := bytes.Count(log, []byte("\nTag=")), len(record.Intervals)*len(record.Manifest.Operations)
			assert.Truef(t, got > 0 && got <= most, "place %d: %d lines; want at most %d", on, got, most)
		})
	}
}

// A file that cannot be written is a fault of its field, before anything is sent, and leaves
// neither a run nor the other file behind.
func TestSecondsThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	there, missing := filepath.Join(folder, "there"), filepath.Join(folder, "none", "x")
	require.NoError(t, os.WriteFile(there, []byte("kept"), 0o644))
	for _, row := range []struct{ name, hlog, csv, field string }{
		{"no such folder for the log", missing, "", "hlog"},
		{"no such folder for the table", filepath.Join(folder, "log"), missing, "csv"},
		{"a folder", "", folder, "csv"},
		{"both in one file", there, there, "csv"},
	} {
		plan := small(t)
		plan.Runs = filepath.Join(folder, "runs")
		plan.HistogramLog, plan.SecondsTable = row.hlog, row.csv
		record, err := run.Run(context.Background(), plan)
		var fault fields.Fault
		assert.Truef(t, errors.As(err, &fault) && fault.Path == row.field && record == nil, "%s: %v", row.name, err)
		text, err := os.ReadFile(there)
		assert.Truef(t, err == nil && string(text) == "kept", "%s: a file that was there holds %q, %v", row.name, text, err)
		left, err := os.ReadDir(folder)
		assert.Truef(t, err == nil && len(left) == 1, "%s: %v, %v are left; want the one file that was there", row.name, left, err)
	}
	if _, err := os.Stat("/dev/full"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no full device here")
	}
	plan := small(t)
	plan.Runs, plan.HistogramLog = filepath.Join(folder, "runs"), "/dev/full"
	_, err := run.Run(context.Background(), plan)
	assert.Truef(t, err != nil && !errors.Is(err, results.ErrWrite), "onto a full disk: %v; want a fault of the plan", err)
	left, _ := os.ReadDir(plan.Runs)
	assert.Truef(t, len(left) == 0, "%v is left of a run that did not begin", left)
}
