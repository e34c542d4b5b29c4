package rest

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// transact carries out an entity group transaction, or a single point query in a batch.
var transact = operation{parts: true, needs: rights{types: "o"}, prepare: (*exchange).prepareBatch,
	// The answer is the one part that says which change was at fault. A service that refuses
	// for want of capacity has not looked into the transaction: its reply is a plain one, like
	// that to a body too long to read.
	refuse: func(x *exchange) bool {
		code := x.failure.code
		if x.boundary == "" || refuses(code) || code == entity.RequestBodyTooLarge {
			return false
		}
		fault := x.fault()
		reply := x.startBatch()
		if x.batch.IsRead && x.asked.Verb == entity.Get {
			x.output = reply.AppendRead(x.output, x.change.Key, nil, &fault)
		} else {
			index := x.reply.FailedIndex
			var part wire.BatchPart
			if index >= 0 && index < len(x.batch.Parts) {
				part = x.batch.Parts[index]
			}
			x.output = reply.AppendFailure(x.output, index, &part, &fault)
		}
		// The standard client of Go finds the code of a failed transaction nowhere else.
		x.headers.add(errorHeader, string(code))
		return true
	},
	present: func(x *exchange) {
		reply := x.startBatch()
		if x.batch.IsRead {
			x.output = reply.AppendRead(x.output, x.change.Key, x.reply.Entity, nil)
		} else {
			x.output = reply.AppendSuccess(x.output, &x.batch, x.reply.Versions, x.echo)
		}
	}}

func (x *exchange) prepareBatch() (entity.Code, string) {
	boundary, found := wire.Boundary(headerOf(x.request, "Content-Type"))
	if !found {
		return entity.InvalidInput, "a transaction has to be multipart/mixed, with a boundary"
	}
	if code, detail := x.readBody(maxBatchBody); code != entity.OK {
		return code, detail
	}
	// From here on even what fails is a part of a reply with many.
	x.boundary = boundary
	code, index, detail := x.batch.Parse(boundary, x.text())
	if x.batch.Payload > entity.MaxBatchPayload {
		return entity.RequestBodyTooLarge, ""
	}
	if code != entity.OK {
		x.reply.FailedIndex = index
		return code, detail
	}
	if x.batch.IsRead {
		x.resource.Table, x.resource.Key = x.batch.Table, x.batch.Read
		x.askEntity(entity.Get, x.batch.Read)
		return entity.OK, ""
	}
	if x.target.secondary {
		x.boundary = ""
		return entity.AuthorizationFailure, secondaryWrite
	}
	x.setRequest(entity.Batch, x.batch.Table)
	x.asked.Changes = x.batch.Changes
	if len(x.asked.Changes) > 0 {
		// The engine keeps the PartitionKey of the first change, under which it
		// admits them all.
		key := &x.asked.Changes[0].Key
		key.Partition = keep(&x.kept.partition, key.Partition)
	}
	return entity.OK, ""
}

// startBatch begins a reply with many parts.
func (x *exchange) startBatch() wire.BatchReply {
	x.status = 202
	reply := wire.BatchReply{ID: string(appendGUID(nil, &x.identity)), Rendering: x.rendering}
	if x.batch.IsRead {
		reply.Rendering.Level = x.batch.Parts[0].Level
	}
	x.headers.add("Content-Type", reply.ContentType())
	return reply
}
