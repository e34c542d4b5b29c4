package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// notMeasured is what is observed where nothing could be.
const notMeasured = "not measured"

// Holds returns whether every check of a run was judged and holds; none asked is held.
func Holds(summary *results.Summary) bool {
	held, _ := results.HeldOf(summary.Checks)
	return held == len(summary.Checks)
}

// State returns what a judged run came to, and whether what was asked of it is so: nil
// where nothing was asked, and where it cannot be told. It goes by the summary alone: what
// was asked are the checks, those of a peak among them, a search for the highest rate,
// and that no acknowledged write is lost. One thing that does not hold decides; of an
// invalid run nothing is told.
func State(s *results.Summary) (state string, ok *bool) {
	asked := askedOf(s)
	is := func(value bool) func(*bool) bool {
		return func(one *bool) bool { return one != nil && *one == value }
	}
	switch {
	case s.Validity == results.Invalid:
		return results.CannotTell, nil
	case slices.ContainsFunc(asked, is(false)):
		return results.DoesNotHold, new(false)
	case slices.Contains(asked, nil):
		return results.CannotTell, nil
	case len(asked) > 0:
		return results.Holds, new(true)
	case slices.ContainsFunc(s.Throttling, func(t results.Throttling) bool { return t.Rate != nil }), s.Saturation != nil:
		return results.Saturates, nil
	case s.Validity != results.Valid:
		return results.CannotTell, nil
	case s.Balance != nil && s.Balance.Outcome == results.LoadThrottled:
		return results.DoesNotHold, nil
	case s.Balance != nil:
		return results.Holds, nil
	}
	switch borne := bears(s); {
	case borne == nil:
		return results.CannotTell, nil
	case *borne:
		return results.Holds, nil
	default:
		return results.DoesNotHold, nil
	}
}

// Asked reports whether anything was asked of a run.
func Asked(s *results.Summary) bool { return len(askedOf(s)) > 0 }

// askedOf returns what became of each thing that was asked, nil where that cannot be told.
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
		// Where the scenario says itself how many violations there are to be, that decides.
		asked = append(asked, new(false))
	}
	return asked
}

// answered reports whether a search found the highest rate that holds: false where not
// even the lowest does, nil where what it came to says nothing of the target.
func answered(l *results.Limit, validity string) *bool {
	switch {
	case l.ClientLimited(), validity != results.Valid, !l.Finished, l.Held == nil && l.NotHeld == nil:
		return nil
	default:
		return new(l.Held != nil)
	}
}

// bears reports whether a run of which nothing was asked shows that its load is borne: false
// where any phase does not hold, else nil where one cannot be told, or there is none.
func bears(s *results.Summary) *bool {
	var borne *bool
	for i := range s.Phases {
		holds := s.Phases[i].Holds
		if holds != nil && !*holds {
			return holds
		}
		if i == 0 || holds == nil {
			borne = holds
		}
	}
	return borne
}

// checks judges everything that was asked: of the peak first, then what the
// scenario claims.
func checks(record *results.Record, summary *results.Summary, figures *figure.Figures, holds func(figure.Step) figure.Holding) []results.Check {
	list := []results.Check{}
	list = append(list, ofPeak(record, summary, figures, holds)...)
	return append(list, claims(record, summary, figures, holds)...)
}

// ofPeak judges the peak that was asked for on the step of its rate, by what it takes to
// hold a rate. Where it is known at which rate the partition saturates, the peak must not
// lie beyond the best second of that: a step is short, and what an idle partition has
// saved up can carry it. What was throttled is the target's own word, however late it was
// asked; that little was says nothing of a peak that the generator did not offer in time.
func ofPeak(record *results.Record, summary *results.Summary, figures *figure.Figures, holds func(figure.Step) figure.Holding) []results.Check {
	asked := record.Manifest.PeakAsked
	if asked <= 0 {
		return nil
	}
	rate := document.Plainly(asked)
	throttled := results.Check{Expr: fmt.Sprintf("share_throttled_settled(peak %s/s) <= 0.5%%", rate)}
	lost := results.Check{Expr: fmt.Sprintf("share_lost_settled(peak %s/s) <= 0%%", rate)}
	within := results.Check{Expr: fmt.Sprintf("offered(peak %s/s) <= saturation", rate)}
	step, found := atPeak(asked, figure.Steps(record))
	why := unfit(summary.Validity)
	if why == "" && !found {
		why = "no step of that rate was reached"
	}
	if why != "" {
		return untold([]results.Check{throttled, lost, within}, why)
	}
	holding := holds(step)
	unless := cmp.Or(holding.Why, holding.Unsent)
	for _, one := range []struct {
		check *results.Check
		name  string
		most  float64
	}{{&throttled, "share_throttled_settled", figure.MostFirstThrottled}, {&lost, "share_lost_settled", 0}} {
		if v := figures.OfStep(one.name, step, nil); v.Told {
			judge(one.check, document.CutShare(v.Value), v.Value <= one.most || holding.Why != "", unless)
		} else {
			cannotTell(one.check, nothingSent)
		}
	}
	offered := figures.OfStep("offered", step, nil).Value
	if summary.Saturation == nil {
		judge(&within, "not saturated", true, unless)
	} else {
		judge(&within, fmt.Sprintf("%s of %s", document.Rate(offered), document.Rate(*summary.Saturation)), offered <= summary.SaturationInterval[1], unless)
	}
	return []results.Check{throttled, lost, within}
}

// nothingSent is why a step without attempts tells nothing.
const nothingSent = "nothing was sent in its step"

// judge enters what was observed: it fails where it is not so, and holds where there is
// nothing that it cannot be told for.
func judge(c *results.Check, observed string, is bool, unless string) {
	if is && unless != "" {
		cannotTell(c, unless)
		return
	}
	c.Observed, c.Ok = observed, new(is)
}

// cannotTell enters why a check could not be judged.
func cannotTell(c *results.Check, why string) { c.Observed, c.Ok, c.Why = notMeasured, nil, why }

func untold(list []results.Check, why string) []results.Check {
	for i := range list {
		cannotTell(&list[i], why)
	}
	return list
}

// atPeak returns the step of the rate that was asked for, the last of equal
// ones.
func atPeak(asked float64, steps []figure.Step) (figure.Step, bool) {
	var peak figure.Step
	for _, step := range steps {
		if step.Phase.Rate == asked {
			peak = step
		}
	}
	return peak, peak.Phase != nil
}
