package logs

import (
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
// which no log tells. Where nothing of the kind came before, an entity takes 1,100 bytes.
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

// of returns the mean, another number where there is none.
func (m *mean) of(otherwise int64) int64 {
	if m.count == 0 {
		return otherwise
	}
	return max(1, m.sum/m.count)
}

const (
	usualEntity     = 1_100
	aroundChange    = 400
	aroundBatch     = 200
	mostTransaction = 100
	mostPage        = 1_000
)

// Entities returns how many entities a request is about: what it would write or read. It is
// asked of each line once, in their order.
func (s *Estimate) Entities(e *accesslog.Entry) int64 {
	ok := e.Outcome() == accesslog.Ok && e.HTTP < 400
	switch {
	case e.Verb == entity.Batch:
		if e.Entities >= 0 {
			return max(1, e.Entities)
		}
		if s.Transactions++; s.Transaction > 0 {
			return s.Transaction
		}
		if e.RequestPacket < 0 {
			return 1
		}
		each := s.writes.of(usualEntity) + aroundChange
		return min(mostTransaction, max(1, (e.RequestPacket-aroundBatch+each/2)/each))
	case e.Verb == entity.Query:
		return s.query(e, ok)
	case e.Verb < entity.Insert || e.Verb > entity.Get:
		return 0
	case ok && e.Verb == entity.Get && e.ResponsePacket > 0:
		s.reads.add(e.ResponsePacket)
	case ok && e.Verb != entity.Delete && e.RequestPacket > 0:
		s.writes.add(e.RequestPacket)
	}
	return 1
}

func (s *Estimate) query(e *accesslog.Entry, ok bool) int64 {
	if e.Entities >= 0 {
		return max(1, e.Entities)
	}
	if s.Queries++; !e.Exact {
		s.Inexact++
	}
	if !ok || e.ResponsePacket < 0 {
		return 1
	}
	each := s.Entity
	if each == 0 {
		each = s.reads.of(s.writes.of(usualEntity))
	}
	most := int64(mostPage)
	if e.Top > 0 {
		most = min(most, e.Top)
	}
	return min(most, max(1, (e.ResponsePacket+each/2)/each))
}
