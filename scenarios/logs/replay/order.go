package replay

import (
	"time"

	"loadgen/engine/entity"
)

// step is an operation of any kind by its place among those of its kind.
type step struct {
	verb  entity.Verb
	place int
}

// order returns all operations in the order of their times.
func (o *Operations) order() []step {
	all := make([]step, 0, o.Count())
	var i, j, k int
	for len(all) < cap(all) {
		const never = time.Duration(1<<63 - 1)
		single, query, batch := never, never, never
		if i < len(o.List) {
			single = o.List[i].At
		}
		if j < len(o.Queries) {
			query = o.Queries[j].At
		}
		if k < len(o.Transactions) {
			batch = o.Transactions[k].At
		}
		switch min(single, query, batch) {
		case single:
			all, i = append(all, step{o.List[i].Verb, i}), i+1
		case query:
			all, j = append(all, step{entity.Query, j}), j+1
		default:
			all, k = append(all, step{entity.Batch, k}), k+1
		}
	}
	return all
}

// at returns when an operation is due in the log.
func (o *Operations) at(s step) time.Duration {
	switch s.verb {
	case entity.Query:
		return o.Queries[s.place].At
	case entity.Batch:
		return o.Transactions[s.place].At
	default:
		return o.List[s.place].At
	}
}

// ended returns when the attempt at an operation came that was answered.
func (o *Operations) ended(s step) time.Duration {
	switch s.verb {
	case entity.Query:
		return o.Queries[s.place].ended
	case entity.Batch:
		return o.Transactions[s.place].ended
	default:
		return o.List[s.place].ended
	}
}
