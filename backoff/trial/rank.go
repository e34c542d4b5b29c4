package trial

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// rank sorts the policies of a contest, the best first, and sets its verdict: by the share of
// operations lost, then by attempts per operation, then by the time to drain.
func rank(contest *results.PolicyContest) {
	slices.SortStableFunc(contest.Policies, func(a, b results.PolicyTrial) int {
		return cmp.Or(cmp.Compare(a.LostPercent, b.LostPercent),
			cmp.Compare(a.AttemptsPerOperation, b.AttemptsPerOperation), cmp.Compare(a.DrainS, b.DrainS))
	})
	a := answerOf(contest)
	contest.Verdict = a.Whole()
}

// answerOf returns which policies lose least, their cost, and which loses most.
func answerOf(contest *results.PolicyContest) document.Answer {
	all := contest.Policies
	switch {
	case len(all) == 0:
		return document.Answer{State: results.CannotTell, Claim: "CANNOT TELL: no policy was tried"}
	case all[0].Caught == 0:
		return document.Answer{State: results.CannotTell, Claim: "CANNOT TELL: no operation was due in the trouble"}
	}
	best, worst := &all[0], &all[len(all)-1]
	var names []string
	for i := range all {
		if equal(best, &all[i]) {
			names = append(names, strconv.Quote(all[i].Policy))
		}
	}
	a := document.Answer{Number: names[0], Claim: names[0] + " loses " + lostShare(best),
		Beside: fmt.Sprintf("of %s due in the trouble", document.Counted(int(best.Caught), "operation"))}
	if len(names) > 1 {
		a.Number = fmt.Sprintf("%d of %d", len(names), len(all))
		a.Claim = a.Number + " lose " + lostShare(best) + "; no difference between them"
		a.Says = []string{fmt.Sprintf("Best: %s.", document.Enumerated(names))}
	}
	a.Says = append(a.Says, fmt.Sprintf("Under %s the last operation ends %s after the trouble, at %s attempts per operation.",
		names[0], document.Span(lasting(best.DrainS)), document.Tries(best.AttemptsPerOperation)))
	if len(names) < len(all) {
		a.Says = append(a.Says, fmt.Sprintf("Worst: %q loses %s.", worst.Policy, lostShare(worst)))
	}
	return a
}

// equal reports whether the intervals of two policies overlap.
func equal(first, other *results.PolicyTrial) bool {
	return other.LostPercent-other.LostDoubt <= first.LostPercent+first.LostDoubt
}

func lostShare(t *results.PolicyTrial) string {
	switch {
	case t.Lost == 0:
		return "none"
	case t.Lost == t.Caught:
		return "all"
	default:
		return lostPart(t)
	}
}

// lostPart is the lost share with the half-width of its interval.
func lostPart(t *results.PolicyTrial) string {
	if t.Lost == 0 {
		return document.Share(0)
	}
	return document.Share(t.LostPercent/100) + " ± " + document.PartOf(t.LostDoubt, 100)
}
