package advise

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// Options describe what to explain.
type Options struct {
	// Scenario is valid, and its files have been read.
	Scenario *scenarios.Scenario
	// Read reads the files of a scenario again for each design that is not in use; nil without files.
	Read func(*scenarios.Scenario) error
	// Targets are the limits of partitions and accounts, nil for those of the scenario's model.
	Targets *Targets
	// Seeds is the maximum number of seeds for the design in use, 0 for as many as needed. Other designs
	// are rehearsed by one.
	Seeds int
	// Price is zero for no costs.
	Price results.Price
}

// Targets are rates in entities per second; 0 is no limit.
type Targets struct {
	Partition int64 `json:"partition_entities_per_second"`
	Account   int64 `json:"account_entities_per_second"`
	// Accounts is the number of accounts, each with the account's target.
	Accounts int `json:"accounts"`
	// Ingress and Egress are bytes per second that an account receives and sends, Capacity the bytes
	// that it stores; 0 is no limit.
	Ingress  int64 `json:"account_ingress_bytes_per_second"`
	Egress   int64 `json:"account_egress_bytes_per_second"`
	Capacity int64 `json:"account_capacity_bytes"`
}

// ofAll returns the target of all accounts together.
func (t *Targets) ofAll() int64 { return t.Account * int64(max(1, t.Accounts)) }

// The documents' targets, in entities per second.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
)

// DocumentedTargets returns the documents' targets of one account, in entities per second, bytes per
// second and bytes.
func DocumentedTargets() Targets {
	return Targets{Partition: documentedPartition, Account: documentedAccount, Accounts: 1, Ingress: 1_250_000_000,
		Egress: 1_875_000_000, Capacity: 500_000_000_000_000}
}

// TargetsOf returns the targets of a scenario's model. The error is that of an invalid model.
func TargetsOf(s *scenarios.Scenario) (*Targets, error) {
	m, err := s.PartitionModel()
	if err != nil {
		return nil, err
	}
	return &Targets{Partition: m.PartitionTarget, Account: m.AccountTarget, Accounts: s.Sharding().Number(),
		Ingress: m.AccountIngress, Egress: m.AccountEgress, Capacity: m.AccountCapacity}, nil
}

// Explanation is the predicted outcome of a scenario. All rates are of the busiest second of its load,
// and all numbers are the model's.
type Explanation struct {
	Scenario string `json:"scenario"`
	About    string `json:"about"`
	// Profile is the profile file of the model's limits, with where and when they were measured; empty
	// without one.
	Profile string `json:"profile,omitempty"`
	// Verdict is the answer in sentences.
	Verdict string `json:"verdict"`
	// Why is the reason if the answer is unknown.
	Why string `json:"why,omitempty"`
	// State reports whether the load is sustained, Checks whether the scenario's own checks pass, empty
	// without checks. Ok answers the question: whether the checks pass, or without checks, whether the
	// load is sustained. It is nil without a load, and if that is unknown.
	State   string  `json:"state"`
	Checks  string  `json:"checks,omitempty"`
	Ok      *bool   `json:"ok"`
	Basis   string  `json:"basis"`
	Targets Targets `json:"targets"`
	// Designs are in the order of the file; the one in use is marked.
	Designs []Design `json:"designs"`
	// Cost is that of a run with the design in use.
	Cost Cost `json:"cost"`
	// InputNotes are sentences about what was assumed or left out of the files of the scenario.
	InputNotes []string `json:"input_notes,omitempty"`
	// SpreadOver is the second or minute over which arrivals of a file with the same timestamp are
	// spread evenly, in nanoseconds; 0 for none.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty"`
	// Findings are the points of the checklist for the design in use.
	Findings []Finding `json:"findings"`

	// warm reports that the scenario starts with a range for each partition.
	warm bool
}

