package advise

import (
	"maps"
	"math"
	"sort"
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

// The limits of a look at a load: windows of neighbouring operations for the hottest partition, and
// single operations from the whole load for the spread of keys.
const (
	windows         = 12
	maxWindow       = 2500
	maxScattered    = 40_000
	maxMoments      = 3600
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
	// Clients are those of a closed loop, Answer how long each waits for an answer in seconds, by the
	// model's times; both are 0 in an open loop.
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
}

// Rate is a rate in entities per second, with bounds that hold in about 95 of 100 samples.
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
	// what its queries read is not known before. Beside is the number of its requests to queues and
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

func look(p *campaign.Preview, s *scenarios.Scenario, phase *scenarios.Phase) Load {
	l := &looker{preview: p, table: s.Table, count: p.Count(), accounts: s.Sharding(),
		kinds: make([]counter, len(p.Approaches())), likely: -1, likelyAll: -1}
	l.load = Load{Phase: p.Name, Operations: l.count, Events: phase.Traffic.Events(), Asked: phase.Traffic.AskedRate()}
	l.load.Seconds = p.Length.Seconds()
	if l.count > 0 {
		l.scatter()
		l.windows()
	}
	for i, approach := range p.Approaches() {
		l.load.Approaches = append(l.load.Approaches, l.kinds[i].operation(&approach, l.load.Sampled))
	}
	l.load.wait(phase, s)
	return l.load
}

// looker looks at one phase.
type looker struct {
	preview  *campaign.Preview
	table    string
	count    uint64
	accounts *scenarios.Sharding
	load     Load
	kinds    []counter
	// all are the operations from the whole load.
	all window
	// seen is the first operation after the windows so far. Windows do not overlap, except the first.
	seen uint64
	// only is the only partition, nil if there are several.
	only *place
	// likely is the lower bound of the hottest partition's rate so far, by the half of the operations
	// that selects it, likelyAll that of the busiest account; both are negative before the first window.
	likely, likelyAll float64
}

// counter counts the operations of one kind, and the partitions that they touch. Of workflows it counts
// what the performed ones send.
type counter struct {
	operations, entities, touched int64
	performed                     int64
	sent                          campaign.Sent
}

// scatter looks at operations from the whole load.
func (l *looker) scatter() {
	seen := keystatistics.New(keystatistics.Options{Seed: 1})
	step := max(1, l.count/maxScattered)
	for k := uint64(0); k < l.count; k += step {
		at := clock.Instant(l.preview.At(k))
		touched := int64(0)
		kind, entities := l.all.add(l, k, func(t campaign.Touch) {
			touched++
			if t.Table != "" {
				return
			}
			row := keystatistics.Row{PartitionKey: t.Key.Partition, RowKey: t.Key.Row, Instant: at, HasInstant: true,
				Entities: t.Entities, Kind: keystatistics.Other}
			if t.Inserts {
				row.Kind = keystatistics.Insert
			}
			seen.Add(&row)
		})
		t := &l.kinds[kind]
		t.operations++
		t.entities += entities
		t.touched += touched
		if t.performed < maxPerformances {
			if sent, some := l.preview.Sent(k, l.table); some {
				t.performed++
				t.sent.Requests += sent.Requests
				t.sent.Queries += sent.Queries
				t.sent.Beside += sent.Beside
			}
		}
		l.load.Sampled++
	}
	report := seen.Report()
	l.load.Keys = spreadOf(&report, shownTop)
	l.load.Keys.PartitionsAtLeast = l.load.Sampled < l.count
	touched := make(map[place]sum)
	for i := range l.all {
		maps.Copy(touched, l.all[i].places)
	}
	if len(touched) == 1 {
		for at := range touched {
			l.only = &at
		}
	}
	l.all.assignUnplaced(l.only)
}

// windows looks at the busiest moment and at windows from the whole load.
func (l *looker) windows() {
	busiest, most := time.Duration(0), -1.0
	for at := time.Duration(0); at < l.preview.Length; at += max(time.Second, l.preview.Length/maxMoments) {
		if rate, _, surely := l.rate(at); surely > most {
			busiest, most, l.load.PerSecond = at, surely, rate
		}
	}
	l.window(busiest)
	l.seen = 0
	for i := range uint64(windows) {
		l.window(l.preview.At(l.count * i / windows))
	}
	// A rare operation that counts much may be in no window: then the most common partition and account
	// of the whole load are the hottest.
	if selected, measured := &l.all[0], &l.all[1]; selected.operations > 0 && measured.operations > 0 {
		if h := measured.heat(selected.hottest(), l.load.PerSecond); l.likely < 0 || h.Value > l.load.Hottest.Value {
			l.load.Hottest = h
		}
		if a := measured.rate(measured.accounts[selected.busiest()], l.load.PerSecond); a.Value > l.load.Account.Value {
			l.load.Account = a
			l.load.Scans = measured.rate(measured.unplaced, l.load.PerSecond)
		}
	}
}

// rate returns the rate of operations from a time on, the length that it is measured over, and its lower
// bound. Few operations need a long time, and many show a burst in a short one.
func (l *looker) rate(at time.Duration) (rate float64, length time.Duration, surely float64) {
	first := l.dueBefore(at)
	surely = -1
	for _, one := range []time.Duration{time.Second, 3 * time.Second, 10 * time.Second} {
		one = min(one, l.preview.Length-at)
		if one <= 0 {
			break
		}
		due := float64(l.dueBefore(at+one) - first)
		least := (due - 2*math.Sqrt(due)) / one.Seconds()
		if least > surely || length == 0 {
			rate, length, surely = due/one.Seconds(), one, least
		}
	}
	return rate, length, surely
}

// dueBefore returns the number of operations that are due before a time.
func (l *looker) dueBefore(at time.Duration) uint64 {
	return uint64(sort.Search(int(l.count), func(k int) bool { return l.preview.At(uint64(k)) >= at }))
}

// window looks at neighbouring operations from a time on. One half of the operations selects the hottest
// partition, the other half measures it: the maximum of equal partitions is hotter by chance.
func (l *looker) window(at time.Duration) {
	rate, length, _ := l.rate(at)
	first := l.dueBefore(at)
	if first < l.seen {
		return
	}
	end := min(l.dueBefore(at+length), first+maxWindow)
	l.seen = end
	var w window
	for k := first; k < end; k++ {
		w.add(l, k, func(campaign.Touch) {})
	}
	w.assignUnplaced(l.only)
	selected, measured := &w[0], &w[1]
	if selected.operations == 0 || measured.operations == 0 {
		return
	}
	account := selected.busiest()
	if bound := selected.rate(selected.accounts[account], rate).Least; bound > l.likelyAll {
		l.likelyAll = bound
		l.load.Account = measured.rate(measured.accounts[account], rate)
		l.load.Scans = measured.rate(measured.unplaced, rate)
		l.load.Inserts = measured.rate(measured.inserted, rate).Value
	}
	hottest := selected.hottest()
	if bound := selected.rate(selected.places[hottest], rate).Least; bound > l.likely {
		l.likely = bound
		l.load.Hottest = measured.heat(hottest, rate)
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

// wait reduces the rates of a closed loop by the model's time of the answers, which were counted as immediate.
func (l *Load) wait(phase *scenarios.Phase, s *scenarios.Scenario) {
	clients, think := phase.Traffic.Clients, phase.Traffic.Think
	m, err := s.PartitionModel()
	if clients == 0 || err != nil {
		return
	}
	answer := 0.0
	for i := range l.Approaches {
		// The time of an operation whose requests are never refused.
		one, own := &l.Approaches[i], m.WriteTime
		if verb := one.spec.Verb; verb == entity.Get || verb == entity.Query {
			own = m.ReadTime
		}
		further := max(0, one.Entities-one.Requests)
		takes := time.Duration(one.Requests*float64(m.RoundTrip+own) + further*float64(m.EntityTime))
		answer += one.Share * takes.Seconds()
	}
	l.Clients, l.Answer = clients, answer
	slower := think.Seconds() / (think.Seconds() + answer)
	switch {
	case think == 0 && answer == 0:
		return
	case think == 0:
		// Each was counted with the usual time.
		slower = phase.Traffic.Pace().Seconds() / answer
	}
	l.PerSecond *= slower
	l.Inserts *= slower
	for _, r := range []*Rate{&l.Account, &l.Hottest.Rate, &l.Scans} {
		*r = Rate{r.Value * slower, r.Least * slower, r.Most * slower}
	}
}

// measured replaces the rates of a load by those of the rehearsal's busiest second. All partitions are
// of one table if oneTable.
func (l *Load) measured(r *Rehearsal, oneTable bool) {
	steps := make(map[string]bool)
	var hottest Hottest
	for _, step := range figure.Reported(r.record) {
		p := step.Phase
		if p.Stage != l.Phase {
			continue
		}
		sum := step.Sum(nil)
		steps[p.Name], l.Throttled = true, max(l.Throttled, figure.ShareOf(sum.FirstThrottled, sum.Sent))
		if l.Keys.PartitionsAtLeast && oneTable {
			l.Keys.Partitions = max(l.Keys.Partitions, float64(p.PartitionsHit))
			l.Keys.PartitionsAtLeast = !r.Whole || p.OfferedOver > 0 || uint64(sum.Scheduled) < l.Operations
		}
		if len(p.Offered) == 0 || float64(p.Offered[0].Busiest) <= hottest.Value {
			continue
		}
		one := p.Offered[0]
		hottest = Hottest{Rate: exactly(float64(one.Busiest)), PartitionKey: one.Key, Table: one.Table,
			Share: min(1, figure.ShareOf(one.Entities, sum.Offered))}
	}
	if len(steps) == 0 {
		return
	}
	due, operations := 0.0, 0.0
	for i := range r.record.Intervals {
		if row := &r.record.Intervals[i]; steps[row.Phase] {
			due, operations = max(due, row.PerSecond(row.Offered)), max(operations, row.PerSecond(row.Scheduled))
		}
	}
	if hottest.Value > 0 {
		l.Hottest = hottest
	}
	l.Account, l.PerSecond = exactly(due*r.busiestAccount(steps)), operations
	for i := range l.Approaches {
		one := &l.Approaches[i]
		sum := r.record.Counts(func(p *results.Phase, k results.Kind) bool { return steps[p.Name] && k.Name == one.Name })
		if sum.Scheduled == 0 || sum.Succeeded < sum.Scheduled {
			continue
		}
		one.Entities = figure.ShareOf(sum.Counted, sum.Succeeded)
		one.Requests = figure.ShareOf(sum.Attempts-sum.Retries, sum.Succeeded)
		one.AtLeast = false
	}
}
