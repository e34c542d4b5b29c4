package verdict

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// saturates tells the limit that was met, and what to do about it.
func (a *answer) saturates() {
	a.claim(" at", document.Rate(*a.limit()), "entities/s", "")
	a.Beside = a.against(true)
	a.names()
	a.spread()
}

// limit is the rate that the run saturates at: of its highest stretch where not all of it
// meets one limit.
func (a *answer) limit() *float64 {
	if a.summary.Saturation != nil {
		return a.summary.Saturation
	}
	var limit *float64
	for i := range a.summary.Throttling {
		if rate := a.summary.Throttling[i].Rate; rate != nil && (limit == nil || *rate > *limit) {
			limit = rate
		}
	}
	return limit
}

// against is the target that the load is held to, and with seconds between which rates the
// seconds lie that a limit rests on.
func (a *answer) against(seconds bool) string {
	var parts []string
	t, target := a.record.Manifest.Targets, int64(0)
	switch {
	case a.accountBinds():
		target = t.Account
	default:
		target = t.Partition
	}
	if target > 0 {
		parts = append(parts, "target "+document.Count(target)+"/s")
	}
	if in := a.summary.SaturationInterval; seconds && len(in) == 2 {
		parts = append(parts, fmt.Sprintf("seconds %s–%s", document.Rate(in[0]), document.Rate(in[1])))
	}
	return strings.Join(parts, " · ")
}

// spread says what the highest step loses, and over how many partitions its rate would
// have to go.
func (a *answer) spread() {
	limit := a.limit()
	if a.record.Capture != nil {
		t := traffic{&a.story, a.record.Capture, hottestSeen(a.record.Capture)}
		if t.hot != nil {
			key, _ := t.key()
			a.says(key)
		}
		return
	}
	if a.top.Phase == nil || limit == nil {
		return
	}
	figures := a.figures.Step(a.top, nil)
	lost := fmt.Sprintf("at %s/s %s is lost", document.Rate(figures.Offered), lostShareOf(figures))
	switch partitions := math.Ceil(figures.Offered / *limit * (1 - slack)); {
	case a.accountBinds() || a.full():
		a.says(lost + ": no key raises the limit of an account; shard over several accounts.")
	case partitions >= 2 && a.aimed():
		a.says(fmt.Sprintf("%s: spread this key over at least %s partitions.", lost, document.Rate(partitions)))
	default:
		a.says(lost + ".")
	}
}

// full reports whether the limit that was met is as much as the account may take.
func (a *answer) full() bool {
	target := a.record.Manifest.Targets.Account
	limit := a.limit()
	return !a.aimed() && target > 0 && limit != nil && *limit >= .98*float64(target)
}

// peak answers whether the peak that was asked about holds.
func (a *answer) peak() {
	a.claim("", document.Rate(a.record.Manifest.PeakAsked), "operations/s", "")
	if a.State == results.CannotTell {
		a.claim(" whether it holds", document.Rate(a.record.Manifest.PeakAsked), "operations/s", "")
	}
	beside := []string{a.against(false)}
	if a.summary.Saturation != nil {
		beside = append(beside, fmt.Sprintf("saturates at %s entities/s", document.Rate(*a.summary.Saturation)))
	}
	a.Beside = strings.Join(spoken(beside...), " · ")
	a.names()
	a.first(func(c *results.Check) bool { return c.Fails() }, func(c *results.Check) bool { return !c.Told() })
	if a.State == results.DoesNotHold && a.summary.Saturation != nil {
		a.spread()
	}
	a.remedy()
}

// checked tells how many checks hold, and names the first that does not.
func (a *answer) checked() {
	held, told := results.HeldOf(a.summary.Checks)
	all := len(a.summary.Checks)
	a.claim(":", fmt.Sprintf("%d of %d", held, all), plural(all, "check"), holdOrHolds(held))
	if left := all - told; left > 0 && a.State != results.CannotTell {
		a.Beside = fmt.Sprintf("%d cannot be told", left)
	}
	if a.State == results.Holds && all > 1 {
		a.says(a.kept())
	} else {
		a.first(func(c *results.Check) bool { return c.Fails() }, func(c *results.Check) bool { return !c.Told() },
			func(c *results.Check) bool { return c.Holds() })
	}
	if limit := a.limit(); limit != nil {
		a.says(strings.TrimSuffix(fmt.Sprintf("saturates at %s entities/s (%s)", document.Rate(*limit), a.against(true)), " ()"))
	}
	a.says(upheld(a.record.Invariants))
	a.remedy()
}

