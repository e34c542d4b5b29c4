package engine

import (
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
	// The first partition and the account were debited one entity when the query was admitted;
	// it is part of what is charged here.
	e.mu.Lock()
	for _, span := range page.Spans {
		place := ask.place
		place.PartitionKey = span.PartitionKey
		charge := int64(span.Scanned)
		if place == ask.place {
			charge--
		}
		e.layer.Charge(ask.now, place, charge)
	}
	e.layer.ChargeAccount(ask.now, ask.place.Account, counted-1)
	e.mu.Unlock()
	reply.Counted, reply.Rows, reply.Spans, reply.Next, reply.More = counted, page.Rows, page.Spans, page.Next, page.More
	reply.Done = ask.now.Add(e.times.Of(partition.Scanning, counted, ask.chance) + ask.verdict.Wait)
}
