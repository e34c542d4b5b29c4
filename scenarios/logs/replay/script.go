package replay

import (
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

// script is what the operations of a log ask for under a design.
type script struct {
	of      *Operations
	steps   []step
	keys    []entity.Key
	reads   []reading
	batches [][][]entity.Key
	// joined is how many keys of the log fell together with another one, split how many
	// transactions became several.
	joined, split int64
	// nothing is a filter that keeps no entity.
	nothing *filter.Expression
}

// newScript forms everything anew.
func newScript(of *Operations, steps []step, t *table, f *forming) *script {
	s := &script{of: of, steps: steps, keys: make([]entity.Key, len(of.List)), reads: make([]reading, len(of.Queries))}
	s.nothing, _, _ = filter.Parse("V lt 0")
	if f.to != nil {
		f.queries = f.newAsking(of)
	}
	for i := range s.reads {
		if f.to != nil {
			s.reads[i] = f.reading(i)
			continue
		}
		span := of.Queries[i].span()
		s.reads[i] = reading{ranges: []filter.Range{span}, tight: true, class: span.Class()}
	}
	was, is := make(map[entity.Key]bool), make(map[entity.Key]bool)
	for i := range of.List {
		var err error
		if s.keys[i], err = f.of(of.List[i].Key); err != nil {
			f.unmatchedBy(err)
		}
		was[of.List[i].Key], is[s.keys[i]] = true, true
	}
	s.joined = int64(len(was) - len(is))
	for i := range of.Transactions {
		// It becomes one for each partition that its entities fall into, in the order in which they come.
		var all [][]entity.Key
		place := make(map[string]int)
		var fault error
		for _, one := range t.written(i) {
			like, err := f.of(one.like)
			if fault == nil {
				fault = err
			}
			key := one.under(like)
			at, some := place[key.Partition]
			if !some {
				at = len(all)
				place[key.Partition] = at
				all = append(all, nil)
			}
			all[at] = append(all[at], key)
		}
		if fault != nil {
			f.unmatchedBy(fault)
		}
		s.batches = append(s.batches, all)
		if len(all) > 1 {
			s.split++
		}
	}
	return s
}

// Row implements [campaign.Script].
func (s *script) Row(n uint64) campaign.Asked {
	one := s.steps[n]
	switch one.verb {
	case entity.Query:
		q, r := &s.of.Queries[one.place], &s.reads[one.place]
		a := campaign.Asked{Entities: max(1, q.Returned)}
		for _, span := range r.ranges {
			asked := target.Query{Range: span}
			if r.tight && q.Exact {
				asked.Top = q.Top
			} else {
				// All is read, of which a filter would keep what is wanted.
				asked.Filter = s.nothing
			}
			a.Queries = append(a.Queries, asked)
		}
		// A page that keeps nothing goes on as far as one goes.
		if r.tight && (!r.anew || q.Top > 0) {
			a.Pages = q.Pages
		}
		return a
	case entity.Batch:
		a := campaign.Asked{Transactions: s.batches[one.place]}
		for _, keys := range a.Transactions {
			a.Entities += int64(len(keys))
		}
		return a
	default:
		return campaign.Asked{Key: s.keys[one.place], Entities: 1}
	}
}

// offered are the verbs of the operations, in the order of the scenario.
func (o *Operations) offered() []entity.Verb {
	var list []entity.Verb
	for verb := entity.Insert; verb <= entity.Batch; verb++ {
		switch {
		case verb == entity.Query && len(o.Queries) > 0, verb == entity.Batch && len(o.Transactions) > 0, o.count(verb) > 0:
			list = append(list, verb)
		}
	}
	return list
}
