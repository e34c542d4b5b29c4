package advise

import (
	"cmp"
	"strings"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// answer returns whether the load is sustained, whether the answer to the question is yes, and why one of
// them is unknown.
func (e *Explanation) answer() (state string, ok *bool, why string) {
	d := e.Used()
	if d.Rehearsal == nil {
		return results.Holds, nil, ""
	}
	r := d.Rehearsal
	state, asked := r.State(), cmp.Or(r.checkState(), r.State())
	untried := d.untried(e.Targets.Partition, e.warm)
	switch {
	case r.lineBound != "" && state != results.DoesNotHold:
		state, why = results.CannotTell, sentence("why/line", r.lineBound)
	case r.isSplit():
		why = sentence("why/seeds", r.Seeds)
		if r.Most > 0 {
			why += sentence("why/throttled", r.Least, r.Most)
		}
	case !r.Whole && asked == results.CannotTell:
		why = sentence("why/part", r.Operations)
	case untried != "" && state == results.Holds:
		state, why = results.CannotTell, untried
	case asked == results.CannotTell:
		why = sentence("why/check")
	}
	switch {
	case asked == results.DoesNotHold:
		return state, new(false), why
	case asked == results.Holds && (state != results.CannotTell || r.isSplit()):
		return state, new(true), why
	default:
		return state, nil, why
	}
}

// claim returns the answer for a document.
func (e *Explanation) claim() document.Answer {
	d := e.Used()
	r := d.Rehearsal
	if r == nil {
		return document.Answer{Claim: sentence("answer/no-load")}
	}
	before, phase := "", "" // of all phases
	switch e.State {
	case results.CannotTell:
		before = " at"
	case results.DoesNotHold:
		phase = r.Phase
	}
	// The claim names the rate that was asked for. Clients and traces ask for none: their busiest second
	// counts.
	offered := 0.0
	for i := range d.Loads {
		if l := &d.Loads[i]; phase == "" || l.Phase == phase {
			offered = max(offered, cmp.Or(l.Asked, l.PerSecond))
		}
	}
	a := document.Claimed(e.State, before, document.Rate(offered), "operations/s", "")
	if e.State == results.DoesNotHold && e.Ok != nil && *e.Ok {
		a.Claim = strings.Replace(a.Claim, strings.ToUpper(e.State), "does not sustain", 1)
	}
	a.Claim += verdict.CheckCount(r.Checks)
	a.Mark = document.MarkOf(e.State, true, e.Ok)
	// The target that a growing load would reach first.
	hottest, busiest := d.peaks()
	rate, target, condition := hottest.Hottest.Value, e.Targets.Partition, "answer/partition"
	if share(busiest.Account.Value, e.Targets.Account) > share(rate, target) {
		rate, target, condition = busiest.Account.Value, e.Targets.Account, "answer/account"
	}
	if target > 0 && !r.isElsewhere() {
		a.Beside = sentence(condition, rate, target)
	}
	a.Says = e.reasons(d)
	if t := &e.Targets; target > 0 && (t.Partition != documentedPartition || t.Account != documentedAccount) {
		a.Says = append(a.Says, sentence("answer/targets", documentedPartition, documentedAccount))
	}
	return a
}

// reasons returns the evidence of the claim about a design, and the remedy.
func (e *Explanation) reasons(d *Design) (list []string) {
	r := d.Rehearsal
	if e.Why != "" {
		list = append(list, strings.ToUpper(e.Why[:1])+e.Why[1:]+".")
	}
	list = append(list, r.evidence(e.State)...)
	// The load with most inserts of those that fall on a few places at a time.
	var tailed *Load
	for i := range d.Loads {
		if l := &d.Loads[i]; l.Events && l.Keys.order.Capacity(1, 1) != "" && (tailed == nil || l.Inserts > tailed.Inserts) {
			tailed = l
		}
	}
	if tailed != nil && e.State != results.Holds && (r.mainLimit() == "" || r.isElsewhere()) {
		list = append(list, tailed.Keys.order.Capacity(e.Targets.Partition, e.Targets.ofAll()))
	}
	about := "PartitionKey " + d.PartitionKey
	if d.Name != "" {
		about = "Design " + d.Name + ", " + about
	}
	if hottest, _ := d.peaks(); hottest.isPlaced() {
		about += ": the hottest is " + document.Key(hottest.Hottest.PartitionKey, keyWidth)
	}
	list = append(list, about+".")
	if change := firstChange(e.Findings); change != "" && e.State != results.Holds {
		list = append(list, change)
	}
	return list
}

// evidence returns which checks fail, how much is throttled, by which limit most, and in which bursts.
func (r *Rehearsal) evidence(state string) (list []string) {
	// Above nearlyAll one limit counts as the only one.
	const nearlyAll = 0.98
	var failed []string
	for i := range r.Checks {
		if one := &r.Checks[i]; one.Fails() {
			failed = append(failed, one.Expr+": "+one.Said())
		}
	}
	if len(failed) > 0 {
		list = append(list, document.Enumerated(failed)+".")
	}
	attempts := document.Counted(int(r.Attempts), "attempt")
	if r.Seeds > 1 {
		attempts = sentence("answer/seeds", attempts, document.Counted(r.Seeds, "seed"))
	}
	switch {
	case state == results.DoesNotHold:
		list = append(list, sentence("answer/lost", r.Phase, r.Throttled, r.Lost))
	case state != results.Holds:
	case r.Most == 0:
		list = append(list, sentence("answer/none", attempts))
	case r.Seeds == 1:
		list = append(list, sentence("answer/some", attempts, r.Throttled))
	default:
		list = append(list, sentence("answer/range", attempts, r.Least, r.Most))
	}
	if limit := r.mainLimit(); limit != "" && r.Throttled > maxThrottled {
		all := int64(0)
		for _, n := range r.ThrottledBy {
			all += n
		}
		condition, part := "answer/limit", figure.ShareOf(r.ThrottledBy[limit], all)
		if part <= nearlyAll {
			condition = "answer/main-limit"
		}
		list = append(list, sentence(condition, strings.TrimPrefix(sentence("limit/"+limit), "limit/"), part))
	}
	if burst := verdict.Bucket(r.record); burst != "" {
		list = append(list, burst)
	}
	return list
}
