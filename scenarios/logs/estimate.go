package logs

import (
	"net/http"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
)

// Estimate is what is taken for what a line does not say: how many entities a
// transaction writes and a query reads.
//
// A transaction writes as many as its body has room for: its bytes, less 200 for its
// ends, by the mean body of the single writes so far and 400 bytes around each. A query
// returns as many as its reply has room for, by the mean reply to a read of one entity so
// far, and reads what it returns, one at least; a filter of other properties reads more,
// which no log has. Without an earlier request of the kind, an entity takes 1,100 bytes.
type Estimate struct {
	// Transaction is how many entities each transaction writes, Entity how many bytes an
	// entity takes in a reply; 0 for the rules above.
	Transaction int64
	Entity      int64

	writes, reads mean
	// Transactions and Queries are how many were estimated, Inexact those queries among
	// them that may have read more than they returned.
	Transactions, Queries, Inexact int64
}

// mean is that of some sizes.
type mean struct{ sum, count int64 }

func (m *mean) add(n int64) { m.sum, m.count = m.sum+n, m.count+1 }

// orDefault returns the mean, or the given number if there is none.
func (m *mean) orDefault(otherwise int64) int64 {
	if m.count == 0 {
		return otherwise
	}
	return max(1, m.sum/m.count)
}

const (
	defaultEntity  = 1_100
	aroundChange   = 400
	aroundBatch    = 200
	maxTransaction = 100
	maxPage        = 1_000
)

// fill sets how many entities a request is about: what it would write or read, and what counts by the documents'
// rule, by which throttled and failed requests count none. It is called once for each line, in their order.
func (s *Estimate) fill(o *accesslog.Observed) {
	o.Asked = s.entities(o)
	if o.Outcome() != accesslog.Ok {
		return
	}
	if o.Counted = o.Asked; o.Verb == entity.Query || o.Verb == entity.Get {
		o.Returned = o.Counted
	}
}

func (s *Estimate) entities(o *accesslog.Observed) int64 {
	ok := o.Outcome() == accesslog.Ok && o.Status < http.StatusBadRequest
	switch {
	case o.Verb == entity.Batch:
		if o.Asked >= 0 {
			return max(1, o.Asked)
		}
		if s.Transactions++; s.Transaction > 0 {
			return s.Transaction
		}
		if o.RequestBytes < 0 {
			return 1
		}
		each := s.writes.orDefault(defaultEntity) + aroundChange
		return min(maxTransaction, max(1, (o.RequestBytes-aroundBatch+each/2)/each))
	case o.Verb == entity.Query:
		return s.query(o, ok)
	case o.Verb < entity.Insert || o.Verb > entity.Get:
		return 0
	case ok && o.Verb == entity.Get && o.ResponseBytes > 0:
		s.reads.add(o.ResponseBytes)
	case ok && o.Verb != entity.Delete && o.RequestBytes > 0:
		s.writes.add(o.RequestBytes)
	}
	return 1
}

func (s *Estimate) query(o *accesslog.Observed, ok bool) int64 {
	if o.Asked >= 0 {
		return max(1, o.Asked)
	}
	if s.Queries++; !o.Exact {
		s.Inexact++
	}
	if !ok || o.ResponseBytes < 0 {
		return 1
	}
	each := s.Entity
	if each == 0 {
		each = s.reads.orDefault(s.writes.orDefault(defaultEntity))
	}
	page := int64(maxPage)
	if o.Top > 0 {
		page = min(page, o.Top)
	}
	return min(page, max(1, (o.ResponseBytes+each/2)/each))
}
