package target

import (
	"context"
	"net/http"
	"slices"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// InProcess sends operations to one account of an engine. It is safe for
// concurrent use, Submit included.
type InProcess struct {
	engine  *engine.Engine
	account string
	clock   clock.Clock
	level   wire.Level
}

var (
	_ Target    = (*InProcess)(nil)
	_ Immediate = (*InProcess)(nil)
	_ Counter   = (*InProcess)(nil)
)

// NewInProcess returns a target; only Do needs the clock.
func NewInProcess(e *engine.Engine, account string, c clock.Clock) *InProcess {
	return &InProcess{engine: e, account: account, clock: c}
}

// WithLevel sets the metadata level of replies, for their sizes, and returns the target.
func (t *InProcess) WithLevel(level wire.Level) *InProcess {
	t.level = level
	return t
}

// Do implements [Target]. The engine carries out the operation even if the context ends before the reply.
func (t *InProcess) Do(ctx context.Context, op *Operation) Outcome {
	outcome, done := t.Submit(t.clock.Now(), op)
	return AwaitReply(ctx, t.clock, done, outcome)
}

// Submit implements [Immediate].
func (t *InProcess) Submit(now clock.Instant, op *Operation) (outcome Outcome, done clock.Instant) {
	request := engine.Request{
		Account: t.account, Table: op.Table, Verb: op.Verb,
		Change: &op.Change, Changes: op.Changes,
		Number: op.Number, Attempt: op.Attempt, Timeout: op.Timeout, Billed: op.Sizes.Billed,
	}
	switch op.Verb {
	case entity.Batch:
		request.Payload = wire.BatchPayload(op.Changes)
	case entity.Query:
		request.Query = engine.Query{Range: op.Query.Remaining(), Top: op.Query.Top}
		if wanted := op.Query.Filter; wanted != nil && !wanted.Exact() {
			request.Query.Keep = wanted.Keeps
		}
	}
	weighs := t.engine.CountsBytes()
	if weighs {
		request.Bytes, request.ReplyBytes = op.RequestBytes(), op.WrittenBytes()
	}
	var reply engine.Reply
	t.engine.Answer(now, &request, &reply)
	fill(&outcome, &reply)
	if len(op.Query.Select) > 0 {
		project(outcome.Rows, op.Query.Select)
	}
	if weighs && request.ReplyBytes == 0 && outcome.Status != http.StatusServiceUnavailable {
		t.engine.ChargeReply(t.account, op.ReplyBytes(&outcome, t.level))
	}
	return outcome, reply.Done
}

// project leaves the rows the properties that are named. The blocks are the store's, so that
// new ones are made.
func project(rows []Row, names []string) {
	var kept []entity.Property
	for i := range rows {
		kept = kept[:0]
		whole := rows[i].Entity
		for j, name := range names {
			if value, there := whole.Lookup(name); there && !slices.Contains(names[:j], name) {
				kept = append(kept, entity.Property{Name: name, Value: value})
			}
		}
		rows[i].Entity = entity.Pack(nil, whole.Timestamp(), kept)
	}
}

// fill puts a reply into an empty outcome.
func fill(outcome *Outcome, r *engine.Reply) {
	outcome.Status, outcome.Code, outcome.Detail, outcome.Counted = r.Status, r.Code, r.Detail, r.Counted
	outcome.Version, outcome.Entity, outcome.FailedIndex = r.Version, r.Entity, r.FailedIndex
	outcome.Returned, outcome.Rows = int64(len(r.Rows)), append([]Row(nil), r.Rows...)
	if r.Entity != nil {
		outcome.Returned = 1
	}
	if r.More {
		outcome.Next = Token{Present: true,
			NextPartitionKey: r.Next.Partition, NextRowKey: r.Next.Row}
	}
}

// Counts implements [Counter] with the engine's own books of the account.
func (t *InProcess) Counts() Counts {
	return Counts(t.engine.CountsIn(t.account))
}
