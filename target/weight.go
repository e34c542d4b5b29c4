package target

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// Sizes are the sizes of a single write, computed once for many similar ones; the zero value is unknown.
type Sizes struct {
	// Request and Reply are the results of RequestBytes, without a timeout, and WrittenBytes; Billed is the billed
	// size of the entity.
	Request, Reply, Billed int64
}

// SizesOf returns the sizes of a single write.
func SizesOf(c *entity.Change) Sizes {
	return Sizes{Request: wire.RequestWeight(c.Verb, c, nil), Reply: wire.ReplyWeight(c.Verb, c, nil, nil, 0),
		Billed: int64(entity.Size(c.Key, c.Properties))}
}

// Less returns the differences of two sizes.
func (s Sizes) Less(o Sizes) Sizes {
	return Sizes{s.Request - o.Request, s.Reply - o.Reply, s.Billed - o.Billed}
}

// RequestBytes returns the size of an operation's request on the wire, see package wire.
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

// ReplyBytes returns the size of the reply with an outcome on the wire, at a metadata level.
func (op *Operation) ReplyBytes(o *Outcome, level wire.Level) int64 {
	switch {
	case o.Status >= 300, o.Status == 0:
		return wire.RefusedHead
	case op.Beside != nil:
		size := int64(wire.DoneHead)
		for i := range o.Found {
			size += int64(len(o.Found[i].Body))
		}
		return size
	case op.Verb == entity.Query:
		return wire.PageWeight(len(o.Rows), func(i int) (entity.Key, entity.Packed) { return o.Rows[i].Key, o.Rows[i].Entity }, op.Query.Select, level)
	default:
		return wire.ReplyWeight(op.Verb, &op.Change, op.Changes, o.Entity, level)
	}
}

// WrittenBytes returns the size of the reply to a successful write, which is known before; 0 for reads.
func (op *Operation) WrittenBytes() int64 {
	if op.Sizes.Reply > 0 {
		return op.Sizes.Reply
	}
	if op.Verb == entity.Get || op.Verb == entity.Query || op.Beside != nil {
		return 0
	}
	return wire.ReplyWeight(op.Verb, &op.Change, op.Changes, nil, 0)
}
