package verdict_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// The marks of random runs against the same rules, applied to the number of checks of each outcome.
func TestMarksOfRandomRunsFollowTheirChecks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	outcomes := []*bool{new(true), new(false), nil}
	seen := map[document.Tone]int{}
	for range 3000 {
		holds, isAntiPattern := outcomes[random.IntN(3)], random.IntN(2) == 0
		summary := &results.Summary{Validity: []string{results.Valid, results.Valid, results.Partial, results.Invalid}[random.IntN(4)],
			Phases: []results.PhaseSummary{{Holds: holds}}}
		record := &results.Record{Validity: summary.Validity, Summary: summary}
		all, named := map[string]int{}, map[string]int{}
		const passed, failed, unknown = "passed", "failed", "unknown"
		var fails []string
		if random.IntN(8) == 0 {
			fails = append(fails, "served > 5")
			named[unknown]++
		}
		for i := range random.IntN(4) {
			drawn, name := random.IntN(3), []string{"throttled < 1%", "share_lost < 1%", "p99 < 1s"}[i]
			outcome := []string{passed, failed, unknown}[drawn]
			summary.Checks = append(summary.Checks, results.Check{Expr: name, Ok: outcomes[drawn]})
			all[outcome]++
			if random.IntN(2) == 0 {
				fails = append(fails, strings.ReplaceAll(name, " < ", "<")) // as a user may write it
				named[outcome]++
			}
		}
		asked, ok := len(summary.Checks) > 0, outcomes[2]
		switch {
		case summary.Validity == results.Invalid || !asked:
		case !isAntiPattern && all[failed] > 0,
			isAntiPattern && named[passed] > 0,
			isAntiPattern && len(fails) == 0 && all[passed] == len(summary.Checks):
			ok = new(false)
		case !isAntiPattern && all[unknown] == 0,
			isAntiPattern && len(fails) > 0 && named[unknown] == 0,
			isAntiPattern && len(fails) == 0 && all[failed] > 0:
			ok = new(true)
		}
		if isAntiPattern {
			record.Manifest.AntiPattern, record.Manifest.Example = "a mistake", &results.Example{Fails: fails}
		}
		isKnown := summary.Validity == results.Valid && holds != nil
		isOverloaded := isKnown && !*holds
		want := document.Good
		switch {
		case asked && ok != nil && !*ok:
			want = document.Bad
		case asked && ok == nil, !asked && !isKnown:
			want = document.Doubtful
		case isOverloaded, asked && isAntiPattern:
			want = document.Neutral
		}
		gotAsked, gotOk := verdict.Result(record, summary)
		require.Equalf(t, []any{asked, ok}, []any{gotAsked, gotOk}, "Result of %+v, an anti-pattern: %v, fails %q", summary, isAntiPattern, fails)
		require.Equalf(t, want, verdict.Mark(record, summary), "mark of %+v, an anti-pattern: %v, fails %q", summary, isAntiPattern, fails)
		answer := verdict.Narrate(record, summary).Answer
		holdsAll := asked && ok != nil && *ok
		require.Equalf(t, holdsAll && !isAntiPattern && isOverloaded, strings.Contains(answer.Claim, "; its checks allow this: "), "%s", answer.Claim)
		require.Equalf(t, holdsAll && isAntiPattern && all[failed] > 0, strings.Contains(answer.Claim, "; as an anti-pattern must: "), "%s", answer.Claim)
		seen[want]++
	}
	for _, tone := range []document.Tone{document.Good, document.Bad, document.Doubtful, document.Neutral} {
		require.Greaterf(t, seen[tone], 50, "cases of tone %v", tone)
	}
}
