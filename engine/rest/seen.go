package rest

import (
	"net/http"
	"strings"
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Seen is one request as the handler saw it, once its reply was written or lost.
// Its strings and spans are valid during the call of Options.Observe only: they
// lie in room that the next request is read into.
//
// A request failed where its status is 0, it is crowded, or it has a code, unless
// that is one of a refusal; so the sums over all that was seen are [Handler.Counts].
type Seen struct {
	// Request is what came, without its body. Sent is how many bytes of body the reply has,
	// RequestID and ETag are two of its headers.
	Request         *http.Request
	Sent            int64
	RequestID, ETag string
	// Arrived is when the request had been read, Released when its reply could leave, Done
	// when that was written.
	Arrived, Released, Done clock.Instant
	// Verb is what was asked of the engine; 0 for what is no operation on a table
	// or its entities, and for what was turned away before it could be one.
	Verb  entity.Verb
	Table string
	// PartitionKey is that of the one partition that the request is about, where
	// HasPartition says that there is one.
	PartitionKey string
	HasPartition bool
	// RowKey is that of an operation on one entity, and of a transaction's first
	// change.
	RowKey string
	// Inserts says that the operation, or the transaction's first change, may
	// create its entity: an insert or an upsert.
	Inserts bool
	// Injected is the fault of the plan that the request met, 0 for none.
	Injected engine.FaultKind
	// Status is that of the reply; 0 where the reply was lost or cut, to a fault of the
	// plan, or the sender had gone. A transaction that failed has 202.
	Status int
	// Code is what the operation came to, were the reply lost or not: OK, or the
	// code of the error.
	Code entity.Code
	// Crowded says that the refusal is for want of room for the body: it is no
	// word of the model's, and counts as failed.
	Crowded bool
	// AccountBusy says that a refusal is for the account rather than for a
	// partition.
	AccountBusy bool
	// Counted is how many entities the engine counted, Returned how many the reply
	// holds that were asked for.
	// Asked is how many a write counts if it is carried out.
	Counted, Returned, Asked int64
	// Spans says where a query counted them, in the order of the index. A query
	// that found nothing to read counts one entity all the same, in no span.
	Spans []Span
	// Shape and Class are of a query: what [loadgen/engine/filter.Expression.Shape] returns, and
	// the name of the filter's class, whatever continuation or signature narrows
	// it further.
	Shape, Class string
	// ClientRequestID is the identifier that the client gave, by which attempts at
	// one operation can be told.
	ClientRequestID string
}

// Span is how many entities a query counted in one partition.
type Span struct {
	PartitionKey string
	Counted      int64
}

// accountLimits is how the service's texts end that refuse for the account.
const accountLimits = "over the account limit."

// show tells the observer of the request. A reply that was lost was never
// written, so that it has no status.
func (x *exchange) show() {
	asked, reply := &x.asked, &x.reply
	s := &x.seen
	*s = Seen{
		Request:         x.request,
		Sent:            int64(len(x.output)),
		RequestID:       x.headers.view(requestIDHeader),
		ETag:            x.headers.view(etagHeader),
		Arrived:         x.arrived,
		Released:        max(x.arrived, x.released),
		Done:            x.handler.clock.Now(),
		Verb:            asked.Verb,
		Table:           asked.Table,
		Status:          x.status,
		Injected:        x.injected,
		Code:            x.failure.code,
		Crowded:         x.crowded,
		AccountBusy:     x.failure.code == entity.ServerBusy && strings.HasSuffix(x.failure.detail, accountLimits),
		Counted:         reply.Counted,
		ClientRequestID: headerOf(x.request, clientIDHeader),
		Spans:           s.Spans[:0],
	}
	switch asked.Verb {
	case 0, entity.CreateTable, entity.DeleteTable:
	case entity.Query:
		span := x.wanted.Range()
		s.PartitionKey, s.HasPartition = span.Partition()
		s.Shape, s.Class = x.wanted.Shape(), span.Class().String()
		s.Returned = int64(len(x.reply.Rows))
		for _, span := range x.reply.Spans {
			s.Spans = append(s.Spans, Span{span.PartitionKey, int64(span.Scanned)})
		}
	case entity.Batch:
		s.Asked = int64(len(asked.Changes))
		if len(asked.Changes) > 0 {
			s.show(&asked.Changes[0])
		}
	default:
		s.Asked = 1
		s.show(&x.change)
		if asked.Verb == entity.Get && x.failure.code == entity.OK {
			s.Returned = 1
		}
	}
	x.handler.observe(s)
	spans := s.Spans[:0]
	if cap(spans) > mostSpans {
		spans = nil
	}
	*s = Seen{Spans: spans}
}

// mostSpans is how many spans an exchange keeps room for.
const mostSpans = 4096

func (s *Seen) show(c *entity.Change) {
	s.PartitionKey, s.HasPartition, s.RowKey = c.Key.Partition, true, c.Key.Row
	switch c.Verb {
	case entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge:
		s.Inserts = true
	}
}

// Counts returns what the handler has seen since it was built: every request
// that arrived and was answered, or whose reply was lost. Ok are those whose
// operation succeeded (2xx), Throttled those with the status 503, 429 or 504 or
// the code OperationTimedOut, Failed all others: a lost reply is one, so is one
// that [Handler.Crowded] counts, and so is a transaction whose status is 202 and whose one part is an error. Entities
// are those that the engine counted, whether or not the reply was lost.
func (h *Handler) Counts() engine.Counts {
	c := engine.Counts{Ok: h.counter.ok.Load(), Throttled: h.counter.throttled.Load(),
		Failed: h.counter.failed.Load(), Entities: h.counter.entities.Load()}
	c.Requests = c.Ok + c.Throttled + c.Failed
	return c
}

// counter keeps the books of a handler.
type counter struct {
	ok, throttled, failed, entities atomic.Int64
}

// refuses reports whether a code is the service's way to say: not now.
func refuses(code entity.Code) bool {
	if code == entity.OperationTimedOut {
		return true
	}
	status := code.Status()
	return status == 503 || status == 429 || status == 504
}
