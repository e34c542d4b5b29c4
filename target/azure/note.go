package azure

import (
	"context"

	"loadgen/engine/entity"
	"loadgen/target"
)

// Said returns what the service has said of its own state so far, where [Options.Observe]
// has it taken down.
func (t *Target) Said() RefusalReport { return t.said.Said() }

// RunID begins what the target calls its requests: RunID-number.
func (t *Target) RunID() string { return t.runID }

// Barred is closed when the service lets nobody in any more, which [Target.Cause] explains:
// tokens are refused or not to be had. It is nil, which is never closed, where a key or a
// signature proves who asks.
func (t *Target) Barred() <-chan struct{} {
	if t.tokens == nil {
		return nil
	}
	return t.tokens.Barred()
}

// Cause returns in one line why the service lets nobody in any more, nil while it does. It
// wraps ErrAuthentication.
func (t *Target) Cause() error {
	if t.tokens == nil {
		return nil
	}
	if cause := t.tokens.Cause(); cause != nil {
		return t.fault(ErrAuthentication, "%v", cause)
	}
	return nil
}

// authorize has an attempt carry the token at hand, and waits for the first one. Where a key
// or a signature proves who asks there is nothing to do.
func (t *Target) authorize(ctx context.Context, a *attempt) (err error) {
	if t.tokens != nil {
		a.token, err = t.tokens.Ready(ctx)
	}
	return err
}

// longestID is how long an identifier of the service's may be: a GUID has 36.
const longestID = 64

// note takes an attempt down.
func (t *Target) note(a *attempt, op *target.Operation, o *target.Outcome) {
	if !t.observe {
		return
	}
	id := a.reply.first(requestIDHeader)
	if len(id) > longestID || !visible(id) {
		id = "" // nobody would call a request that
	}
	// The one PartitionKey that the operation is about, empty for none or several.
	partition := op.Change.Key.Partition
	switch op.Verb {
	case entity.Query:
		partition, _ = op.Query.Range.Partition()
	case entity.Batch:
		partition = ""
		if len(op.Changes) > 0 {
			partition = op.Changes[0].Key.Partition
		}
	}
	t.said.Take(NotedRequest{At: a.sent, Took: a.first.Sub(a.sent), Verb: op.Verb, Table: op.Table, PartitionKey: partition,
		Status: o.Status, Code: o.Code, ID: t.hide(id), Number: op.Number}, o.Detail)
}
