package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/document"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/capture"
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
		"rates-tried": {"1|4,000|8,000|10 s|49.50%|0.00%|7.50|20,199|throttled", "2|2.5|5|440.25 s|0.00%|0.04%|–|1,100,000|" + hostile},
	} {
		assert.NotContains(t, without, table, "the tables of a record with nothing of it")
		assert.Equal(t, want, rowsOf(with[table]), table)
	}
	// The first screen sorts the rates, and its caption does not claim the order of the search.
	for _, block := range documentOf(record).Screen {
		if sorted, is := block.(document.Table); is && sorted.ID == "rates-tried" {
			assert.Equal(t, []string{"2|2.5|5|440.25 s|0.00%|0.04%|–|1,100,000|" + hostile, "1|4,000|8,000|10 s|49.50%|0.00%|7.50|20,199|throttled"}, rowsOf(sorted))
			assert.NotEqual(t, with["rates-tried"].Caption, sorted.Caption)
		}
	}
	assert.NotContains(t, with, "steps-all", "the tables beside the rates of a search")
	assert.Len(t, without["steps-all"].Rows, 3, "the steps of no search")
	closed := stressRecord(t)
	closed.Phases[1].Rate = 0
	rows := rowsOf(tablesOf(documentOf(closed))["steps-all"])
	assert.Truef(t, strings.HasPrefix(rows[0], "closed|") && strings.HasPrefix(rows[1], "200|"), "the first step has no rate, the second has: %q", rows)
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
			"times", 2, "get|throttled|500|OperationTimedOut|50|25.0%"},
		{"few failed", 200, results.Causes{failed(400, "InvalidInput", 2)}, nil, "times", 1, "get|failed|400|InvalidInput|2|1.0%"},
		{"many failed", 95, results.Causes{failed(400, "InvalidInput", 4), failed(0, "Timeout", 1)},
			results.Causes{failed(0, "Timeout", 5)}, "limits", 3, "insert|failed|–|Timeout|5|5.0%"},
		{"what failed comes before what was throttled", 30, results.Causes{busy(503, "ServerBusy", 60), failed(500, "InternalError", 10)},
			nil, "limits", 2, "get|failed|500|InternalError|10|10.0%"},
		{"all failed without a code", 0, results.Causes{failed(302, "", 40)}, nil, "limits", 1, "get|failed|302|–|40|100%"},
		{"more causes than are shown", 0, many, many, "limits", 20, "get|failed|–|other|1,085|42.3%"},
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
		var screen bytes.Buffer
		require.NoError(t, report.Print(&screen, k.Document, report.FormText, layout.Look{}))
		assert.Equalf(t, n == 0, strings.Contains(screen.String(), "requests: not known"), "place %d", place)
		assert.NotContainsf(t, screen.String(), "accounting exact", "place %d", place)
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
			*r = results.Record{Validity: results.Partial, Manifest: r.Manifest, Reasons: []string{"the run did not end"}}
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

// written is what a form makes of a run.
func written(t *testing.T, form report.Form, k *report.Kept) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, form.Write(&text, k), form.Name)
	return text.String()
}

// Every form tells of a run what it is for, and the text what was told at its end.
func TestForms(t *testing.T) {
	record, folder := keptRun(t)
	k := reread(t, folder)
	all := report.Forms()
	for i, row := range []struct{ form, begins, holds string }{
		{"text", "loadgen stress", "DOES NOT HOLD"}, {"html", "<!", "Findings"}, {"md", "# ", "\n## Findings\n"}, {"json", "{\n", `"verdict": "`},
		{"csv", "section,table,row,column,value,unit\n", "\nseconds,rate,0,due,"}, {"seconds", "second,time,phase,", "\n0,"}, {"benchfmt", "", "Benchmark"},
		{"hlog", "#", "Tag="}, {"junit", "<?xml", "<testcase"},
	} {
		require.Truef(t, i < len(all) && all[i].Name == row.form, "the forms are %+v; want %s at %d", all, row.form, i)
		if text := written(t, all[i], k); !strings.HasPrefix(text, row.begins) || !strings.Contains(text, row.holds) {
			t.Errorf("%s begins with %.60q; want %q and %q in it", row.form, text, row.begins, row.holds)
		}
	}
	var told bytes.Buffer
	require.NoError(t, report.Screen(&told, report.Document(record, record.Summary), layout.Look{}))
	assert.Equal(t, told.String(), written(t, all[0], k), "the text of a kept run, and what was told at its end")
}

