package report_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		if s.Killed == nil || s.Killed.Seconds != int64(len(rows)) || s.DurationS != float64(len(rows)) || s.Validity != results.Partial ||
			s.State != results.CannotTell || s.Ok != nil {
			t.Fatalf("place %d: of %d whole seconds the summary is %+v, lasted %v, %s, %s", place, len(rows), s.Killed, s.DurationS, s.Validity, s.State)
		}
		if s.Scheduled != want.Scheduled || s.Attempts != want.Attempts || s.Throttled != want.Throttled || s.EntitiesCounted != want.Counted {
			t.Errorf("place %d: books of %d scheduled, %d attempts, %d throttled, %d counted; want %+v",
				place, s.Scheduled, s.Attempts, s.Throttled, s.EntitiesCounted, want)
		}
		for _, want := range []string{r.Manifest.Target, "t1, t1copies"} {
			assert.Containsf(t, s.Verdict, want, "place %d: the verdict", place)
		}
		for _, form := range report.Forms() {
			written(t, form, k)
		}
	}
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
	want := results.Causes{{Class: results.Failed, Status: 400, Code: "InvalidInput", Attempts: seconds * rate}}
	get := s.PerOperation["get"]
	if s.Killed == nil || s.Failed != seconds*rate || !cmp.Equal(s.Causes, want) || get.Attempts != seconds*rate || get.Failed != seconds*rate ||
		!cmp.Equal(get.Causes, want) || s.PerOperation["insert"].Attempts != 0 || s.Validity != results.Invalid {
		t.Errorf("the summary is %s and has %d failed for %v, of the reads %d of %d for %v; want invalid, for %v", s.Validity,
			s.Failed, s.Causes, get.Failed, get.Attempts, get.Causes, want)
	}
	assert.Contains(t, s.Verdict, "InvalidInput", "the verdict")
}

// What was served is the mean of the whole seconds of each phase. If the begin of run.json is
// cut off, too, there is what the seconds hold, or that it cannot be read.
func TestWhatAKilledRunServed(t *testing.T) {
	r := stress()
	whole := filesOf(t, r.Record(t))
	left, rows := killedAfter(t, whole, r.Manifest, len(whole.intervals))
	phases := reread(t, left.folder(t)).Summary.Killed.Phases
	for _, phase := range phases {
		served, seconds := int64(0), int64(0)
		for i := range rows {
			if rows[i].Phase == phase.Name {
				served, seconds = served+rows[i].Served, seconds+1
			}
		}
		assert.Truef(t, phase.Seconds == seconds && phase.Served == float64(served)/float64(seconds),
			"%s: %v/s over %d s; want %d entities over %d s", phase.Name, phase.Served, phase.Seconds, served, seconds)
	}
	assert.Truef(t, len(phases) >= 2, "%d phases; want those of the run", len(phases))
	places := resultstest.Cases(5, 50)
	for place := range places {
		cut := left
		cut.run = left.run[:len(left.run)*place/places]
		k := reread(t, cut.folder(t))
		if len(k.Document.Warnings) == 0 || k.Summary.Validity == results.Valid || k.Summary.Ok != nil {
			t.Errorf("place %d: %s, warnings %q; want a record of which some is missing", place, k.Summary.Validity, k.Document.Warnings)
		}
		if k.Summary.Killed != nil && k.Summary.Killed.Seconds > int64(len(rows)) {
			t.Errorf("place %d: %d whole seconds of %d", place, k.Summary.Killed.Seconds, len(rows))
		}
	}
}

// Runs that were closed are not taken for killed ones, however they ended.
func TestOnlyARunThatNobodyClosedIsKilled(t *testing.T) {
	partial := func(change func(*results.Record)) *results.Record {
		record := stressRecord(t)
		record.Validity = results.Partial
		change(record)
		return record
	}
	for _, row := range []struct {
		sentence string
		record   *results.Record
		killed   bool
	}{
		{"it came to its end", stressRecord(t), false},
		{"it was interrupted, and closed", partial(func(*results.Record) {}), false},
		{"nothing of it is known", &results.Record{Validity: results.Partial}, false},
		{"it was killed within a second", partial(func(r *results.Record) {
			r.Intervals, r.Phases, r.Duration, r.Reasons = nil, nil, 0, []string{"the run did not come to its end"}
		}), true},
		{"phases are missing of which there are seconds", partial(func(r *results.Record) { r.Phases = r.Phases[:1] }), true},
	} {
		if got := row.record.Killed(); (got != nil) != row.killed {
			t.Errorf("%s: Killed() = %+v; want %t", row.sentence, got, row.killed)
		}
	}
	if (&results.Head{Validity: results.Partial, Duration: time.Second}).Killed() || !(&results.Head{Validity: results.Partial}).Killed() {
		t.Error("Head.Killed is not that of a run without an end")
	}
}
