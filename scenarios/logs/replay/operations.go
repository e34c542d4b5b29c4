package replay

import (
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/logs"
)

// Operation is what a client wanted of one entity.
type Operation struct {
	// At is when its first attempt was received, since the first operation.
	At   time.Duration
	Verb entity.Verb
	Key  entity.Key
	// there says that an answer shows that the entity was there, done that it was carried out,
	// ended when the attempt came that was answered.
	there, done bool
	ended       time.Duration
}

// Query is what a client wanted to read.
type Query struct {
	At time.Duration
	// Filter is as the log has it, empty for the whole table. Exact says that it keeps all
	// that it reads, Top bounds a page, 0 for none, and Pages is how many were read.
	Filter string
	Exact  bool
	Top    int
	Pages  int
	// Returned is how many entities its pages returned, as far as the log tells.
	Returned int64
	ended    time.Duration
}

// Transaction is an entity group transaction.
type Transaction struct {
	At time.Duration
	// Partition is what the log says, or by [AsWrites] that of a single write before it.
	Partition string
	// Entities is how many it writes, as far as the log tells.
	Entities int64
	done     bool
	ended    time.Duration
}

// What becomes of transactions and inserts without key.
const (
	// LeftOut leaves them out: what is replayed is then less than what was.
	LeftOut = "leave-out"
	// AsWrites has each fall where the single write did that came last before it.
	AsWrites = "as-writes"
)

// Operations are those of a log that can be replayed, each kind in its order, and what
// became of them.
type Operations struct {
	List         []Operation
	Queries      []Query
	Transactions []Transaction
	// Attempts are their requests, Throttled those that were throttled, Retries those that
	// sent an operation once more, Further the pages of queries after the first.
	Attempts, Throttled, Retries, Further int64
	// Lost are the operations of which no attempt was answered.
	Lost int64
	// Billed are the requests that the service bills, throttled ones not among them.
	Billed int64
	// Guessed are the transactions and inserts that fall where single writes did, by
	// [AsWrites]. Left are the requests that are not replayed, by reason, and LeftEntities
	// how many entities they write at least.
	Guessed      int64
	Left         map[string]int64
	LeftEntities int64
	// Bytes is the mean size of what was written, 0 where no line says it.
	Bytes int64
	// Bodies are those of single writes.
	Bodies   bodies
	Reading  *logs.Reading
	Estimate logs.Estimate
}

// Why a request is not replayed.
const (
	noTransactionKey = "transactions without partition"
	noInsertKey      = "inserts without key"
	noFilter         = "queries with unreadable filter"
	noBounds         = "range queries over hashed keys"
	noQueryBefore    = "pages of queries that began before the log"
)

// Count is how many operations there are.
func (o *Operations) Count() int { return len(o.List) + len(o.Queries) + len(o.Transactions) }

// left is how many requests are not replayed.
func (o *Operations) left() (n int64) {
	for _, one := range o.Left {
		n += one
	}
	return n
}
