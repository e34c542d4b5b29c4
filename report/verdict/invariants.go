package verdict

import (
	"fmt"

	"loadgen/results"
)

// upheld says in the verdict that what must hold of what the run left behind does not,
// empty where it does or nobody looked.
//
// Faults do not fail a run by themselves, as acknowledged writes that are lost do: those
// the service answers for, these the design that was chosen, and a scenario may be there
// to show them. It says so by its claims, `faults == 0` or another.
func upheld(invariants []results.Invariant) string {
	broken, faults := 0, int64(0)
	for i := range invariants {
		if invariants[i].Faults > 0 {
			broken++
			faults += invariants[i].Faults
		}
	}
	switch {
	case broken == 0:
		return ""
	case len(invariants) == 1:
		return fmt.Sprintf("what the run left behind is not as it must be, in %s of %s cases looked at.",
			Count(faults), Count(invariants[0].Looked))
	default:
		return fmt.Sprintf("what the run left behind is not as it must be, by %s of %s rules, in %s cases.",
			Count(int64(broken)), Count(int64(len(invariants))), Count(faults))
	}
}

// invariantFindings returns what does not hold of what the run left behind, and what
// nothing can be said of, one sentence each.
func invariantFindings(invariants []results.Invariant) []string {
	var found []string
	for i := range invariants {
		switch one := &invariants[i]; {
		case one.Faults > 0:
			found = append(found, fmt.Sprintf("Not so in %s of %s cases looked at: %s.", Count(one.Faults), Count(one.Looked), one.Name))
		case one.Looked == 0:
			found = append(found, fmt.Sprintf("The run left nothing behind to look at, so that nobody knows whether this holds: %s.", one.Name))
		}
	}
	return found
}
