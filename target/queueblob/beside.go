package queueblob

import (
	"context"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Virtual sets stand-ins beside tables on the virtual clock. It belongs to one
// goroutine.
type Virtual struct {
	tables target.Immediate
	beside target.Immediate
}

// Live sets queues and containers beside tables. It is safe for concurrent use, as
// both are.
type Live struct{ tables, beside target.Target }

// Services are queues, containers and an application's own services that each are a target
// of their own. It is safe
// for concurrent use, as both are.
type Services struct {
	// Queues and Blobs take the requests to queues and to containers, Own those to services
	// of the application's own; nil where there are none.
	Queues, Blobs, Own target.Target
}

var (
	_ target.Immediate = (*Virtual)(nil)
	_ target.Target    = (*Live)(nil)
	_ target.Target    = Services{}
)

// NewVirtual returns tables with stand-ins beside them, such as a [Memory].
func NewVirtual(tables, beside target.Immediate) *Virtual { return &Virtual{tables, beside} }

// New returns tables with what takes the operations beside them: stand-ins that are
// [Waiting], or [Services].
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

// Do implements [target.Target] for what goes beside the table.
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
