package target

import (
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
)

// Outcome is what came of one attempt. A refusal is an outcome, not an error.
type Outcome struct {
	// Status is the HTTP status, 0 where no reply came.
	Status int
	// Code is the service's name for the outcome, empty on success.
	Code entity.Code
	// Detail is one line for a person, empty on success.
	Detail string
	// Counted is how many entities the attempt counts against the targets:
	// inserted, updated, deleted or scanned. A refused attempt counts none.
	Counted int64
	// Returned is how many entities the reply held.
	Returned int64
	// Version is the timestamp (hence the ETag) of the entity after a single
	// write, or of the entity read.
	Version entity.Ticks
	// Entity is the entity that a Get read; the caller must not alter it.
	Entity entity.Packed
	// Rows are the entities of a page; the caller must not alter them.
	Rows []Row
	// Next is the continuation token of a page, absent on the last.
	Next Token
	// BytesOut and BytesIn are how long request and reply were on the wire, heads
	// included, without what secures the connection; 0 where there is no wire, where no
	// reply came, and where the client is somebody else's.
	BytesOut, BytesIn int64
	// Found are the messages or blobs of a request beside the table.
	Found []Found
	// FailedIndex is the position of the write that made a transaction fail.
	FailedIndex int
	// RetryAfter is how long the service asks to be left alone before another
	// attempt, at most an hour; 0 where it does not ask.
	RetryAfter time.Duration
}

// Row is one entity of a page.
type Row struct {
	Key    entity.Key
	Entity entity.Packed
}

// Expected is the set of statuses beside 2xx that an operation takes for
// success; the zero value is none. (A delete-if-exists expects 404.)
type Expected struct{ NotFound, Conflict, Precondition bool }

// Class returns the fate of an attempt, given what its operation expects.
func (o *Outcome) Class(expected Expected) results.Class {
	switch s := o.Status; {
	case s >= 200 && s < 300,
		s == 404 && expected.NotFound,
		s == 409 && expected.Conflict,
		s == 412 && expected.Precondition:
		return results.Ok
	case s == 503, s == 429, s == 504, s == 500 && o.Code == entity.OperationTimedOut:
		return results.Refused
	default:
		return results.Failed
	}
}

// Unheard reports whether an attempt may have been carried out although its reply
// does not say so. A server that was busy (503, 429) has done nothing; one that
// says nothing, that it failed or that it took too long may have, and so may what
// stands behind a gateway that waited no longer (504).
func (o *Outcome) Unheard() bool {
	return o.Status == 0 || o.Code == entity.OperationTimedOut || o.Status >= 500 && o.Status != 503
}
