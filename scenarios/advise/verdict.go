package advise

import (
	"cmp"
	"fmt"
	"strings"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios/advise/keystatistics"
)

// answer returns whether the load is sustained, whether what was asked is so, and why one
// of them cannot be told, if so.
func (e *Explanation) answer() (state string, ok *bool, why string) {
	d := e.Used()
	if d.Rehearsal == nil {
		return results.Holds, nil, ""
	}
	r := d.Rehearsal
	state, asked := r.State(), cmp.Or(r.checkState(), r.State())
	tails := d.untried(e.Targets.Partition, e.warm)
	switch {
	case r.lined != "" && state != results.DoesNotHold:
		state, why = results.CannotTell, "most attempts of phase "+r.lined+" wait for the client's line, not for the service"
	case r.split():
		why = fmt.Sprintf("of %d seeds some hold and some do not", r.Seeds)
		if r.Most > 0 {
			why += fmt.Sprintf(": from %s to %s of the first attempts are throttled", document.Share(r.Least), document.Share(r.Most))
		}
	case !r.Whole && asked == results.CannotTell:
		why = fmt.Sprintf("only the first %s of its operations were looked at; `loadgen simulate` looks at all",
			document.Count(r.Operations))
	case tails != "" && state == results.Holds:
		state, why = results.CannotTell, tails
	case asked == results.CannotTell:
		why = "a check has too little to rest on"
	}
	switch {
	case asked == results.DoesNotHold:
		return state, new(false), why
	case asked == results.Holds && (state != results.CannotTell || r.split()):
		return state, new(true), why
	default:
		return state, nil, why
	}
}

// untried says why a design that holds on a warm start may not: the model then has a place
// for each PartitionKey, and where inserts come in order there is one for all of them. It is
// empty where nothing of that kind bears more than its target.
func (d *Design) untried(target int64, warm bool) string {
	for i := range d.Loads {
		l := &d.Loads[i]
		if warm && target > 0 && l.Events && l.Keys.verdict == keystatistics.SeveralTails && l.onTail() > float64(target) {
			return fmt.Sprintf("inserts fall on %s at a time, %s/s on one that bears %s/s; a warm start does not try that, `--set start=cold` does",
				document.Counted(l.Keys.Tails, "place"), document.Rate(l.onTail()), document.Count(target))
		}
		if warm && target > 0 && l.Events && l.Keys.Hot && l.atOnce() > float64(target) {
			return fmt.Sprintf("inserts come %s, %s/s at one place that bears %s/s; a warm start does not try that, `--set start=cold` does",
				l.Keys.Order, document.Rate(l.atOnce()), document.Count(target))
		}
	}
	return ""
}

// claim is the answer in a few words.
func (e *Explanation) claim() document.Answer {
	d := e.Used()
	r := d.Rehearsal
	if r == nil {
		return document.Answer{Claim: "No phase offers load: there is no peak to hold"}
	}
	before, phase := "", "" // of all phases
	switch e.State {
	case results.CannotTell:
		before = " at"
	case results.DoesNotHold:
		phase = r.Phase
	}
	// Where rates vary, or clients wait, the busiest second counts.
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
	// What the load would meet first if it grew.
	hottest, busiest := d.peaks()
	rate, target, each := hottest.Hottest.Value, e.Targets.Partition, "a partition"
	if share(busiest.Account.Value, e.Targets.Account) > share(rate, target) {
		rate, target, each = busiest.Account.Value, e.Targets.Account, "an account"
	}
	if target > 0 && !r.elsewhere() {
		a.Beside = fmt.Sprintf("%s of %s/s %s", document.Rate(rate), document.Count(target), each)
	}
	a.Says = e.reasons(d)
	if t := &e.Targets; target > 0 && (t.Partition != documentedPartition || t.Account != documentedAccount) {
		a.Says = append(a.Says, fmt.Sprintf("Azure's documented targets are %s and %s.", document.Count(documentedPartition),
			document.Count(documentedAccount)))
	}
	return a
}

