package verdict

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// hotPartition is the hottest partition of captured traffic, and the target that it is compared with.
type hotPartition struct {
	*results.ObservedPartition
	Target int64
}

// Hot returns the partition with the most demand of those that throttled enough of their attempts, of all if none did;
// nil if there is none. Its target is the documents' if the model has none.
func (e *evidence) Hot() *hotPartition {
	if e.Capture == nil || len(e.Capture.Partitions) == 0 {
		return nil
	}
	target := cmp.Or(max(0, e.Manifest.Targets.Partition), documentedPartition)
	hot := slices.MaxFunc(e.Capture.Partitions, func(a, b results.ObservedPartition) int {
		if isOverloaded(&a) != isOverloaded(&b) {
			return map[bool]int{true: 1, false: -1}[isOverloaded(&a)]
		}
		over := func(p *results.ObservedPartition) float64 { return max(p.Demand, float64(target)) }
		return cmp.Or(cmp.Compare(over(&a), over(&b)), cmp.Compare(a.Demanded, b.Demanded))
	})
	return &hotPartition{&hot, target}
}

// IsOverloaded reports whether enough of its attempts were throttled.
func (p *hotPartition) IsOverloaded() bool { return isOverloaded(p.ObservedPartition) }

func isOverloaded(p *results.ObservedPartition) bool {
	return p.Limited != "" || figure.ShareOf(p.Throttled, p.Requests) >= minThrottledShare
}

// Peak is the most entities that the partition was asked for in a second.
func (p *hotPartition) Peak() int64 { return max(p.Busiest, p.Offered) }

// Saturates reports whether the limit of the partition is known.
func (p *hotPartition) Saturates() bool {
	return p.IsOverloaded() && p.Saturation != nil && len(p.SaturationInterval) == 2
}

// Needs returns the number of partitions that a number of entities in a second needs.
func (p *hotPartition) Needs(entities int64) int {
	return partitionsFor(float64(entities), float64(p.Target))
}

// NeedsAll returns the number of partitions that all that the partition was asked for needs.
func (p *hotPartition) NeedsAll() int {
	return partitionsFor(cmp.Or(p.Demand, float64(p.Peak())), float64(p.Target))
}

// Unsaturated returns why the limit of the partition is unknown.
func (p *hotPartition) Unsaturated() string {
	if !p.IsOverloaded() {
		return "less than 1% of its attempts were throttled"
	}
	return cmp.Or(document.Printable(document.Cut(p.SaturationWhy, 120)), "its seconds are not in the record")
}

// problem is a cause for which captured traffic is not sound, with its evidence.
type problem struct {
	results.Problem
	Hot   *hotPartition
	Query *results.QueryShape
	Keys  *keyOrder
	// Partitions is the number of partitions that the demand needs, 0 if more may not help.
	Partitions int
	// Wait is the median wait of retries in microseconds.
	Wait    int64
	Failure *shares
}

// When captured traffic has a problem.
const (
	// minProblemShare is the share of the traffic from which queries, key orders and retries are a problem.
	minProblemShare = 0.1
	// maxDensity is the share of the scanned entities that a problem query returns at most.
	maxDensity = 0.1
	// maxQuickWait is the shortest first wait of the SDKs' documented policies: retries that come sooner are too quick.
	maxQuickWait = 500 * time.Millisecond
	// maxFailedShare is the share of failed requests up to which traffic shows what a key sustains.
	maxFailedShare = 0.03
)

