package engine

import (
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// Request is one attempt at one table of one account. Which fields count
// depends on the verb: Change for the single writes, Change.Key for Get,
// Changes for Batch, Query for Query, none for the two table verbs.
type Request struct {
	Account string
	Table   string
	Verb    entity.Verb
	Change  *entity.Change
	Changes []entity.Change
	Query   Query
	// Number and Attempt identify the request: with the engine's seed they
	// decide all of its chance.
	Number  uint64
	Attempt int
	// Billed is the size of the entities that it brings, by the rule that the service bills
	// by, if known beforehand; 0 makes the engine compute it.
	Billed int64
	// Payload is how many bytes of JSON bring the entities of a transaction; 0 where the
	// sender has checked that already.
	Payload int64
	// Bytes is how long the request was on the wire, its head included; 0 where there is
	// none.
	Bytes int64
	// ReplyBytes is how long its reply will be, where that is known beforehand; of others
	// [Engine.ChargeReply] receives the size.
	ReplyBytes int64
	// Timeout is how long the sender waits; 0, like anything longer, stands for
	// the service's own timeout. It counts where a request is held.
	Timeout time.Duration
}

// Query asks for one page of a key range.
type Query struct {
	Range filter.Range
	// Top is the greatest number of entities in the page; 0 is the service's.
	Top int
	// Keep drops entities from the page; nil keeps all. What it drops was
	// scanned all the same.
	Keep func(entity.Key, entity.Packed) bool
}

// Reply is the outcome of a request.
type Reply struct {
	// Code is empty on success, Detail one line for a person otherwise.
	Code   entity.Code
	Detail string
	// Status is the HTTP status that the service sends.
	Status int
	// Counted is how many entities the request counts against the targets, 0
	// where it was refused. An admitted request counts whatever came of it.
	Counted int64
	// Version is the timestamp of the entity written or read.
	Version entity.Ticks
	// Entity is what a Get found; shared, not to be altered.
	Entity entity.Packed
	// Rows is the page of a query; shared, not to be altered.
	Rows []store.Row
	// Spans says where a page scanned how many entities.
	Spans []store.Span
	// Next is the first key of the next page, where More says there is one.
	Next entity.Key
	More bool
	// FailedIndex is the position of the write that failed a transaction.
	FailedIndex int
	// Versions are the timestamps of the entities after a transaction, in the
	// order of its changes, 0 after a delete.
	Versions []entity.Ticks
	// Done is the instant at which the client has the reply.
	Done clock.Instant
}
