package replay

import (
	"maps"
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/results"
	"loadgen/scenarios/logs"
)

// Operation is what a client wanted of one entity, a query, or an entity group transaction.
type Operation struct {
	// At is when its first attempt was received, since the first operation.
	At time.Duration
	// Key is that of the one entity. A transaction has its partition: that of the log, or by [AsWrites] that of
	// a single write before it.
	Key entity.Key
	// Entities is how many a transaction writes, or the pages of a query returned, as far as the log says.
	Entities int64
	// Query is what a query reads, nil for others.
	Query *Query
	// ended is when the attempt came that was answered, number counts transactions, and queries, from 0.
	ended  time.Duration
	number int
	Verb   entity.Verb
	// there says that an answer shows that the entity was there, done that the operation was carried out.
	there, done bool
}

// Query is what a client wanted to read.
type Query struct {
	// Filter is as the log has it, empty for the whole table. Exact says that it keeps all that it reads, Top
	// bounds a page, 0 for none, and Pages is how many were read.
	Filter     string
	Exact      bool
	Top, Pages int
}

// span is the stretch of the index that a query reads.
func (q *Query) span() filter.Range {
	parsed, _, _ := filter.Parse(q.Filter)
	if parsed == nil {
		return filter.WholeTable()
	}
	return parsed.Range()
}

// isSingle reports whether the operation is of one entity.
func (o *Operation) isSingle() bool { return o.Verb <= entity.Get }

// The ways to treat transactions and inserts without key.
const (
	// LeftOut leaves them out: what is replayed is then less than what was.
	LeftOut = "leave-out"
	// AsWrites has each fall where the single write did that came last before it.
	AsWrites = "as-writes"
)

// Totals are the numbers of requests of a log that the report of a replay repeats.
type Totals struct {
	// Retries are the requests that sent an operation again.
	Retries int64 `json:"retries_taken_out"`
	// Billed are the replayed requests that the service bills, throttled ones not among them.
	Billed int64 `json:"transactions_billed_in_the_log"`
	// Guessed are the transactions and inserts that [AsWrites] puts where single writes were.
	Guessed int64 `json:"requests_placed_by_single_writes"`
	// Left are the requests that are not replayed, by reason, and LeftEntities how many entities they write at least.
	Left         map[string]int64 `json:"requests_left_out"`
	LeftEntities int64            `json:"entities_left_out"`
	// Unrelated are the requests for tables and the service, which touch no entity and are not replayed, by operation.
	Unrelated map[string]int64 `json:"requests_without_entities"`
}

// Operations are the operations of a log that can be replayed, with their outcomes.
type Operations struct {
	// List has them in the order of time.
	List []Operation
	// Counts are how many there are of each verb.
	Counts [entity.Batch + 1]int
	// Attempts are their requests, Throttled those that were throttled, Further the pages of queries after the first.
	Attempts, Throttled, Further int64
	// Lost are the operations without an answered attempt.
	Lost int64
	Totals
	// Bodies has the sizes of the bodies of single writes, a microsecond for each byte.
	Bodies  results.Histogram
	Reading *logs.Reading
}

// Why a request is not replayed.
const (
	noTransactionKey = "transactions without partition"
	noInsertKey      = "inserts without key"
	noFilter         = "queries with unreadable filter"
	noBounds         = "range queries over hashed keys"
	noQueryBefore    = "pages of queries that began before the log"
)

// sum returns the sum of counts.
func sum(counts map[string]int64) (n int64) {
	for _, one := range counts {
		n += one
	}
	return n
}

// weight returns the weight of n operations in a scenario, where the maximum is a million.
func (o *Operations) weight(n int) int {
	const most = 1_000_000
	if len(o.List) > most {
		n = int(math.Ceil(float64(n) * most / float64(len(o.List))))
	}
	return max(1, n)
}

// weights returns the weight of each verb of the operations.
func (o *Operations) weights() map[entity.Verb]int {
	weights := make(map[entity.Verb]int)
	for verb, n := range o.Counts {
		if n > 0 {
			weights[entity.Verb(verb)] = o.weight(n)
		}
	}
	return weights
}

// offered are the verbs of the operations, in their order.
func (o *Operations) offered() []entity.Verb { return slices.Sorted(maps.Keys(o.weights())) }
