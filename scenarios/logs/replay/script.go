package replay

import (
	"cmp"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/capture"
	"loadgen/target"
)

// script is what the operations of a log ask for under a design.
type script struct {
	of *Operations
	// keys are those of the operations on one entity, reads and batches by the numbers of queries and transactions.
	keys    []entity.Key
	reads   []reading
	batches [][][]entity.Key
	// joined is how many keys of the log became the same as another one, split how many transactions became several.
	joined, split int64
	// tails are the PartitionKeys of inserts in time.
	tails *keystatistics.Statistics
	// nothing is a filter that keeps no entity.
	nothing *filter.Expression
}

// newScript forms the keys of all operations.
func newScript(of *Operations, t *table, f *forming, speed float64) *script {
	s := &script{of: of, keys: make([]entity.Key, len(of.List)), tails: capture.NewTails()}
	s.nothing, _, _ = filter.Parse("V lt 0")
	if f.to != nil {
		f.queries = f.newAsking(of)
	}
	was, is := make(map[entity.Key]bool), make(map[entity.Key]bool)
	for i := range of.List {
		one := &of.List[i]
		at := time.Duration(float64(one.At) / cmp.Or(speed, 1))
		var err error
		switch {
		case one.Query != nil && f.to != nil:
			s.reads = append(s.reads, f.reading(one.number))
		case one.Query != nil:
			span := one.Query.span()
			s.reads = append(s.reads, reading{ranges: []filter.Range{span}, tight: true, class: span.Class()})
		case one.Verb == entity.Batch:
			err = s.form(t.writtenBy(one), f)
			for _, keys := range s.batches[one.number] {
				s.insert(keys[0].Partition, at, int64(len(keys)))
			}
		default:
			s.keys[i], err = f.keyFor(one.Key)
			was[one.Key], is[s.keys[i]] = true, true
			if one.Verb == entity.Insert || one.Verb == entity.InsertOrReplace || one.Verb == entity.InsertOrMerge {
				s.insert(s.keys[i].Partition, at, 1)
			}
		}
		if err != nil {
			f.unmatchedBy(err)
		}
	}
	s.joined = int64(len(was) - len(is))
	return s
}

// insert counts the insert of some entities under a PartitionKey.
func (s *script) insert(key string, at time.Duration, entities int64) {
	s.tails.Add(&keystatistics.Row{PartitionKey: key, Instant: clock.Instant(at), HasInstant: true, Entities: entities, Kind: keystatistics.Upsert})
}

// form forms a transaction: it becomes one for each partition of its entities, in their order.
func (s *script) form(written []kin, f *forming) (fault error) {
	var all [][]entity.Key
	place := make(map[string]int)
	for _, one := range written {
		like, err := f.keyFor(one.like)
		if fault == nil {
			fault = err
		}
		key := one.keyUnder(like)
		at, some := place[key.Partition]
		if !some {
			at = len(all)
			place[key.Partition] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], key)
	}
	if s.batches = append(s.batches, all); len(all) > 1 {
		s.split++
	}
	return fault
}

// Row implements [campaign.Script].
func (s *script) Row(n uint64) campaign.RowRequests {
	switch one := &s.of.List[n]; one.Verb {
	case entity.Query:
		q, r := one.Query, &s.reads[one.number]
		a := campaign.RowRequests{Entities: max(1, one.Entities)}
		for _, span := range r.ranges {
			asked := target.Query{Range: span}
			if r.tight && q.Exact {
				asked.Top = q.Top
			} else {
				// All is read; a filter would keep what is wanted.
				asked.Filter = s.nothing
			}
			a.Queries = append(a.Queries, asked)
		}
		// A page that keeps nothing goes on as far as one goes.
		if r.tight && (!r.keysDiffer || q.Top > 0) {
			a.Pages = q.Pages
		}
		return a
	case entity.Batch:
		a := campaign.RowRequests{Transactions: s.batches[one.number]}
		for _, keys := range a.Transactions {
			a.Entities += int64(len(keys))
		}
		return a
	default:
		return campaign.RowRequests{Key: s.keys[n], Entities: 1}
	}
}
