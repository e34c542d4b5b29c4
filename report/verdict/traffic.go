package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// problem is a cause for which captured traffic is not sound, with its evidence.
type problem struct {
	results.Problem
	Partition *results.ObservedPartition
	Query     *results.QueryShape
	Order     *results.KeyOrder
	// Partitions is the number of partitions that the demand needs, 0 if more may not help; Peak the most entities that
	// were asked for in a second.
	Partitions int
	Peak       int64
	// Wait is the median wait of retries in microseconds.
	Wait    int64
	Failure *shares
}

// Throttled is the share of the attempts that the partition throttled.
func (p *problem) Throttled() float64 { return throttledOf(p.Partition) }

// Saturates reports whether the limit of the partition is known.
func (p *problem) Saturates() bool { return saturates(p.Partition) }

// PerReturned is the number of entities that the query scans for each that it returns.
func (p *problem) PerReturned() float64 { return figure.ShareOf(p.Query.Scanned, p.Query.Returned) }

// Keys are the new PartitionKeys of the table.
func (p *problem) Keys() keyOrder { return keyOrder{p.Table, p.Order.Partitions} }

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

// problemsOf returns the problems of captured traffic, those with the largest share first.
func problemsOf(record *results.Record) []*problem {
	o, all := record.Capture, record.Counts(results.Everything)
	var list []*problem
	add := func(kind results.ProblemKind, part, of int64, p problem) {
		p.Kind, p.Share = kind, min(1, figure.ShareOf(part, of))
		list = append(list, &p)
	}
	if hot := hottestSeen(o); hot != nil && !accountBinds(record) {
		over := partitionsFor(float64(peakOf(hot)), float64(partitionTarget(record)))
		if saturates(hot) || over >= 2 {
			p := problem{Partition: hot, Peak: peakOf(hot), Partitions: max(2, over)}
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
	for i := range o.Orders {
		order := &o.Orders[i]
		if order.Partitions.Way() != "" && figure.ShareOf(order.Partitions.Keys, o.Entities) >= minProblemShare {
			p := problem{Order: order}
			p.Table = order.Table
			add(results.ProblemKeyOrder, order.Partitions.Keys, o.Entities, p)
		}
	}
	wait := results.QuantilesOf(record.RetryWaits).P50
	if again := all.Attempts - all.Operations; wait != nil && *wait < maxQuickWait.Microseconds() && figure.ShareOf(again, all.Attempts) >= minProblemShare {
		add(results.ProblemRetries, again, all.Attempts, problem{Wait: *wait})
	}
	if failing(&all, hottestSeen(o)) > maxFailedShare {
		add(results.ProblemFailures, all.Failed, all.Attempts, problem{Failure: failureShares(&all)})
	}
	if figure.ShareOf(o.ThrottledByAccount, o.Requests) >= minThrottledShare {
		add(results.ProblemAccount, o.ThrottledByAccount, o.Requests, problem{})
	}
	slices.SortStableFunc(list, func(a, b *problem) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// failing returns the share of failed requests, of all or of the hottest partition.
func failing(all *results.KindStats, hot *results.ObservedPartition) float64 {
	if hot == nil {
		return failedShare(all)
	}
	return max(failedShare(all), figure.ShareOf(hot.Failed, hot.Requests))
}

func accountBinds(record *results.Record) bool { return (&evidence{Record: record}).AccountBinds() }

// partitionTarget returns the target that a partition is compared with, the documents' if the model has none.
func partitionTarget(record *results.Record) int64 {
	if target := record.Manifest.Targets.Partition; target > 0 {
		return target
	}
	return documentedPartition
}

// peakOf returns the most entities that a partition was asked for in a second.
func peakOf(p *results.ObservedPartition) int64 { return max(p.Busiest, p.Offered) }

// judgeTraffic completes the summary of captured traffic: the figures that a stress test has of its partition are those
// of the hottest one. There is no generator with a lag, and no offered rate.
func judgeTraffic(record *results.Record, s *results.Summary) {
	hot := hottestSeen(record.Capture)
	s.Lag, s.Saturation, s.SaturationInterval, s.Hottest = results.LagQuantiles{}, nil, nil, nil
	if hot != nil {
		s.Hottest = &results.HottestPartition{Key: hot.PartitionKey, EntitiesPerSecond: hot.Typical}
		if s.SaturationWhy = unfit(s.Validity); s.SaturationWhy == "" && saturates(hot) {
			s.Saturation, s.SaturationInterval = new(*hot.Saturation), []float64{hot.SaturationInterval[0], hot.SaturationInterval[1]}
		} else if s.SaturationWhy == "" {
			s.SaturationWhy = unsaturated(hot)
		}
	}
	why := unknownTraffic(record, s, hot)
	for i := range s.Phases {
		p := &s.Phases[i]
		if p.Holds, p.Why = nil, why; why == "" {
			p.Holds = new(!saturates(hot))
		}
	}
	s.Soundness, s.Problems = results.CannotTell, []results.Problem{}
	if s.Validity != results.Valid || hot == nil {
		return
	}
	for _, one := range problemsOf(record) {
		s.Problems = append(s.Problems, one.Problem)
	}
	switch {
	case len(s.Problems) > 0:
		s.Soundness = results.NotSound
	case why == "":
		s.Soundness = results.Sound
	}
}

// unknownTraffic returns why it is unknown whether the hottest partition sustains the traffic, empty if it is known.
func unknownTraffic(record *results.Record, s *results.Summary, hot *results.ObservedPartition) string {
	sum := record.Counts(results.Everything)
	switch {
	case s.Validity != results.Valid:
		return unfit(s.Validity)
	case hot == nil:
		return "no request for a table's entities arrived"
	case accountBinds(record):
		return "the model limits the account below a partition"
	case saturates(hot):
		return ""
	}
	over := partitionsFor(float64(peakOf(hot)), float64(partitionTarget(record)))
	failed := failing(&sum, hot)
	switch {
	case failed > maxFailedShare && partitionsFor(float64(hot.Busiest), float64(partitionTarget(record))) < 2:
		return fmt.Sprintf("%s of the requests failed, so the demand is unknown", document.Share(failed))
	case over >= 2:
		return fmt.Sprintf("its busiest second needs %d partitions", over)
	case overloadedSeen(hot):
		return unsaturated(hot)
	default:
		return ""
	}
}

// hottestSeen returns the partition with the most demand of those that throttled enough of their attempts, of all if
// none did; nil if there is none.
func hottestSeen(o *results.Capture) *results.ObservedPartition {
	var hot *results.ObservedPartition
	for i := range o.Partitions {
		p := &o.Partitions[i]
		if hot == nil || overloadedSeen(p) && !overloadedSeen(hot) ||
			overloadedSeen(p) == overloadedSeen(hot) && p.Demanded > hot.Demanded {
			hot = p
		}
	}
	return hot
}

// throttledOf returns the share of a partition's attempts that it throttled.
func throttledOf(p *results.ObservedPartition) float64 {
	return figure.ShareOf(p.Throttled, p.Requests)
}

// overloadedSeen reports whether enough of a partition's attempts were throttled.
func overloadedSeen(p *results.ObservedPartition) bool {
	return p.Limited != "" || throttledOf(p) >= minThrottledShare
}

// saturates reports whether the limit of a partition is known.
func saturates(p *results.ObservedPartition) bool {
	return overloadedSeen(p) && p.Saturation != nil && len(p.SaturationInterval) == 2
}

// unsaturated returns why the limit of a partition is unknown.
func unsaturated(p *results.ObservedPartition) string {
	if !overloadedSeen(p) {
		return "less than 1 % of its attempts were throttled"
	}
	return cmp.Or(document.Printable(document.Cut(p.SaturationWhy, 120)), "its seconds are not in the record")
}

// traffic is the hottest partition of captured traffic.
type traffic struct {
	results.ObservedPartition
	Peak, Target int64
}

// Used is the part of the target that its busiest second asked for.
func (t *traffic) Used() float64 { return float64(t.Peak) / float64(t.Target) }

// soundTraffic returns the hottest partition of sound traffic.
func (e *evidence) SoundTraffic() *traffic {
	if e.State != results.Sound {
		return nil
	}
	hot := hottestSeen(e.Capture)
	return &traffic{*hot, peakOf(hot), partitionTarget(e.Record)}
}

// unknown is why it is unknown whether captured traffic is sound.
type unknown struct{ Key, Why string }

func (e *evidence) UnknownTraffic() *unknown {
	if e.Capture == nil || e.State != results.CannotTell || e.Summary.Validity != results.Valid {
		return nil
	}
	u, hot := &unknown{}, hottestSeen(e.Capture)
	if u.Why = unknownTraffic(e.Record, e.Summary, hot); hot != nil {
		u.Key = hot.PartitionKey
	}
	return u
}

// Problems returns the problems of captured traffic.
func (e *evidence) Problems() []*problem {
	if e.Capture == nil || e.State != results.NotSound {
		return nil
	}
	return problemsOf(e.Record)
}

// ThrottledTogether returns how many partitions were throttled in the same seconds as the hottest, 0 if it was alone.
func (e *evidence) ThrottledTogether() int {
	if e.Capture != nil {
		if hot := hottestSeen(e.Capture); hot != nil && hot.Together > 0 {
			return hot.Together + 1
		}
	}
	return 0
}

// keyOrder is a table whose new PartitionKeys or RowKeys come in one order.
type keyOrder struct {
	Table string
	results.Order
}

// Descends reports whether the keys descend.
func (o keyOrder) Descends() bool { return o.Way() == results.PrependOnly }

// InOrder is the number of keys that come in order.
func (o keyOrder) InOrder() int64 { return max(o.Ascending, o.Descending) }

// bounded is what a capture has no room for.
type bounded struct {
	*results.Capture
	Throttled int64
}

func (e *evidence) Bounded() *bounded {
	if e.Capture == nil {
		return nil
	}
	return &bounded{e.Capture, e.Capture.ThrottledByPartition + e.Capture.ThrottledByAccount}
}

// OrderedTables returns the tables whose new PartitionKeys come in one order, without those that are problems.
func (e *evidence) OrderedTables() (list []keyOrder) {
	if e.Capture == nil {
		return nil
	}
	for _, one := range e.Capture.Orders {
		isProblem := func(p *problem) bool { return p.Order != nil && p.Table == one.Table }
		if one.Partitions.Way() != "" && len(list) < maxNamed && !slices.ContainsFunc(e.Problems(), isProblem) {
			list = append(list, keyOrder{one.Table, one.Partitions})
		}
	}
	return list
}
