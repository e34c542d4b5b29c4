package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// saturates tells the limit that was met, and what to do about it.
func (a *answer) saturates() {
	limit, whose := a.limit(), ""
	l := a.ladder(limit)
	if l != nil && len(l.Kinds) > 0 {
		whose = ": " + document.Enumerated(l.Kinds)
	}
	a.claim(whose+" at", document.Rate(*limit), "entities/s", "")
	a.Beside = a.against(true)
	if l != nil {
		if how := howSaturated(l); how != "" {
			a.says(sentence(how))
		}
	}
	a.names()
	a.spread()
	if a.record.Capture == nil {
		return
	}
	if hot := hottestSeen(a.record.Capture); hot != nil && hot.Limited != "" && saturates(hot) {
		a.claim(fmt.Sprintf(": %s at", hot.Limited), a.Number, a.Unit, "· "+hot.Free+" is not limited")
		a.Says = slices.Insert(a.Says, 0, limitedGroup(hot)+".")
	}
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
	t := a.record.Manifest.Targets
	switch {
	case (a.accountBinds() || a.full()) && t.Account > 0:
		parts = append(parts, "target "+document.Count(t.Account)+"/s an account")
	case t.Partition > 0 && a.aimed():
		parts = append(parts, "target "+document.Count(t.Partition)+"/s")
	case t.Partition > 0:
		parts = append(parts, "target "+document.Count(t.Partition)+"/s a partition")
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
	ladder := a.ladder(limit)
	if ladder == nil {
		return
	}
	top, any := figure.Highest(ladder.Steps)
	if !any {
		return
	}
	figures := a.figures.Step(top, nil)
	offered, lost := figures.Offered, ""
	if len(ladder.Kinds) > 0 {
		offered = a.figures.Step(top, func(kind results.Kind) bool { return slices.Contains(ladder.Kinds, kind.Name) }).Offered
	}
	if top.Phase.Varying {
		offered = a.busiest(top)
		lost = fmt.Sprintf("in its busiest second %s/s are offered, and of all %s is lost", document.Rate(offered), document.Told(figures.ShareLost, document.Share))
	} else {
		late := ""
		if holdsIn(a.record, a.figures)(top).Unsent != "" {
			// What comes after its step meets less load there, and is lost less.
			late = ", sent late in part,"
		}
		lost = fmt.Sprintf("at %s/s%s %s is lost", document.Rate(offered), late, lostShareOf(figures))
	}
	if len(a.figures.Ladders()) > 1 {
		lost = "in " + shortened(ladder.Stage) + " " + lost
	}
	switch partitions := math.Ceil(offered / *limit * (1 - slack)); {
	case a.accountBinds() || a.full():
		a.says(lost + ": no key raises the limit of an account; shard over several accounts.")
	case !a.knowsPartitionLimit():
		if figures.ShareLostSettled == nil || *figures.ShareLostSettled > 0 {
			a.says(lost + ".")
		}
		a.says(sharedLimitUnknown)
	case partitions >= 2 && a.aimed():
		a.says(fmt.Sprintf("%s: spread this key over at least %s partitions.", lost, document.Rate(partitions)))
	default:
		a.says(lost + ".")
	}
}

// ladder is the stretch of load whose limit is so much, or that meets one.
func (a *answer) ladder(limit *float64) *figure.Ladder {
	list := a.figures.Ladders()
	var met *figure.Ladder
	for i := range list {
		if limit == nil || !list[i].Saturation().Told {
			continue
		}
		if met == nil || list[i].Rate == *limit {
			met = &list[i]
		}
	}
	return met
}

// busiest is the most entities that a whole second of a step was offered.
func (a *answer) busiest(step figure.Step) float64 {
	most := 0.0
	for i := range a.record.Intervals {
		row := &a.record.Intervals[i]
		if begin, end := row.Span(); begin >= step.Phase.Begin && end <= step.Phase.End {
			most = max(most, row.PerSecond(row.Offered))
		}
	}
	return most
}

// full reports whether the limit that was met is as much as all accounts may take.
func (a *answer) full() bool {
	m := &a.record.Manifest
	limit := a.limit()
	return !a.aimed() && m.Targets.Account > 0 && limit != nil && *limit >= .98*float64(m.Targets.Account*int64(max(1, m.Accounts)))
}

// addChecks adds the number of checks that pass to the claim, and puts the first check that does
// not pass before all other sentences.
func (a *answer) addChecks() {
	checks := a.summary.Checks[len(a.ofPeak()):]
	if len(checks) == 0 {
		return
	}
	held, _ := results.HeldOf(checks)
	a.Claim = strings.TrimSuffix(a.Claim, ":") + CheckCount(checks)
	says := a.Says
	a.Says = nil
	if held < len(checks) || len(checks) == 1 {
		all := a.summary.Checks
		first := slices.IndexFunc(all, func(c results.Check) bool { return c.Fails() })
		if first < 0 {
			first = max(0, slices.IndexFunc(all, func(c results.Check) bool { return !c.Told() }))
		}
		a.says(fmt.Sprintf("%s: %s; observed: %s", strings.ToLower(all[first].Result()), all[first].Expr, all[first].Said()))
	} else {
		var kept []string
		for i := range a.record.Invariants {
			if one := &a.record.Invariants[i]; one.Looked > 0 && one.Faults == 0 {
				kept = append(kept, shortened(one.Name))
			}
		}
		if len(kept) > 0 {
			a.says(document.Enumerated(kept) + ".")
		}
	}
	// With checks there is room for one sentence on the load.
	a.Says = append(a.Says, says[max(0, len(says)-1):]...)
	a.says(upheld(a.record.Invariants))
}

// CheckCount returns how many checks fail, cannot be told or pass, the first of these that
// applies, as text that follows a claim; empty without checks.
func CheckCount(checks []results.Check) string {
	held, told := results.HeldOf(checks)
	number, verb := held, "pass"
	switch {
	case len(checks) == 0:
		return ""
	case told > held:
		number, verb = told-held, "fail"
	case told < len(checks):
		return fmt.Sprintf("; %d of %s cannot be told", len(checks)-told, document.Counted(len(checks), "check"))
	}
	if number == 1 {
		verb = map[string]string{"pass": "passes", "fail": "fails"}[verb]
	}
	return fmt.Sprintf("; %d of %s %s", number, document.Counted(len(checks), "check"), verb)
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
	if l.Sporadic > 0 {
		a.says(sporadicSearch(l))
	}
	a.remedy()
}

// claimRecovery claims that a load was not sustained at first, and holds later.
func (a *answer) claimRecovery(until string, lost figure.Value) {
	share := "an unknown share"
	if lost.Told {
		share = document.Share(lost.Value)
	}
	a.claim(" for the first", until, "("+share+" lost),", "holds from then on")
	a.Beside = a.against(false)
	if a.summary.Balance != nil {
		a.sayFirst(a.balanced())
	}
}

// sayFirst adds the first two sentences.
func (a *answer) sayFirst(told []string) {
	for _, sentence := range told[:min(len(told), 2)] {
		a.says(sentence)
	}
}

// shortest is how many seconds of a step it takes to speak of a rate that holds: for the
// first an idle partition has saved up.
const shortest = 2

// holds tells the highest rate that was held: of a load of several stretches, of one that
// varies, and of clients that wait, only that it is.
func (a *answer) holds() {
	top := a.top
	one := top.Phase != nil && a.record.Capture == nil && len(a.figures.Ladders()) < 2
	figures := results.PhaseOperationSummary{}
	if one {
		figures = a.figures.Step(top, nil)
		one = figures.Offered > 0
	}
	if one && !top.Phase.Varying && top.Phase.Rate > 0 {
		a.claim("", document.Rate(top.Phase.Rate), "operations/s", "")
	} else {
		a.claim(" this load", "", "", "")
	}
	a.Beside = cmp.Or(a.against(false), "no limit is known")
	a.names()
	if !one {
		a.opening(1)
		return
	}
	a.throttling()
	lost := document.Told(figures.ShareLost, document.Share)
	a.says(fmt.Sprintf("of %s entities/s offered %s/s are served, and %s of the operations lost; more was not tried.",
		document.Rate(figures.Offered), document.Rate(figures.Served), lost))
	if top.Seconds() < shortest {
		a.says("so short a step shows little: give it 2 s at least.")
	}
}

// fails tells the lowest rate that was not held, and by what.
func (a *answer) fails() {
	var worst *results.PhaseSummary
	varies := false
	for i := range a.summary.Phases {
		p := &a.summary.Phases[i]
		if p.Holds != nil && !*p.Holds && (worst == nil || p.Offered < worst.Offered) {
			worst = p
		}
	}
	for _, step := range a.steps {
		varies = varies || step.Phase.Varying
	}
	if len(a.steps) == 1 && a.top.Phase != nil {
		if until, clean := a.figures.Trouble(a.top); clean {
			a.claimRecovery(document.Seconds(until)+" s", a.figures.OfStep("share_lost", a.top, nil))
			a.names()
			a.throttling()
			return
		}
	}
	if worst == nil || varies || worst.Offered == 0 {
		a.claim(" this load", "", "", "")
	} else {
		a.claim("", document.Rate(worst.Offered), "entities/s", "")
	}
	if worst != nil {
		parts := []string{a.against(false)}
		if worst.Served > 0 && !varies {
			parts = append(parts, document.Rate(worst.Served)+"/s served")
		}
		if worst.ShareLost != nil {
			parts = append(parts, document.Share(*worst.ShareLost)+" lost")
		}
		a.Beside = strings.Join(spoken(parts...), " · ")
	}
	a.names()
	if !a.throttling() {
		a.opening(1)
	}
}
