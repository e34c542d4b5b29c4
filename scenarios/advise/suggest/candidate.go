package suggest

import (
	"errors"
	"math"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/fields"
)

// candidate is a design with its derived figures.
type candidate struct {
	draft
	Candidate
	// hotTable is the suffix of the table of the hottest partition.
	hotTable string
	// insertRate is the maximum rate of inserted entities, partitions the number of partitions, at least
	// if atLeast.
	insertRate, partitions float64
	atLeast                bool
	// unserved is the number of operations with a bounded response time that read more than they want;
	// scans names those that read several partitions.
	unserved int
	scans    []string
}

func (r *rule) explain(d *scenarios.Design) (candidate, error) {
	with := *r.scenario
	with.Design, with.AntiPattern, with.Pattern = *d, nil, nil
	with.Designs, with.Use = nil, ""
	if faults := with.Validate(); len(faults) > 0 {
		var fault fields.Fault
		if errors.As(faults[0], &fault) {
			// Its location is not in the user's file.
			return candidate{Candidate: Candidate{Cannot: fault.What}}, nil
		}
		return candidate{Candidate: Candidate{Cannot: faults[0].Error()}}, nil
	}
	// The filler changes only the size of an entity, and takes most of the time.
	with.Entity.Filler = ""
	explained, err := advise.InUse(advise.Options{Scenario: &with})
	if err != nil {
		return candidate{}, err
	}
	a, cost, operations := candidate{}, 0.0, 0.0
	for i := range explained.Loads {
		load := &explained.Loads[i]
		cost += r.look(&a, load)
		operations += float64(load.Operations)
	}
	a.Cost = cost / max(operations, 1e-9)
	return a, nil
}

// look adds the figures of a load to those of a candidate, and returns the cost of its operations.
func (r *rule) look(a *candidate, l *advise.Load) (cost float64) {
	hottest := l.Hottest.Value
	if hottest == 0 {
		// No partition occurs twice in the sample: the upper bound counts.
		hottest = l.Hottest.Most
	}
	if hottest > a.Hottest {
		a.Hottest, a.hotTable = hottest, l.Hottest.Table
	}
	a.Account, a.partitions = max(a.Account, l.Account.Value), max(a.partitions, l.Keys.Partitions)
	a.atLeast = a.atLeast || l.Keys.PartitionsAtLeast
	rate, all := 0.0, 0.0
	for i := range l.Approaches {
		one := &l.Approaches[i]
		all += one.Share * l.PerSecond * one.Entities
		weight, needed := float64(l.Operations)*one.Share, r.needed(one.Name)
		if needed {
			weight *= needWeight
		}
		cost += weight * (one.Requests + one.Entities)
		if one.Class != "" && one.Verb == entity.Query.String() {
			a.read(one, needed)
		}
		rate += one.Share * l.PerSecond * float64(r.inserted[one.Name])
	}
	a.insertRate = max(a.insertRate, rate)
	if r.targets.Accounts <= 1 {
		// A rare query that reads much is in no window, but counts on average.
		a.Account = max(a.Account, all)
	}
	if slices.Contains([]string{keystatistics.AppendOnly.String(), keystatistics.PrependOnly.String(), keystatistics.HotTail.String(),
		keystatistics.MovingPoint.String()}, l.Keys.Order) {
		a.Appends = l.Keys.Order
	}
	return cost
}

func (a *candidate) read(one *advise.Operation, needed bool) {
	if one.Share == 0 {
		// None was sampled: only the class is known.
		one.Requests, one.Entities = 0, 0
	}
	if at := slices.IndexFunc(a.Reads, func(c ReadCost) bool { return c.Operation == one.Name }); at >= 0 {
		// Of two phases with the same operation the more expensive one counts.
		c := &a.Reads[at]
		c.Requests, c.Counted = max(c.Requests, one.Requests), max(c.Counted, one.Entities)
		return
	}
	a.Reads = append(a.Reads, ReadCost{Operation: one.Name, Class: one.Class, Requests: one.Requests, Counted: one.Entities})
	whole := one.Class == filter.ClassPartitionScan.String() && (!one.Narrowed || one.Density != nil && *one.Density > 0.95)
	short := one.Class == filter.ClassPoint.String() || one.Class == filter.ClassRowRange.String() || whole
	if needed && !short {
		a.unserved++
	}
	if one.Class == filter.ClassTableScan.String() || one.Class == filter.ClassPartitionRangeScan.String() && one.Narrowed {
		a.scans = append(a.scans, one.Name)
	}
}

