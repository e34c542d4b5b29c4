package fault

import (
	"sync"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/fault"
	"loadgen/results"
	"loadgen/target"
)

// Log is what a wrapper did to the attempts. The books of the inner target
// follow from it: its requests are the wrapper's less DroppedBefore and Refused, and its
// entities are the wrapper's and EntitiesLost.
type Log struct {
	// DroppedBefore counts the requests that never reached the inner target.
	DroppedBefore int64
	// Refused counts the requests that were refused in place of the inner target.
	Refused int64
	// DroppedAfter counts the replies lost after the inner target had answered
	// the request, whatever its outcome.
	DroppedAfter int64
	// Frozen counts the replies that a frozen window held back.
	Frozen int64
	// Delayed counts the replies that a delay held back, whether or not a
	// frozen window then did too.
	Delayed int64
	// Abandoned counts the attempts whose sender gave up while they were held
	// back; each is counted under what held it back as well.
	Abandoned int64
	// EntitiesLost is how many entities the inner target counted for attempts
	// whose reply was dropped or abandoned.
	EntitiesLost int64
}

// book is the plan, the chance and the accounts of either face. It is safe for
// concurrent use.
type book struct {
	plan   fault.Plan
	chance clock.Stream

	lock   sync.Mutex
	counts target.Counts
	log    Log
}

func newBook(plan fault.Plan, seed uint64) book {
	return book{plan: plan, chance: clock.NewStream(seed, "fault")}
}

// Counts implements [target.Counter]: the attempts as their sender saw them. An
// attempt counts as ok by its status alone, since a target does not know what
// the operation expects.
func (b *book) Counts() target.Counts {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.counts
}

func (b *book) Log() Log {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.log
}

// decide returns what becomes of an attempt sent at now.
func (b *book) decide(now clock.Instant, op *target.Operation) fault.Verdict {
	key, _ := op.PartitionKey()
	draw := b.chance.Try(op.Number, op.Attempt)
	return b.plan.Decide(now.Offset(), key, draw.Uint64())
}

// attempt is one attempt on its way back to its sender.
type attempt struct {
	verdict fault.Verdict
	// inner is what the inner target answered, zero where nothing reached it;
	// done is when.
	inner target.Outcome
	done  clock.Instant
	// told is what the sender learns, at released.
	told     target.Outcome
	released clock.Instant
	// abandoned says that the sender gave up before that.
	abandoned bool
}

// answered returns the attempt that the inner target has answered at done, or
// that was lost at done before it reached it.
func answered(verdict fault.Verdict, inner target.Outcome, done clock.Instant) attempt {
	a := attempt{verdict: verdict, inner: inner, done: done, told: inner}
	if verdict.Refused {
		a.told = target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "the partition is offline"}
	}
	if verdict.Lost != 0 {
		// The same for both moments: a sender cannot tell whether a request
		// whose reply is lost was carried out.
		a.told = target.Outcome{Fault: target.ConnectionReset, Detail: "the connection broke before a reply came"}
	}
	a.released = clock.Instant(verdict.Release(done.Offset()))
	return a
}

// abandon tells the sender that it gave up waiting.
func (a *attempt) abandon(why error) {
	a.abandoned = true
	a.told = target.Outcome{Fault: target.Cancelled, Detail: "gave up before a reply came: " + why.Error()}
}

func (b *book) enter(a attempt) target.Outcome {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.counts.Requests++
	switch a.told.Class(target.Expected{}) {
	case results.Ok:
		b.counts.Ok++
	case results.Throttled:
		b.counts.Throttled++
	default:
		b.counts.Failed++
	}
	b.counts.Entities += a.told.Counted
	b.log.EntitiesLost += a.inner.Counted - a.told.Counted
	if a.abandoned {
		b.log.Abandoned++
	}
	switch {
	case a.verdict.Lost == fault.Before:
		b.log.DroppedBefore++
	case a.verdict.Lost == fault.After && !a.verdict.Refused:
		b.log.DroppedAfter++
	case a.verdict.Refused:
		b.log.Refused++
	default:
		if a.verdict.By > 0 {
			b.log.Delayed++
		}
		if a.released.Sub(a.done) > a.verdict.By {
			b.log.Frozen++
		}
	}
	return a.told
}
