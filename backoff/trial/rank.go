package trial

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// rank puts the policies of a contest into order, the best first, and says in words what
// that means: by the share of operations lost, then by attempts per operation, then by the
// time to drain.
func rank(contest *results.PolicyContest) {
	slices.SortStableFunc(contest.Policies, func(a, b results.PolicyTrial) int {
		return cmp.Or(cmp.Compare(a.LostPercent, b.LostPercent),
			cmp.Compare(a.AttemptsPerOperation, b.AttemptsPerOperation), cmp.Compare(a.DrainS, b.DrainS))
	})
	a := answerOf(contest)
	contest.Verdict = a.Whole()
}

// answerOf says who lost least, what that costs, and who lost most.
func answerOf(contest *results.PolicyContest) document.Answer {
	if len(contest.Policies) == 0 {
		return document.Answer{State: results.CannotTell, Claim: "No policy was tried"}
	}
	best, worst := &contest.Policies[0], &contest.Policies[len(contest.Policies)-1]
	if best.Caught == 0 {
		return document.Answer{State: results.CannotTell, Claim: "Nothing can be said: no operation became due in the trouble"}
	}
	all := contest.Policies
	var names []string
	for i := range all {
		if equal(best, &all[i]) {
			names = append(names, strconv.Quote(all[i].Policy))
		}
	}
	equals, lost := names, lostShare(best)
	a := document.Answer{Number: lost, Beside: fmt.Sprintf("of %s caught in the trouble", document.Counted(int(best.Caught), "operation"))}
	switch {
	case len(contest.Policies) == 1:
		a.Claim = fmt.Sprintf("The policy %q loses %s", best.Policy, lost)
	case len(equals) == len(contest.Policies):
		a.Claim = "No difference shown: within the doubt every policy loses " + lost
	case len(equals) == 1:
		a.Claim = equals[0] + " loses " + lost
	default:
		a.Claim = document.Enumerated(equals) + " lose " + lost
	}
	a.Says = []string{fmt.Sprintf("The last of them ends %s after the trouble with %q, at %s attempts an operation.",
		document.Span(lasting(best.DrainS)), best.Policy, document.Tries(best.AttemptsPerOperation))}
	if len(equals) < len(contest.Policies) {
		a.Says = append(a.Says, fmt.Sprintf("Most are lost by %q: %s.", worst.Policy, lostShare(worst)))
	}
	return a
}

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

// lostPart is the share that was lost, with the half-width of its interval.
func lostPart(t *results.PolicyTrial) string {
	if t.Lost == 0 {
		return document.Share(0)
	}
	return document.Share(t.LostPercent/100) + " ± " + document.PartOf(t.LostDoubt, 100)
}
