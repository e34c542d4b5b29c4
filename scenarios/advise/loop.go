package advise

import (
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// Times are how long a target takes, for what depends on it: clients that wait for an
// answer before they ask again ask less often where answers take longer. Without any,
// answers come at once.
type Times struct {
	// RoundTrip is the network's part of every request; Read and Write are the
	// service's of one that reads or writes an entity, Entity that of each further
	// entity.
	RoundTrip, Read, Write, Entity time.Duration
}

// of returns how long an operation takes whose requests are never refused.
func (t *Times) of(o *Operation) time.Duration {
	own := t.Write
	if verb := o.spec.Verb; verb == entity.Get || verb == entity.Query {
		own = t.Read
	}
	further := max(0, o.Entities-o.Requests)
	return time.Duration(o.Requests*float64(t.RoundTrip+own) + further*float64(t.Entity))
}

// wait has the rates of a closed loop be those of clients that wait for their
// answers: they were counted as if each came at once.
func (l *Load) wait(phase *scenarios.Phase, times Times) {
	clients, think := phase.Traffic.Clients, phase.Traffic.Think
	if clients == 0 {
		return
	}
	answer := 0.0
	for i := range l.Approaches {
		answer += l.Approaches[i].Share * times.of(&l.Approaches[i]).Seconds()
	}
	l.Clients, l.Answer = clients, answer
	slower := think.Seconds() / (think.Seconds() + answer)
	switch {
	case think == 0 && answer == 0:
		return
	case think == 0:
		// They were counted as if each took the usual time.
		slower = phase.Traffic.Pace().Seconds() / answer
	}
	l.PerSecond *= slower
	l.Inserts *= slower
	for _, r := range []*Rate{&l.Account, &l.Hottest.Rate, &l.Scans} {
		*r = Rate{r.Value * slower, r.Least * slower, r.Most * slower}
	}
}