// problems returns the problems of captured traffic, those with the largest share first.
func (e *evidence) problems() []*problem {
	o, all := e.Capture, e.Counts(results.Everything)
	var list []*problem
	add := func(kind results.ProblemKind, part, of int64, p problem) {
		p.Kind, p.Share = kind, min(1, figure.ShareOf(part, of))
		list = append(list, &p)
	}
	if hot := e.Hot(); hot != nil && !e.AccountBinds() {
		if over := hot.NeedsAll(); hot.Saturates() || over >= 2 {
			p := problem{Hot: hot, Partitions: max(2, over)}
			if hot.Together > 0 || hot.Limited != "" {
				p.Partitions = 0
			}
			p.Table, p.PartitionKey = hot.Table, hot.PartitionKey
			add(results.ProblemPartition, hot.Entities, o.Entities, p)
		}
	}
	for i := range o.Shapes {
		s := &o.Shapes[i]
		if s.Scanned > 0 && float64(s.Returned) < maxDensity*float64(s.Scanned) && figure.ShareOf(s.Scanned, o.Entities) >= minProblemShare {
			p := problem{Query: s}
			p.Table, p.Shape = s.Table, s.Shape
			add(results.ProblemQuery, s.Scanned, o.Entities, p)
		}
	}
	for _, one := range e.orders() {
		part := one.Keys
		if one.Tail > 0 {
			part = int64(one.TailShare * float64(o.Entities))
		}
		if figure.ShareOf(part, o.Entities) >= minProblemShare || one.Tail > 0 {
			p := problem{Keys: &one}
			p.Table = one.Table
			add(results.ProblemKeyOrder, part, o.Entities, p)
		}
	}
	wait := results.QuantilesOf(e.RetryWaits).P50
	if again := all.Attempts - all.Operations; wait != nil && *wait < maxQuickWait.Microseconds() && figure.ShareOf(again, all.Attempts) >= minProblemShare {
		add(results.ProblemRetries, again, all.Attempts, problem{Wait: *wait})
	}
	if e.ManyFail() {
		add(results.ProblemFailures, all.Failed, all.Attempts, problem{Failure: failureShares(&all)})
	}
	if figure.ShareOf(o.ThrottledByAccount, o.Requests) >= minThrottledShare {
		add(results.ProblemAccount, o.ThrottledByAccount, o.Requests, problem{})
	}
	slices.SortStableFunc(list, func(a, b *problem) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// ManyFail reports whether too many requests failed to show what a key sustains.
func (e *evidence) ManyFail() bool { return e.Failing() > maxFailedShare }

// Failing is the share of failed requests, of all or of the hottest partition.
func (e *evidence) Failing() float64 {
	all := e.Counts(results.Everything)
	share := failedShare(&all)
	if hot := e.Hot(); hot != nil {
		share = max(share, figure.ShareOf(hot.Failed, hot.Requests))
	}
	return share
}

// judgeTraffic completes the summary of captured traffic: the figures that a stress test has of its partition are those
// of the hottest one. There is no generator with a lag, and no offered rate.
func (e *evidence) judgeTraffic() {
	s, hot := e.Summary, e.Hot()
	s.Lag, s.Saturation, s.SaturationInterval, s.Hottest = results.LagQuantiles{}, nil, nil, nil
	if hot != nil {
		s.Hottest = &results.HottestPartition{Key: hot.PartitionKey, EntitiesPerSecond: hot.Typical}
		if s.SaturationWhy = unfit(s.Validity); s.SaturationWhy == "" && hot.Saturates() {
			s.Saturation, s.SaturationInterval = new(*hot.Saturation), []float64{hot.SaturationInterval[0], hot.SaturationInterval[1]}
		} else if s.SaturationWhy == "" {
			s.SaturationWhy = hot.Unsaturated()
		}
	}
	why := e.UnknownTraffic()
	for i := range s.Phases {
		p := &s.Phases[i]
		if p.Holds, p.Why = nil, why; why == "" {
			p.Holds = new(!hot.Saturates())
		}
	}
	s.Soundness, s.Problems = results.CannotTell, []results.Problem{}
	if s.Validity != results.Valid || hot == nil {
		return
	}
	for _, one := range e.problems() {
		s.Problems = append(s.Problems, one.Problem)
	}
	switch {
	case len(s.Problems) > 0:
		s.Soundness = results.NotSound
	case why == "":
		s.Soundness = results.Sound
	}
}

// UnknownTraffic returns why it is unknown whether the hottest partition sustains the traffic, empty if it is known.
func (e *evidence) UnknownTraffic() string {
	return strings.Join(narrative().Phrases(e, unknownTraffic), "")
}

// Unfit is why the run answers no question.
func (e *evidence) Unfit() string { return unfit(e.Summary.Validity) }

// Problems returns the problems of captured traffic.
func (e *evidence) Problems() []*problem {
	if e.Capture == nil || e.State != results.NotSound {
		return nil
	}
	return e.problems()
}

// keyOrder is a table whose new PartitionKeys come in one order, or follow one another at a place that is too busy.
type keyOrder struct {
	Table string
	results.Order
	// Tail and TailShare are as of [results.KeyOrder].
	Tail, TailShare float64
}

// Descends reports whether the keys descend.
func (o *keyOrder) Descends() bool { return o.Way() == results.PrependOnly }

// InOrder is the number of keys that come in order.
func (o *keyOrder) InOrder() int64 { return max(o.Ascending, o.Descending) }

// orders returns those tables.
func (e *evidence) orders() (list []keyOrder) {
	for _, one := range e.Capture.Orders {
		if one.Partitions.Way() != "" || one.Tail > 0 {
			list = append(list, keyOrder{one.Table, one.Partitions, one.Tail, one.TailShare})
		}
	}
	return list
}

// OrderedTables returns the tables whose new PartitionKeys come in one order, without those that are problems.
func (e *evidence) OrderedTables() []keyOrder {
	if e.Capture == nil {
		return nil
	}
	problems := e.Problems()
	list := slices.DeleteFunc(e.orders(), func(one keyOrder) bool {
		return slices.ContainsFunc(problems, func(p *problem) bool { return p.Keys != nil && p.Table == one.Table })
	})
	return list[:min(maxNamed, len(list))]
}