// kept says which rules what the run left behind keeps to, where it was looked at.
func (a *answer) kept() string {
	var names []string
	for i := range a.record.Invariants {
		if one := &a.record.Invariants[i]; one.Looked > 0 && one.Faults == 0 {
			names = append(names, shortened(one.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return document.Enumerated(names) + "."
}

// first names the first check of the gravest kind.
func (a *answer) first(kinds ...func(*results.Check) bool) {
	for _, is := range kinds {
		for i := range a.summary.Checks {
			if c := &a.summary.Checks[i]; is(c) {
				a.says(c.Result() + ": " + c.Expr + ", " + c.Said())
				return
			}
		}
	}
}

// searched tells the highest rate that was found to hold.
func (a *answer) searched(l *results.Limit) {
	switch {
	case l.Held != nil:
		before, after := "", ""
		if a.State == results.CannotTell {
			before = " beyond"
		} else if l.NotHeld == nil {
			after = "at least"
		}
		a.claim(before, document.Rate(*l.Held), "operations/s", after)
		if l.NotHeld != nil {
			a.Beside = "and not " + document.Rate(*l.NotHeld) + " · "
		}
		a.Beside += a.against(false)
	case l.NotHeld != nil && a.State == results.DoesNotHold:
		a.claim(" even", document.Rate(*l.NotHeld), "operations/s", "")
	default:
		a.claim("", "", "", "")
	}
	a.says(a.interval(l) + a.unfinished(l) + ".")
	a.remedy()
}

// balanced tells what load balancing came to.
func (a *answer) balanced() {
	b := a.summary.Balance
	switch {
	case b.Outcome == results.LoadRelieved && b.Relieved != nil:
		a.claim(" after", document.Minutes(*b.Relieved), "of load balancing", "")
	case b.Outcome == results.LoadHeld:
		a.claim(" this load", "", "", "")
	default:
		a.claim(":", "", "load balancing does not relieve it", "")
	}
	a.Beside = a.against(false)
	told := a.story.balanced()
	for _, sentence := range told[:min(len(told), 2)] {
		a.says(sentence)
	}
}

// holds tells the highest rate that was held.
func (a *answer) holds() {
	rate := ""
	if top := a.top.Phase; top != nil && !top.Varying && top.Rate > 0 && a.record.Capture == nil {
		rate = document.Rate(top.Rate)
	}
	if rate == "" {
		a.claim(" this load", "", "", "")
	} else {
		a.claim("", rate, "operations/s", "")
	}
	a.Beside = cmp.Or(a.against(false), "no limit is known")
	a.names()
	if a.top.Phase != nil && a.record.Capture == nil {
		figures := a.figures.Step(a.top, nil)
		a.says(fmt.Sprintf("of %s entities/s offered %s/s are served, and %s of the operations lost; more was not tried.",
			document.Rate(figures.Offered), document.Rate(figures.Served), lostShareOf(figures)))
		return
	}
	a.opening(1)
}

// fails tells the lowest rate that was not held.
func (a *answer) fails() {
	for i := range a.summary.Phases {
		p := &a.summary.Phases[i]
		if p.Holds == nil || *p.Holds {
			continue
		}
		a.claim("", document.Rate(p.Offered), "entities/s", "")
		if p.ShareLost != nil {
			a.Beside = document.Share(*p.ShareLost) + " lost"
		}
		break
	}
	if a.Claim == "" {
		a.claim(" this load", "", "", "")
	}
	a.names()
	if !a.throttling() {
		a.opening(1)
	}
}

// throttling says in a line what was met of it, and reports whether there is anything to
// say.
func (a *answer) throttling() bool {
	for i := range a.summary.Throttling {
		if says := a.met(&a.summary.Throttling[i]); says != "" {
			a.says(says)
			return true
		}
	}
	return false
}

func (a *answer) met(t *results.Throttling) string {
	share := document.Share(t.Share)
	switch figure.Throttling(t.Kind) {
	case figure.Moving:
		return fmt.Sprintf("%s of the attempts throttled, by no one limit: it changes from second to second.", share)
	case figure.Sporadic:
		return fmt.Sprintf("%s of the attempts throttled, of little load as of much: sporadic, and no limit.", share)
	case figure.Brief:
		return fmt.Sprintf("throttled in %s, between second %d and %d: no limit shows.", counted(t.Seconds, "second"), t.From, t.To)
	case figure.Outage:
		return fmt.Sprintf("nothing served between second %d and %d: an outage, and no limit.", t.From, t.To)
	case figure.Carried:
		return fmt.Sprintf("%s of the attempts throttled, and carried by retries: about at its limit, which cannot be told.", share)
	case figure.Undecided:
		second := ""
		if a.top.Phase != nil {
			second = fmt.Sprintf("; %s operations/s would", document.Rate(1.5*a.top.Phase.Rate))
		}
		return fmt.Sprintf("%s of the attempts throttled: one rate alone does not tell a limit from sporadic throttling%s.", share, second)
	default:
		return ""
	}
}
