package queueblob

import (
	"context"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Virtual sends each operation to the tables or to the stand-ins, on the virtual clock. It
// belongs to one goroutine.
type Virtual struct {
	tables target.Immediate
	beside target.Immediate
}

// Live sends each operation to the tables or to the queues and containers. It is safe for
// concurrent use if both are.
type Live struct{ tables, beside target.Target }

// Services has one target for each kind of service. It is safe for concurrent use if its
// targets are.
type Services struct {
	// Queues and Blobs receive the requests to queues and containers, Own those to the
	// application's own services; nil means none.
	Queues, Blobs, Own target.Target
}

var (
	_ target.Immediate = (*Virtual)(nil)
	_ target.Target    = (*Live)(nil)
	_ target.Target    = Services{}
)

// NewVirtual returns a target of tables and stand-ins, such as a [Memory].
func NewVirtual(tables, beside target.Immediate) *Virtual { return &Virtual{tables, beside} }

// New returns a target of tables and other services: [Waiting] or [Services].
func New(tables, beside target.Target) *Live { return &Live{tables, beside} }

// Submit implements [target.Immediate].
func (v *Virtual) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	if op.Beside != nil {
		return v.beside.Submit(now, op)
	}
	return v.tables.Submit(now, op)
}

// Do implements [target.Target].
func (l *Live) Do(ctx context.Context, op *target.Operation) target.Outcome {
	if op.Beside != nil {
		return l.beside.Do(ctx, op)
	}
	return l.tables.Do(ctx, op)
}

// Do implements [target.Target] for requests to queues, containers and own services.
func (s Services) Do(ctx context.Context, op *target.Operation) target.Outcome {
	service, kind := s.Blobs, "container of blobs"
	switch {
	case op.Beside.Verb == target.Ask:
		service, kind = s.Own, "service of the application's own"
	case op.Beside.Verb.OfQueue():
		service, kind = s.Queues, "queue"
	}
	if service == nil {
		return target.Outcome{Status: 501, Code: "NotImplemented", Detail: "the target has no " + kind}
	}
	return service.Do(ctx, op)
}
