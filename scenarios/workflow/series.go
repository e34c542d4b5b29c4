package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// NewSeries returns the workflow of an entity's write followed by the writes of its copies, in
// order. Each starts after the success of the one before and retries on its own. A failure ends the
// operation and keeps the earlier writes: readers can meet an entity without some copies until they
// are repaired.
//
// The entity's write is the inner workflow, or the first request if inner is nil. The requests must
// be safe to repeat. If the client crashes, it does so after the last request.
func NewSeries(inner *Procedure, crashes bool, requests ...Request) *Procedure {
	foreseen := requests
	if inner != nil {
		foreseen = append([]Request{{Operation: inner.Begin()}}, requests...)
	}
	p := NewProcedure(func(t *Tx) {
		if inner != nil {
			t.run(inner)
		}
		for i, one := range requests {
			if t.Send(one); i == 0 && inner == nil && !wrote(t.attempt) {
				// Copies of a missing entity would bring it back.
				return
			}
		}
		t.CrashIf(crashes)
	}, foreseen...)
	p.inner, p.tx.inner = inner, inner != nil
	return p
}

// NewFindWrite returns the workflow of a write whose key is not known: it reads page after page of
// a query until it meets the wanted key, and then runs the write.
func NewFindWrite(query target.Operation, wanted entity.Key, write *Procedure) *Procedure {
	requests := []Request{{Operation: query}}
	for _, op := range write.Requests() {
		requests = append(requests, Request{Operation: op})
	}
	p := NewProcedure(func(t *Tx) {
		for page := range t.pages(requests[0]) {
			if slices.ContainsFunc(page.Rows, func(r target.Row) bool { return r.Key == wanted }) {
				t.run(write)
				return
			}
		}
	}, requests...)
	p.inner = write
	return p
}

// wrote reports whether copies are to be written after an attempt at their entity: the attempt or
// an earlier one wrote it, or it is to be deleted and is missing.
func wrote(a Attempt) bool {
	o, deletes := a.Outcome, verbOf(a.Sent) == entity.Delete
	return Ok(o.Status) || deletes && Missing(o.Status, o.Code) || a.Silent && o.Status == 409
}

// expected adds to the rejections that a request expects those that its own earlier success can
// cause: of an insert or a delete that is sent again after an attempt without a reply.
func expected(e target.Expected, a Attempt) target.Expected {
	verb := verbOf(a.Sent)
	e.Conflict = e.Conflict || a.Silent && verb == entity.Insert
	e.NotFound = e.NotFound || a.Silent && verb == entity.Delete
	return e
}

// verbOf returns the verb of a request; of a transaction, of its first change: the others are the
// same or copies.
func verbOf(op *target.Operation) entity.Verb {
	if op.Verb == entity.Batch && len(op.Changes) > 0 {
		return op.Changes[0].Verb
	}
	return op.Verb
}
