package engine

import (
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/partition"
	"loadgen/engine/store"
)

// page reads one page of a query and charges what it scanned where it scanned
// it. The page ends at the latest where a range on another server begins.
func (e *Engine) page(a *account, ask *asked, r *Request, reply *Reply) {
	top := e.pageTop
	if r.Query.Top > 0 {
		top = min(top, r.Query.Top)
	}
	stretch, cut := r.Query.Range, false
	if ask.ends {
		end := entity.Key{Partition: ask.end}
		if cut = !stretch.Bounded || stretch.To.Compare(end) > 0; cut {
			stretch.To, stretch.Bounded = end, true
		}
	}
	page, code := a.store.Scan(r.Table, store.Query{
		Range: stretch, Top: top, ScanLimit: e.pageScan, Keep: r.Query.Keep})
	if code != entity.OK {
		*reply = tableReply(r.Table, code)
		reply.Counted = 1
		e.answer(ask.now, ask.chance, partition.Reading, reply)
		return
	}
	if cut && !page.More {
		page.Next, page.More = entity.Key{Partition: ask.end}, true
	}
	counted := max(1, int64(page.Scanned))
	e.charge(ask.now, ask.place, &page, counted)
	reply.Counted, reply.Rows, reply.Spans, reply.Next, reply.More = counted, page.Rows, page.Spans, page.Next, page.More
	reply.Done = ask.now.Add(e.times.Of(partition.Scanning, counted, ask.chance) + ask.verdict.Wait)
}

// charge debits what a page scanned from its partitions and the account. The
// first partition and the account were debited one entity when the query was
// admitted; it is part of what is charged here.
func (e *Engine) charge(now clock.Instant, first partition.Place, page *store.Page, counted int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, span := range page.Spans {
		place := first
		place.PartitionKey = span.PartitionKey
		charge := int64(span.Scanned)
		if place == first {
			charge--
		}
		e.layer.Charge(now, place, charge)
	}
	e.layer.ChargeAccount(now, first.Account, counted-1)
}
