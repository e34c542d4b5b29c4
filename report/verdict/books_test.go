package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
)

func TestBooksOfATrueRecordAreClosed(t *testing.T) {
	for _, r := range []*run{
		stress(),
		{manifest: manifest(), serves: 10, rates: []int{5, 50}, seconds: 3, retries: 3, late: 7, dropped: 5, failed: 11},
		{manifest: manifest()},
	} {
		if faults := verdict.Books(r.record(t)); len(faults) != 0 {
			t.Errorf("Books = %q; want none", faults)
		}
	}
}

// An answer that an operation handles is a success to the run and a failure to
// the target.
func TestHandledAnswersLeaveTheBooksClosed(t *testing.T) {
	record := quiet().record(t)
	record.Phases[0].Kinds[1].Handled = 3
	record.Target.Ok, record.Target.Failed = record.Target.Ok-3, record.Target.Failed+3
	if faults := verdict.Books(record); len(faults) != 0 {
		t.Errorf("Books = %q; want none", faults)
	}
	record.Target.Ok, record.Target.Failed = record.Target.Ok+3, record.Target.Failed-3
	if faults := verdict.Books(record); len(faults) != 2 {
		t.Errorf("Books where the target handles nothing = %q; want its ok and its failed attempts named", faults)
	}
}

// fault is a way in which the books of the quiet run can be made not to close.
type fault struct {
	name   string
	tamper func(*results.Record)
	want   []string
}

func faults() []fault {
	return []fault{
		{"an operation that was neither sent nor dropped",
			func(r *results.Record) { r.Phases[0].Kinds[1].Scheduled++; r.Intervals[1].Scheduled++ },
			[]string{"201 operations were scheduled, but 200 sent and 0 dropped"}},
		{"an attempt without a fate",
			func(r *results.Record) { r.Phases[0].Kinds[1].Ok-- },
			[]string{"200 attempts were made, but 199 ok, 0 throttled and 0 failed", "the target counted 200 ok attempts, the run 199"}},
		{"an operation that never ended",
			func(r *results.Record) {
				r.Phases[0].Kinds[1].Operations--
				r.Intervals[1].Operations--
				r.Phases[0].Kinds[1].Response = results.NewHistogram()
				for range 149 {
					r.Phases[0].Kinds[1].Response.Record(0)
				}
			},
			[]string{"200 operations were sent, but 199 came to an end"}},
		{"an attempt that was not timed",
			func(r *results.Record) { r.Phases[0].Kinds[2].Service[results.Ok] = results.NewHistogram() },
			[]string{"200 attempts were made, but 150 timed"}},
		{"an operation that was not timed",
			func(r *results.Record) { r.Phases[0].Kinds[2].Response = nil },
			[]string{"200 operations came to an end, but 150 were timed"}},
		{"too many counts in the wrong second",
			func(r *results.Record) { r.Misplaced = 1 },
			[]string{"1 counts came too late for their second, to 200 attempts"}},
		{"a target that saw more attempts",
			func(r *results.Record) { r.Target.Requests++ }, []string{"the target counted 201 attempts, the run 200"}},
		{"a target that saw fewer attempts",
			func(r *results.Record) { r.Target.Requests-- }, []string{"the target counted 199 attempts, the run 200"}},
		{"a target that served more", func(r *results.Record) { r.Target.Ok++ },
			[]string{"the target counted 201 ok attempts, the run 200"}},
		{"a target that throttled more", func(r *results.Record) { r.Target.Throttled++ },
			[]string{"the target counted 1 throttled attempts, the run 0"}},
		{"a target that failed more", func(r *results.Record) { r.Target.Failed++ },
			[]string{"the target counted 1 failed attempts, the run 0"}},
		{"a target that counted other entities", func(r *results.Record) { r.Target.Entities = 1234 },
			[]string{"the target counted 1,234 entities, the run 200"}},
		{"a second that is missing",
			func(r *results.Record) { r.Intervals = slices.Delete(r.Intervals, 4, 5) },
			[]string{"second 5 stands where second 4 should"}},
		{"a second that is there twice, and another that is missing",
			func(r *results.Record) { r.Intervals[4].Second = 5; r.Intervals[6].Second = 9 },
			[]string{"second 5 stands where second 4 should", "the seconds are out of order in 3 places more"}},
		{"seconds that are missing at the end",
			func(r *results.Record) { r.Intervals = r.Intervals[:5] },
			[]string{"the run lasted 8 seconds, but only 5 were written"}},
		{"operations due that are in no second", func(r *results.Record) { r.Intervals[2].Scheduled -= 3 },
			[]string{"the seconds hold 197 scheduled operations, the phases 200"}},
		{"attempts that are in no second", func(r *results.Record) { r.Intervals[2].Attempts -= 3 },
			[]string{"the seconds hold 197 attempts, the phases 200"}},
		{"operations that end in no second", func(r *results.Record) { r.Intervals[2].Operations -= 3 },
			[]string{"the seconds hold 197 completed operations, the phases 200"}},
		{"entities that are in no second", func(r *results.Record) { r.Intervals[2].Counted -= 3 },
			[]string{"the seconds hold 197 entities, the phases 200"}},
	}
}

