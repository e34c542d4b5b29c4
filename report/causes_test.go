package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// spoilt is a run of reads and inserts of a second, so many of which succeed each.
func spoilt(t testing.TB, ok int, reads, inserts results.Causes) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, manifest())
	if err != nil {
		t.Fatal(err)
	}
	phase := recorder.Phase(results.Phase{Name: "step", Stage: "peak", End: time.Second, Rate: 10, Reported: true})
	number := uint64(0)
	for kind, causes := range []results.Causes{1: reads, 2: inserts} {
		if kind == 0 {
			continue
		}
		for _, one := range append(slices.Clone(causes), results.Cause{Class: results.Ok, Status: 200, Attempts: int64(ok)}) {
			for range one.Attempts {
				at := time.Duration(number%10) * 100 * time.Millisecond
				number++
				recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: kind, Intended: at, Sent: at, Entities: 1})
				recorder.Attempt(&results.Attempt{Phase: phase, Kind: kind, Number: number, Class: one.Class, Status: one.Status, Code: one.Code, Intended: at, Sent: at, Done: at + 1})
				recorder.Completed(&results.Completed{Phase: phase, Kind: kind, Number: number, Intended: at, Done: at + 1, Class: one.Class, Attempts: 1, Entities: 1})
			}
		}
	}
	if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	record.Summary = verdict.Judge(record)
	return record
}

func TestFailuresByCause(t *testing.T) {
	failed := func(status int, code string, attempts int64) results.Cause {
		return results.Cause{Class: results.Failed, Status: status, Code: code, Attempts: attempts}
	}
	busy := func(status int, code string, attempts int64) results.Cause {
		return results.Cause{Class: results.Throttled, Status: status, Code: code, Attempts: attempts}
	}
	var many results.Causes
	for i := range 30 {
		many = append(many, failed(400, fmt.Sprintf("Code%02d", i), int64(100-i)))
	}
	for _, row := range []struct {
		name           string
		ok             int
		reads, inserts results.Causes
		// before is the section that stands behind the table, empty where there is none.
		before string
		want   []string
		note   string
	}{
		{"nothing came to nothing", 100, nil, nil, "", nil, ""},
		{"throttled in one way alone", 100, results.Causes{busy(503, "ServerBusy", 50)}, nil, "", nil, ""},
		{"throttled in two ways", 100, results.Causes{busy(503, "ServerBusy", 50), busy(500, "OperationTimedOut", 50)}, nil, "times",
			[]string{"get throttled 500 OperationTimedOut 50 25.0 %", "get throttled 503 ServerBusy 50 25.0 %"}, ""},
		{"few failed", 200, results.Causes{failed(400, "InvalidInput", 2)}, nil, "times", []string{"get failed 400 InvalidInput 2 1.0 %"}, ""},
		{"many failed", 95, results.Causes{failed(400, "InvalidInput", 4), failed(0, "Timeout", 1)}, results.Causes{failed(0, "Timeout", 5)}, "limits",
			[]string{"insert failed – Timeout 5 5.0 %", "get failed 400 InvalidInput 4 4.0 %", "get failed – Timeout 1 1.0 %"}, ""},
		{"what failed comes before what was throttled", 30, results.Causes{busy(503, "ServerBusy", 60), failed(500, "InternalError", 10)}, nil, "limits",
			[]string{"get failed 500 InternalError 10 10.0 %", "get throttled 503 ServerBusy 60 60.0 %"}, ""},
		{"all failed without a code", 0, results.Causes{failed(302, "", 40)}, nil, "limits", []string{"get failed 302 – 40 100 %"}, ""},
		{"more causes than are shown", 0, many, many, "limits", nil, "14 causes more, of 1,232 attempts, are not shown"},
	} {
		record := spoilt(t, row.ok, row.reads, row.inserts)
		d := report.Document(record, record.Summary)
		at := slices.IndexFunc(d.Sections, func(s document.Section) bool { return s.ID == "causes" })
		if (at >= 0) != (row.before != "") {
			t.Errorf("%s: the table of causes is section %d; want it before %q", row.name, at, row.before)
		}
		if at < 0 {
			continue
		}
		if next := d.Sections[at+1].ID; next != row.before {
			t.Errorf("%s: behind the table comes %q; want %q", row.name, next, row.before)
		}
		table := d.Sections[at].Blocks[0].(document.Table)
		var got []string
		for _, cells := range table.Rows {
			var line []string
			for _, cell := range cells {
				line = append(line, cell.Text)
			}
			got = append(got, strings.Join(line, " "))
		}
		if row.want != nil && !slices.Equal(got, row.want) {
			t.Errorf("%s: the table is\n%s\nwant\n%s", row.name, strings.Join(got, "\n"), strings.Join(row.want, "\n"))
		}
		if !strings.Contains(table.Notes[0], row.note) || len(table.Rows) > 20 {
			t.Errorf("%s: %d rows, with the note %q; want at most 20, and %q", row.name, len(table.Rows), table.Notes[0], row.note)
		}
		inEachForm(t, row.name, d, table)
	}
}

// inEachForm holds that a table's codes and counts stand in each form of the report.
func inEachForm(t *testing.T, name string, d *document.Document, table document.Table) {
	t.Helper()
	for form, render := range renderers() {
		var text bytes.Buffer
		if err := render(&text, d); err != nil {
			t.Fatal(err)
		}
		if form == "csv" {
			if _, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, cells := range table.Rows {
			for _, cell := range []document.Cell{cells[3], cells[4]} {
				if cell.Text != "–" && !strings.Contains(text.String(), cell.Text) && !strings.Contains(text.String(), strings.ReplaceAll(cell.Text, ",", "")) {
					t.Errorf("%s: as %s it does not say %q", name, form, cell.Text)
				}
			}
		}
	}
}
