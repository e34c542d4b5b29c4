package advise

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/campaign"
)

// maxSampled is about the number of operations of a load that are sampled, maxPerformances the number of
// those of a workflow that are performed.
const (
	maxSampled      = 40_000
	maxPerformances = 400
	// shownTop is the number of most common partitions that are listed.
	shownTop = 5
	// pageEntities is the maximum number of entities of a page.
	pageEntities = 1000
)

// Load is what one phase offers under one design.
type Load struct {
	Phase string `json:"phase"`
	// Events reports that the design decides the partition of an operation; otherwise the phase names
	// its partitions.
	Events bool `json:"events"`
	// Sampled of the Operations were looked at; they are due within Seconds.
	Sampled    uint64  `json:"operations_sampled"`
	Operations uint64  `json:"operations"`
	Seconds    float64 `json:"seconds"`
	// Clients are those of a closed loop, Answer how long each waits for an answer in seconds; both are 0 in
	// an open loop.
	Clients int     `json:"clients,omitempty"`
	Answer  float64 `json:"answer_s,omitempty"`
	// PerSecond is the highest rate of operations in a second.
	PerSecond float64 `json:"operations_per_second"`
	// Asked is the highest rate that the phase asks for, in operations per second; 0 for clients that
	// wait for answers and for a trace.
	Asked float64 `json:"asked_operations_per_second,omitempty"`
	// Account is the rate of entities of the busiest account, Hottest that of the hottest partition,
	// each at its maximum.
	Account Rate    `json:"account"`
	Hottest Hottest `json:"hottest_partition"`
	// Scans is the part of the account's rate that queries of several partitions count, whose
	// partitions are unknown.
	Scans Rate `json:"scans"`
	// Throttled is the share of first attempts that the model throttles.
	Throttled float64 `json:"share_throttled"`
	// Inserts is the rate of new entities.
	Inserts    float64     `json:"inserts_per_second"`
	Keys       Spread      `json:"keys"`
	Approaches []Operation `json:"per_operation"`

	// think is the pause of a client between operations.
	think time.Duration
}

