package target

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// Sizes are how much a single write weighs, reckoned beforehand, so that it need not be done
// for each of many alike; the zero value is unknown.
type Sizes struct {
	// Request and Reply are what RequestBytes, of a request without a timeout, and
	// WrittenBytes return; Billed is the size of the entity that it brings, by the rule
	// that the service bills by.
	Request, Reply, Billed int64
}

// SizesOf reckons the sizes of a single write.
func SizesOf(c *entity.Change) Sizes {
	return Sizes{Request: wire.RequestWeight(c.Verb, c, nil), Reply: wire.ReplyWeight(c.Verb, c, nil, nil, 0),
		Billed: int64(entity.Size(c.Key, c.Properties))}
}

// RequestBytes returns how long the request of an operation is on the wire, by the rule of
// [weight].
func (op *Operation) RequestBytes() (size int64) {
	switch {
	case op.Sizes.Request > 0:
		size = op.Sizes.Request
	case op.Beside != nil:
		return wire.WriteHead + int64(len(op.Beside.Body))
	case op.Verb == entity.Query:
		size = wire.QueryWeight(op.Query.Range.From, op.Query.Range.To, op.Query.Select)
	default:
		size = wire.RequestWeight(op.Verb, &op.Change, op.Changes)
	}
	if op.Timeout > 0 {
		size += int64(wire.TimeoutHead)
	}
	return size
}

// ReplyBytes returns how long the reply to an operation is on the wire that tells an outcome,
// with the metadata of a level.
func (op *Operation) ReplyBytes(o *Outcome, level wire.Level) int64 {
	switch {
	case o.Status >= 300:
		return wire.RefusedHead
	case op.Beside != nil:
		size := int64(wire.DoneHead)
		for i := range o.Found {
			size += int64(len(o.Found[i].Body))
		}
		return size
	case op.Verb == entity.Query:
		return wire.PageWeight(len(o.Rows), func(i int) (entity.Key, entity.Packed) { return o.Rows[i].Key, o.Rows[i].Entity }, level)
	default:
		return wire.ReplyWeight(op.Verb, &op.Change, op.Changes, o.Entity, level)
	}
}

// WrittenBytes returns how long the reply to a write that succeeds is, which is known before
// it is sent; 0 of whatever reads.
func (op *Operation) WrittenBytes() int64 {
	if op.Sizes.Reply > 0 {
		return op.Sizes.Reply
	}
	if op.Verb == entity.Get || op.Verb == entity.Query || op.Beside != nil {
		return 0
	}
	return wire.ReplyWeight(op.Verb, &op.Change, op.Changes, nil, 0)
}
