package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// files are those of a record.
type files struct{ run, intervals, events []byte }

// filesOf writes a record as a folder has it.
func filesOf(t testing.TB, record *results.Record) files {
	t.Helper()
	run, err := json.MarshalIndent(record, "", " ")
	require.NoError(t, err)
	var f files
	f.run = append(run, '\n')
	for i := range record.Intervals {
		f.intervals = append(f.intervals, line(t, record.Intervals[i])...)
	}
	for i := range record.Events {
		f.events = append(f.events, line(t, record.Events[i])...)
	}
	return f
}

func line(t testing.TB, value any) []byte {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return append(text, '\n')
}

func (f files) folder(t testing.TB) results.Folder {
	t.Helper()
	folder := new(results.Memory)
	if err := errors.Join(folder.Replace(results.RunFile, f.run), folder.Replace(results.IntervalsFile, f.intervals),
		folder.Replace(results.EventsFile, f.events)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// salvaged reads what can be read, and renders it in every form.
func salvaged(t testing.TB, f files) (*results.Record, *document.Document, string) {
	t.Helper()
	record, faults, err := results.Salvage(f.folder(t))
	require.NoErrorf(t, err, "Salvage = %v; want what can be read", err)
	summary := record.Summary
	if summary == nil {
		summary = verdict.Judge(record)
	}
	d := report.Document(record, summary)
	d.Warnings = append(faults, d.Warnings...)
	text := ""
	for form, render := range renderers() {
		var out bytes.Buffer
		require.NoErrorf(t, render(&out, d), "as %s", form)
		harmlessAs(t, form, out.String())
		if form == "text" {
			text = out.String()
		}
	}
	return record, d, text
}

// short is a record with everything, small enough to be cut in many places.
func short(t testing.TB) *results.Record {
	record := shortRecord(t)
	record.Events = movedEvents()
	return sealed(t, record)
}

var shortRecord = steps(2, 20, 40, 60).RecordOnce()

// Wherever run.json is cut, what was before the cut is shown and nothing else, and that
// it is cut stands first.
func TestRunFilesCutAnywhere(t *testing.T) {
	whole := short(t)
	f := filesOf(t, whole)
	places := resultstest.Cases(5, 50)
	phases := make(map[int]bool)
	for i := range places {
		cut := f
		cut.run = f.run[:len(f.run)*i/places]
		record, d, text := salvaged(t, cut)
		resultstest.CheckWords(t, fmt.Sprintf("cut after %d bytes", len(cut.run)), text, "\n\nWarning: run.json")
		assert.Truef(t, len(d.Warnings) > 0 && record.Summary == nil && record.Validity == results.Partial,
			"cut after %d bytes: %s, summary %v, warnings %q", len(cut.run), record.Validity, record.Summary, d.Warnings)
		phases[len(record.Phases)] = true
		for p := range record.Phases {
			assert.Truef(t, bytes.Equal(line(t, record.Phases[p]), line(t, whole.Phases[p])),
				"cut after %d bytes, phase %d is another", len(cut.run), p)
		}
		assert.Len(t, record.Intervals, len(whole.Intervals), "the seconds of a cut run.json")
		assert.Len(t, record.Events, len(whole.Events), "the events of a cut run.json")
		assert.NotEmptyf(t, seriesOf(d), "cut after %d bytes, no second is shown", len(cut.run))
	}
	assert.Truef(t, (places != 50 || len(phases) == len(whole.Phases)+1) && len(phases) >= 3,
		"over all cuts the numbers of phases are %v; want each up to %d", phases, len(whole.Phases))
}

// seriesOf returns the series of a document.
func seriesOf(d *document.Document) (list []document.Series) {
	for _, section := range d.Sections {
		for _, block := range section.Blocks {
			if s, is := block.(document.Series); is && len(s.Seconds) > 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// What else can be wrong with a record is said first, by the file and the member, and the rest
// is shown.
func TestWhatIsWrongStandsFirst(t *testing.T) {
	f := filesOf(t, short(t))
	replaced := func(old, with string) files {
		other := f
		other.run = bytes.Replace(f.run, []byte(old), []byte(with), 1)
		require.Falsef(t, bytes.Equal(other.run, f.run), "run.json holds no %q", old)
		return other
	}
	lines := bytes.SplitAfter(f.intervals, []byte("\n"))
	torn, cut := f, f
	cut.intervals = f.intervals[:len(f.intervals)/2]
	torn.intervals = bytes.Join([][]byte{lines[0], []byte("{\"second\":\n"), bytes.Join(lines[2:], nil)}, nil)
	for _, row := range []struct {
		name       string
		files      files
		file, part string
		phases     int
		summary    bool
	}{
		{"no schema version", replaced(`"schema_version": 2,`, ``), "run.json ", "schema version", 4, false},
		{"a phase that is none", replaced(`"kinds": [`, `"kinds": 7, "was": [`), "run.json ", "phases", 3, false},
		{"a phase of other operations", replaced(`"kinds": [`, `"kinds": [{},`), "1 phases ", "operations", 3, false},
		{"a manifest of which a field is another", replaced(`"profile": "documented"`, `"profile": 7`), "run.json ", "manifest", 4, false},
		{"a second that is none", torn, "intervals.ndjson: ", "1 lines", 4, true},
		{"seconds that are cut off", cut, "The record ", "cut off", 4, true},
		{"no record at all", files{run: []byte("not a record")}, "run.json ", "12 bytes", 0, false},
		{"nothing at all", files{}, "run.json ", "0 bytes", 0, false},
	} {
		record, d, _ := salvaged(t, row.files)
		if assert.NotEmpty(t, d.Warnings, row.name) {
			assert.Regexp(t, "^"+row.file+".*"+row.part, d.Warnings[0], row.name)
		}
		assert.Len(t, record.Phases, row.phases, row.name)
		assert.Equalf(t, row.summary, record.Summary != nil, "%s: a summary", row.name)
	}
	_, _, err := results.Salvage(new(results.Memory))
	assert.Error(t, err, "a folder without a run.json")
	_, d, _ := salvaged(t, f)
	assert.Empty(t, d.Warnings, "the warnings of a whole record")
	// Of a member that cannot be read nothing is left, and of two the first one counts.
	record, _, _ := salvaged(t, replaced(`"schema_version": 2,`, `"schema_version": 2, "audit": {"writes": 7, "lost": "x"}, `+
		`"misplaced": 3, "misplaced": 4, "counters": [{"count": 9}, {"count": "x"}],`))
	assert.Truef(t, record.Audit == nil && record.Counters == nil && record.Misplaced == 3, "the audit is %v, the counters are %v, misplaced %d",
		record.Audit, record.Counters, record.Misplaced)
}

// Where one second is missing there is a gap, and it is said; phases and what load
// balancing did are marked in their order.
func TestSeriesHaveGapsAndMarks(t *testing.T) {
	record := short(t)
	record.Intervals = append(record.Intervals[:3:3], record.Intervals[4:]...)
	d := report.Document(record, record.Summary)
	require.Len(t, d.Warnings, 1)
	assert.Contains(t, d.Warnings[0], "1 of the 10 seconds")
	for _, s := range seriesOf(d) {
		if len(s.Seconds) != 10 || s.Seconds[3] != 3 || s.Lines[0].Values[3] != nil {
			t.Errorf("%s has the seconds %v, the fourth of which is %v; want ten with a gap", s.ID, s.Seconds, s.Lines[0].Values[3])
		}
		var marks []string
		for _, mark := range s.Marks {
			marks = append(marks, fmt.Sprintf("%g %s %t", mark.Second, mark.Text, mark.Balance))
		}
		want := []string{"1 step (20/s) false", "2 split true", "3 step (40/s) false", "3 move true", "5 step (60/s) false"}
		assert.Equal(t, want, marks, s.ID)
	}
}

// No bytes in the place of a record make the report panic, and no form of it does harm.
func FuzzDocument(f *testing.F) {
	of := filesOf(f, short(f))
	f.Add(of.run, of.intervals[:len(of.intervals)/8], of.events)
	f.Add(of.run[:len(of.run)/2], []byte(nil), of.events)
	f.Add([]byte(fmt.Sprintf(`{"schema_version":2,"manifest":{"command":["a","\u001b"],"operations":[{"name":"=a|","group":"\n"}],"targets":{"partition_entities_per_second":1,"account_entities_per_second":1}},`+
		`"duration_ns":-5,"phases":[{"begin_ns":-9223372036854775808,"end_ns":9223372036854775807,"rate":1e308,"partitions":[{"key":"<b>","entities":-7}],`+
		`"reported":true,"kinds":[{"attempts":1,"throttled":1,"last_half":{"offered_entities":1}}],"accounts":[{}]}],"heat":{"columns":-1,"rows":[{"key":"x","served_entities":[%d]}]}}`, int64(1)<<62)),
		[]byte(`{"second":-9223372036854775808,"in_flight":-1,"per_operation":[{}]}`+"\n"+`{"second":9223372036854775807,"refusals":[{"code":"\u001b"}],"per_operation":[{}]}`+"\n"), []byte(`{"at_ns":-1,"event":"move","decision":{}}`+"\n"))
	f.Fuzz(func(t *testing.T, run, intervals, events []byte) { salvaged(t, files{run, intervals, events}) })
}

// Wherever the seconds are cut, those before the cut are shown, beside all of run.json.
func TestSecondsCutAnywhere(t *testing.T) {
	whole := short(t)
	f := filesOf(t, whole)
	places := resultstest.Cases(5, 50)
	for i := range places {
		cut := f
		cut.intervals = f.intervals[:len(f.intervals)*i/places]
		record, d, _ := salvaged(t, cut)
		lines := bytes.Count(cut.intervals, []byte("\n"))
		if diff := cmp.Diff(whole.Intervals[:lines], record.Intervals); diff != "" && lines > 0 {
			t.Errorf("cut after %d bytes, the seconds differ (-whole +cut):\n%s", len(cut.intervals), diff)
		}
		assert.Truef(t, len(d.Warnings) == 1 && len(record.Phases) == len(whole.Phases) && record.Summary != nil,
			"cut after %d bytes of the seconds, the warnings are %q, %d phases are left and the summary is %v; "+"want one, and all of run.json", len(cut.intervals), d.Warnings, len(record.Phases), record.Summary)
	}
}
