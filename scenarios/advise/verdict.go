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
	hottest, busiest := d.peaks()
	bound := e.bound(hottest, busiest)
	before, phase := "", ""
	switch e.State {
	case results.CannotTell:
		before = " at"
	case results.DoesNotHold:
		phase = r.Phase
	}
	a := document.Claimed(e.State, before, document.Rate(d.offered(phase)), "operations/s", "")
	if e.State == results.DoesNotHold && e.Ok != nil && *e.Ok {
		a.Claim = strings.Replace(a.Claim, strings.ToUpper(e.State), "does not sustain", 1)
	}
	a.Claim += verdict.CheckCount(r.Checks)
	a.Mark = document.MarkOf(e.State, true, e.Ok)
	if e.Why != "" {
		a.Says = append(a.Says, strings.ToUpper(e.Why[:1])+e.Why[1:]+".")
	}
	a.Says = append(a.Says, r.says(e.State)...)
	if burst := verdict.Bucket(r.record); burst != "" {
		a.Says = append(a.Says, burst)
	}
	if l := d.tailed(); l != nil && e.State != results.Holds && (r.most() == "" || r.elsewhere()) {
		a.Says = append(a.Says, l.Keys.bears(e.Targets))
	}
	if bound.target > 0 && !r.elsewhere() {
		a.Beside = fmt.Sprintf("%s of %s/s %s", document.Rate(bound.Value), document.Count(bound.target), bound.each)
	}
	a.Says = append(a.Says, d.headline(hottest))
	if change := firstChange(e.Findings); change != "" && e.State != results.Holds {
		a.Says = append(a.Says, change)
	}
	if t := &e.Targets; bound.target > 0 && (t.Partition != documentedPartition || t.Account != documentedAccount) {
		a.Says = append(a.Says, fmt.Sprintf("Azure's documented targets are %s and %s.", document.Count(documentedPartition),
			document.Count(documentedAccount)))
	}
	return a
}

// says tells of a load in such a state which checks fail, how much is throttled, and which limit
// throttled most.
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
	return list
}

// offeredRate is the rate that a phase offers, in operations per second: that of the busiest
// second where it varies, or clients wait.
func (l *Load) offeredRate() float64 { return cmp.Or(l.Asked, l.PerSecond) }

// offered is the highest rate that a phase of the design offers, of all phases where none is
// named.
func (d *Design) offered(phase string) (most float64) {
	for i := range d.Loads {
		if l := &d.Loads[i]; phase == "" || l.Phase == phase {
			most = max(most, l.offeredRate())
		}
	}
	return most
}

// tailed returns the load with most inserts of those that fall on a few places at a time, nil
// where none do.
func (d *Design) tailed() (most *Load) {
	for i := range d.Loads {
		if l := &d.Loads[i]; l.Events && l.Keys.bears(Targets{Partition: 1, Account: 1, Accounts: 1}) != "" && (most == nil || l.Inserts > most.Inserts) {
			most = l
		}
	}
	return most
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

// headline says what the answer is about.
func (d *Design) headline(hottest *Load) string {
	text := "PartitionKey " + d.PartitionKey
	if d.Name != "" {
		text = "Design " + d.Name + ", " + text
	}
	if hottest != nil && hottest.placed() {
		text += ": the hottest is " + document.Key(hottest.Hottest.PartitionKey, keyWidth)
	}
	return text + "."
}

// bound is what the load meets first if it grows: which rate of which target.
type bound struct {
	Rate
	target int64
	// each is whose target that is.
	each string
}

// bound returns what the load would meet first if it grew.
func (e *Explanation) bound(hottest, busiest *Load) bound {
	if hottest == nil {
		return bound{}
	}
	partition := bound{hottest.Hottest.Rate, e.Targets.Partition, "a partition"}
	account := bound{busiest.Account, e.Targets.Account, "an account"}
	if account.part() > partition.part() {
		return account
	}
	return partition
}

func (b bound) part() float64 {
	if b.target == 0 {
		return 0
	}
	return b.Value / float64(b.target)
}
