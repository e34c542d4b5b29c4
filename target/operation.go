package target

import (
	"time"

	"loadgen/engine/entity"
)

// Operation is the request of one attempt. The verb determines the used fields: Change for single writes, Change.Key for
// Get, Changes for Batch, Query for Query, none for table verbs.
type Operation struct {
	Verb entity.Verb
	// Account is the index of the account if a target has several.
	Account int
	Table   string
	// Change is a single write; its Verb repeats the operation's.
	Change entity.Change
	// Changes is an entity group transaction: 1 to 100 writes of one partition.
	Changes []entity.Change
	Query   Query
	// Beside, unless nil, is a request to another service; verb and table are not used.
	Beside *Beside
	// Timeout is how long the service may take before it answers 500 OperationTimedOut, in
	// whole seconds from 1 to 30; 0 leaves it to the service.
	Timeout time.Duration
	// Sizes are the sizes of the operation, if known. The operation must not be altered then.
	Sizes Sizes
	// Number identifies the operation within a run and Attempt, from 0, the
	// try: together they decide every chance.
	Number  uint64
	Attempt int
}

// PartitionKey returns the only partition of an operation, and false for none or several.
func (op *Operation) PartitionKey() (string, bool) {
	if op.Beside != nil {
		return "", false
	}
	switch op.Verb {
	case entity.Batch:
		if len(op.Changes) == 0 {
			return "", false
		}
		return op.Changes[0].Key.Partition, true
	case entity.Query:
		return op.Query.Range.Partition()
	case entity.CreateTable, entity.DeleteTable:
		return "", false
	default:
		return op.Change.Key.Partition, true
	}
}

// Entities returns the number of entities of an operation by the documented counting rule, before it is sent: the size of
// a transaction, one for other operations on an entity, zero for table verbs and other services. A query counts its
// Scans, at least one.
func (op *Operation) Entities() int64 {
	if op.Beside != nil {
		return 0
	}
	switch op.Verb {
	case entity.Batch:
		return int64(len(op.Changes))
	case entity.CreateTable, entity.DeleteTable:
		return 0
	case entity.Query:
		return max(1, op.Query.Scans)
	default:
		return 1
	}
}
