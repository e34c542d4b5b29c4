package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/results"
)

// killedAfter returns the files of a run that was killed once so many bytes of its seconds
// were written, and the seconds that are whole among them.
func killedAfter(t testing.TB, whole files, m results.Manifest, bytesLeft int) (files, []results.Interval) {
	t.Helper()
	folder := new(results.Memory)
	if _, err := results.NewRecorder(folder, m); err != nil {
		t.Fatal(err)
	}
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

// Wherever a run is killed, its report is of the whole seconds that there are.
func TestAKilledRunShowsItsWholeSeconds(t *testing.T) {
	r := stress()
	r.Manifest.Target, r.Manifest.Tables = "http://127.0.0.1:1/races", []string{"t1", "t1copies"}
	whole := filesOf(t, r.Record(t))
	const places = 50
	for place := range places + 1 {
		left, rows := killedAfter(t, whole, r.Manifest, len(whole.intervals)*place/places)
		k, err := report.Read(left.folder(t))
		if err != nil {
			t.Fatalf("place %d: %v", place, err)
		}
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
		says := fmt.Sprintf("killed after %d s", len(rows))
		if len(rows) == 0 {
			says = "killed within its first second"
		}
		for _, want := range []string{says, "At http://127.0.0.1:1/races it may have left the tables t1, t1copies."} {
			if !strings.Contains(s.Verdict, want) {
				t.Errorf("place %d: the verdict is %q; want %q in it", place, s.Verdict, want)
			}
		}
		for _, form := range report.Forms() {
			if err := form.Write(new(bytes.Buffer), k); err != nil {
				t.Errorf("place %d, as %s: %v", place, form.Name, err)
			}
		}
	}
}

// What failed of a run that was killed is told of its whole seconds, and why: at once, and
// of each operation.
func TestAKilledRunSaysWhyItFailed(t *testing.T) {
	m, folder := manifest(), new(results.Memory)
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		t.Fatal(err)
	}
	const seconds, rate = 12, 200
	phase := recorder.Phase(results.Phase{Name: "step", Stage: "peak", End: 60 * time.Second, Rate: rate, Reported: true})
	for i := range seconds * rate {
		at := time.Duration(i) * time.Second / rate
		recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: 1, Intended: at, Sent: at, Entities: 1})
		recorder.Attempt(&results.Attempt{Phase: phase, Kind: 1, Number: uint64(i), Sequence: uint64(i), Intended: at, Sent: at, Done: at + time.Millisecond,
			Class: results.Failed, Status: 400, Code: "InvalidInput"})
		recorder.Completed(&results.Completed{Phase: phase, Kind: 1, Number: uint64(i), Intended: at, Done: at + time.Millisecond, Class: results.Failed, Attempts: 1, Entities: 1})
	}
	if err := recorder.Advance(seconds * time.Second); err != nil {
		t.Fatal(err)
	}
	k, err := report.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	s := k.Summary
	want := results.Causes{{Class: results.Failed, Status: 400, Code: "InvalidInput", Attempts: seconds * rate}}
	get := s.PerOperation["get"]
	if s.Killed == nil || s.Failed != seconds*rate || !cmp.Equal(s.Causes, want) || get.Attempts != seconds*rate || get.Failed != seconds*rate ||
		!cmp.Equal(get.Causes, want) || s.PerOperation["insert"].Attempts != 0 {
		t.Errorf("the summary has %d failed for %v, of the reads %d of %d for %v; want %v", s.Failed, s.Causes, get.Failed, get.Attempts, get.Causes, want)
	}
	if reason := "of 2,400 operations due none succeeded (400 InvalidInput)"; s.Validity != results.Invalid || !slices.Contains(s.Reasons, reason) {
		t.Errorf("the run is %s for %q; want invalid, for %q", s.Validity, s.Reasons, reason)
	}
	if says := "100 % of the attempts failed (400 InvalidInput)."; !strings.Contains(s.Verdict, says) {
		t.Errorf("the verdict is %q; want %q in it", s.Verdict, says)
	}
	text := written(t, report.Forms()[0], k)
	if screen := strings.Join(strings.SplitN(text, "\n", 25)[:24], "\n"); !strings.Contains(screen, "InvalidInput     2,400") {
		t.Errorf("the first screen does not show why:\n%s", screen)
	}
}

// What was served is the mean of the whole seconds of each phase.
func TestWhatAKilledRunServed(t *testing.T) {
	r := stress()
	record := r.Record(t)
	left, rows := killedAfter(t, filesOf(t, record), r.Manifest, len(filesOf(t, record).intervals))
	k, err := report.Read(left.folder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, phase := range k.Summary.Killed.Phases {
		served, seconds := int64(0), int64(0)
		for i := range rows {
			if rows[i].Phase == phase.Name {
				served, seconds = served+rows[i].Served, seconds+1
			}
		}
		if phase.Seconds != seconds || phase.Served != float64(served)/float64(seconds) {
			t.Errorf("%s: %v/s over %d s; want %d entities over %d s", phase.Name, phase.Served, phase.Seconds, served, seconds)
		}
	}
	if n := len(k.Summary.Killed.Phases); n < 2 {
		t.Errorf("%d phases; want those of the run", n)
	}
	k.Look.Verbose = true
	text := written(t, report.Forms()[0], k)
	for _, want := range []string{"Accounting check of the whole seconds that there are", "nobody closed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

// The begin of run.json, cut at 50 places, leaves what its seconds hold or says that it
// cannot be read.
func TestTheBeginOfAKilledRunCutOff(t *testing.T) {
	r := stress()
	whole := filesOf(t, r.Record(t))
	left, rows := killedAfter(t, whole, r.Manifest, len(whole.intervals))
	for place := range 50 {
		cut := left
		cut.run = left.run[:len(left.run)*place/50]
		k, err := report.Read(cut.folder(t))
		if err != nil {
			t.Fatalf("place %d: %v; want what can be read", place, err)
		}
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
	closed := stress().Record(t)
	interrupted := stress().Record(t)
	interrupted.Validity = results.Partial
	within := stress().Record(t)
	within.Validity, within.Intervals, within.Phases, within.Duration = results.Partial, nil, nil, 0
	within.Reasons = []string{"the run did not come to its end"}
	lacking := stress().Record(t)
	lacking.Validity, lacking.Phases = results.Partial, lacking.Phases[:1]
	for _, row := range []struct {
		sentence string
		record   *results.Record
		killed   bool
	}{
		{"it came to its end", closed, false},
		{"it was interrupted, and closed", interrupted, false},
		{"nothing of it is known", &results.Record{Validity: results.Partial}, false},
		{"it was killed within a second", within, true},
		{"phases are missing of which there are seconds", lacking, true},
	} {
		row.record.Summary = nil
		if got := row.record.Killed(); (got != nil) != row.killed {
			t.Errorf("%s: Killed() = %+v; want %t", row.sentence, got, row.killed)
		}
	}
	if (&results.Head{Validity: results.Partial, Duration: time.Second}).Killed() || !(&results.Head{Validity: results.Partial}).Killed() {
		t.Error("Head.Killed is not that of a run without an end")
	}
}