// reasons say in sentences what the claim about a design rests on, and what to do.
func (e *Explanation) reasons(d *Design) (list []string) {
	r := d.Rehearsal
	if e.Why != "" {
		list = append(list, strings.ToUpper(e.Why[:1])+e.Why[1:]+".")
	}
	list = append(list, r.says(e.State)...)
	// The load with most inserts of those that fall on a few places at a time.
	var tailed *Load
	for i := range d.Loads {
		if l := &d.Loads[i]; l.Events && l.Keys.order.Bears(1, 1) != "" && (tailed == nil || l.Inserts > tailed.Inserts) {
			tailed = l
		}
	}
	if tailed != nil && e.State != results.Holds && (r.most() == "" || r.elsewhere()) {
		list = append(list, tailed.Keys.order.Bears(e.Targets.Partition, e.Targets.ofAll()))
	}
	about := "PartitionKey " + d.PartitionKey
	if d.Name != "" {
		about = "Design " + d.Name + ", " + about
	}
	if hottest, _ := d.peaks(); hottest.placed() {
		about += ": the hottest is " + document.Key(hottest.Hottest.PartitionKey, keyWidth)
	}
	list = append(list, about+".")
	if change := firstChange(e.Findings); change != "" && e.State != results.Holds {
		list = append(list, change)
	}
	return list
}

// says tells of a load in such a state which checks fail, how much is throttled, by which limit
// most, and in which bursts.
func (r *Rehearsal) says(state string) (list []string) {
	var failed []string
	for i := range r.Checks {
		if one := &r.Checks[i]; one.Fails() {
			failed = append(failed, fmt.Sprintf("%s: %s", one.Expr, one.Said()))
		}
	}
	if len(failed) > 0 {
		list = append(list, document.Enumerated(failed)+".")
	}
	of := document.Counted(int(r.Attempts), "attempt")
	if r.Seeds > 1 {
		of += " by each of " + document.Counted(r.Seeds, "seed")
	}
	switch {
	case state == results.DoesNotHold:
		list = append(list, fmt.Sprintf("Of phase %s %s of the first attempts are throttled, and %s of the operations lost.", r.Phase,
			document.Share(r.Throttled), document.Share(r.Lost)))
	case state != results.Holds:
	case r.Most == 0:
		list = append(list, fmt.Sprintf("Of %s none is throttled.", of))
	case r.Seeds == 1:
		list = append(list, fmt.Sprintf("Of %s %s are throttled.", of, document.Share(r.Throttled)))
	default:
		list = append(list, fmt.Sprintf("Of %s %s to %s are throttled.", of, document.Share(r.Least), document.Share(r.Most)))
	}
	if limit := r.most(); limit != "" && r.Throttled > mostThrottled {
		all := int64(0)
		for _, n := range r.ThrottledBy {
			all += n
		}
		what := "What"
		if part := figure.ShareOf(r.ThrottledBy[limit], all); part <= nearlyAll {
			what = document.Share(part) + " of what"
		}
		list = append(list, fmt.Sprintf("%s is throttled meets %s.", what, limitsInWords[limit]))
	}
	if burst := verdict.Bucket(r.record); burst != "" {
		list = append(list, burst)
	}
	return list
}

// limitsInWords are the limits of the model in a reader's words.
var limitsInWords = map[string]string{
	"partition busy": "the target of one partition",
	"account busy":   "the account's target",
	"range busy":     "the target of one range, which load balancing has not spread, or cannot",
	"server busy":    "the target of one server",
	"moving":         "ranges that were on the move",
	"timed out":      "time-outs",
	"ingress busy":   "the account's limit on bytes that come in",
	"egress busy":    "the account's limit on bytes that go out",
}

// most is the limit that throttled most, empty where none did.
func (r *Rehearsal) most() (limit string) {
	for name, n := range r.ThrottledBy {
		if best := r.ThrottledBy[limit]; n > best || n == best && name < limit {
			limit = name
		}
	}
	return limit
}

// nearlyAll is the share from which the rest is not worth a word.
const nearlyAll = 0.98

// elsewhere reports whether most was throttled by a limit that is neither a partition's
// target nor the account's.
func (r *Rehearsal) elsewhere() bool {
	limit := r.most()
	return r.Throttled > mostThrottled && limit != "partition busy" && limit != "account busy"
}
