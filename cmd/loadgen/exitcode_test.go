package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// The codes of a run, by what was asked of it and what it came to.
func TestExitCodesOfRuns(t *testing.T) {
	holds, fails := results.Check{Ok: new(true)}, results.Check{Ok: new(false)}
	untold := results.Check{Why: "the generator was late"}
	list := func(checks ...results.Check) results.Summary {
		return results.Summary{Validity: results.Valid, Checks: checks}
	}
	of := func(validity string, s results.Summary) results.Summary {
		s.Validity = validity
		return s
	}
	late := func(s results.Summary) results.Summary {
		s.ClientLimited = []string{"the generator was late"}
		return s
	}
	search := func(validity string, held, notHeld *float64, by string, finished bool) results.Summary {
		return results.Summary{Validity: validity, Limit: &results.Limit{Held: held, NotHeld: notHeld, By: by, Finished: finished}}
	}
	audited := func(validity string, a results.Audit) results.Summary {
		return results.Summary{Validity: validity, Audit: &a}
	}
	overwrote := func(s results.Summary, lost, blind int64) results.Summary {
		s.Audit = &results.Audit{Lost: lost, Blind: blind}
		return s
	}
	// promised are checks of which a and b fail, c holds and d cannot be told; an anti-pattern
	// promises some of them to fail.
	promises := map[*results.Check][]string{}
	promised := func(names ...string) results.Summary {
		s := list(fails, fails, holds, untold)
		for i := range s.Checks {
			s.Checks[i].Expr = string(rune('a' + i))
		}
		promises[&s.Checks[0]] = names
		return s
	}
	low, high := new(100.0), new(200.0)
	stopped := fmt.Errorf("the run was stopped: %w", drive.ErrStopped)
	for _, row := range []struct {
		sentence    string
		summary     results.Summary
		strict      bool
		antiPattern bool
		ended       error
		want        int
	}{
		{"nothing was asked", list(), false, false, nil, 0},
		{"nothing was asked, strictly", list(), true, false, nil, 0},
		{"it saturates, and nobody asked", results.Summary{Validity: results.Valid, Saturation: low}, true, false, nil, 0},
		{"all checks hold", list(holds, holds), false, false, nil, 0},
		{"a check fails", list(holds, fails), false, false, nil, 10},
		{"a check fails, strictly", list(holds, fails), true, false, nil, 10},
		{"a check cannot be told", list(holds, untold), false, false, nil, 12},
		{"a check cannot be told, strictly", list(holds, untold), true, false, nil, 13},
		{"one fails and one cannot be told", list(fails, untold), false, false, nil, 10},
		{"one fails and one cannot be told, strictly", list(fails, untold), true, false, nil, 10},
		{"an invalid run, of which nothing was asked", of(results.Invalid, list()), false, false, nil, 13},
		{"an invalid run whose checks would fail", of(results.Invalid, list(fails)), false, false, nil, 13},
		{"an invalid run that a budget ended", of(results.Invalid, list()), false, false, stopped, 13},
		{"an invalid run of an anti-pattern", of(results.Invalid, list(fails)), false, true, nil, 13},
		{"an invalid run that lost a write", audited(results.Invalid, results.Audit{Lost: 1}), false, false, nil, 13},
		{"a late generator, and nothing was asked", late(list()), false, false, nil, 0},
		{"a late generator, strictly", late(list()), true, false, nil, 13},
		{"a late generator, and a count that fails", late(list(fails)), false, false, nil, 10},
		{"a late generator, and a count that fails, strictly", late(list(fails)), true, false, nil, 13},
		{"a late generator, and a peak that it did not offer", late(list(holds, untold)), false, false, nil, 12},
		{"a run that its budget of transactions ended", of(results.Partial, list()), true, false, run.ErrBudget, 0},
		{"the same with checks", of(results.Partial, list(untold)), false, false, run.ErrBudget, 12},
		{"a budget of the scenario was exceeded", of(results.Partial, list()), false, false, stopped, 10},
		{"and its checks cannot be told", of(results.Partial, list(untold)), true, false, stopped, 10},
		{"a search that found the limit", search(results.Valid, low, high, results.LimitThrottled, true), false, false, nil, 0},
		{"a search that held all it was to try", search(results.Valid, high, nil, "", true), false, false, nil, 0},
		{"a search in which not even the lowest rate holds", search(results.Valid, nil, low, results.LimitThrottled, true), false, false, nil, 10},
		{"a search that met the generator's limit", search(results.Valid, low, high, results.LimitClient, true), false, false, nil, 12},
		{"the same, strictly", search(results.Valid, low, high, results.LimitClient, true), true, false, nil, 13},
		{"a search that did not come to its end", search(results.Partial, low, high, results.LimitThrottled, false), false, false, run.ErrBudget, 12},
		{"a search whose steps contradict one another", search(results.Valid, low, high, results.LimitThrottled, false), false, false, nil, 12},
		{"every acknowledged write is there", audited(results.Valid, results.Audit{Writes: 5}), false, false, nil, 0},
		{"a write is lost", audited(results.Valid, results.Audit{Lost: 1}), false, false, nil, 10},
		{"an increment is doubled", audited(results.Valid, results.Audit{Doubled: 1}), false, false, nil, 10},
		{"a write is lost before a late generator", late(audited(results.Valid, results.Audit{Lost: 1})), false, false, nil, 10},
		{"the same, strictly", late(audited(results.Valid, results.Audit{Lost: 1})), true, false, nil, 13},
		{"an anti-pattern of which a check fails, as promised", list(holds, fails), false, true, nil, 0},
		{"an anti-pattern of which none fails", list(holds, holds), false, true, nil, 10},
		{"an anti-pattern of which none fails and one cannot be told", list(holds, untold), false, true, nil, 12},
		{"an anti-pattern of which one fails and one cannot be told", list(fails, untold), false, true, nil, 0},
		{"an anti-pattern whose promised checks fail", promised("a", "b"), false, true, nil, 0},
		{"an anti-pattern of which one promised check holds, though another fails", promised("a", "c"), false, true, nil, 10},
		{"an anti-pattern of which a promised check cannot be told", promised("a", "d"), false, true, nil, 12},
		{"the same, strictly", promised("a", "d"), true, true, nil, 13},
		{"an anti-pattern of which a promised check holds and one cannot be told", promised("c", "d"), false, true, nil, 10},
		{"an anti-pattern that overwrote its own writes, as promised", overwrote(list(fails), 3, 3), false, true, nil, 0},
		{"an anti-pattern that lost another write", overwrote(list(fails), 3, 2), false, true, nil, 10},
		{"a run that overwrote its own writes", overwrote(list(holds), 3, 3), false, false, nil, 10},
		{"an anti-pattern without checks", list(), false, true, nil, 0},
		{"an anti-pattern that a budget ended", of(results.Partial, list(untold)), false, true, stopped, 10},
	} {
		record := &results.Record{Summary: &row.summary}
		if row.antiPattern {
			record.Manifest.AntiPattern = "all in one partition"
			if len(row.summary.Checks) > 0 {
				record.Manifest.Example = &results.Example{Fails: promises[&row.summary.Checks[0]]}
			}
		}
		f := &tellFlags{Strict: row.strict}
		err := f.judge(record, row.ended)
		code, said := codeOk, ""
		if err != nil {
			code, said = explain(t.Context(), err)
		}
		assert.Truef(t, code == row.want && (said != "") == (row.ended == stopped),
			"%s: exit code %d, %q; want %d", row.sentence, code, said, row.want)
		assert.Equalf(t, row.want, f.exit(record, row.ended), "%s, in a sweep", row.sentence)
		isRed := verdict.Mark(record, &row.summary) == document.Bad
		assert.Truef(t, isRed == (row.want == codeExpectation) || row.ended == stopped || row.want == codeInvalidRun,
			"%s: exit code %d, marked red: %v", row.sentence, row.want, isRed)
	}
}

