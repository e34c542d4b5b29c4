package verdict

import (
	"time"

	"loadgen/results"
	"loadgen/results/expectation"
)

// part returns what single partitions or an account were offered or served per
// second in the phase in which that was most, or how many partitions were hit.
func (f *facts) part(figure expectation.Figure, of scope) (float64, bool) {
	most, some := 0.0, false
	for _, step := range of.steps {
		value, told, known := f.partOf(figure, step)
		if !known {
			return 0, false
		}
		if told {
			most, some = max(most, value), true
		}
	}
	return most, some
}

// partOf returns the figure of one phase. Told says that there is one, known that
// nothing which the record leaves out could make it another.
func (f *facts) partOf(figure expectation.Figure, step Step) (value float64, told, known bool) {
	phase := step.Phase
	list, over := phase.Partitions, phase.PartitionsOver
	if figure.Name != "served" {
		list, over = phase.Offered, phase.OfferedOver
		if list == nil && figure.Part != expectation.Account {
			return 0, false, false
		}
	}
	switch {
	case figure.Name == "partitions":
		return float64(phase.PartitionsHit), true, over == 0
	case figure.Part == expectation.Account:
		return accountOf(step), true, true
	case figure.Part == expectation.Hottest && len(list) == 0:
		return 0, false, over == 0
	case figure.Part == expectation.Hottest:
		// What fell to all others together is less than what the first one had.
		return float64(list[0].Entities) / step.seconds(), true, over <= list[0].Entities
	}
	// Of partitions of several tables with that key the first has most.
	for _, partition := range list {
		if partition.Key == figure.Key {
			return float64(partition.Entities) / step.seconds(), true, true
		}
	}
	// It had nothing, unless it is one of those that the record has no room for.
	return 0, true, over == 0 && len(list) < results.KeptPartitions
}

// accountOf returns what the busiest account of a step was offered per second, which
// is all where there is one.
func accountOf(step Step) float64 {
	offered := step.Sum(nil).Offered
	if busiest, several := step.Phase.Busiest(); several {
		offered = step.Phase.Accounts[busiest].Offered
	}
	return float64(offered) / step.seconds()
}

// balanced returns what load balancing did in the scope, or in all of the run where no
// phase is named. Only a simulation tells.
func (f *facts) balanced(figure expectation.Figure, of scope) (float64, bool) {
	if !f.record.Manifest.Modelled() || f.record.Manifest.Time != "virtual" {
		return 0, false
	}
	switch balance := f.summary.Balance; {
	case figure.Name == "throttled" && balance != nil:
		return fromSeconds(balance.Throttled)
	case figure.Name == "relieved" && balance != nil:
		return fromSeconds(balance.Relieved)
	case figure.Name == "throttled", figure.Name == "relieved":
		return 0, false
	}
	var number, longest float64
	for i := range f.record.Events {
		event := &f.record.Events[i]
		if !event.Balanced() || !of.within(time.Duration(event.At)) {
			continue
		}
		longest = max(longest, float64(event.Decision.Until-time.Duration(event.At)))
		if nameOf(event.What) == figure.Name {
			number++
		}
	}
	if figure.Name == "offline" {
		return longest, true
	}
	return number, true
}

// nameOf returns the figure that counts events of a kind.
func nameOf(what string) string {
	switch what {
	case results.RangeMoved:
		return "moves"
	case results.RangesMerged:
		return "merges"
	default:
		return "splits"
	}
}

func (s scope) within(at time.Duration) bool {
	for _, step := range s.steps {
		if step.Phase.Begin <= at && at < step.end {
			return true
		}
	}
	return s.everything
}

// fromSeconds returns a number of seconds as nanoseconds, and false for none.
func fromSeconds(seconds *float64) (float64, bool) {
	if seconds == nil {
		return 0, false
	}
	return *seconds * nanosecondsEach, true
}
