package figure

import (
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// second is a whole second of a step, and what it says of a limit. In a long record it is a whole minute or hour, see
// [results.Read]: whatever is judged is of the counts in such a unit of time, and only what is found is by the second.
type second struct {
	*results.Interval
	step int
	// throttled is the number of attempts that the target refused, see refusals.
	throttled int64
	// queuedBefore and queued are the lengths of the queue in front of the target at the start
	// and at the end of the second.
	queuedBefore, queued int64
	// generatorLate reports that operations were late for another reason than a slow target.
	generatorLate bool
	// judged attempts are those that were served or throttled, share the part of them
	// that was throttled; asked is in entities.
	judged, share, asked float64
}

func (s *second) evidence() bool {
	return float64(s.throttled) >= enough*float64(s.Attempts) && s.throttled > 0 && float64(s.Served) < s.asked
}

func (s *second) late() bool { return !s.OnTime() }

// growth returns the growth of the queue in operations.
func (s *second) growth() float64 { return float64(s.queued - s.queuedBefore) }

// refusals returns the number of attempts that the target refused because it was busy, see
// [results.Refused]. Injected faults do not count.
func refusals(throttled int64, causes results.Causes) int64 {
	refused := throttled - causes.Injected(results.Throttled)
	for _, one := range causes {
		if one.Class == results.Failed && !one.Injected && results.Refused(one.Class, one.Status) {
			refused += one.Attempts
		}
	}
	return refused
}

func secondOf(row *results.Interval, step int) second {
	s := second{Interval: row, step: step, throttled: refusals(row.Throttled, row.Causes)}
	s.judged = float64(row.Ok + s.throttled)
	s.asked = max(float64(row.Offered), float64(row.Served))
	if s.judged > 0 {
		s.share = float64(s.throttled) / s.judged
	}
	if row.Ok > 0 {
		// What was throttled is taken to be of the size of what was served.
		s.asked = max(s.asked, float64(row.Served)/(1-s.share))
	}
	return s
}

// atLimit returns the seconds of evidence in which as much was asked as they typically
// serve: in one that the load passed its limit in, less was.
func atLimit(evidence []second) []second {
	core := evidence
	for range 5 {
		rate := medianServed(core)
		next := make([]second, 0, len(evidence))
		for _, s := range evidence {
			if s.asked >= rate*(1+enough) {
				next = append(next, s)
			}
		}
		if len(next) < FewestSeconds || len(next) == len(core) {
			return core
		}
		core = next
	}
	return core
}

func medianServed(list []second) float64 {
	if len(list) == 0 {
		return 0
	}
	served := make([]int64, len(list))
	for i := range list {
		served[i] = list[i].Served
	}
	return statistics.Median(served)
}

func meanServed(list []second) float64 {
	sum := 0.0
	for _, s := range list {
		sum += float64(s.Served)
	}
	return sum / float64(max(1, len(list)))
}

// onTimeOf returns the seconds in which the generator was on time, all where those are too
// few.
func onTimeOf(list []second) []second {
	used := slices.DeleteFunc(slices.Clone(list), func(s second) bool { return s.late() })
	if len(used) < FewestSeconds {
		return list
	}
	return used
}

// heavier returns the half of the seconds in which more was asked, where that differs: what
// throttling by chance leaves of less load may lie below a limit.
func heavier(list []second) []second {
	asked := make([]float64, len(list))
	for i := range list {
		asked[i] = list[i].asked
	}
	slices.Sort(asked)
	const wide = 1.1
	quarter := len(asked) / 4
	if len(asked) < 2*FewestSeconds || asked[len(asked)-1-quarter] < wide*asked[quarter] {
		return list
	}
	middle := asked[len(asked)/2]
	light := slices.DeleteFunc(slices.Clone(list), func(s second) bool { return s.asked >= middle })
	heavy := slices.DeleteFunc(slices.Clone(list), func(s second) bool { return s.asked < middle })
	if medianServed(light) > (1+steady)*medianServed(heavy) {
		// That no limit explains which stays.
		return list
	}
	return heavy
}

// lasting returns those of the seconds of evidence that show what lasts, of a load that rises
// above a limit and falls again: not one right behind less load than it serves, for which an
// idle partition has saved up, and not one of less load that served all that was due in it,
// where what was throttled is left of the second before.
func lasting(all, evidence []second, rate float64) []second {
	const below = 0.97
	asked := make(map[int64]float64, len(all))
	for _, s := range all {
		asked[s.End()] = s.asked
	}
	return slices.DeleteFunc(slices.Clone(evidence), func(s second) bool {
		before, known := asked[s.Second]
		if s.asked >= rate {
			return known && before < below*rate
		}
		return before >= rate && s.Served >= s.Offered
	})
}
