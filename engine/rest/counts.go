package rest

import (
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/entity"
)

// Counts returns what the handler has seen since it was built: every request
// that arrived and was answered, or whose reply was lost. Ok are those whose
// operation succeeded (2xx), Refused those with the status 503, 429 or 504 or
// the code OperationTimedOut, Failed all others: a lost reply is one, and so is
// a transaction whose status is 202 and whose one part is an error. Entities
// are those that the engine counted, whether or not the reply was lost.
func (h *Handler) Counts() engine.Counts {
	c := engine.Counts{Ok: h.tally.ok.Load(), Refused: h.tally.refused.Load(),
		Failed: h.tally.failed.Load(), Entities: h.tally.entities.Load()}
	c.Requests = c.Ok + c.Refused + c.Failed
	return c
}

// tally keeps the books of a handler.
type tally struct {
	ok, refused, failed, entities atomic.Int64
}

// add enters one request. Lost says that its sender got no reply.
func (t *tally) add(code entity.Code, counted int64, lost bool) {
	if counted != 0 {
		t.entities.Add(counted)
	}
	switch {
	case lost:
		t.failed.Add(1)
	case code == entity.OK:
		t.ok.Add(1)
	case refuses(code):
		t.refused.Add(1)
	default:
		t.failed.Add(1)
	}
}

// refuses reports whether a code is the service's way to say: not now.
func refuses(code entity.Code) bool {
	if code == entity.OperationTimedOut {
		return true
	}
	status := code.Status()
	return status == 503 || status == 429 || status == 504
}
