package engine

import (
	"sync/atomic"

	"loadgen/engine/entity"
)

// Counts is what an engine has seen since it was built.
type Counts struct {
	// Requests = Ok + Refused + Failed.
	Requests, Ok, Refused, Failed int64
	// Entities were counted against the targets.
	Entities int64
}

// tally keeps the counts of each verb.
type tally [entity.DeleteTable + 1]struct {
	ok, refused, failed, entities atomic.Int64
}

func (t *tally) add(v entity.Verb, r *Reply) {
	if int(v) >= len(t) {
		v = 0
	}
	cell := &t[v]
	cell.entities.Add(r.Counted)
	switch {
	case r.Code == entity.OK:
		cell.ok.Add(1)
	case r.Code == entity.ServerBusy, r.Code == entity.OperationTimedOut:
		cell.refused.Add(1)
	default:
		cell.failed.Add(1)
	}
}

// Counts returns the sums over all verbs.
func (e *Engine) Counts() Counts {
	var sum Counts
	for v := range e.counts {
		sum = sum.plus(e.CountsOf(entity.Verb(v)))
	}
	return sum
}

// CountsOf returns the counts of one verb.
func (e *Engine) CountsOf(v entity.Verb) Counts {
	if int(v) >= len(e.counts) {
		return Counts{}
	}
	cell := &e.counts[v]
	c := Counts{Ok: cell.ok.Load(), Refused: cell.refused.Load(),
		Failed: cell.failed.Load(), Entities: cell.entities.Load()}
	c.Requests = c.Ok + c.Refused + c.Failed
	return c
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Requests + d.Requests, c.Ok + d.Ok, c.Refused + d.Refused,
		c.Failed + d.Failed, c.Entities + d.Entities}
}
