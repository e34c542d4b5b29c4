package advise

import (
	"context"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// Options says what is to be explained.
type Options struct {
	// Scenario is valid, and its files have been read.
	Scenario *scenarios.Scenario
	// Read reads the files of a scenario once more, for each design that is not in
	// use; nil where there are none.
	Read func(*scenarios.Scenario) error
	// Targets are what partitions and accounts are held to.
	Targets Targets
	// Times are how long the target takes, by which clients of a closed loop wait.
	Times Times
	// Seeds is by how many seeds at most the model is asked about the design in use, 0 for
	// as many as it takes; about the others it is asked by one.
	Seeds int
}

// Targets are rates in entities per second; 0 is no limit.
type Targets struct {
	Partition int64 `json:"partition_entities_per_second"`
	Account   int64 `json:"account_entities_per_second"`
	// Accounts is how many accounts there are, each with the account's target.
	Accounts int `json:"accounts"`
	// Ingress and Egress are bytes per second that an account takes in and gives out,
	// Capacity bytes that it holds; 0 is no limit.
	Ingress  int64 `json:"account_ingress_bytes_per_second"`
	Egress   int64 `json:"account_egress_bytes_per_second"`
	Capacity int64 `json:"account_capacity_bytes"`
}

// ofAll is the target of all accounts together.
func (t *Targets) ofAll() int64 { return t.Account * int64(max(1, t.Accounts)) }

// The documents' own targets, in entities per second, bytes per second and bytes.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
	documentedIngress   = 1_250_000_000
	documentedEgress    = 1_875_000_000
	documentedCapacity  = 500_000_000_000_000
)

// TargetsOf returns what the model of a scenario holds partitions and accounts to, and
// how long it takes. The error is that of a model which cannot be.
func TargetsOf(s *scenarios.Scenario) (Targets, Times, error) {
	m, err := s.PartitionModel()
	if err != nil {
		return Targets{}, Times{}, err
	}
	return Targets{Partition: m.PartitionTarget, Account: m.AccountTarget, Accounts: s.Sharding().Number(),
			Ingress: m.AccountIngress, Egress: m.AccountEgress, Capacity: m.AccountCapacity},
		Times{RoundTrip: m.RoundTrip, Read: m.ReadTime, Write: m.WriteTime, Entity: m.EntityTime}, nil
}

// DocumentedTargets returns the documents' own, of one account.
func DocumentedTargets() Targets {
	return Targets{Partition: documentedPartition, Account: documentedAccount, Accounts: 1, Ingress: documentedIngress,
		Egress: documentedEgress, Capacity: documentedCapacity}
}

// Explanation is what a scenario comes to. All rates are of the busiest second of
// its load, and all numbers are the model's.
type Explanation struct {
	Scenario string `json:"scenario"`
	About    string `json:"about"`
	// Profile is the profile file that the model's limits are of, with where and when they
	// were measured; empty where they are not.
	Profile string `json:"profile,omitempty"`
	// Verdict says in a sentence or two whether the design in use holds the peak.
	Verdict string `json:"verdict"`
	// Why says why that cannot be told, empty where it can.
	Why string `json:"why,omitempty"`
	// State says for scripts whether the load is sustained, Checks whether the scenario's own
	// checks pass, empty where there are none. Ok says whether what was asked is so: the
	// checks where there are any, else that the load is sustained. It is nil where there is
	// no peak, and where it cannot be told.
	State   string  `json:"state"`
	Checks  string  `json:"checks,omitempty"`
	Ok      *bool   `json:"ok"`
	Basis   string  `json:"basis"`
	Targets Targets `json:"targets"`
	// Designs are in the order of the file; the one in use is marked.
	Designs []Design `json:"designs"`
	// Cost is of a run with the design in use.
	Cost Cost `json:"cost"`
	// SpreadOver is the second or minute over which arrivals of a file with the same timestamp
	// are spread evenly, in nanoseconds; 0 where none are.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty"`
	// Findings are the points of the checklist, for the design in use.
	Findings []Finding `json:"findings"`

	// warm says that the scenario starts with a place for each partition.
	warm bool
}

