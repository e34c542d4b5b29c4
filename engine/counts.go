package engine

import (
	"sync/atomic"

	"loadgen/engine/entity"
)

// Counts is what an engine has seen since it was built.
type Counts struct {
	// Requests = Ok + Throttled + Failed.
	Requests, Ok, Throttled, Failed int64
	// Entities were counted against the targets.
	Entities int64
}

// counter keeps the counts of each verb.
type counter [entity.DeleteTable + 1]struct {
	ok, throttled, failed, entities atomic.Int64
}

func (t *counter) add(v entity.Verb, r *Reply) {
	if int(v) >= len(t) {
		v = 0
	}
	cell := &t[v]
	if r.Counted != 0 {
		cell.entities.Add(r.Counted)
	}
	switch {
	case r.Code == entity.OK:
		cell.ok.Add(1)
	case r.Code == entity.ServerBusy, r.Code == entity.OperationTimedOut:
		cell.throttled.Add(1)
	default:
		cell.failed.Add(1)
	}
}

func (t *counter) countsOf(v entity.Verb) Counts {
	if int(v) >= len(t) {
		return Counts{}
	}
	cell := &t[v]
	c := Counts{Ok: cell.ok.Load(), Throttled: cell.throttled.Load(),
		Failed: cell.failed.Load(), Entities: cell.entities.Load()}
	c.Requests = c.Ok + c.Throttled + c.Failed
	return c
}

func (t *counter) sum() Counts {
	var sum Counts
	for v := range t {
		sum = sum.plus(t.countsOf(entity.Verb(v)))
	}
	return sum
}

// Counts returns the sums over all verbs and accounts.
func (e *Engine) Counts() Counts {
	sum := e.strangers.sum()
	for _, a := range e.accounts {
		sum = sum.plus(a.counts.sum())
	}
	return sum
}

// CountsOf returns the counts of one verb, over all accounts.
func (e *Engine) CountsOf(v entity.Verb) Counts {
	sum := e.strangers.countsOf(v)
	for _, a := range e.accounts {
		sum = sum.plus(a.counts.countsOf(v))
	}
	return sum
}

// CountsIn returns the sums over all verbs of one account; for a name that the
// engine lacks, those of all requests to such names.
func (e *Engine) CountsIn(account string) Counts {
	if a, known := e.accounts[account]; known {
		return a.counts.sum()
	}
	return e.strangers.sum()
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Requests + d.Requests, c.Ok + d.Ok, c.Throttled + d.Throttled,
		c.Failed + d.Failed, c.Entities + d.Entities}
}
