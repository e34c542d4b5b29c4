package verdict

import (
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// notMeasured is the observed value of a check that could not be judged.
const notMeasured = "not measured"

// AllChecksHold reports whether every check of a run was judged and holds; true without checks.
func AllChecksHold(summary *results.Summary) bool {
	held, _ := results.HeldOf(summary.Checks)
	return held == len(summary.Checks)
}

// State returns the state of a judged run, and whether what was asked holds, nil if nothing was asked or the answer is
// unknown. Both follow from the summary alone. The state is that of captured traffic, of the peak, of the search, or
// else of the load. Checks, a peak, a search and verified writes are questions: if one does not hold, ok is false.
func State(s *results.Summary) (state string, ok *bool) {
	if s.Validity == results.Invalid {
		return results.CannotTell, nil
	}
	if s.Soundness != "" {
		return s.Soundness, nil
	}
	ok = together(askedOf(s))
	limited := s.Saturation != nil || slices.ContainsFunc(s.Throttling, func(t results.Throttling) bool { return t.Rate != nil })
	switch {
	case !s.Audit.IsComplete(), len(s.Checks) == 0 && broken(s.Invariants) != nil:
		return results.DoesNotHold, ok
	case s.PeakState != "":
		return s.PeakState, ok
	case s.Limit != nil:
		return stateName(answered(s.Limit, s.Validity)), ok
	case limited:
		return results.Saturates, ok
	case s.Validity != results.Valid:
		return results.CannotTell, ok
	case s.Balance != nil:
		return stateName(new(s.Balance.Outcome == results.LoadHeld)), ok
	case len(s.Phases) == 0:
		return stateName(ok), ok
	}
	// Without a question, the run shows whether its load is sustained.
	var borne []*bool
	for i := range s.Phases {
		borne = append(borne, s.Phases[i].Holds)
	}
	return stateName(together(borne)), ok
}

// together combines answers: false if any is, else nil if one is unknown or there is none.
func together(answers []*bool) *bool {
	switch {
	case slices.ContainsFunc(answers, func(one *bool) bool { return one != nil && !*one }):
		return new(false)
	case len(answers) == 0 || slices.Contains(answers, nil):
		return nil
	default:
		return new(true)
	}
}

// stateName returns the state for true, false and nil.
func stateName(holds *bool) string {
	switch {
	case holds == nil:
		return results.CannotTell
	case *holds:
		return results.Holds
	default:
		return results.DoesNotHold
	}
}

// askedOf returns the answer to each question, nil if it is unknown.
func askedOf(s *results.Summary) []*bool {
	var asked []*bool
	for i := range s.Checks {
		asked = append(asked, s.Checks[i].Ok)
	}
	if l := s.Limit; l != nil {
		asked = append(asked, answered(l, s.Validity))
	}
	if s.Audit != nil {
		asked = append(asked, new(s.Audit.Sound()))
	}
	if len(s.Checks) == 0 && broken(s.Invariants) != nil {
		// If the scenario checks the number of violations, that check decides.
		asked = append(asked, new(false))
	}
	return asked
}

// answered reports whether a search found a rate that holds: false if even the lowest does not, nil if the search says
// nothing about the target.
func answered(l *results.Limit, validity string) *bool {
	switch {
	case l.ClientLimited(), validity != results.Valid, !l.Finished, l.Held == nil && l.NotHeld == nil:
		return nil
	default:
		return new(l.Held != nil)
	}
}

// checks judges the peak, on the step of its rate, then the checks of the scenario in their order.
func (e *evidence) checks() []results.Check {
	list := []results.Check{}
	if asked := e.Manifest.PeakAsked; asked > 0 {
		c := results.Check{Expr: fmt.Sprintf("sustained(peak %s/s)", document.Plainly(asked))}
		step, found := atPeak(asked, e.steps)
		why := unfit(e.Summary.Validity)
		if why == "" && !found {
			why = "no step of that rate was reached"
		}
		if why == "" {
			holding := e.holding(step)
			why, c.Observed, c.Ok = holding.Why, e.sustainedBy(step), &holding.Holds
		}
		if why != "" {
			c = unknownCheck(c.Expr, why)
		}
		e.Summary.PeakState = stateName(c.Ok)
		list = append(list, c)
	}
	for _, text := range e.Manifest.Checks {
		list = append(list, e.claimed(text))
	}
	return list
}

// sustainedBy returns the figures that decide whether a step sustains its rate, as text. They are
// of the whole step.
func (e *evidence) sustainedBy(step figure.Step) string {
	sum := step.Sum(nil)
	text := fmt.Sprintf("%s of the first attempts throttled, %s lost", document.CutShare(figure.ShareOf(sum.FirstThrottled, sum.Sent)),
		document.CutShare(figure.ShareOf(max(0, sum.Scheduled-sum.Succeeded), sum.Scheduled)))
	if e.figures.Grows(step) {
		text += ", and response times grow to the end"
	}
	return text
}

// unknownCheck returns a check that could not be judged, and why.
func unknownCheck(expression, why string) results.Check {
	return results.Check{Expr: expression, Observed: notMeasured, Why: why}
}

// atPeak returns the last step with the rate of the peak.
func atPeak(asked float64, steps []figure.Step) (figure.Step, bool) {
	var peak figure.Step
	for _, step := range steps {
		if step.Phase.Rate == asked {
			peak = step
		}
	}
	return peak, peak.Phase != nil
}