// Of a record that is cut off every form has what there is, and those of words say so.
func TestFormsOfACutRecord(t *testing.T) {
	_, folder := keptRun(t)
	text := folder.Bytes(results.RunFile)
	require.NoError(t, folder.Replace(results.RunFile, text[:len(text)/2]))
	const says = "run.json is cut off after"
	k := reread(t, folder)
	for _, form := range report.Forms() {
		assert.Equalf(t, form.Words, strings.Contains(written(t, form, k), says),
			"%s says that the record is cut off: %v", form.Name, !form.Words)
	}
}

// A run that nobody has judged is, and its record stays as it is read. Of a peak that an earlier
// build judged, and of one whose summary lacks its check, there is the answer.
func TestReadJudges(t *testing.T) {
	folder := new(results.Memory)
	steps(2, 100).Into(t, folder)
	if k := reread(t, folder); k.Summary == nil || k.Summary.Verdict == "" || k.Record.Summary != nil {
		t.Errorf("a run that was not judged is read as %+v", k)
	}
	_, err := report.Read(new(results.Memory))
	assert.ErrorIs(t, err, fs.ErrNotExist, "Read of no run")
	passed := results.Check{Expr: "a", Ok: new(true)}
	for state, change := range map[string]func(*results.Summary){
		results.DoesNotHold: func(s *results.Summary) {
			s.PeakState, s.State, s.Checks = "", results.Holds, []results.Check{passed, passed, passed}
		},
		results.Holds: func(s *results.Summary) { s.PeakState, s.Checks = results.Holds, nil },
	} {
		_, folder := keptPeak(t, 400, change)
		assert.Equal(t, state, reread(t, folder).Document.Answer.State, "the answer of an earlier build's peak")
	}
}

// observed plays traffic to an observer and reads the record back.
func observed(t testing.TB, traffic func(saw func(accesslog.Observed))) *results.Record {
	t.Helper()
	m := manifest()
	m.Command, m.Scenario.Name, m.Target = []string{"loadgen", "serve", "--examine"}, "observed", results.Embedded
	m.Time, m.Retry, m.PartitionKey, m.Operations = "real", "", "", capture.Kinds()
	return resultstest.Play(t, m, 7*time.Second, func(r *results.Recorder) {
		observer := capture.New(capture.Options{Recorder: r})
		var requests []accesslog.Observed
		traffic(func(r accesslog.Observed) { requests = append(requests, r) })
		slices.SortStableFunc(requests, func(a, b accesslog.Observed) int { return cmp.Compare(a.EndTime(), b.EndTime()) })
		for i := range requests {
			observer.Saw(&requests[i])
		}
		require.NoError(t, observer.End(), "End")
	})
}

// busy is an application that reads one partition harder than it serves, retries
// after half a second, scans, and inserts under a key for each second.
func busy(saw func(accesslog.Observed)) {
	const ms = 1_000_000
	served := map[time.Duration]int{}
	for i := range 6 * 300 {
		at := clock.Instant(i) * 1000 * ms / 300
		r := accesslog.Observed{Arrived: at, Verb: entity.Get, Table: "registrations", PartitionKey: "2011 New York City Marathon__Full",
			HasPartition: true, RowKey: fmt.Sprint(i), ClientRequestID: fmt.Sprint("get", i)}
		for range 2 {
			r.EndToEnd, r.Status, r.Code, r.Counted, r.Returned = 2*ms, 503, entity.ServerBusy, 0, 0
			if second := r.Arrived.Offset().Truncate(time.Second); served[second] < 200 {
				served[second]++
				r.EndToEnd, r.Status, r.Code, r.Counted, r.Returned = 3*ms, 200, "", 1, 1
			}
			saw(r)
			if r.Code == "" {
				break
			}
			r.Arrived = r.EndTime() + 500*ms
		}
	}
	for i := range 60 {
		at := clock.Instant(i) * 100 * ms
		saw(accesslog.Observed{Arrived: at, EndToEnd: 90 * ms, Verb: entity.Query, Table: "registrations", Status: 200, Counted: 300, Returned: 3,
			Spans: []accesslog.Span{{PartitionKey: "2011 Berlin Marathon__Full", Counted: 200}, {PartitionKey: "2011 Berlin Marathon__Half", Counted: 100}},
			Shape: "PartitionKey ge ? and PartitionKey lt ? and Age gt ?", Class: "partition range scan", ClientRequestID: fmt.Sprint("scan", i)})
		saw(accesslog.Observed{Arrived: at, EndToEnd: 5 * ms, Verb: entity.Insert, Inserts: true, Table: "log", PartitionKey: fmt.Sprintf("2011-11-06T09:40:%02d", i/2),
			HasPartition: true, RowKey: fmt.Sprintf("%06d", i), Status: 204, Counted: 1})
		saw(accesslog.Observed{Arrived: at, EndToEnd: ms, Status: 403, Code: entity.AuthenticationFailed})
	}
	saw(accesslog.Observed{Arrived: 0, EndToEnd: ms, Verb: entity.CreateTable, Table: "log", Status: 409, Code: entity.TableAlreadyExists})
}

