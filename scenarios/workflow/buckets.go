package workflow

import "loadgen/target"

// FanOut is a question that is asked of several partitions by a query each, one after
// another: of the buckets, say, over which a PartitionKey spreads what belongs together.
// Each query reads on until no continuation token comes back, or its pages are read.
type FanOut struct {
	queries []target.Operation
	// pages is how many pages each of them reads at most, 0 for no bound.
	pages int
	// at is the position of the query under way, page its page.
	at, page int
}

var _ Workflow = (*FanOut)(nil)

// NewFanOut returns the workflow of queries, one at least, each of which reads so many
// pages at most; 0 sets no bound. It takes the slice over.
func NewFanOut(queries []target.Operation, pages int) *FanOut {
	return &FanOut{queries: queries, pages: pages}
}

// Requests returns the first page of each query.
func (f *FanOut) Requests() []target.Operation { return f.queries }

// Begin implements [Workflow].
func (f *FanOut) Begin() target.Operation { return f.queries[0] }

// Next implements [Workflow].
func (f *FanOut) Next(a Attempt) (Move, target.Operation) {
	if !Ok(a.Outcome.Status) {
		return Settle, target.Operation{}
	}
	f.page++
	if a.Outcome.Next.Present && f.page != f.pages {
		further := f.queries[f.at]
		further.Query.Token = a.Outcome.Next
		return Proceed, further
	}
	f.at, f.page = f.at+1, 0
	if f.at == len(f.queries) {
		return Succeed, target.Operation{}
	}
	return Proceed, f.queries[f.at]
}
