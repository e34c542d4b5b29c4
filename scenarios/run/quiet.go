package run

import (
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// quietAfter is how long nothing has to be answered for the record to tell.
const quietAfter = 50 * time.Millisecond

// quiet finds the stretches in which attempts were under way and none was answered.
// A target that has little to do is not quiet, and what a process cannot see because
// it is not let run is not the target's doing.
type quiet struct {
	// open says that one may be under way, since when; answered how many replies
	// there were by then, waiting how many attempts at the last beat.
	open     bool
	since    clock.Instant
	answered int64
	waiting  int64
	// last is when the beat before was.
	last  clock.Instant
	found []results.Stretch
}

// beat takes in how the workers fare; prompt says that the process was let run since
// the beat before.
func (q *quiet) beat(now clock.Instant, load GeneratorLoad, prompt bool) {
	if q.open && (!prompt || load.Answered != q.answered || load.UnderWay == 0) {
		q.keep(q.since, q.last)
		q.open = false
	}
	if load.Free >= 0 && load.UnderWay > 0 && !q.open {
		q.open, q.since, q.waiting = true, now, 0
	}
	if q.open {
		q.waiting = max(q.waiting, load.UnderWay)
	}
	q.answered, q.last = load.Answered, now
}

// keep takes down a stretch that is long enough. One that began in a second before
// is told from the second's begin on.
func (q *quiet) keep(from, to clock.Instant) {
	if to.Sub(from) < quietAfter {
		return
	}
	q.found = append(q.found, results.Stretch{From: from.Offset(), To: to.Offset(), Waiting: q.waiting})
}

// take returns the stretches of the second that ends at an instant. What was found
// after it stays; what goes on is parted there.
func (q *quiet) take(end clock.Instant) []results.Stretch {
	var taken, left []results.Stretch
	if q.open && q.since < end && q.last >= end {
		q.keep(q.since, end)
	}
	begin := (end.Offset() - 1).Truncate(time.Second)
	for _, one := range q.found {
		if one.From < end.Offset() {
			part := one
			part.From, part.To = max(part.From, begin), min(part.To, end.Offset())
			taken = append(taken, part)
		}
		if one.To > end.Offset() {
			left = append(left, one)
		}
	}
	q.found = left
	return taken
}