// The bases of numbers: what the model makes of a load, and what follows from keys alone.
const (
	modelled = "modelled"
	derived  = "derived"
)

// Cost is what a run asks of its target.
type Cost struct {
	// Requests are billed transactions, retries included, AtMost of them if every attempt
	// is throttled as often as the retry policy goes on.
	Requests int64 `json:"requests"`
	AtMost   int64 `json:"requests_at_most"`
	Entities int64 `json:"entities_counted"`
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
	// PerMillion is how many requests a million of the measured load's operations
	// take, 0 where there are none.
	PerMillion int64 `json:"requests_per_million_operations"`
	// Seconds is how long the measured load lasts.
	Seconds float64 `json:"seconds"`
}

// Design is what one design makes of the load.
type Design struct {
	Name  string `json:"name"`
	InUse bool   `json:"in_use"`
	// PartitionKey and RowKey are its templates.
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	// Cannot says why the design cannot serve the scenario, one sentence each; where
	// there is any, nothing else is told.
	Cannot []string `json:"cannot,omitempty"`
	// Loads are the phases that offer load, and Rehearsal what the model makes of them, nil
	// where there are none.
	Loads     []Load     `json:"loads,omitempty"`
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
	// Samples are keys of entities: of the first loaded, and of some of the run.
	Samples []Sample `json:"samples,omitempty"`
}

// Sample is an entity's key, and its size in bytes by the service's billing rule.
type Sample struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	Bytes        int    `json:"bytes"`
	// Of says whether it was loaded, is offered during the run, or is a copy; what a
	// workflow writes has the name of its operation.
	Of string `json:"of"`
}

// Load is what one phase offers under one design.
type Load struct {
	Phase string `json:"phase"`
	// Events says that the design decides which partition an operation falls into;
	// otherwise the phase names its partitions.
	Events bool `json:"events"`
	// Sampled is how many operations were looked at, of so many in so many seconds.
	Sampled    uint64  `json:"operations_sampled"`
	Operations uint64  `json:"operations"`
	Seconds    float64 `json:"seconds"`
	// Clients are those of a closed loop, and Answer how many seconds each of them
	// waits for one, by the model's times; both are 0 in an open loop.
	Clients int     `json:"clients,omitempty"`
	Answer  float64 `json:"answer_s,omitempty"`
	// PerSecond is the busiest rate of operations; Account is that of the entities of
	// the busiest account, and Hottest of the hottest partition, each at its busiest.
	PerSecond float64 `json:"operations_per_second"`
	// Asked is the highest rate that the phase asks for, in operations per second; 0 where
	// its rate varies or clients wait for answers.
	Asked   float64 `json:"asked_operations_per_second,omitempty"`
	Account Rate    `json:"account"`
	Hottest Hottest `json:"hottest_partition"`
	// Scans is the part of the account's rate that queries of several partitions
	// count, of which no partition is told.
	Scans Rate `json:"scans"`
	// Throttled is the share of its first attempts that the model throttles.
	Throttled float64 `json:"share_throttled"`
	// Inserts is the rate of new entities.
	Inserts    float64     `json:"inserts_per_second"`
	Keys       Spread      `json:"keys"`
	Approaches []Operation `json:"per_operation"`
}

