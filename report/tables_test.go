package report_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// A table stands where the record has what it is of, and its rows are what the record has.
func TestRowsOfTables(t *testing.T) {
	record := verified(t)
	record.Limit = searched(t).Limit
	record.Limit.Steps[1].Outcome = hostile
	without, with := tablesOf(stressDocument(t)), tablesOf(documentOf(record))
	for table, want := range map[string][]string{
		"audit":    {"1|2|3|1,234|5|6|890|900|7|8"},
		"counters": {"0|look-up|neither " + hostile, "1,219|transfer|killed"},
		"invariants": {"NO|40,000|12|the legs of each transfer sum to zero", "yes|1,000|0|each entity is in the list of its name",
			"unknown|0|0|no message is left"},
		"rates-tried": {"1|4,000|8,000|10 s|49.50 %|0.00 %|7.50|20,199|throttled", "2|2.5|5|440.25 s|0.00 %|0.04 %|–|1,100,000|" + hostile},
	} {
		assert.NotContains(t, without, table, "the tables of a record with nothing of it")
		assert.Equal(t, want, rowsOf(with[table]), table)
	}
	assert.NotContains(t, with, "steps-all", "the tables beside the rates of a search")
	assert.Len(t, without["steps-all"].Rows, 3, "the steps of no search")
}

// The first screen blames the generator for a step only if it sent the step late.
func TestStepsBlameTheGeneratorOnlyWhereItWasLate(t *testing.T) {
	record := stressRecord(t)
	for late, want := range map[bool]string{false: "cannot tell", true: "generator late"} {
		summary := verdict.Judge(record)
		first := &summary.Phases[0]
		first.Holds, first.Why, first.ClientLimited = nil, "too short", late
		for _, block := range report.Document(record, summary).Screen {
			if table, is := block.(document.Table); is && table.ID == "ladder" && table.Rows[0][2].Text != want {
				t.Errorf("late %t: the step shows %q; want %q", late, table.Rows[0][2].Text, want)
			}
		}
	}
}

// A closed loop has a row like any step, and no rate.
func TestTablesShowClosedLoops(t *testing.T) {
	record := stressRecord(t)
	record.Phases[1].Rate = 0
	rows := tablesOf(documentOf(record))["steps-all"].Rows
	assert.Equal(t, "closed", rows[0][0].Text, "the rate of a closed loop")
	assert.Equal(t, "200", rows[1][0].Text, "the rate of a step")
}

// spoilt is a run of reads and inserts of a second, so many of which succeed each.
func spoilt(t testing.TB, ok int, reads, inserts results.Causes) *results.Record {
	t.Helper()
	return resultstest.Play(t, manifest(), time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "step", Stage: "peak", End: time.Second, Rate: 10, Reported: true})
		resultstest.Causes(r, phase, 1, 0, append(slices.Clone(reads), resultstest.Successes(ok))...)
		resultstest.Causes(r, phase, 2, 0, append(slices.Clone(inserts), resultstest.Successes(ok))...)
	})
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
		rows   int
		first  string
	}{
		{"nothing came to nothing", 100, nil, nil, "", 0, ""},
		{"throttled in one way alone", 100, results.Causes{busy(503, "ServerBusy", 50)}, nil, "", 0, ""},
		{"throttled in two ways", 100, results.Causes{busy(503, "ServerBusy", 50), busy(500, "OperationTimedOut", 50)}, nil,
			"times", 2, "get|throttled|500|OperationTimedOut|50|25.0 %"},
		{"few failed", 200, results.Causes{failed(400, "InvalidInput", 2)}, nil, "times", 1, "get|failed|400|InvalidInput|2|1.0 %"},
		{"many failed", 95, results.Causes{failed(400, "InvalidInput", 4), failed(0, "Timeout", 1)},
			results.Causes{failed(0, "Timeout", 5)}, "limits", 3, "insert|failed|–|Timeout|5|5.0 %"},
		{"what failed comes before what was throttled", 30, results.Causes{busy(503, "ServerBusy", 60), failed(500, "InternalError", 10)},
			nil, "limits", 2, "get|failed|500|InternalError|10|10.0 %"},
		{"all failed without a code", 0, results.Causes{failed(302, "", 40)}, nil, "limits", 1, "get|failed|302|–|40|100 %"},
		{"more causes than are shown", 0, many, many, "limits", 20, "get|failed|–|other|1,085|42.3 %"},
	} {
		record := spoilt(t, row.ok, row.reads, row.inserts)
		sections := documentOf(record).Sections
		at := slices.IndexFunc(sections, func(s document.Section) bool { return s.ID == "causes" })
		assert.Truef(t, (at >= 0) == (row.before != "") && (at < 0 || sections[at+1].ID == row.before),
			"%s: the table of causes is section %d; want it before %q", row.name, at, row.before)
		if at < 0 {
			continue
		}
		rows := rowsOf(sections[at].Blocks[0].(document.Table))
		assert.Truef(t, len(rows) == row.rows && rows[0] == row.first,
			"%s: the causes are %q; want %d, first %q", row.name, rows, row.rows, row.first)
	}
}
