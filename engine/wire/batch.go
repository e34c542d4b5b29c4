package wire

import (
	"strings"

	"loadgen/engine/entity"
)

// BatchRequest is the body of a POST to $batch. Parse may be called again and
// again; each call reuses what the one before it made. It belongs to one
// goroutine.
type BatchRequest struct {
	// Table is the one table of the operations.
	Table string
	// Changes are the writes in order; empty where the batch is a lone read.
	Changes []entity.Change
	// Parts say, for each change, what the reply has to know. After a failure
	// they reach to the operation at fault, where it is one operation's; of a
	// lone read there is one.
	Parts []BatchPart
	// Read is the key of a lone point query, where IsRead is set.
	Read   entity.Key
	IsRead bool

	// Payload is the size of the entities' JSON in bytes, without its framing.
	Payload int

	// bodies are the entities of the changes, kept for reuse.
	bodies []EntityBody
	// start is a target up to its RowKey, and resource what it names; empty if there is none yet.
	start    string
	resource Resource
}

// BatchPart is what the reply to one operation of a transaction depends on.
type BatchPart struct {
	// ContentID is echoed; HasContentID is false for none.
	ContentID    string
	HasContentID bool
	// Echo says that an insert's reply shows the entity, at Level.
	Echo  bool
	Level Level

	// quiet says that an insert asked for no echo, which its reply confirms.
	quiet bool
}

// Parse reads a transaction. boundary is that of the Content-Type. The code is OK, or else a code with one line of
// detail and the index of the operation at fault (0 for the whole). Parse checks the number of changes, their table and
// reads among them; [entity.ValidateBatch] checks the rest.
func (b *BatchRequest) Parse(boundary, text string) (code entity.Code, index int, detail string) {
	*b = BatchRequest{Changes: b.Changes[:0], Parts: b.Parts[:0], bodies: b.bodies}
	outer, ok := openMultipart(text, boundary)
	if !ok {
		return entity.InvalidInput, 0, "body lacks its boundary"
	}
	sections := 0
	for part, more := outer.next(); more; part, more = outer.next() {
		if isBlank(part) {
			continue
		}
		if sections++; sections > 1 {
			return entity.InvalidInput, 0, "batch has several change sets or reads"
		}
		if boundary, within, nested := partBoundary(part); nested {
			if code, index, detail = b.addChangeSet(boundary, within); code != entity.OK {
				return code, index, detail
			}
			continue
		}
		o, code, detail := b.open(part)
		switch {
		case code != entity.OK:
			return code, 0, detail
		case o.verb != entity.Get:
			return entity.InvalidInput, 0, "write outside of a change set"
		case o.resource.Kind != EntityResource:
			return entity.InvalidInput, 0, "batch reads more than one entity"
		}
		b.Table, b.Read, b.IsRead = o.resource.Table, o.resource.Key, true
	}
	if sections == 0 {
		return entity.InvalidInput, 0, "batch without operations"
	}
	return entity.OK, 0, ""
}

const tooManyOperations = "The batch request operation exceeds the maximum 100 changes per change set."

// addChangeSet reads the parts of a change set. It must be closed, so that one
// that was cut short is never carried out in part; the batch around it need not
// be, since clients forget to.
func (b *BatchRequest) addChangeSet(boundary, text string) (code entity.Code, index int, detail string) {
	set, ok := openMultipart(text, boundary)
	if !ok {
		return entity.InvalidInput, 0, "change set lacks its boundary"
	}
	for part, more := set.next(); more; part, more = set.next() {
		if isBlank(part) {
			continue
		}
		if len(b.Changes) == entity.MaxBatchChanges {
			return entity.InvalidInput, entity.MaxBatchChanges - 1, tooManyOperations
		}
		if code, detail := b.addChange(part); code != entity.OK {
			return code, len(b.Changes), detail
		}
	}
	switch {
	case !set.closed:
		return entity.InvalidInput, 0, "change set not closed"
	case len(b.Changes) == 0:
		return entity.InvalidInput, 0, "change set without operations"
	}
	return entity.OK, 0, ""
}

func (b *BatchRequest) addChange(part string) (code entity.Code, detail string) {
	o, code, detail := b.open(part)
	if code != entity.OK {
		return code, detail
	}
	kind := EntityResource
	switch o.verb {
	case entity.Get:
		return entity.InvalidInput, "read within a change set"
	case entity.Insert:
		kind = EntitySetResource
	}
	if o.resource.Kind != kind {
		return entity.InvalidInput, "operation does not match its URL"
	}
	if len(b.Changes) == 0 {
		b.Table = o.resource.Table
	} else if b.Table != o.resource.Table && !strings.EqualFold(b.Table, o.resource.Table) {
		return entity.InvalidInput, "operations on different tables"
	}
	change := entity.Change{Verb: o.verb, Key: o.resource.Key, Match: o.match}
	if o.verb != entity.Delete {
		if code, detail = b.readBody(&o, &change); code != entity.OK {
			return code, detail
		}
	}
	b.Changes = append(b.Changes, change)
	return entity.OK, ""
}

// readBody adds to a change what its body says. An insert takes its key from
// there; the others have it in the URL, and a body that repeats it must agree.
func (b *BatchRequest) readBody(o *operation, change *entity.Change) (code entity.Code, detail string) {
	i := len(b.Changes)
	// A change without a body takes up no room here, but has its number.
	for len(b.bodies) <= i {
		b.bodies = append(b.bodies, EntityBody{})
	}
	body := &b.bodies[i]
	b.Payload += len(strings.TrimRight(o.body, "\r\n"))
	if code, detail = body.Parse(o.body); code != entity.OK {
		return code, detail
	}
	change.Properties = body.Properties
	switch {
	case o.verb == entity.Insert && !(body.HasPartition && body.HasRow):
		return entity.PropertiesNeedValue, "entity lacks PartitionKey or RowKey"
	case o.verb == entity.Insert:
		change.Key = body.Key
	case body.HasPartition && body.Key.Partition != change.Key.Partition,
		body.HasRow && body.Key.Row != change.Key.Row:
		return entity.InvalidInput, "keys differ between body and URL"
	}
	return entity.OK, ""
}