// The codes of the other verbs, and of what ends a verb early.
func TestExitCodesOfOtherEnds(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{os.Interrupt})
	hungUp, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGHUP})
	printed := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EIO}
	terminated, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGTERM})
	ranked := func(list ...contest.Ranked) *contest.Contest { return &contest.Contest{Ranking: list} }
	late := ranked(contest.Ranked{}, contest.Ranked{Limited: 1})
	won := func(ahead float64, winners, losers results.Check) *contest.Contest {
		trials := func(sustained float64, check results.Check) []contest.Trial {
			one := contest.Trial{Validity: results.Valid, Sustained: sustained, Events: 1000, Served: 1000, Expected: []results.Check{check}}
			return []contest.Trial{one, one}
		}
		return contest.Rank([]contest.Arm{{Design: "a", Trials: trials(100*ahead, winners)}, {Design: "b", Trials: trials(100, losers)}}, contest.Options{})
	}
	holds, fails, untold := results.Check{Expr: "p99 < 1s", Ok: new(true)}, results.Check{Expr: "p99 < 1s", Ok: new(false)}, results.Check{Expr: "p99 < 1s"}
	ruled := func(list ...compare.Outcome) error {
		var all []compare.Result
		for _, o := range list {
			all = append(all, compare.Result{Outcome: o})
		}
		return endsWith(compare.ExitCode(all))
	}
	diagnosed := func(ctx context.Context, failed, unavailable bool) error {
		f := doctorFlags{formFlags: formFlags{Format: report.FormText}}
		return f.print(ctx, new(doctor.Diagnosis).Document(), unavailable, outcome{failed: failed}.end(), new(strings.Builder))
	}
	for _, row := range []struct {
		sentence string
		ctx      context.Context
		err      error
		want     int
	}{
		{"a fault of the program", nil, errors.New("a fault"), 1},
		{"a full disk", nil, fmt.Errorf("writing: %w", syscall.ENOSPC), 1},
		{"a fault of usage", nil, usageError{errors.New("--rate")}, 2},
		{"a folder that cannot be written to", nil, run.ErrFolder, 2},
		{"a target that is not there", nil, run.ErrTarget, 3},
		{"a target that stopped answering", nil, drive.ErrSilent, 3},
		{"interrupted", interrupted, context.Canceled, 130},
		{"terminated", terminated, context.Canceled, 143},
		{"hung up", hungUp, context.Canceled, 129},
		{"hung up, and the report could not be printed", hungUp, printed, 129},
		{"hung up, and a pipe was broken", hungUp, syscall.EPIPE, 129},
		{"hung up, and the record could not be written", hungUp, errors.Join(results.ErrWrite, syscall.EIO), 1},
		{"a report could not be printed, and nobody hung up", nil, printed, 1},
		{"hung up, and a check failed", hungUp, verdictError{code: codeExpectation}, 10},
		{"interrupted, and a check of doctor failed", interrupted, diagnosed(interrupted, true, false), 130},
		{"doctor: a check failed", nil, diagnosed(t.Context(), true, false), 10},
		{"doctor: a service that lets nobody in", nil, diagnosed(t.Context(), true, true), 3},
		{"doctor: all is well", nil, diagnosed(t.Context(), false, false), 0},
		{"gate: it repeats", nil, ruled(compare.Same, compare.Improvement), 0},
		{"gate: a check fails beside a regression", nil, ruled(compare.Regression, compare.Failed), 10},
		{"gate: a regression, and no baseline", nil, ruled(compare.NoBaseline, compare.Regression), 11},
		{"gate: no baseline", nil, ruled(compare.Same, compare.NoBaseline), 12},
		{"gate: too few pairs", nil, ruled(compare.Inconclusive), 12},
		{"gate: runs that are not valid, and all else", nil, ruled(compare.Failed, compare.Invalid, compare.Regression), 13},
		{"contest: all runs are in time", nil, (&designsFlags{Strict: true}).judge(ranked(contest.Ranked{})), 0},
		{"contest: the generator was late", nil, (&designsFlags{}).judge(late), 0},
		{"contest: the same, strictly", nil, (&designsFlags{Strict: true}).judge(late), 13},
		{"contest: the winner's check holds, the loser's fails", nil, (&designsFlags{Strict: true}).judge(won(9, holds, fails)), 0},
		{"contest: who sustains more fails, and another holds the check", nil, (&designsFlags{}).judge(won(9, fails, holds)), 0},
		{"contest: no design holds the check", nil, (&designsFlags{}).judge(won(9, fails, fails)), 10},
		{"contest: none holds it, and nobody is better", nil, (&designsFlags{Strict: true}).judge(won(1, fails, fails)), 10},
		{"contest: the winner's check cannot be told", nil, (&designsFlags{}).judge(won(9, untold, fails)), 12},
		{"contest: the same, strictly", nil, (&designsFlags{Strict: true}).judge(won(9, untold, fails)), 13},
		{"contest: nobody wins", nil, (&designsFlags{Strict: true}).judge(won(1, holds, holds)), 0},
		{"contest: a run is invalid", nil, (&designsFlags{}).judge(ranked(contest.Ranked{}, contest.Ranked{Doubtful: 1, Invalid: 1})), 13},
		{"explain: it does not hold", nil, outcome{failed: true}.end(), 10},
		{"explain and history: it cannot be told", nil, outcome{untold: true}.end(), 12},
	} {
		if row.ctx == nil {
			row.ctx = t.Context()
		}
		code := codeOk
		if row.err != nil {
			code, _ = explain(row.ctx, row.err)
		}
		assert.Equal(t, row.want, code, row.sentence)
	}
}
