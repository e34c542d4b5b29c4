package target

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire/weight"
)

// RequestBytes returns how long the request of an operation is on the wire, by the rule of
// [weight].
func (op *Operation) RequestBytes() (size int64) {
	switch {
	case op.Beside != nil:
		return weight.WriteHead + int64(len(op.Beside.Body))
	case op.Verb == entity.Query:
		size = weight.Question(op.Query.Range.From, op.Query.Range.To, op.Query.Select)
	default:
		size = weight.Request(op.Verb, &op.Change, op.Changes)
	}
	if op.Timeout > 0 {
		size += int64(weight.TimeoutHead)
	}
	return size
}

// ReplyBytes returns how long the reply to an operation is on the wire that tells an outcome.
func (op *Operation) ReplyBytes(o *Outcome) int64 {
	switch {
	case o.Status >= 300:
		return weight.RefusedHead
	case op.Beside != nil:
		size := int64(weight.DoneHead)
		for i := range o.Found {
			size += int64(len(o.Found[i].Body))
		}
		return size
	case op.Verb == entity.Query:
		return weight.Page(len(o.Rows), func(i int) (entity.Key, entity.Packed) { return o.Rows[i].Key, o.Rows[i].Entity })
	default:
		return weight.Reply(op.Verb, &op.Change, op.Changes, o.Entity)
	}
}

// WrittenBytes returns how long the reply to a write that succeeds is, which is known before
// it is sent; 0 of whatever reads.
func (op *Operation) WrittenBytes() int64 {
	if op.Verb == entity.Get || op.Verb == entity.Query || op.Beside != nil {
		return 0
	}
	return weight.Reply(op.Verb, &op.Change, op.Changes, nil)
}
