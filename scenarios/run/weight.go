package run

import (
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
)

// weighing is a target on the virtual clock with what its requests and replies would weigh on
// the wire: the bodies as the codec writes them, and heads of the usual length. It belongs to
// one goroutine.
type weighing struct {
	target.Immediate
	// sent and received are in bytes.
	sent, received int64
	// throttledBy is what [engine.Engine.ThrottledBy] told in the end.
	throttledBy map[string]int64
	room        []byte
}

// The heads of requests and replies without keys, as long as they are where a service of this
// tool is asked by its own client: request line or status, a signature, dates and ids.
const (
	getHead, queryHead, insertHead, writeHead, deleteHead, tableHead = 453, 437, 507, 507, 469, 470
	matchHead, selectHead, topHead                                   = 13, 35, 8
	batchHead, insertPartHead, partHead                              = 700, 317, 321
	gotHead, pageHead, madeHead, doneHead, refusedHead               = 459, 411, 583, 355, 560
	doneBatchHead, madePartHead, donePartHead                        = 560, 554, 312
)

// Submit implements [target.Immediate].
func (w *weighing) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := w.Immediate.Submit(now, op)
	w.sent += w.request(op)
	w.received += w.reply(op, &outcome)
	return outcome, done
}

// key is how long a key is in an address.
func (w *weighing) key(k entity.Key) int64 {
	w.room = wire.AppendLinkLiteral(wire.AppendLinkLiteral(w.room[:0], k.Partition), k.Row)
	return int64(len(w.room))
}

// body is how long a write's entity is.
func (w *weighing) body(c *entity.Change) int64 {
	if c.Verb == entity.Delete {
		return 0
	}
	w.room = wire.AppendEntityBody(w.room[:0], c.Key, c.Properties)
	return int64(len(w.room))
}

func (w *weighing) request(op *target.Operation) int64 {
	switch {
	case op.Beside != nil:
		return writeHead + int64(len(op.Beside.Body))
	case op.Verb == entity.Query:
		return queryHead + w.question(&op.Query)
	case op.Verb == entity.Get:
		return getHead + w.key(op.Change.Key)
	case op.Verb == entity.Insert:
		return insertHead + w.body(&op.Change)
	case op.Verb == entity.Delete:
		return deleteHead + w.key(op.Change.Key)
	case op.Verb == entity.Batch:
		return batchHead + w.parts(op)
	case op.Verb == entity.Merge, op.Verb == entity.Replace:
		return writeHead + matchHead + w.key(op.Change.Key) + w.body(&op.Change)
	case op.Verb.IsChange():
		return writeHead + w.key(op.Change.Key) + w.body(&op.Change)
	default:
		return tableHead
	}
}

// parts is how long the writes of a transaction are.
func (w *weighing) parts(op *target.Operation) (sum int64) {
	for i := range op.Changes {
		c := &op.Changes[i]
		if sum += w.body(c); c.Verb == entity.Insert {
			sum += insertPartHead
		} else {
			sum += partHead + w.key(c.Key)
		}
	}
	return sum
}

// question is how long the options of a query are.
func (w *weighing) question(q *target.Query) int64 {
	text, _ := q.Range.Text()
	if q.Filter != nil {
		text = q.Filter.String()
	}
	w.room = wire.AppendQueryValue(w.room[:0], text)
	w.room = append(w.room, q.Token.NextPartitionKey...)
	w.room = append(w.room, q.Token.NextRowKey...)
	size := len(w.room)
	if len(q.Select) > 0 {
		size += selectHead + len(strings.Join(q.Select, "%2C"))
	}
	if q.Top > 0 {
		size += topHead
	}
	return int64(size)
}

func (w *weighing) reply(op *target.Operation, o *target.Outcome) int64 {
	if o.Status >= 300 || o.Status == 0 {
		return refusedHead
	}
	shown := wire.Rendering{Base: wire.Base{URL: usualBase}, Table: op.Table}
	if selected := op.Query.Select; len(selected) > 0 {
		shown.Select = slices.Concat([]string{"PartitionKey", "RowKey"}, selected)
	}
	switch {
	case op.Beside != nil:
		return doneHead
	case op.Verb == entity.Query:
		w.room = shown.AppendPageStart(w.room[:0])
		for i := range o.Rows {
			w.room = shown.AppendRow(w.room, i == 0, o.Rows[i].Key, o.Rows[i].Entity)
		}
		return pageHead + int64(len(w.room))
	case o.Entity != nil:
		w.room = shown.AppendEntity(w.room[:0], op.Change.Key, o.Entity)
		return gotHead + int64(len(w.room))
	case op.Verb == entity.Insert:
		return madeHead + 2*w.key(op.Change.Key)
	case op.Verb == entity.Batch:
		return doneBatchHead + w.doneParts(op)
	default:
		return doneHead
	}
}

// usualBase is the address of a service of this tool.
const usualBase = "http://127.0.0.1:10002/loadgen"

// doneParts is how long the replies to the writes of a transaction are.
func (w *weighing) doneParts(op *target.Operation) (sum int64) {
	for i := range op.Changes {
		if c := &op.Changes[i]; c.Verb == entity.Insert {
			sum += madePartHead + 2*w.key(c.Key)
		} else {
			sum += donePartHead
		}
	}
	return sum
}
