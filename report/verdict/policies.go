package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// RankPolicies puts the policies of a contest into order, the best first, and says
// in words what that means: by the share of operations lost, then by attempts per
// operation, then by the time to drain.
func RankPolicies(contest *results.PolicyContest) {
	slices.SortStableFunc(contest.Policies, func(a, b results.PolicyTrial) int {
		return cmp.Or(cmp.Compare(a.LostPercent, b.LostPercent),
			cmp.Compare(a.AttemptsPerOperation, b.AttemptsPerOperation), cmp.Compare(a.DrainS, b.DrainS))
	})
	contest.Verdict = policiesVerdict(contest)
}

// policiesVerdict returns three sentences at most: who lost least, what that
// costs, and who lost most.
func policiesVerdict(contest *results.PolicyContest) string {
	if len(contest.Policies) == 0 {
		return "No policy was tried."
	}
	best := &contest.Policies[0]
	if best.Caught == 0 {
		return "Nothing can be said: no operation became due in the trouble."
	}
	var told []string
	equals := equalTo(best, contest.Policies)
	switch {
	case len(contest.Policies) == 1:
		told = append(told, fmt.Sprintf("The policy %q loses %s of the %s operations caught in the trouble.",
			best.Policy, lostShare(best), document.Count(best.Caught)))
	case len(equals) == len(contest.Policies):
		told = append(told, fmt.Sprintf("No difference shown: every policy loses %s of the %s operations caught in the trouble, within the doubt.",
			lostShare(best), document.Count(best.Caught)))
	default:
		told = append(told, fmt.Sprintf("Of the %s operations caught in the trouble %s %s %s.",
			document.Count(best.Caught), document.Enumerated(equals), map[bool]string{true: "loses", false: "lose"}[len(equals) == 1], lostShare(best)))
	}
	told = append(told, fmt.Sprintf("The last of them ends %.1f s after the trouble with %q, at %.2f attempts an operation.",
		best.DrainS, best.Policy, best.AttemptsPerOperation))
	worst := &contest.Policies[len(contest.Policies)-1]
	if len(equals) < len(contest.Policies) {
		told = append(told, fmt.Sprintf("Most are lost by %q: %s.", worst.Policy, lostShare(worst)))
	}
	return strings.Join(told, " ")
}

// equalTo returns the names of the policies that cannot be told from the first by
// what they lost, that one included: their 95 % intervals meet its own.
func equalTo(first *results.PolicyTrial, all []results.PolicyTrial) []string {
	var names []string
	for i := range all {
		if all[i].LostPercent-all[i].LostDoubt <= first.LostPercent+first.LostDoubt {
			names = append(names, strconv.Quote(all[i].Policy))
		}
	}
	return names
}

func lostShare(t *results.PolicyTrial) string {
	switch {
	case t.Lost == 0:
		return "none"
	case t.Lost == t.Caught:
		return "all"
	default:
		return fmt.Sprintf("%.1f %% ± %.1f", t.LostPercent, t.LostDoubt)
	}
}
