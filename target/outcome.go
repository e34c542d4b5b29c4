package target

import (
	"cmp"
	"context"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
)

// Fault names, in one word for a record, why an attempt has no reply that could be
// taken for one. The empty fault is none.
type Fault string

// The faults. All but the last two leave the status 0.
const (
	// TimedOut: no reply within the time that an attempt has.
	TimedOut Fault = "Timeout"
	// Cancelled: the context ended before the reply.
	Cancelled Fault = "Cancelled"
	// HostNotFound and LookupFailed: the host's name has no address; no name server answered.
	HostNotFound Fault = "HostNotFound"
	LookupFailed Fault = "LookupFailed"
	// ConnectionRefused, ConnectionReset and ConnectionClosed: nothing listens; the
	// connection broke off; it was closed before a reply came.
	ConnectionRefused Fault = "ConnectionRefused"
	ConnectionReset   Fault = "ConnectionReset"
	ConnectionClosed  Fault = "ConnectionClosed"
	// ReplyCutOff: the connection ended within the reply.
	ReplyCutOff Fault = "ReplyCutOff"
	// ConnectionFailed is what else befell a connection.
	ConnectionFailed Fault = "ConnectionFailed"
	// TLSFailed: there is no secured connection.
	TLSFailed Fault = "TLSFailed"
	// ProxyRefused: a proxy rejected the request.
	ProxyRefused Fault = "ProxyRefused"
	// NotHTTP and ReplyTooLong: what came is no reply; it is longer than any may be.
	NotHTTP      Fault = "NotHTTP"
	ReplyTooLong Fault = "ReplyTooLong"
	// NoRoom: the reply waited for memory until its timeout.
	NoRoom Fault = "NoRoomForReply"
	// NotSent: the operation has no request.
	NotSent Fault = "NotSent"
	// Unreadable: a success whose body cannot be read. For a transaction the status is 0, since the result is
	// unknown.
	Unreadable Fault = "UnreadableReply"
	// WrongEntity: a success with another entity than requested.
	WrongEntity Fault = "WrongEntity"
)

// Outcome is the outcome of one attempt. A refusal is an outcome, not an error.
type Outcome struct {
	// Status is the HTTP status, 0 where no reply came.
	Status int
	// Code is the service's name for the outcome, empty on success.
	Code entity.Code
	// Fault is why there is no valid reply, empty for a valid one. An outcome with a fault is failed, whatever its
	// status, and has no entity.
	Fault Fault
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
	// BytesOut and BytesIn are the sizes of request and reply with their heads, without TLS; 0 without a network,
	// without a reply, and with foreign clients.
	BytesOut, BytesIn int64
	// LineWait is the wait of request and reply for the client's line; 0 without a modelled line.
	LineWait time.Duration
	// Injected is the injected fault that made this outcome, 0 for none.
	Injected engine.FaultKind
	// Kept reports that this fault kept the attempt from the service.
	Kept bool
	// StoreMissing reports that the queue or the container is missing, and has to be created first.
	StoreMissing bool
	// Found are the messages or blobs of the reply.
	Found []Found
	// Marker, unless empty, continues an incomplete list. Stand-ins list all at once.
	Marker string
	// FailedIndex is the position of the write that made a transaction fail.
	FailedIndex int
	// RetryAfter is the delay that the service requests before another attempt, at most an hour; 0 for none.
	RetryAfter time.Duration
}

// Row is one entity of a page.
type Row = entity.Row

// Expected is the set of further statuses that are a success of an operation. (A delete-if-exists expects 404.)
type Expected struct{ NotFound, Conflict, Precondition bool }

// Class returns the class of an attempt, given the expected statuses.
func (o *Outcome) Class(expected Expected) results.Class {
	switch s := o.Status; {
	case o.Fault != "":
		return results.Failed
	case s >= 200 && s < 300,
		s == 404 && expected.NotFound,
		s == 409 && expected.Conflict,
		s == 412 && expected.Precondition:
		return results.Ok
	case s == 503, s == 429, s == 504, s == 500 && o.Code == entity.OperationTimedOut:
		return results.Throttled
	default:
		return results.Failed
	}
}

// AwaitReply waits until an instant, and returns the outcome of the reply then; if the context ends before, there was no reply.
func AwaitReply(ctx context.Context, c clock.Clock, done clock.Instant, o Outcome) Outcome {
	if err := c.Sleep(ctx, done); err != nil {
		return Outcome{Fault: Cancelled, Detail: "gave up waiting for the reply: " + err.Error()}
	}
	return o
}

// Cause returns the code that a record has of the outcome: the service's, or the fault.
func (o *Outcome) Cause() string { return cmp.Or(string(o.Code), string(o.Fault)) }

// Unheard reports whether an attempt may have been carried out without a reply that says so. A busy server (503, 429) has
// done nothing; after a missing reply, a failure or a timeout, also of a gateway (504), the result is unknown.
func (o *Outcome) Unheard() bool {
	return o.Status == 0 || o.Fault != "" || o.Code == entity.OperationTimedOut || o.Status >= 500 && o.Status != 503
}

// attempt is one attempt on the way back to its sender.
type attempt struct {
	verdict engine.FaultVerdict
	// arrived reports that it reached the inner target, inner is that one's outcome, zero otherwise; done is when.
	arrived bool
	inner   Outcome
	done    clock.Instant
	// seen is the sender's outcome, at released.
	seen     Outcome
	released clock.Instant
	// abandoned reports that the sender gave up before that.
	abandoned bool
}

// answered returns an attempt that the inner target answered at done, or that was lost before; since is the start of the
// plan's windows.
func answered(verdict engine.FaultVerdict, since clock.Instant, inner Outcome, done clock.Instant) attempt {
	a := attempt{verdict: verdict, arrived: verdict.Arrives(), inner: inner, done: done, seen: inner}
	switch {
	case verdict.Lost != 0:
		// The same whether or not the request was carried out, which a sender cannot know.
		a.seen = Outcome{Fault: ConnectionReset, Detail: "the connection broke before a reply came"}
	case verdict.Cut:
		a.seen = Outcome{Fault: ReplyCutOff, Detail: "the connection was closed before the reply was complete"}
	case verdict.Refused:
		a.seen = Outcome{Status: verdict.Code.Status(), Code: verdict.Code, Detail: "injected fault"}
	}
	a.released = since.Add(verdict.Release(done.Sub(since)))
	return a
}
