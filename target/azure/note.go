package azure

import (
	"context"
	"time"

	"loadgen/results"
	"loadgen/target"
)

// Refusals returns the refused and slow requests, recorded with [Options.Observe], without the difference of the clocks.
// Their times count from a time of the target's clock.
func (t *Target) Refusals(since time.Duration) *results.Said { return t.refusals.report(since) }

// Barred is closed when the service rejects tokens or none can be requested; [Target.Cause] returns the
// reason. It is nil, which is never closed, with a key or a signature.
func (t *Target) Barred() <-chan struct{} {
	if t.tokens == nil {
		return nil
	}
	return t.tokens.Barred()
}

// Cause returns the reason for which [Target.Barred] is closed, in one line, nil before. It wraps
// ErrAuthentication.
func (t *Target) Cause() error {
	if t.tokens == nil {
		return nil
	}
	if cause := t.tokens.Cause(); cause != nil {
		return t.fault(ErrAuthentication, "%v", cause)
	}
	return nil
}

// authorize adds the current token to an attempt, and waits for the first. It does nothing with a key or a
// signature.
func (t *Target) authorize(ctx context.Context, a *attempt) (err error) {
	if t.tokens != nil {
		a.token, err = t.tokens.Ready(ctx)
	}
	return err
}

// maxIDBytes limits request ids of the service: a GUID has 36.
const maxIDBytes = 64

// note records an attempt.
func (t *Target) note(a *attempt, op *target.Operation, o *target.Outcome) {
	if !t.observe {
		return
	}
	id := a.reply.firstValue(requestIDHeader)
	if len(id) > maxIDBytes || !visible(id) {
		id = "" // not a request id
	}
	partition, _ := op.PartitionKey()
	t.refusals.add(results.SaidRequest{At: a.sent.Offset(), Took: a.first.Sub(a.sent), Verb: op.Verb.String(), PartitionKey: partition,
		Status: o.Status, Code: string(o.Code), RequestID: t.hide(id)}, t.runID, op.Number, o.Detail)
}