// Rate is a rate in entities per second, with bounds that are equal if it was counted.
type Rate struct {
	Value float64 `json:"entities_per_second"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// exactly returns a rate that was counted.
func exactly(value float64) Rate { return Rate{Value: value, Least: value, Most: value} }

// Hottest is the partition with most of the load.
type Hottest struct {
	Rate
	PartitionKey string `json:"partition_key"`
	// Table is the suffix of its table's name.
	Table string `json:"table,omitempty"`
	// Share is its share of all entities while it was hottest.
	Share float64 `json:"share"`
}

// Operation is one kind of operation under one design.
type Operation struct {
	Name string `json:"name"`
	Verb string `json:"verb"`
	// Workflow names the workflow, if it is one. AtLeast then reports that it counts more than Entities:
	// its queries read an unknown number. Beside is the number of its requests to queues and
	// containers.
	Workflow string  `json:"workflow,omitempty"`
	AtLeast  bool    `json:"at_least,omitempty"`
	Beside   float64 `json:"requests_beside,omitempty"`
	// Share is its share of the operations.
	Share float64 `json:"share"`
	// Class is how the documents rate what it reads, empty if it reads nothing; Why is what a better
	// class requires.
	Class string `json:"class,omitempty"`
	Why   string `json:"why,omitempty"`
	// Entities is the number of entities that it counts, Requests that of its requests, on average.
	Entities float64 `json:"entities_counted"`
	Requests float64 `json:"requests"`
	// Narrowed reports that a filter drops some of what it reads. Density is the share that it keeps,
	// nil if that is unknown.
	Narrowed bool     `json:"narrowed,omitempty"`
	Density  *float64 `json:"density,omitempty"`

	rank filter.Class
	spec *scenarios.OperationSpec
}

// Spread is how keys spread over partitions.
type Spread struct {
	// Partitions is the number of partitions, a lower bound if PartitionsAtLeast. Effective is the
	// number of equal partitions that would be as uneven. An error of 0 means no estimate.
	Partitions        float64 `json:"partitions"`
	PartitionsAtLeast bool    `json:"partitions_at_least,omitempty"`
	PartitionsError   float64 `json:"partitions_error"`
	Effective         float64 `json:"effective"`
	EffectiveError    float64 `json:"effective_error"`
	// TopLeast and TopMost bound the share of the most common partition.
	TopLeast float64 `json:"top_share_least"`
	TopMost  float64 `json:"top_share_most"`
	// Top are the most common partitions, in descending order.
	Top []Share `json:"top,omitempty"`
	// Order names the order of inserts. Hot reports that at any moment nearly all fall on one place,
	// AtOnce is the share there. Evidence is a sentence.
	Order    string  `json:"order"`
	Hot      bool    `json:"hot"`
	AtOnce   float64 `json:"at_once"`
	Evidence string  `json:"evidence"`
	// Tails is the number of places that take inserts at a time and move on, or grow at an end; 0 if
	// inserts are spread or the places stay. HottestTail is the share of the one with most inserts.
	Tails       int     `json:"tails"`
	HottestTail float64 `json:"hottest_tail_share"`

	order keystatistics.Order
}

// Share is a partition's share of all entities, between bounds that are equal if it is exact.
type Share struct {
	PartitionKey string  `json:"partition_key"`
	Least        float64 `json:"share_least"`
	Most         float64 `json:"share_most"`
}

// spreadOf converts a report, with some of the most common partitions.
func spreadOf(r *keystatistics.Report, shown int) Spread {
	s := Spread{
		Partitions: r.Partitions.Value, PartitionsError: r.Partitions.StandardError,
		Effective: r.Effective.Value, EffectiveError: r.Effective.StandardError,
		TopLeast: r.Hottest.Least, TopMost: r.Hottest.Most,
		Order: r.Order.Word(), Hot: r.Order.Hot, AtOnce: r.Order.AtOnce, Evidence: r.Order.Sentence(),
		Tails: r.Order.Tails, HottestTail: r.Order.HottestTail, order: r.Order,
	}
	for _, one := range r.Top[:min(len(r.Top), shown)] {
		s.Top = append(s.Top, Share{one.PartitionKey, one.OfAll.Least, one.OfAll.Most})
	}
	return s
}

// count returns the number of partitions: "at least n" of a sample, "about n" of an estimate.
func (s *Spread) count() string {
	if s.PartitionsAtLeast {
		return document.AtLeast(int64(s.Partitions), true)
	}
	return document.About(s.Partitions, s.PartitionsError > 0)
}

// like returns the number of equal partitions that would be as uneven.
func (s *Spread) like() string {
	switch {
	case s.Effective == 1 && s.EffectiveError == 0:
		return "one"
	case s.PartitionsAtLeast:
		return sentence("keys/at-least-like", s.Effective)
	default:
		return sentence("keys/like", document.About(s.Effective, s.EffectiveError > 0))
	}
}

// top returns the share of the most common partition, with its bounds if they differ.
func (s *Spread) top() string {
	least, most := document.Share(s.TopLeast), document.Share(s.TopMost)
	if least == most {
		return most
	}
	return least + " to " + most
}

// sampleLoad looks at a sample of the operations of a phase, as if all succeeded at once: at the order and the
// spread of keys, which no record has. Its rates are means at the highest rate of operations: they compare
// designs, and remain for a phase that the rehearsal does not reach.
func sampleLoad(p *campaign.Preview, s *scenarios.Scenario, phase *scenarios.Phase) Load {
	l := Load{Phase: p.Name, Operations: p.Count(), Events: phase.Traffic.Events(), Asked: phase.Traffic.AskedRate(),
		Seconds: p.Length.Seconds(), Clients: phase.Traffic.Clients, think: phase.Traffic.Think}
	a := sampler{preview: p, table: s.Table, kinds: make([]counter, len(p.Approaches())),
		seen: keystatistics.New(keystatistics.Options{Seed: 1}), places: make(map[place][2]float64)}
	for k := uint64(0); k < l.Operations; k += max(1, l.Operations/maxSampled) {
		a.add(k)
		l.Sampled++
	}
	report := a.seen.Report()
	l.Keys = spreadOf(&report, shownTop)
	l.Keys.PartitionsAtLeast = l.Sampled < l.Operations
	l.PerSecond = cmp.Or(l.Asked, busiestSecond(p, l.Clients > 0))
	each, accounts := l.PerSecond/float64(max(1, l.Sampled)), float64(s.Sharding().Number())
	l.Account, l.Scans, l.Inserts = exactly(each*(a.placed+a.unplaced)/accounts), exactly(each*a.unplaced/accounts), each*a.inserted
	hottest, share := a.hottest()
	l.Hottest = Hottest{Rate: exactly(l.PerSecond * share), PartitionKey: hottest.key, Table: hottest.table,
		Share: share * float64(l.Sampled) / max(1, a.placed+a.unplaced)}
	for i, approach := range p.Approaches() {
		l.Approaches = append(l.Approaches, a.kinds[i].operation(&approach, l.Sampled))
	}
	return l
}

// busiestSecond returns the highest number of operations that become due in a second, of a closed loop their
// mean rate if replies arrive at once.
func busiestSecond(p *campaign.Preview, closed bool) float64 {
	if closed {
		return float64(p.Count()) / p.Length.Seconds()
	}
	most, from := uint64(0), uint64(0)
	for k := range p.Count() {
		for p.DueTime(k)-p.DueTime(from) >= time.Second {
			from++
		}
		most = max(most, k-from+1)
	}
	return float64(most)
}

// sampler adds what operations of one phase touch.
type sampler struct {
	preview *campaign.Preview
	table   string
	kinds   []counter
	seen    *keystatistics.Statistics
	// placed are the entities of operations on single partitions, unplaced those of queries of several,
	// inserted those that are new.
	placed, unplaced, inserted float64
	// places are the entities of each partition in two random halves of the operations, which halves counts.
	places map[place][2]float64
	halves [2]float64
}

// place is a partition of one of the tables.
type place struct{ table, key string }

// hottest returns the partition with most entities, and their number for each operation. One half of the
// operations selects it and the other measures it: the maximum of equal partitions is higher by chance.
func (a *sampler) hottest() (hottest place, each float64) {
	for at, sum := range a.places {
		if most := a.places[hottest]; cmp.Or(cmp.Compare(sum[0], most[0]), cmp.Compare(hottest.table, at.table), cmp.Compare(hottest.key, at.key)) > 0 {
			hottest = at
		}
	}
	if sum := a.places[hottest]; sum[1] == 0 {
		return hottest, sum[0] / max(1, a.halves[0]+a.halves[1])
	}
	return hottest, a.places[hottest][1] / a.halves[1]
}

// counter counts the operations of one kind, and the partitions that they touch. Of workflows it counts
// what the performed ones send.
type counter struct {
	operations, entities, touched int64
	performed                     int64
	sent                          campaign.Sent
}

// add adds operation k, and its keys in the run's table.
func (a *sampler) add(k uint64) {
	touched, placed := int64(0), int64(0)
	// A hash selects the half: operations in turns could coincide with every other one.
	half := k * 0x9e3779b97f4a7c15 >> 63
	a.halves[half]++
	kind, entities := a.preview.Operation(k, a.table, func(t campaign.Touch) {
		touched++
		placed += t.Entities
		at := place{t.Table, t.Key.Partition}
		sum := a.places[at]
		sum[half] += float64(t.Entities)
		a.places[at] = sum
		row := keystatistics.Row{PartitionKey: t.Key.Partition, RowKey: t.Key.Row, Instant: clock.Instant(a.preview.DueTime(k)), HasInstant: true,
			Entities: t.Entities, Kind: keystatistics.Other}
		if t.Inserts {
			a.inserted += float64(t.Entities)
			row.Kind = keystatistics.Insert
		}
		if t.Table == "" {
			a.seen.Add(&row)
		}
	})
	a.placed += float64(placed)
	a.unplaced += float64(max(0, entities-placed))
	c := &a.kinds[kind]
	c.operations++
	c.entities += entities
	c.touched += touched
	if c.performed < maxPerformances {
		if sent, some := a.preview.RequestsOf(k, a.table); some {
			c.performed++
			c.sent.Requests += sent.Requests
			c.sent.Queries += sent.Queries
			c.sent.Beside += sent.Beside
		}
	}
}

// operation returns the averages of one kind, of a number of operations that were looked at.
func (t *counter) operation(a *campaign.Approach, sampled uint64) Operation {
	one := Operation{Name: a.Spec.Name, Verb: a.Spec.Verb.String(), Share: float64(t.operations) / float64(max(1, sampled)),
		Why: a.Why, Narrowed: a.Narrowed, Requests: t.requests(a), rank: a.Class, spec: a.Spec}
	if t.performed > 0 {
		one.Workflow, one.AtLeast = a.Spec.Workflow, t.sent.Queries > 0
		one.Beside = float64(t.sent.Beside) / float64(t.performed)
	}
	if a.Class != 0 {
		one.Class = a.Class.String()
	}
	if t.operations > 0 {
		one.Entities = float64(t.entities) / float64(t.operations)
	}
	return one
}

// requests returns the number of requests of an operation: pages, reads before a write, writes of copies.
func (t *counter) requests(a *campaign.Approach) float64 {
	if t.operations == 0 {
		return 1
	}
	if t.performed > 0 {
		return float64(t.sent.Requests) / float64(t.performed)
	}
	requests := 1.0
	writes := a.Spec.Verb != entity.Query && a.Spec.Verb != entity.Get
	switch {
	case writes && (a.Spec.ReadFirst || len(a.Spec.By) > 0):
		requests = 2
	case writes:
		requests = math.Max(1, float64(t.touched)/float64(t.operations))
	}
	if a.Class <= filter.ClassPoint {
		return requests
	}
	page := float64(pageEntities)
	if a.Spec.Top > 0 && !a.Narrowed {
		page = float64(a.Spec.Top)
	}
	queries := float64(max(1, a.Queries))
	pages := math.Ceil(float64(t.entities) / float64(t.operations) / queries / page)
	return requests + queries*math.Max(1, pages) - 1
}

// measured replaces the figures of a load by those of the rehearsal, rates by those of its busiest second. Of a
// phase that was rehearsed in part the higher ones remain, and of one that was not reached all of the sample.
// All partitions are of one table if oneTable.
func (l *Load) measured(r *Rehearsal, oneTable bool) {
	var names []string
	seconds, all := 0.0, int64(0)
	for _, step := range figure.Reported(r.record) {
		if step.Phase.Stage == l.Phase {
			sum := step.Sum(nil)
			names, seconds, all = append(names, step.Phase.Name), seconds+step.Seconds(), all+sum.Scheduled
			l.Throttled = max(l.Throttled, figure.ShareOf(sum.FirstThrottled, sum.Sent))
			if l.Keys.PartitionsAtLeast && oneTable {
				l.Keys.Partitions = max(l.Keys.Partitions, float64(step.Phase.PartitionsHit))
				l.Keys.PartitionsAtLeast = !r.Whole || step.Phase.OfferedOver > 0 || uint64(sum.Scheduled) < l.Operations
			}
			l.setHottest(step.Phase, sum.Offered, len(names) == 1 && (r.Whole || l.Clients > 0))
		}
	}
	if len(names) == 0 {
		return
	}
	l.setRates(r, names, !r.Whole && uint64(all) < l.Operations && l.Clients == 0)
	for i := range l.Approaches {
		one := &l.Approaches[i]
		sum := r.record.Counts(func(p *results.Phase, k results.Kind) bool {
			return slices.Contains(names, p.Name) && k.Name == one.Name
		})
		one.measured(&sum.Counts)
	}
	if l.Clients > 0 && all > 0 {
		// Little's law: each client waits for a reply or pauses.
		l.Answer = max(0, float64(l.Clients)*seconds/float64(all)-l.think.Seconds())
	}
}

// isSlow reports whether the rate is so low that counts of single seconds would round it up: 1/s for 0.3/s. The means
// of the sample stay then.
func (l *Load) isSlow() bool {
	const minCounted = 10
	return l.Asked > 0 && l.Asked < minCounted
}

// setHottest sets the hottest partition of a step and its entities: always, or if it is hotter.
func (l *Load) setHottest(p *results.Phase, entities int64, always bool) {
	if len(p.Offered) == 0 || l.isSlow() {
		return
	}
	if one := p.Offered[0]; always || float64(one.Busiest) > l.Hottest.Value {
		l.Hottest = Hottest{Rate: exactly(float64(one.Busiest)), PartitionKey: one.Key, Table: one.Table,
			Share: min(1, figure.ShareOf(one.Entities, entities))}
	}
}

// setRates sets the rates of the busiest second of some steps, of a part of a load at least those of the sample.
func (l *Load) setRates(r *Rehearsal, names []string, part bool) {
	if l.isSlow() {
		return
	}
	due, operations := 0.0, 0.0
	for i := range r.record.Intervals {
		if row := &r.record.Intervals[i]; slices.Contains(names, row.Phase) {
			due, operations = max(due, row.PerSecond(row.Offered)), max(operations, row.PerSecond(row.Scheduled))
		}
	}
	account := due * r.busiestAccount(names)
	if part {
		account, operations = max(account, l.Account.Value), max(operations, l.PerSecond)
	}
	if l.Account.Value > 0 {
		l.Scans = exactly(l.Scans.Value / l.Account.Value * account)
	}
	if l.PerSecond > 0 {
		l.Inserts *= operations / l.PerSecond
	}
	l.Account, l.PerSecond = exactly(account), operations
}

// measured replaces the averages of an operation by those of a rehearsal, if all succeeded, and sets the share
// that a query wants of what it reads.
func (one *Operation) measured(sum *results.Counts) {
	// minRead is the minimum number of entities that a density is measured with.
	const minRead = 100
	if one.Narrowed && one.rank > filter.ClassPoint && sum.Counted >= minRead {
		// A query that finds nothing is about one entity all the same.
		one.Density = new(figure.ShareOf(cmp.Or(sum.Returned, sum.Operations), sum.Counted))
	}
	if sum.Scheduled == 0 || sum.Succeeded < sum.Scheduled {
		return
	}
	one.Entities = figure.ShareOf(sum.Counted, sum.Succeeded)
	one.Requests = figure.ShareOf(sum.Attempts-sum.Retries, sum.Succeeded)
	one.AtLeast = false
}
