package target

import (
	"time"

	"loadgen/engine/entity"
)

// Operation is one attempt's request. Which fields count depends on the verb:
// Change for the single writes, Change.Key for Get, Changes for Batch, Query
// for Query, none for the two table verbs.
type Operation struct {
	Verb entity.Verb
	// Account is the position of the account that the operation goes to, where a
	// target stands for several; 0 is the first, and the only one.
	Account int
	Table   string
	// Change is a single write; its Verb repeats the operation's.
	Change entity.Change
	// Changes is an entity group transaction: 1 to 100 writes of one partition.
	Changes []entity.Change
	Query   Query
	// Beside, where set, is a request to a queue or a container of blobs: the verb,
	// the table and what belongs to them do not count.
	Beside *Beside
	// Timeout is how long the service may take before it answers 500 OperationTimedOut, in
	// whole seconds from 1 to 30; 0 leaves it to the service.
	Timeout time.Duration
	// Sizes, where set, are how much it weighs, by whoever made it and alters nothing of it
	// any more.
	Sizes Sizes
	// Number identifies the operation within a run and Attempt, from 0, the
	// try: together they decide every chance.
	Number  uint64
	Attempt int
}

// PartitionKey returns the partition that an operation addresses, and false
// where it addresses none or several.
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

// Entities returns how many entities an operation means to touch by the
// documented counting rule, where that is known before it is sent: the size of
// a transaction, one for any other operation on an entity, zero for a table
// verb, and for what goes beside the table. A query counts what it scans: what its
// Scans says, and at least one.
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