// limit is the maximum rate of a partition at the peak, 0 for none.
func (r *rule) limit() float64 {
	return float64(r.targets.Partition) * (1 - headroom)
}

// holdsPartition reports whether the hottest partition leaves the headroom.
func (r *rule) holdsPartition(a *candidate) bool { return r.limit() == 0 || a.Hottest <= r.limit() }

// holdsAccount reports whether the load is within the account's target as well.
func (r *rule) holdsAccount(a *candidate) bool {
	target := r.targets.Account
	return r.holdsPartition(a) && (target == 0 || a.Account <= float64(target))
}

// moves reports whether a relevant share of inserts falls on one place that moves.
func (r *rule) moves(a *candidate) bool { return a.Appends != "" && r.inserts >= insertHeavy }

// placement returns what is wrong with the place of the load, empty for nothing.
func (r *rule) placement(a *candidate) string {
	switch {
	case r.moves(a):
		return sentence("reject/moves", a.Appends)
	case !r.holdsPartition(a):
		return sentence("reject/partition", a.Hottest, r.limit())
	default:
		return ""
	}
}

// compute derives the figures of drafts. A draft whose hottest partition gets too much, or whose inserts
// fall on one place, is replaced by one with the fewest buckets.
func (r *rule) compute(drafts []draft, p *Proposal) ([]candidate, error) {
	var list []candidate
	bucketed := 0
	for i := range drafts {
		a, err := r.figures(&drafts[i])
		if err != nil {
			return nil, err
		}
		if a.Cannot == "" && r.placement(&a) != "" && r.bucketBy != "" && bucketed < maxBucketed {
			bucketed++
			p.reject(&a.design, r.placement(&a))
			if a, err = r.bucket(&drafts[i], a); err != nil {
				return nil, err
			}
		}
		switch {
		case a.Cannot != "":
			p.reject(&a.design, sentence("reject/cannot", a.Cannot))
		case r.moves(&a):
			p.reject(&a.design, r.placement(&a))
		default:
			list = append(list, a)
		}
	}
	return list, nil
}

// figures derives the figures of a draft. In a scenario whose time runs faster than the clock a period is
// short, and none of its partitions is hot; in use a period lasts, and all inserts fall on its buckets.
// The hottest partition of keys by a period then takes the inserts of one.
func (r *rule) figures(d *draft) (candidate, error) {
	a, err := r.explain(&d.design)
	if a.draft = *d; err != nil || a.Cannot != "" {
		return a, err
	}
	timed := false
	for _, name := range a.set {
		switch {
		case r.attributes.isTime(name) && !r.attributes.isUnique(name):
			timed = true
		default:
			return a, nil
		}
	}
	together := 1 + len(a.design.Copies) - apartFrom(&a.design)
	each := a.insertRate * float64(together) / float64(max(1, a.buckets))
	// A tenth is the error of a sample.
	if timed && each > 1.1*a.Hottest {
		a.Hottest, a.hotTable = each, ""
	}
	return a, nil
}

// bucket returns a draft with the fewest buckets that sustain the peak, or the nearest to it. Numbers are
// tried upwards from the one that an even load needs. If the hottest partition is a copy's, the copies get
// the buckets.
func (r *rule) bucket(d *draft, a candidate) (candidate, error) {
	for tried := 0; r.placement(&a) != "" && tried < maxTried; tried++ {
		over := a.parts
		number := &over.buckets
		if a.hotTable != "" && !r.moves(&a) {
			number = &over.apart
		}
		if *number == maxBuckets {
			break
		}
		next := *number + 1
		if !r.holdsPartition(&a) {
			// A hash is not even, and the sample has an error: the last tenth is tried in steps of one.
			next = max(next, int(math.Ceil(0.9*float64(*number)*a.Hottest/r.limit())))
		}
		*number = min(next, maxBuckets)
		bucketed, some := r.draft(d.set, over, d.copied)
		if !some {
			break
		}
		better, err := r.figures(&bucketed)
		if err != nil || better.Cannot != "" {
			return a, err
		}
		a = better
	}
	return a, nil
}
