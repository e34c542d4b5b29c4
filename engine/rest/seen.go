package rest

import (
	"strings"
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
)

// accountLimits is how the service's texts end that refuse for the account.
const accountLimits = "over the account limit."

// show calls Options.Observe with the request. Strings and spans are valid during the call only, since the next
// request reuses their memory. A lost reply was never written and has no status.
//
// A request failed if its status is 0, if there was no room for it, or if its code is not a throttling code. So
// the sums over all observed requests equal [Handler.Counts].
func (x *exchange) show() {
	asked, reply := &x.asked, &x.reply
	s := &x.seen
	*s = accesslog.Observed{
		Request:         x.request,
		RequestBytes:    max(0, x.request.ContentLength),
		ResponseBytes:   int64(len(x.output)),
		RequestID:       x.headers.view(requestIDHeader),
		ETag:            x.headers.view(etagHeader),
		Arrived:         x.arrived,
		Server:          max(x.arrived, x.released).Sub(x.arrived),
		EndToEnd:        x.handler.clock.Now().Sub(x.arrived),
		Verb:            asked.Verb,
		Table:           asked.Table,
		Status:          x.status,
		Code:            x.failure.code,
		Crowded:         x.crowded,
		AccountBusy:     x.failure.code == entity.ServerBusy && strings.HasSuffix(x.failure.detail, accountLimits),
		Counted:         reply.Counted,
		ClientRequestID: headerOf(x.request, clientIDHeader),
		Spans:           s.Spans[:0],
	}
	if x.injected != 0 {
		s.Injected = x.injected.String()
	}
	switch asked.Verb {
	case 0, entity.CreateTable, entity.DeleteTable:
	case entity.Query:
		span := x.wanted.Range()
		s.PartitionKey, s.HasPartition = span.Partition()
		s.Shape, s.Class = x.wanted.Shape(), span.Class().String()
		s.Returned = int64(len(x.reply.Rows))
		for _, span := range x.reply.Spans {
			s.Spans = append(s.Spans, accesslog.Span{PartitionKey: span.PartitionKey, Counted: int64(span.Scanned)})
		}
	case entity.Batch:
		s.Asked = int64(len(asked.Changes))
		if len(asked.Changes) > 0 {
			showChange(s, &asked.Changes[0])
		}
	default:
		s.Asked = 1
		showChange(s, &x.change)
		if asked.Verb == entity.Get && x.failure.code == entity.OK {
			s.Returned = 1
		}
	}
	x.handler.observe(s)
	spans := s.Spans[:0]
	if cap(spans) > maxSpans {
		spans = nil
	}
	*s = accesslog.Observed{Spans: spans}
}

// maxSpans is how many spans an exchange keeps room for.
const maxSpans = 4096

func showChange(s *accesslog.Observed, c *entity.Change) {
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