// quiet is an application that asks little.
func quiet(saw func(accesslog.Observed)) {
	const ms = 1_000_000
	for i := range 50 {
		at := clock.Instant(i) * 100 * ms
		saw(accesslog.Observed{Arrived: at, EndToEnd: 4 * ms, Verb: entity.Get, Table: "registrations", PartitionKey: fmt.Sprint("user", i%5),
			HasPartition: true, Status: 200, Counted: 1, Returned: 1, ClientRequestID: fmt.Sprint(i)})
	}
}

// evil is an application whose every name would do harm.
func evil(saw func(accesslog.Observed)) {
	const ms = 1_000_000
	for i := range 30 {
		at := clock.Instant(i) * 100 * ms
		saw(accesslog.Observed{Arrived: at, EndToEnd: 4 * ms, Verb: entity.Batch, Table: hostile, PartitionKey: fmt.Sprint(hostile, i),
			HasPartition: true, RowKey: hostile, Inserts: true, Status: 200, Counted: 1, Class: hostile, Shape: hostile + strings.Repeat("世", 200)})
		saw(accesslog.Observed{Arrived: at, Table: hostile, Status: 400, Code: hostile})
		saw(accesslog.Observed{Arrived: at, Verb: entity.Get, Table: " ", PartitionKey: strings.Repeat(" ", 90), HasPartition: true, Status: 200, Counted: 1})
	}
}

func TestTrafficAsItIsRendered(t *testing.T) {
	for _, row := range []struct {
		golden  string
		traffic func(func(accesslog.Observed))
		change  func(*results.Record)
	}{
		{"observed", busy, nil},
		{"observed_quiet", quiet, nil},
		{"observed_nothing", func(func(accesslog.Observed)) {}, nil},
		{"observed_hostile", evil, func(r *results.Record) {
			r.Manifest.Operations[0].Name = hostile
			r.Capture.Answers[0].Class = hostile
		}},
		{"observed_crowded", busy, func(r *results.Record) {
			o := r.Capture
			o.PartitionsTold, o.PartitionsDropped, o.Partitions[0].Missed = 1024, 98_765, 12
			o.ShapesTold, o.ShapesDropped, o.Shapes[0].Missed = 256, 4321, 3
		}},
	} {
		record := observed(t, row.traffic)
		if row.change != nil {
			row.change(record)
		}
		resultstest.CheckGolden(t, "testdata/"+row.golden+".golden", text(t, record))
	}
}

// A name that is too long for its column goes on below, and nothing of it is lost.
func TestLongNamesGoOnBelow(t *testing.T) {
	record := observed(t, quiet)
	key := "2011_New_York_City_Marathon_of_the_year__" + strings.Repeat("xyz", 50) + "__Full"
	record.Capture.Partitions[0].PartitionKey = key
	out := text(t, record)
	assert.Containsf(t, strings.Join(strings.Fields(out), ""), `registrations"`+key+`"`, "the text lacks some of the key:\n%s", out)
}

// The widest figures that there can be fit the page.
func TestWidestTrafficFitsThePage(t *testing.T) {
	record := observed(t, busy)
	o, saturation, day := record.Capture, 1e18, results.NewHistogram()
	for range 2000 {
		day.Record(24 * time.Hour)
	}
	for i := range o.Partitions {
		p := &o.Partitions[i]
		p.Entities, p.Requests, p.Throttled, p.Busiest, p.Typical, p.Saturation = 1e18, 1e18, 1e18-1, 1e18, 1e18, &saturation
		p.Missed, p.PartitionKey = 1, strings.Repeat("世", 99)
	}
	for i := range o.Shapes {
		s := &o.Shapes[i]
		s.Requests, s.Throttled, s.Scanned, s.Returned, s.Missed = 1e18, 1e18-1, 999_999, 999_998, 1
	}
	for k := range record.Phases[0].Kinds {
		kind := &record.Phases[0].Kinds[k]
		kind.Attempts, kind.Ok, kind.Throttled, kind.Failed, kind.Operations = 1e15, 1e15, 1e15, 1e15, 1
		kind.Response, kind.Service[results.Ok] = day, day
	}
	text(t, record)
}