// Rate is a rate in entities per second, between bounds that hold in about 95 of 100
// samples.
type Rate struct {
	Value float64 `json:"entities_per_second"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// Hottest is the partition that the load falls on most.
type Hottest struct {
	Rate
	PartitionKey string `json:"partition_key"`
	// Table is what the name of its table has beside that of the scenario's.
	Table string `json:"table,omitempty"`
	// Share is its share of all entities while it was hottest.
	Share float64 `json:"share"`
}

// Operation is what one kind of operation does under one design.
type Operation struct {
	Name string `json:"name"`
	Verb string `json:"verb"`
	// Workflow is the one that it is, empty for what is its verb's; AtLeast then says
	// that it counts more than Entities: what its queries read is not known before.
	// Beside is how many of its requests go to queues or containers.
	Workflow string  `json:"workflow,omitempty"`
	AtLeast  bool    `json:"at_least,omitempty"`
	Beside   float64 `json:"requests_beside,omitempty"`
	// Share is its share of the operations.
	Share float64 `json:"share"`
	// Class is how the documents rate what it reads, empty where it reads nothing,
	// and Why what a better one would need.
	Class string `json:"class,omitempty"`
	Why   string `json:"why,omitempty"`
	// Entities is how many it counts on the average, Requests how many it takes.
	Entities float64 `json:"entities_counted"`
	Requests float64 `json:"requests"`
	// Narrowed says that a filter drops some of what it reads. Density is the share of
	// that which it keeps, nil where that cannot be told.
	Narrowed bool     `json:"narrowed,omitempty"`
	Density  *float64 `json:"density,omitempty"`

	rank filter.Class
	spec *scenarios.OperationSpec
}

// Explain explains a scenario. Its error is that of a scenario which cannot be run, or the
// context's.
func Explain(ctx context.Context, o Options) (*Explanation, error) {
	s := o.Scenario
	e := &Explanation{Scenario: s.Name, About: s.About, Basis: modelled, Targets: o.Targets, SpreadOver: s.SpreadOver(), warm: s.Start != scenarios.StartCold}
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
	campaign, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: s.Table, NewName: true, Verify: s.Verify})
	if err != nil {
		return nil, err
	}
	f := campaign.Forecast()
	if r := e.Used().Rehearsal; r != nil {
		f, e.Checks = r.of.Forecast(campaign), r.checkState()
	}
	e.Cost = Cost{Requests: f.Requests, AtMost: f.AtMost, Entities: f.Entities, Sent: f.Sent, Received: f.Received,
		Seconds: f.Lasts.Seconds()}
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
	e.State, e.Ok, e.Why = e.answer()
	if e.Findings, err = findings(s, e); err != nil {
		return nil, err
	}
	claim := e.claim()
	e.Verdict = claim.Whole()
	return e, nil
}

// Used returns the design in use.
func (e *Explanation) Used() *Design {
	return &e.Designs[max(0, slices.IndexFunc(e.Designs, func(d Design) bool { return d.InUse }))]
}

// Times are how long a target takes, for what depends on it: clients that wait for an
// answer before they ask again ask less often where answers take longer. Without any,
// answers come at once.
type Times struct {
	// RoundTrip is the network's part of every request; Read and Write are the
	// service's of one that reads or writes an entity, Entity that of each further
	// entity.
	RoundTrip, Read, Write, Entity time.Duration
}

// wait has the rates of a closed loop be those of clients that wait for their
// answers: they were counted as if each came at once.
func (l *Load) wait(phase *scenarios.Phase, times Times) {
	clients, think := phase.Traffic.Clients, phase.Traffic.Think
	if clients == 0 {
		return
	}
	answer := 0.0
	for i := range l.Approaches {
		// As long as an operation takes whose requests are never refused.
		one, own := &l.Approaches[i], times.Write
		if verb := one.spec.Verb; verb == entity.Get || verb == entity.Query {
			own = times.Read
		}
		further := max(0, one.Entities-one.Requests)
		takes := time.Duration(one.Requests*float64(times.RoundTrip+own) + further*float64(times.Entity))
		answer += one.Share * takes.Seconds()
	}
	l.Clients, l.Answer = clients, answer
	slower := think.Seconds() / (think.Seconds() + answer)
	switch {
	case think == 0 && answer == 0:
		return
	case think == 0:
		// They were counted as if each took the usual time.
		slower = phase.Traffic.Pace().Seconds() / answer
	}
	l.PerSecond *= slower
	l.Inserts *= slower
	for _, r := range []*Rate{&l.Account, &l.Hottest.Rate, &l.Scans} {
		*r = Rate{r.Value * slower, r.Least * slower, r.Most * slower}
	}
}
