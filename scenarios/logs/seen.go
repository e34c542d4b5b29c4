package logs

import (
	"net/http"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
)

// seen returns a request as a server would have seen it that begins at the log's first
// instant. Counted are its entities by the documents' rule: what is throttled or fails
// counts none.
func (t *teller) seen(e *accesslog.Entry) *rest.Seen {
	arrived := clock.Instant((e.At - t.first) * 100)
	s := &t.room
	*s = rest.Seen{Arrived: arrived, Released: arrived, Done: arrived.Add(max(0, e.EndToEnd)), Verb: e.Verb, Table: e.Table,
		PartitionKey: e.Key.Partition, HasPartition: e.Keyed, RowKey: e.Key.Row, Status: e.HTTP, Code: codeOf(e), Class: e.Class, Shape: e.Shape,
		ClientRequestID: e.ClientID}
	switch e.Verb {
	case entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge:
		s.Inserts = true
	}
	entities := t.estimate.Entities(e)
	if e.Outcome() == accesslog.Ok {
		s.Counted = entities
	}
	if s.Asked = entities; e.Verb == entity.Query || e.Verb == entity.Get {
		s.Asked, s.Returned = 0, s.Counted
	}
	return s
}

// codeOf returns the code of the error that a request came to, OK for none. A log of
// Storage Analytics has words of its own for the ways to say not now.
func codeOf(e *accesslog.Entry) entity.Code {
	switch {
	case e.ClientTimedOut():
		return entity.ClientTimeoutError
	case e.HTTP == http.StatusServiceUnavailable:
		return entity.ServerBusy
	case e.HTTP == http.StatusInternalServerError && e.Outcome() == accesslog.Throttled:
		return entity.OperationTimedOut
	case e.HTTP >= http.StatusBadRequest && e.Status == "":
		return entity.Code(http.StatusText(e.HTTP))
	case e.HTTP >= http.StatusBadRequest:
		return entity.Code(e.Status)
	}
	return entity.OK
}
