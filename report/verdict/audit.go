package verdict

import (
	"fmt"

	"loadgen/report/document"
	"loadgen/results"
)

// auditFindings returns what became of the writes that were verified, one sentence
// each.
func auditFindings(audit *results.Audit) []string {
	if audit == nil {
		return nil
	}
	var found []string
	if own := audit.Own409 + audit.Own412 + audit.Own404; own > 0 {
		found = append(found, fmt.Sprintf("%s retries met their own success, after a reply that was lost: "+
			"%s inserts (409), %s conditional writes (412), %s deletions (404).",
			document.Count(own), document.Count(audit.Own409), document.Count(audit.Own412), document.Count(audit.Own404)))
	}
	if audit.ForeignConflicts > 0 {
		found = append(found, fmt.Sprintf("Writes met %s conflicts with what somebody else had written before them.",
			document.Count(audit.ForeignConflicts)))
	}
	if audit.Blind > 0 && !audit.Kept() {
		found = append(found, fmt.Sprintf("The client overwrote %s more acknowledged writes itself: it wrote without a condition (If-Match: *).",
			document.Count(audit.Blind)))
	}
	if audit.Unknown > 0 {
		found = append(found, fmt.Sprintf("Of %s writes nobody knows whether they were carried out: "+
			"their last attempt had no reply, and none was sent after it.", document.Count(audit.Unknown)))
	}
	if audit.Overwritten > 0 {
		found = append(found, fmt.Sprintf("%s entities were written last by somebody whom this run does not know: "+
			"whether its own writes were there before, they do not show.", document.Count(audit.Overwritten)))
	}
	return found
}

// audited says in the verdict what verifying the writes came to, empty where they
// were not.
func audited(audit *results.Audit) string {
	switch {
	case audit == nil:
		return ""
	case !audit.Sound() && audit.Kept():
		return fmt.Sprintf("the client overwrote %s of %s acknowledged writes without a condition (If-Match: *).",
			document.Count(audit.Lost), document.Count(audit.Acknowledged))
	case !audit.Sound():
		return fmt.Sprintf("the table broke its word: of %s acknowledged writes %s are lost, "+
			"and counters were raised %s times too often.", document.Count(audit.Acknowledged), document.Count(audit.Lost-audit.Blind), document.Count(audit.Doubled))
	case audit.ReadBack < audit.Keys:
		return fmt.Sprintf("whether acknowledged writes are there is not known of %s of the %s entities written: "+
			"they were not read back.", document.Count(audit.Keys-audit.ReadBack), document.Count(audit.Keys))
	case audit.Keys == 0:
		return "there was no acknowledged write to be read back."
	default:
		return fmt.Sprintf("every acknowledged write was found again, in %s entities.", document.Count(audit.ReadBack))
	}
}

// upheld says in the verdict that what must hold of what the run left behind does not,
// empty where it does or nobody looked.
//
// Faults do not fail a run by themselves, as acknowledged writes that are lost do: those
// the service answers for, these the design that was chosen, and a scenario may be there
// to show them. It says so by its claims, `violations == 0` or another.
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
			document.Count(faults), document.Count(invariants[0].Looked))
	default:
		return fmt.Sprintf("what the run left behind is not as it must be, by %s of %s rules, in %s cases.",
			document.Count(int64(broken)), document.Count(int64(len(invariants))), document.Count(faults))
	}
}

// broken returns the first invariant that does not hold, nil where all do.
func broken(invariants []results.Invariant) *results.Invariant {
	for i := range invariants {
		if invariants[i].Faults > 0 {
			return &invariants[i]
		}
	}
	return nil
}
