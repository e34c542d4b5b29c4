package figure

import (
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// second is a whole second of a step, with its evidence for a limit. In a long record it is a whole minute or hour,
// see [results.Read]: the analysis uses counts per such a unit of time, and only its results are per second.
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
	// judged is the number of attempts that were served or throttled, share the throttled part of them; asked is in
	// entities.
	judged, share, asked float64
}

func (s *second) isEvidence() bool {
	return float64(s.throttled) >= minShare*float64(s.Attempts) && s.throttled > 0 && float64(s.Served) < s.asked
}

func (s *second) isLate() bool { return !s.OnTime() }

func (s *second) served() float64 { return float64(s.Served) }

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
		// Throttled attempts are assumed to have the size of served ones.
		s.asked = max(s.asked, float64(row.Served)/(1-s.share))
	}
	return s
}

// valuesOf returns a value of each second.
func valuesOf(list []second, value func(*second) float64) []float64 {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = value(&list[i])
	}
	return values
}

// filter returns the seconds for which keep returns true.
func filter(list []second, keep func(*second) bool) []second {
	return slices.DeleteFunc(slices.Clone(list), func(s second) bool { return !keep(&s) })
}

// atLimit returns the seconds of evidence that were asked as much as they typically serve. A second in which the load
// crosses its limit has less demand.
func atLimit(evidence []second) []second {
	core := evidence
	for range 5 {
		rate := medianServed(core)
		next := filter(evidence, func(s *second) bool { return s.asked >= rate*(1+minShare) })
		if len(next) < MinSeconds || len(next) == len(core) {
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
	return statistics.Median(valuesOf(list, (*second).served))
}

func meanServed(list []second) float64 { return statistics.Mean(valuesOf(list, (*second).served)) }

// onTimeOf returns the seconds in which the generator was on time, all if those are too few.
func onTimeOf(list []second) []second {
	used := filter(list, func(s *second) bool { return !s.isLate() })
	if len(used) < MinSeconds {
		return list
	}
	return used
}

// heavierHalf returns the half of the seconds in which more was asked, if that differs: random throttling may reduce a
// lower load to less than a limit.
func heavierHalf(list []second) []second {
	asked := valuesOf(list, func(s *second) float64 { return s.asked })
	slices.Sort(asked)
	const wide = 1.1
	quarter := len(asked) / 4
	if len(asked) < 2*MinSeconds || asked[len(asked)-1-quarter] < wide*asked[quarter] {
		return list
	}
	middle := asked[len(asked)/2]
	light := filter(list, func(s *second) bool { return s.asked < middle })
	heavy := filter(list, func(s *second) bool { return s.asked >= middle })
	if medianServed(light) > (1+steady)*medianServed(heavy) {
		// A constant limit does not explain that.
		return list
	}
	return heavy
}

// sustainedEvidence returns the seconds of evidence that show a sustained rate, of a load that rises above a limit and
// falls again: without those right after a lower load, in which an idle partition has saved up its allowance, and
// without those of a lower load that served everything due, whose throttled attempts are left over from the second
// before.
func sustainedEvidence(all, evidence []second, rate float64) []second {
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

// A target that queues instead of refusing is overloaded when more operations become due than
// it answers, second after second. The queue is the number of attempts in flight plus the
// operations that are due but not sent because every worker waits for the target. Operations
// that wait before a retry are not part of the queue.

const (
	// minOverload is the smallest overload, as a share of the capacity, that must never be
	// reported as sustained.
	minOverload = 0.05
	// minDeviations is the number of standard deviations from zero from which on the growth of a queue counts, and the
	// number from minOverload that rules overload out.
	minDeviations = 3
	// minGrowthShare is the smallest growth, as a share of the due operations, that counts;
	// minGrowth is the smallest in operations. The number in flight varies by a few anyway.
	minGrowthShare, minGrowth = 0.01, 3
)

// queueing describes the queue in front of the target during one step.
type queueing struct {
	seconds int
	// due is the number of operations that became due, growth how much longer the queue is at
	// the end than at the start, deviation the standard deviation of the growth by chance.
	due, growth, deviation float64
	// early and late are the growth in the first and in the last half.
	early, late float64
	// busyFrom is the queue length above which the target has been busy without a break.
	busyFrom float64
	// idle is the number of seconds of the last half that end with an empty queue.
	idle int
}

// queueingOf returns the queue during the whole seconds of one step; the zero value if the
// generator or the client's line held the load back.
func queueingOf(list []second) queueing {
	late, lineBound := 0, false
	for _, s := range list {
		lineBound = lineBound || s.LineBound()
		if s.generatorLate {
			late++
		}
	}
	if len(list) == 0 || 5*late > len(list) || lineBound {
		return queueing{}
	}
	q := queueing{seconds: len(list)}
	for i, s := range list {
		q.due += float64(s.Scheduled)
		if i < len(list)/2 {
			q.early += s.growth()
			continue
		}
		q.late += s.growth()
		if s.queued < minGrowth {
			q.idle++
		}
	}
	q.growth = q.early + q.late
	n := float64(len(list))
	// Few seconds underestimate the deviation.
	q.deviation = deviationOf(valuesOf(list, (*second).growth)) * math.Sqrt(n) * (1 + 2/n)
	q.busyFrom = float64(list[0].queuedBefore) + max(q.growth/4, minGrowth)
	return q
}

// deviationOf estimates a standard deviation by the median absolute deviation, which ignores a
// single pause that the target makes up for.
func deviationOf(values []float64) float64 {
	const normal = 1.4826
	middle, away := statistics.Median(values), make([]float64, len(values))
	for i, value := range values {
		away[i] = math.Abs(value - middle)
	}
	return normal * statistics.Median(away)
}

// grows reports whether the queue grows throughout the step, by more than chance.
func (q *queueing) grows() bool {
	return q.seconds >= MinSeconds && q.growth >= max(minDeviations*q.deviation, minGrowth, minGrowthShare*q.due) &&
		q.early >= q.growth/8 && q.late >= q.growth/4
}

// mayHide reports whether the target may be overloaded by minOverload or more in a step: its queue
// grows enough for that, and is not empty again and again, and the step offers no less than the
// limit that other steps show.
func (q *queueing) mayHideOverload(l *Ladder, step Step) bool {
	return q.seconds >= MinSeconds && 4*q.idle < q.seconds &&
		q.growth > minOverload/(1+minOverload)*q.due-minDeviations*q.deviation &&
		!(l.hasLimit() && l.offered(step) <= l.Rate*(1-limitMargin))
}

// surges reports whether the queue grows for a while, as in an overload, while the offered rate
// rises and falls.
func surges(list []second) bool {
	growth := valuesOf(list, (*second).growth)
	// Neighbouring seconds have nearly the same rate: the rest of their difference is chance.
	changes := make([]float64, 0, len(growth))
	for i := 1; i < len(growth); i++ {
		changes = append(changes, growth[i]-growth[i-1])
	}
	if len(changes) == 0 {
		return false
	}
	deviation := deviationOf(changes) / math.Sqrt2
	sum, due, seconds := 0.0, 0.0, 0
	for i, s := range list {
		if growth[i] <= minOverload*float64(s.Scheduled) {
			sum, due, seconds = 0, 0, 0
			continue
		}
		sum, due, seconds = sum+growth[i], due+float64(s.Scheduled), seconds+1
		if seconds >= MinSeconds && sum >= max(minDeviations*deviation*math.Sqrt(float64(seconds)), minOverload*due, 2*minGrowth) {
			return true
		}
	}
	return false
}

// judgeQueues finds the steps in which the queue grows. If there are some, and refusals show no
// limit, the target saturates at the rate that it serves while the queue is long.
func (l *Ladder) judgeQueues(all []second) {
	steps := make([][]second, len(l.Steps)+len(l.holds))
	for _, s := range all {
		steps[s.step] = append(steps[s.step], s)
	}
	busyFrom := math.Inf(1)
	for _, list := range steps {
		q := queueingOf(list)
		l.queues = append(l.queues, q)
		if q.grows() {
			busyFrom = min(busyFrom, q.busyFrom)
			l.Slowing = q.growth / max(1, q.due-q.growth)
		}
	}
	// An outage answers at once, and is no evidence of the capacity.
	const outageShare = 0.5
	busy := slices.DeleteFunc(slices.Clone(all), func(s second) bool {
		return float64(min(s.queuedBefore, s.queued)) < busyFrom || s.share >= outageShare
	})
	if l.Throttling == Limited || len(busy) < MinSeconds {
		return
	}
	unit := unitOf(busy)
	l.Throttling, l.Allowance = Queued, l.Allowance*float64(unit)
	l.Rate, l.Low, l.High = rangeOf(busy)
	l.Seconds, l.Used, l.OnTime = len(busy), len(busy), true
	l.From, l.To = busy[0].Second, busy[len(busy)-1].End()
	l.bySecond(unit)
}