func TestBooksNameEachFault(t *testing.T) {
	for _, row := range faults() {
		record := quiet().record(t)
		row.tamper(record)
		if got := verdict.Books(record); !slices.Equal(got, row.want) {
			t.Errorf("%s: Books = %q; want %q", row.name, got, row.want)
		}
		summary := verdict.Judge(record)
		if summary.Validity != results.Invalid || !slices.Equal(summary.Reasons, row.want) {
			t.Errorf("%s: the run is %q for %q; want invalid for the faults", row.name, summary.Validity, summary.Reasons)
		}
		if want := "This run is invalid: " + row.want[0]; !strings.HasPrefix(summary.Verdict, want) {
			t.Errorf("%s: Verdict = %q; want it to begin with %q", row.name, summary.Verdict, want)
		}
	}
}

// quiet is a run of 200 operations in 2 s that all succeed, over 8 s.
func quiet() *run {
	return &run{manifest: manifest(), serves: 1000, rates: []int{100}, seconds: 2}
}

func TestBooksOfAnInterruptedRun(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		faults int
	}{
		{"operations may be under way", func(r *results.Record) { r.Phases[0].Kinds[1].Sent++; r.Phases[0].Kinds[1].Scheduled++ }, 0},
		{"the target may have seen more", func(r *results.Record) { r.Target.Requests++; r.Target.Ok++; r.Target.Entities++ }, 0},
		{"but never less", func(r *results.Record) { r.Target.Requests-- }, 1},
		{"the last seconds may be missing", func(r *results.Record) { r.Intervals = r.Intervals[:3] }, 0},
		{"but none between them", func(r *results.Record) { r.Intervals = slices.Delete(r.Intervals, 1, 2) }, 1},
		{"a target need not keep books", func(r *results.Record) { r.Target = nil }, 0},
		{"a killed run has neither phases nor an end", func(r *results.Record) {
			*r = results.Record{Validity: results.Partial, Intervals: r.Intervals[:2], Cut: true}
		}, 0},
	} {
		record := quiet().record(t)
		record.Validity = results.Partial
		row.change(record)
		if got := verdict.Books(record); len(got) != row.faults {
			t.Errorf("%s: Books = %q; want %d faults", row.name, got, row.faults)
		}
	}
}

func ofEach(r *results.Record, change func(k *results.KindStats)) {
	for p := range r.Phases {
		for k := range r.Phases[p].Kinds {
			change(&r.Phases[p].Kinds[k])
		}
	}
}

// waiting has all that failed come to the same, and wait to be tried again as the run ends,
// but for so many.
func waiting(cause results.Cause, but int64) func(*results.Record) {
	return func(r *results.Record) {
		r.Target = nil
		ofEach(r, func(k *results.KindStats) {
			spared := min(but, k.Failed)
			but -= spared
			cause.Attempts = k.Failed - spared
			if k.Cut, k.Causes = k.Operations-spared, nil; cause.Attempts > 0 {
				k.Causes = results.Causes{cause}
			}
			if spared > 0 {
				k.Causes = append(k.Causes, results.Cause{Class: results.Failed, Attempts: spared})
			}
			if cause.Class == results.Throttled {
				k.Throttled, k.Failed = k.Failed, 0
			}
		})
	}
}