// Cost is what a run requires of its target.
type Cost struct {
	// Requests are billed transactions, retries included; AtMost if every attempt is throttled as often
	// as the policy retries.
	Requests int64 `json:"requests"`
	AtMost   int64 `json:"requests_at_most"`
	Entities int64 `json:"entities_counted"`
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
	// PerMillion is the number of requests of a million operations of the load, 0 without a load.
	PerMillion int64 `json:"requests_per_million_operations"`
	// Seconds is the length of the load.
	Seconds float64 `json:"seconds"`
	// Money is the cost of the requests and of the bytes received, nil without a price.
	Money *results.Cost `json:"cost,omitempty"`
}

// Explain predicts the outcome of a scenario. The error is that of an invalid scenario, or the context's.
func Explain(ctx context.Context, o Options) (*Explanation, error) {
	s, targets := o.Scenario, o.Targets
	if targets == nil {
		var err error
		if targets, err = TargetsOf(s); err != nil {
			return nil, err
		}
	}
	e := &Explanation{Scenario: s.Name, About: s.About, Basis: "modelled", Targets: *targets, SpreadOver: s.SpreadOver(), InputNotes: s.InputNotes(), warm: s.Start != scenarios.StartCold}
	if s.Model.Measured != nil {
		e.Profile = s.Model.Name()
	}
	names := s.Alternatives()
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		d, err := o.rehearsed(ctx, name)
		if err != nil {
			return nil, err
		}
		e.Designs = append(e.Designs, *d)
	}
	if err := e.forecast(s, o.Price); err != nil {
		return nil, err
	}
	e.State, e.Ok, e.Why = e.answer()
	var err error
	if e.Findings, err = findings(s, e); err != nil {
		return nil, err
	}
	claim := e.claim()
	e.Verdict = claim.Sentences()
	return e, nil
}

// forecast sets the cost of a run with the design in use, and the state of the checks.
func (e *Explanation) forecast(s *scenarios.Scenario, price results.Price) error {
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: s.Table, NewName: true, Verify: s.Verify})
	if err != nil {
		return err
	}
	f := c.Forecast()
	if r := e.Used().Rehearsal; r != nil {
		f, e.Checks = r.run.Forecast(c), r.checkState()
	}
	e.Cost = Cost{Requests: f.Requests, AtMost: f.AtMost, Entities: f.Entities, Sent: f.Sent, Received: f.Received,
		Seconds: f.Lasts.Seconds(), Money: price.Forecast(f.Requests, f.Received)}
	operations, requests := 0.0, 0.0
	for _, l := range e.Used().Loads {
		operations += float64(l.Operations)
		for _, one := range l.Approaches {
			requests += float64(l.Operations) * one.Share * one.Requests
		}
	}
	if operations > 0 {
		e.Cost.PerMillion = int64(1e6*requests/operations + 0.5)
	}
	return nil
}

// Used returns the design in use.
func (e *Explanation) Used() *Design {
	return &e.Designs[max(0, slices.IndexFunc(e.Designs, func(d Design) bool { return d.InUse }))]
}

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
	a.Claim += verdict.CheckCount(e.State, r.Checks)
	a.Mark = document.MarkOf(e.State, true, e.Ok)
	// The target that a growing load would reach first.
	hottest, busiest := d.peaks()
	rate, target, condition := hottest.Hottest.Value, e.Targets.Partition, "answer/partition"
	switch {
	case e.isBrieflyHot(d):
		rate, condition = hottest.placeRate(), "answer/place"
	case share(busiest.Account.Value, e.Targets.Account) > share(rate, target):
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

// isBrieflyHot reports whether the target of a partition limits a design although none counts as much in a whole second:
// inserts move to another partition within it.
func (e *Explanation) isBrieflyHot(d *Design) bool {
	hottest, _ := d.peaks()
	target := float64(e.Targets.Partition)
	return e.State == results.DoesNotHold && d.Rehearsal.mainLimit() == limitPartition &&
		hottest.Hottest.Value <= target && hottest.placeRate() > target
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
	hottest, _ := d.peaks()
	if e.isBrieflyHot(d) {
		list = append(list, sentence("answer/brief", hottest.Hottest.Value))
	}
	if hottest.isPlaced() {
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
			failed = append(failed, one.Expr+": "+one.Observation())
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
	case r.Seeds == 1, document.Share(r.Least) == document.Share(r.Most):
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
