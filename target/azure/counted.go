package azure

import (
	"net/http"
	"strconv"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
)

// counted returns how many entities an attempt counts against the targets: what
// the service says where it is asked, and otherwise what the documented rule
// gives, which is derived here and was measured nowhere.
//
// The rule: what the service admits counts, whatever came of it. A transaction
// counts its writes, a query what it scanned, at least one, any other operation
// on an entity one. That a query scanned what it returned holds as long as its
// filter is a range of keys; how many entities one on properties dropped, the
// service does not say, and what is derived is the least. Nothing counts that
// never came to a table's entities: a refusal (503, 429, 500, 504), an operation
// on a table that does not exist, a request that failed for its form or its
// sender's rights (401, 403, 405, 411, 413, 415, 501, a 400 to what only reads or
// whose body says a property twice, a transaction of no writes or more than one
// has), an operation on a table as a whole.
func (t *Target) counted(op *target.Operation, o *target.Outcome, part bool, r *reply) int64 {
	if t.askCounted {
		if n, err := strconv.ParseUint(r.first(wire.CountedHeader), 10, 31); err == nil {
			return int64(n)
		}
	}
	if !admitted(op, o, part) {
		return 0
	}
	switch op.Verb {
	case entity.CreateTable, entity.DeleteTable:
		return 0
	case entity.Query:
		return max(1, o.Returned)
	case entity.Batch:
		return int64(len(op.Changes))
	default:
		return 1
	}
}

// admitted reports whether a request came to a table's entities. A part of a
// transaction did whatever the client's fault in it; a limit on the entities'
// sizes is answered with 413 there.
func admitted(op *target.Operation, o *target.Outcome, part bool) bool {
	writes := len(op.Changes)
	if op.Verb == entity.Batch && (writes == 0 || writes > entity.MaxBatchChanges) ||
		o.Code == entity.TableNotFound || o.Code == entity.DuplicateProperties {
		return false
	}
	reads := op.Verb == entity.Get || op.Verb == entity.Query
	switch s := o.Status; {
	case s >= 200 && s < 300:
		return true
	case part:
		return s >= 400 && s < 500 && s != http.StatusTooManyRequests
	default:
		return s == 400 && !reads || s == 404 || s == 409 || s == 412
	}
}
