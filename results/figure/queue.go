package figure

import (
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// A target that queues instead of refusing is beyond its capacity where more becomes due than
// is answered, second after second. What waits is counted where it waits: attempts under way,
// and operations that are due and were not sent, since every worker waits for the target.
// Operations that wait before a retry are not part of it.

const (
	// over is by which part a load exceeds a capacity that it must never be said to keep to.
	over = 0.05
	// deviations is how many standard deviations a growth has to lie from none to be one,
	// and from that of a load just beyond the capacity to be none.
	deviations = 3
	// leastGrowth is the share of the due operations that has to queue up to be a growth, and
	// fewQueued the number: what is under way differs by a few from second to second.
	leastGrowth, fewQueued = 0.01, 3
)

// queueing is what the queue in front of a target does while a step lasts.
type queueing struct {
	// due operations became due in the seconds, growth more of them wait at the end than at
	// the begin, and deviation is the standard deviation of that by chance.
	seconds                int
	due, growth, deviation float64
	// early and late are the growth in either half.
	early, late float64
	// from is the queue from which on the target is busy all the time.
	from float64
	// idle counts the seconds of the last half at whose end next to nothing waits.
	idle int
}

// queueingOf returns what the queue does in the seconds of one step.
func queueingOf(list []second) queueing {
	q := queueing{seconds: len(list)}
	own := 0
	for _, s := range list {
		if s.ownDoing {
			own++
		}
	}
	if len(list) == 0 || 5*own > len(list) || slices.ContainsFunc(list, func(s second) bool { return s.LineBound() }) {
		// What waits for the generator, or for the client's line, does not wait for the target.
		return queueing{}
	}
	middle := len(list) / 2
	for i, s := range list {
		q.due += float64(s.Scheduled)
		if i < middle {
			q.early += s.growth()
		} else {
			q.late += s.growth()
			if s.queued < fewQueued {
				q.idle++
			}
		}
	}
	q.growth = q.early + q.late
	// A few seconds show less of how far they vary.
	q.deviation = deviationOf(list) * math.Sqrt(float64(len(list))) * (1 + 2/float64(len(list)))
	q.from = float64(list[0].queuedBefore) + max(q.growth/4, fewQueued)
	return q
}

// usualService is the median service time in the second in which that is the shortest, in
// microseconds; 0 where none is known.
func usualService(run []results.Interval) (least int64) {
	for i := range run {
		if p50 := run[i].Service.P50; p50 != nil && (least == 0 || *p50 < least) {
			least = *p50
		}
	}
	return least
}

// waitsForTarget reports whether the workers of a second mostly waited for a target that took
// twice as long as it does under less load, while the process had CPU to spare.
func waitsForTarget(row *results.Interval, usual int64, cores int) bool {
	const allCPU = 0.95
	g := row.Generator
	return g != nil && 2*g.Starved >= g.Lasted && float64(g.CPU) < allCPU*float64(cores)*float64(g.Lasted) && row.Service.P50 != nil && usual > 0 && *row.Service.P50 >= 2*usual
}

// deviationOf returns the standard deviation of the growth of the queue in a second, by the
// median deviation: a single pause that the target makes up for is none.
func deviationOf(list []second) float64 {
	const normal = 1.4826
	growth, away := make([]float64, len(list)), make([]float64, len(list))
	for i, s := range list {
		growth[i] = s.growth()
	}
	middle := statistics.Median(growth)
	for i := range growth {
		away[i] = math.Abs(growth[i] - middle)
	}
	return normal * statistics.Median(away)
}

// grows reports whether the queue grows all the time, by more than chance.
func (q *queueing) grows() bool {
	return q.seconds >= FewestSeconds && q.growth >= max(deviations*q.deviation, fewQueued, leastGrowth*q.due) &&
		q.early >= q.growth/8 && q.late >= q.growth/4
}

// surges reports whether the queue grows for some seconds of a load that rises and falls as it
// does beyond the capacity.
func surges(list []second) bool {
	// Of a load that rises and falls one second differs from the next by chance.
	steps := slices.Clone(list)
	for i := range steps {
		steps[i].queuedBefore = 0
		if steps[i].queued = 0; i > 0 {
			steps[i].queued = int64(list[i].growth() - list[i-1].growth())
		}
	}
	deviation := deviationOf(steps) / math.Sqrt2
	growth, due, seconds := 0.0, 0.0, 0
	for _, s := range list {
		if s.growth() <= over*float64(s.Scheduled) {
			growth, due, seconds = 0, 0, 0
			continue
		}
		growth, due, seconds = growth+s.growth(), due+float64(s.Scheduled), seconds+1
		if seconds >= FewestSeconds && growth >= max(deviations*deviation*math.Sqrt(float64(seconds)), over*due, 2*fewQueued) {
			return true
		}
	}
	return false
}

// keeps reports whether the queue cannot be that of a load beyond the capacity: it grows too
// little, or the target is idle time and again.
func (q *queueing) keeps() bool {
	return 4*q.idle >= q.seconds || q.growth <= over/(1+over)*q.due-deviations*q.deviation
}
