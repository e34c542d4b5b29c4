package figure

import "loadgen/results"

// partitions say where a load saturates, how many there were, and what the busiest of them met. The busiest
// second, counted whole from the begin of the phase, is what a partition is known by:
// a mean over a phase hides the second in which it is throttled.
var partitions = []Definition{
	{Name: "saturation", Scope: OfPhases, Unit: PerSecond, Better: Higher, take: saturation,
		About: "entities per second at a limit: median of whole seconds after each step's first " +
			"with 1 % throttled and less served than offered, if three, and half at that load"},
	{Name: "partitions", About: "maximum PartitionKeys per phase of single-partition operations",
		Scope: OfPhases, Unit: Count, take: func(s *Selection) Value {
			most := untold("no phase reported")
			for _, step := range s.steps {
				one := knownValue(float64(step.Phase.PartitionsHit), step.Phase.PartitionsHit)
				if one.AtLeast = step.Phase.OfferedOver > 0; step.Phase.Offered == nil {
					return untold("the run ended early")
				}
				most = greater(most, one)
			}
			return exact(most, "too many partitions to record")
		}},
	{Name: "mean_offered", About: "maximum entities per second due of a partition, over the phase", Scope: OfPhases,
		Unit: PerSecond, take: func(s *Selection) Value { return s.mean(offeredIn) }},
	{Name: "mean_served", About: "maximum entities per second counted of a partition, over the phase", Scope: OfPhases,
		Unit: PerSecond, take: func(s *Selection) Value { return s.mean(servedIn) }},
}

// perPartition returns what each partition of a phase had, and the bound of those that are not
// among them: what was offered by the instants at which operations were due, or what was served
// by the ends of attempts.
type perPartition func(*results.Phase) (list []results.PartitionStats, over int64)

func offeredIn(p *results.Phase) (list []results.PartitionStats, over int64) {
	return p.Offered, p.OfferedOver
}

func servedIn(p *results.Phase) (list []results.PartitionStats, over int64) {
	if p.Partitions == nil && p.Offered != nil {
		// Nothing was served, which is told.
		return []results.PartitionStats{}, p.PartitionsOver
	}
	return p.Partitions, p.PartitionsOver
}

const notKept = "partitions are not recorded"

// busiestOf returns the busiest second in a phase of which the record names some of its
// partitions, or, where there are no more, all.
func (s *Selection) busiestOf(list []results.PartitionStats, over int64, more bool) Value {
	switch {
	case list == nil && over == 0:
		return untold(notKept)
	case s.ref.Part == Hottest && len(list) == 0:
		return Value{Why: "no operation on one partition"}
	case s.ref.Part == Hottest:
		v := knownValue(float64(list[0].Busiest), list[0].Entities)
		// All that fell to others together is less than what the first had in a second.
		v.AtLeast = list[0].AtLeast || over > list[0].Busiest
		return v
	}
	// Of partitions of several tables with that key the first has most, unless it stands
	// among the others for its mean.
	for i, one := range list {
		if one.Key == s.ref.Key {
			if more && i >= results.KeptPartitions {
				return untold(notKept)
			}
			v := knownValue(float64(one.Busiest), one.Entities)
			v.AtLeast = one.AtLeast
			return v
		}
	}
	if over > 0 || len(list) >= results.KeptPartitions {
		return untold(notKept)
	}
	return knownValue(0, 0)
}

// exact turns a lower bound into a figure that is not told: a check must not pass on it.
func exact(v Value, why string) Value {
	if v.Told && v.AtLeast {
		v.Told, v.Why = false, why
	}
	return v
}

// greater returns the greater of two figures. It is no more than a lower bound where
// either is: that one may be the greater.
func greater(a, b Value) Value {
	switch {
	case !b.Told:
		return a
	case !a.Told:
		return b
	case b.Value > a.Value:
		a, b = b, a
	}
	a.AtLeast = a.AtLeast || b.AtLeast
	return a
}

// mean returns the greatest mean of a partition in any of the phases.
func (s *Selection) mean(of perPartition) Value {
	most := untold("no operation on one partition")
	for _, step := range s.steps {
		list, over := of(step.Phase)
		if list == nil && over == 0 {
			return untold(notKept)
		}
		entities := int64(0)
		for _, one := range list {
			entities = max(entities, one.Entities)
		}
		if len(list) > 0 {
			one := perSecond(float64(entities), step.Seconds(), entities)
			// Earlier records of the same schema name none beyond those with the busiest second.
			named := len(step.Phase.Offered) > results.KeptPartitions || step.Phase.PartitionsHit <= results.KeptPartitions
			one.AtLeast = over > entities || !named
			most = greater(most, one)
		}
	}
	return exact(most, "unnamed partitions may have more")
}

// Hottest returns the partition that served most in a second of a reported phase, nil where none is known.
func (f *Figures) Hottest() *results.HottestPartition {
	var most results.HottestPartition
	for _, step := range f.reported {
		list := step.Phase.Partitions
		if len(list) == 0 {
			continue
		}
		one, bound := list[0], most.AtLeast || list[0].AtLeast || step.Phase.PartitionsOver > list[0].Busiest
		if busiest := float64(one.Busiest); busiest > most.EntitiesPerSecond {
			most = results.HottestPartition{Table: one.Table, Key: one.Key, EntitiesPerSecond: busiest, Mean: float64(one.Entities) / step.Seconds()}
		}
		most.AtLeast = bound
	}
	if most.EntitiesPerSecond == 0 {
		return nil
	}
	return &most
}