func TestValidityIsTheWorstThatIsFound(t *testing.T) {
	for _, row := range []struct {
		name     string
		run      run
		change   func(*results.Record)
		validity string
		reasons  []string
	}{
		{"a run that did its part is valid", run{}, nil, results.Valid, []string{}},
		{"a dropped operation spoils what rests on it, and not the run", run{dropped: 100}, nil, results.Valid, []string{}},
		{"one of a hundred operations may be late", run{late: 100}, nil, results.Valid, []string{}},
		{"nor do late ones", run{late: 10}, nil, results.Valid, []string{}},
		{"what was late unreported does not count", run{late: 2},
			func(r *results.Record) { r.Phases[0].Reported = false }, results.Valid, []string{}},
		{"a partial run stays partial", run{validity: results.Partial, reasons: []string{"interrupted"}}, nil,
			results.Partial, []string{"interrupted"}},
		{"a partial run that dropped is partial",
			run{validity: results.Partial, reasons: []string{"interrupted"}, dropped: 100}, nil,
			results.Partial, []string{"interrupted"}},
		{"a run of which nothing succeeded is invalid", run{failed: 1}, nil, results.Invalid, []string{"of 200 operations due none succeeded (no reply)"}},
		{"so is one that was interrupted after nothing did", run{validity: results.Partial, reasons: []string{"interrupted"}, failed: 1}, nil,
			results.Invalid, []string{"interrupted", "of 200 operations due none succeeded (no reply)"}},
		{"one that was interrupted before anything was due is partial", run{validity: results.Partial, reasons: []string{"interrupted"}},
			func(r *results.Record) { r.Phases, r.Intervals, r.Target = nil, nil, nil }, results.Partial, []string{"interrupted"}},
		{"before anything was answered, too", run{validity: results.Partial, reasons: []string{"interrupted"}, failed: 1},
			waiting(results.Cause{Class: results.Failed, Code: "Cancelled"}, 0), results.Partial, []string{"interrupted"}},
		{"unless an operation came to nothing before", run{validity: results.Partial, reasons: []string{"interrupted"}, failed: 1},
			waiting(results.Cause{Class: results.Failed, Code: "Cancelled"}, 1), results.Invalid, []string{"interrupted", "of 200 operations due none succeeded (Cancelled, no reply)"}},
		{"or all were turned away, and would try again", run{validity: results.Partial, reasons: []string{"the budget was spent"}, failed: 1},
			waiting(results.Cause{Class: results.Throttled, Status: 503, Code: "ServerBusy"}, 0), results.Invalid,
			[]string{"the budget was spent", "of 200 operations due none succeeded (503 ServerBusy)"}},
		{"requests that succeed are no operations that do", run{validity: results.Partial, reasons: []string{"interrupted"}}, func(r *results.Record) {
			ofEach(r, func(k *results.KindStats) { k.Succeeded = 0 })
		}, results.Invalid, []string{"interrupted", "of 200 operations due none succeeded"}},
		{"one of several requests that was cut off may have succeeded", run{validity: results.Partial, reasons: []string{"interrupted"}}, func(r *results.Record) {
			ofEach(r, func(k *results.KindStats) { k.Succeeded, k.Cut = 0, k.Operations })
		}, results.Partial, []string{"interrupted"}},
		{"a word for what the generator did is no validity", run{validity: "client-limited"}, nil, results.Invalid,
			[]string{`the record calls itself "client-limited", which says nothing`}},
		{"an invalid run stays invalid", run{validity: results.Invalid, reasons: []string{"clock went back"}, dropped: 100}, nil,
			results.Invalid, []string{"clock went back"}},
		{"open books spoil a partial run", run{validity: results.Partial},
			func(r *results.Record) { r.Phases[0].Kinds[1].Scheduled++ }, results.Invalid,
			[]string{"201 operations were scheduled, but 200 sent and 0 dropped"}},
		{"a cut file makes a run partial", run{}, func(r *results.Record) { r.Cut = true }, results.Partial,
			[]string{"the record is cut off within a line"}},
		{"few counts in the wrong second are told and forgiven", run{rates: []int{1000}},
			func(r *results.Record) { r.Misplaced = 2 }, results.Valid,
			[]string{"2 counts came too late for their second and stand in a later one"}},
		{"many spoil the run", run{rates: []int{1000}},
			func(r *results.Record) { r.Misplaced = 3 }, results.Invalid,
			[]string{"3 counts came too late for their second, to 2,000 attempts"}},
		{"a word that is no validity is none", run{},
			func(r *results.Record) { r.Validity = "great" }, results.Invalid,
			[]string{`the record calls itself "great", which says nothing`}},
	} {
		base := quiet()
		row.run.manifest, row.run.serves, row.run.seconds = base.manifest, base.serves, base.seconds
		if row.run.rates == nil {
			row.run.rates = base.rates
		}
		record := row.run.record(t)
		if row.change != nil {
			row.change(record)
		}
		got := verdict.Judge(record)
		if got.Validity != row.validity || !slices.Equal(got.Reasons, row.reasons) {
			t.Errorf("%s: validity = %q for %q; want %q for %q", row.name, got.Validity, got.Reasons, row.validity, row.reasons)
		}
	}
}

// Where the generator fell short is told beside what the run is worth.
func TestWhereTheGeneratorFellShort(t *testing.T) {
	for _, row := range []struct {
		name   string
		run    run
		change func(*results.Record)
		want   []string
	}{
		{"a run that did its part", run{}, nil, nil},
		{"a dropped operation", run{dropped: 100}, nil, []string{"the generator dropped 2 of 200 operations"}},
		{"one of a hundred operations may be late", run{late: 100}, nil, nil},
		{"one of sixty may not", run{late: 60}, nil, []string{"the generator sent 1.5 % of the operations more than 100 ms late"}},
		{"nor one of ten", run{late: 10}, nil, []string{"the generator sent 10.0 % of the operations more than 100 ms late"}},
		{"what was late unreported does not count", run{late: 2}, func(r *results.Record) { r.Phases[0].Reported = false }, nil},
	} {
		base := quiet()
		row.run.manifest, row.run.serves, row.run.seconds, row.run.rates = base.manifest, base.serves, base.seconds, base.rates
		record := row.run.record(t)
		if row.change != nil {
			row.change(record)
		}
		if got := verdict.Judge(record); got.Validity != results.Valid || !slices.Equal(got.ClientLimited, row.want) {
			t.Errorf("%s: %s, client-limited by %q; want valid, by %q", row.name, got.Validity, got.ClientLimited, row.want)
		}
	}
}
