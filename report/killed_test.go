package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// killedAfter returns the files of a run that was killed once so many bytes of its seconds
// were written, and the seconds that are whole among them.
func killedAfter(t testing.TB, whole files, m results.Manifest, bytesLeft int) (files, []results.Interval) {
	t.Helper()
	folder := new(results.Memory)
	resultstest.Open(t, folder, m)
	left := files{run: folder.Bytes(results.RunFile), intervals: whole.intervals[:bytesLeft], events: whole.events}
	var rows []results.Interval
	for line := range bytes.Lines(left.intervals) {
		var row results.Interval
		if line[len(line)-1] == '\n' && json.Unmarshal(line, &row) == nil {
			rows = append(rows, row)
		}
	}
	return left, rows
}

// Wherever a run is killed, its report is of the whole seconds that there are, and names the
// tables that it may have left.
func TestAKilledRunShowsItsWholeSeconds(t *testing.T) {
	r := stress()
	r.Manifest.Target, r.Manifest.Tables = "http://127.0.0.1:1/races", []string{"t1", "t1copies"}
	whole := filesOf(t, r.Record(t))
	places := resultstest.Cases(5, 50)
	phases := 0
	for place := range places + 1 {
		left, rows := killedAfter(t, whole, r.Manifest, len(whole.intervals)*place/places)
		k := reread(t, left.folder(t))
		var want results.Interval
		for i := range rows {
			want.Scheduled += rows[i].Scheduled
			want.Attempts += rows[i].Attempts
			want.Throttled += rows[i].Throttled
			want.Counted += rows[i].Counted
		}
		s := k.Summary
		require.NotNilf(t, s.Killed, "place %d", place)
		n := len(rows)
		assert.Equalf(t, []any{int64(n), float64(n), results.Partial, results.CannotTell, (*bool)(nil)},
			[]any{s.Killed.Seconds, s.DurationS, s.Validity, s.State, s.Ok}, "place %d: seconds, length and worth", place)
		assert.Equalf(t, []int64{want.Scheduled, want.Attempts, want.Throttled, want.Counted},
			[]int64{s.Scheduled, s.Attempts, s.Throttled, s.EntitiesCounted}, "place %d: the books", place)
		resultstest.CheckWords(t, fmt.Sprint("place ", place), s.Verdict, r.Manifest.Target+"|t1, t1copies")
		// What a phase served is the mean of its whole seconds.
		for _, phase := range s.Killed.Phases {
			served, seconds := int64(0), int64(0)
			for i := range rows {
				if rows[i].Phase == phase.Name {
					served, seconds = served+rows[i].Served, seconds+1
				}
			}
			mean := float64(served) / float64(seconds)
			assert.Equalf(t, []any{seconds, mean}, []any{phase.Seconds, phase.Served}, "place %d: %s", place, phase.Name)
		}
		phases = len(s.Killed.Phases)
		for _, form := range report.Forms() {
			written(t, form, k)
		}
	}
	assert.GreaterOrEqual(t, phases, 2, "phases of all seconds")
}

// What failed of a run that was killed is told of its whole seconds, and why: at once, and
// of each operation.
func TestAKilledRunSaysWhyItFailed(t *testing.T) {
	const seconds, rate = 12, 200
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, manifest())
	phase := recorder.Phase(results.Phase{Name: "step", Stage: "peak", End: 60 * time.Second, Rate: rate, Reported: true})
	for i := range seconds * rate {
		at := time.Duration(i) * time.Second / rate
		resultstest.Single(recorder, results.Attempt{Phase: phase, Kind: 1, Number: uint64(i), Sequence: uint64(i),
			Intended: at, Sent: at, Done: at + time.Millisecond, Class: results.Failed, Status: 400, Code: "InvalidInput"})
	}
	require.NoError(t, recorder.Advance(seconds*time.Second))
	s := reread(t, folder).Summary
	const all = int64(seconds * rate)
	causes := results.Causes{{Class: results.Failed, Status: 400, Code: "InvalidInput", Attempts: all}}
	get := s.PerOperation["get"]
	assert.Equal(t, []any{true, results.Invalid, all, causes, all, all, causes, int64(0)}, []any{s.Killed != nil, s.Validity, s.Failed, s.Causes,
		get.Attempts, get.Failed, get.Causes, s.PerOperation["insert"].Attempts}, "what failed of the run, of its reads and of its inserts")
	assert.Contains(t, s.Verdict, "InvalidInput", "the verdict")
}

// Runs that were closed are not taken for killed ones, however they ended.
func TestOnlyARunThatNobodyClosedIsKilled(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*results.Record)
		killed   bool
	}{
		{"it came to its end", func(r *results.Record) { r.Validity = results.Valid }, false},
		{"it was interrupted, and closed", func(*results.Record) {}, false},
		{"nothing of it is known", func(r *results.Record) { *r = results.Record{Validity: results.Partial} }, false},
		{"it was killed within a second", func(r *results.Record) {
			*r = results.Record{Validity: results.Partial, Manifest: r.Manifest, Reasons: []string{"the run did not come to its end"}}
		}, true},
		{"phases are missing of which there are seconds", func(r *results.Record) { r.Phases = r.Phases[:1] }, true},
	} {
		record := stressRecord(t)
		record.Validity = results.Partial
		row.change(record)
		assert.Equal(t, row.killed, record.Killed() != nil, row.sentence)
	}
	assert.False(t, (&results.Head{Validity: results.Partial, Duration: time.Second}).Killed(), "a head with an end")
	assert.True(t, (&results.Head{Validity: results.Partial}).Killed(), "a head without an end")
}
