package target

import (
	"cmp"
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
	// Cancelled: whoever waited for the reply gave up.
	Cancelled Fault = "Cancelled"
	// HostNotFound and LookupFailed: the host's name has no address; nobody said.
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
	// ProxyRefused: a proxy on the way lets nobody through.
	ProxyRefused Fault = "ProxyRefused"
	// NotHTTP and ReplyTooLong: what came is no reply; it is longer than any may be.
	NotHTTP      Fault = "NotHTTP"
	ReplyTooLong Fault = "ReplyTooLong"
	// NoRoom: until its time was up, the reply waited for room that others held here.
	NoRoom Fault = "NoRoomForReply"
	// NotSent: there is no request that would say what the operation is.
	NotSent Fault = "NotSent"
	// Unreadable: a success whose body cannot be read. Of a transaction the status is 0
	// then: nobody knows what was carried out.
	Unreadable Fault = "UnreadableReply"
	// WrongEntity: a success with an entity that was not asked for.
	WrongEntity Fault = "WrongEntity"
)

// Outcome is what came of one attempt. A refusal is an outcome, not an error.
type Outcome struct {
	// Status is the HTTP status, 0 where no reply came.
	Status int
	// Code is the service's name for the outcome, empty on success.
	Code entity.Code
	// Fault says why there is no reply, or why the one that came is none; it is empty
	// where the service's word counts. An outcome with a fault is failed, whatever its
	// status, and holds no entity.
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
	// BytesOut and BytesIn are how long request and reply were on the wire, heads
	// included, without what secures the connection; 0 where there is no wire, where no
	// reply came, and where the client is somebody else's.
	BytesOut, BytesIn int64
	// LineWait is how long request and reply together waited for the client's line behind
	// others; 0 where no line is modelled.
	LineWait time.Duration
	// Injected is the fault that the attempt met because somebody asked for it, 0 for none:
	// what it came to is then no word of the service's.
	Injected engine.FaultKind
	// Kept says that this fault kept the attempt from the service, which never met it.
	Kept bool
	// StoreMissing says that nothing was put, since the queue or the container that it was
	// to be put into is not there, and has to be made first ([Beside.Maker]).
	StoreMissing bool
	// Found are the messages or blobs of a request beside the table.
	Found []Found
	// Marker, where set, says that a service has listed fewer blobs than there are and were
	// asked for: the same request goes on there ([Beside.Marker]). Stand-ins list all at once.
	Marker string
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

// Unanswered is the error of an attempt without a reply, of clients that have errors.
type Unanswered struct {
	Fault  Fault
	Detail string
}

// Error implements error: one line for a person.
func (u *Unanswered) Error() string { return u.Detail }

// Cause returns the code that a record has of the outcome: the service's, or the fault.
func (o *Outcome) Cause() string { return cmp.Or(string(o.Code), string(o.Fault)) }

// Unheard reports whether an attempt may have been carried out although its reply
// does not say so. A server that was busy (503, 429) has done nothing; one that
// says nothing, that it failed or that it took too long may have, and so may what
// stands behind a gateway that waited no longer (504).
func (o *Outcome) Unheard() bool {
	return o.Status == 0 || o.Fault != "" || o.Code == entity.OperationTimedOut || o.Status >= 500 && o.Status != 503
}

// attempt is one attempt on its way back to its sender.
type attempt struct {
	verdict engine.FaultVerdict
	// arrived says that it reached the inner target, inner is what that answered, zero
	// where it did not; done is when.
	arrived bool
	inner   Outcome
	done    clock.Instant
	// told is what the sender learns, at released.
	told     Outcome
	released clock.Instant
	// abandoned says that the sender gave up before that.
	abandoned bool
}

// answered returns the attempt that the inner target has answered at done, or that was
// lost at done before it reached it; the plan's windows count from since.
func answered(verdict engine.FaultVerdict, since clock.Instant, inner Outcome, done clock.Instant) attempt {
	a := attempt{verdict: verdict, arrived: verdict.Arrives(), inner: inner, done: done, told: inner}
	switch {
	case verdict.Lost != 0:
		// The same for both moments: a sender cannot tell whether a request
		// whose reply is lost was carried out.
		a.told = Outcome{Fault: ConnectionReset, Detail: "the connection broke before a reply came"}
	case verdict.Cut:
		a.told = Outcome{Fault: ReplyCutOff, Detail: "the connection was closed before the reply was complete"}
	case verdict.Refused:
		a.told = Outcome{Status: verdict.Code.Status(), Code: verdict.Code, Detail: "injected fault"}
	}
	a.released = since.Add(verdict.Release(done.Sub(since)))
	return a
}
