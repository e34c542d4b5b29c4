package suggest

import (
	"errors"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/fields"
)

// candidate is what a design comes to, as computed.
type candidate struct {
	draft
	// cannot says why it cannot serve the scenario, empty where it can; nothing else is
	// then told.
	cannot string
	// hottest and account are in entities per second, each at its busiest; hotTable is
	// what the hottest partition's table has beside the run's own.
	hottest, account float64
	hotTable         string
	// insertRate is how many entities are inserted a second at most, partitions over how
	// many keys all load falls.
	insertRate, partitions float64
	// moving says that inserts were seen to fall on one place that moves on, order how.
	moving bool
	order  string
	// unserved is how many operations with a bounded response time read more than they
	// want; scans names those that have to read several partitions for one answer.
	unserved int
	scans    []string
	reads    []ReadCost
	// cost is what an operation comes to on the average, in requests and counted
	// entities, those with a bounded response time weighing more; insertCost the same of
	// inserts, as they are.
	cost, insertRequests, insertCounted float64
}

func (r *rule) explain(d *scenarios.Design) (candidate, error) {
	with := *r.scenario
	with.Design, with.AntiPattern, with.Pattern = *d, nil, nil
	with.Designs, with.Use = nil, ""
	if faults := with.Validate(); len(faults) > 0 {
		var fault fields.Fault
		if errors.As(faults[0], &fault) {
			// Its place is none of the user's.
			return candidate{cannot: fault.What}, nil
		}
		return candidate{cannot: faults[0].Error()}, nil
	}
	// What pads an entity changes nothing but its size, and takes most of the time.
	with.Entity.Filler = ""
	explained, err := advise.InUse(advise.Options{Scenario: &with, Targets: *r.options.Targets, Times: r.options.Times})
	if err != nil {
		return candidate{}, err
	}
	a := candidate{}
	sum := weighing{needs: needs(r.scenario), entities: make(map[string]int), accounts: r.options.Targets.Accounts}
	for i := range r.scenario.Phases {
		for _, op := range r.scenario.Phases[i].Operations() {
			if op.Inserts() {
				sum.entities[op.Name] = max(1, op.Entities)
			}
		}
	}
	for i := range explained.Loads {
		a.look(&explained.Loads[i], &sum)
	}
	a.cost = sum.cost / max(sum.weight, 1e-9)
	a.insertRequests, a.insertCounted = sum.insertRequests/max(sum.inserts, 1e-9), sum.insertCounted/max(sum.inserts, 1e-9)
	return a, nil
}

// weighing adds up what operations cost.
type weighing struct {
	needs func(operation string) bool
	// accounts is how many accounts the load is parted over.
	accounts int
	// entities is how many an operation inserts, by its name, whatever copies there are.
	entities                               map[string]int
	cost, weight                           float64
	inserts, insertRequests, insertCounted float64
}

func (a *candidate) look(l *advise.Load, sum *weighing) {
	hottest := l.Hottest.Value
	if hottest == 0 {
		// No partition is hot enough to be met again among those looked at: the bound.
		hottest = l.Hottest.Most
	}
	if hottest > a.hottest {
		a.hottest, a.hotTable = hottest, l.Hottest.Table
	}
	a.account, a.partitions = max(a.account, l.Account.Value), max(a.partitions, l.Keys.Partitions)
	rate, all := 0.0, 0.0
	for i := range l.Approaches {
		one := &l.Approaches[i]
		operations := float64(l.Operations) * one.Share
		all += one.Share * l.PerSecond * one.Entities
		weight := operations
		needed := sum.needs(one.Name)
		if needed {
			weight *= needWeight
		}
		sum.cost += weight * (one.Requests + one.Entities)
		sum.weight += operations
		if one.Class != "" && one.Verb == entity.Query.String() {
			a.read(one, needed)
		}
		if each := sum.entities[one.Name]; each > 0 {
			sum.inserts += operations
			sum.insertRequests += operations * one.Requests
			sum.insertCounted += operations * one.Entities
			rate += one.Share * l.PerSecond * float64(each)
		}
	}
	a.insertRate = max(a.insertRate, rate)
	if accounts := max(1, sum.accounts); accounts == 1 {
		// A rare query that reads much is in no window, but on the average it is there.
		a.account = max(a.account, all)
	}
	for _, v := range []keystatistics.Verdict{keystatistics.AppendOnly, keystatistics.PrependOnly, keystatistics.HotTail, keystatistics.MovingPoint} {
		if l.Keys.Order == v.String() {
			a.moving, a.order = true, l.Keys.Order
		}
	}
}

func (a *candidate) read(one *advise.Operation, needed bool) {
	if one.Share == 0 {
		// None of those looked at is due, and nothing can be told of it but the class.
		one.Requests, one.Entities = 0, 0
	}
	if at := slices.IndexFunc(a.reads, func(c ReadCost) bool { return c.Operation == one.Name }); at >= 0 {
		// Of two phases with the same operation the dearer one counts.
		c := &a.reads[at]
		c.Requests, c.Counted = max(c.Requests, one.Requests), max(c.Counted, one.Entities)
		return
	}
	a.reads = append(a.reads, ReadCost{Operation: one.Name, Class: one.Class, Requests: one.Requests, Counted: one.Entities})
	whole := one.Class == filter.ClassPartitionScan.String() && (!one.Narrowed || one.Density != nil && *one.Density > 0.95)
	short := one.Class == filter.ClassPoint.String() || one.Class == filter.ClassRowRange.String() || whole
	if needed && !short {
		a.unserved++
	}
	if one.Class == filter.ClassTableScan.String() || one.Class == filter.ClassPartitionRangeScan.String() && one.Narrowed {
		a.scans = append(a.scans, one.Name)
	}
}

// holdsPartition reports whether the hottest partition leaves the headroom.
func (r *rule) holdsPartition(a *candidate) bool { return r.limit() == 0 || a.hottest <= r.limit() }

// holdsAccount reports whether the account's target is held as well.
func (r *rule) holdsAccount(a *candidate) bool {
	target := r.options.Targets.Account
	return r.holdsPartition(a) && (target == 0 || a.account <= float64(target))
}
