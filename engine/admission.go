package engine

import (
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/engine/store"
)

// asked is what the partition layer said to a request.
type decision struct {
	// now is when the request arrives, as the engine's clock has it.
	now clock.Instant
	// known says that there is such a table.
	known bool
	place partition.Place
	cost  int64
	// chance decides the service time.
	chance  uint64
	verdict partition.Verdict
	// end is the PartitionKey that a query's page may not reach, where ends says
	// that there is one.
	end  string
	ends bool
}

// decide has the partition layer decide on a request.
func (e *Engine) decide(a *account, now clock.Instant, r *Request, ask *decision) {
	// A request is admitted under one PartitionKey, and known to count one entity: a query under
	// the first of its range, a transaction under that of all its changes, which count.
	key, cost := "", int64(1)
	switch r.Verb {
	case entity.Batch:
		if len(r.Changes) > 0 {
			key, cost = r.Changes[0].Key.Partition, int64(len(r.Changes))
		}
	case entity.Query:
		key = r.Query.Range.From.Partition
	default:
		key = r.Change.Key.Partition
	}
	demand := partition.Demand{Entities: cost, Timeout: r.Timeout, Received: r.Bytes, Sends: r.ReplyBytes}
	demand.Read = r.Verb == entity.Get || r.Verb == entity.Query
	if e.weighs {
		if demand.BytesIn = r.Billed; demand.BytesIn == 0 {
			demand.BytesIn = bytesIn(r)
		}
	}
	draw := e.chances.Try(r.Number, r.Attempt)
	chance := draw.Uint64()

	if !e.alone {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	e.latest = max(e.latest, now)
	ask.now, ask.cost, ask.chance = e.latest, cost, chance
	table, known := e.table(a, r.Table)
	if !known {
		return
	}
	ask.known = true
	ask.place = partition.Place{Account: a.number, Table: table, PartitionKey: key}
	ask.verdict = e.layer.Admit(ask.now, ask.place, demand, draw.Uint64())
	if ask.verdict.Kind == partition.Admitted && (r.Verb.IsChange() || r.Verb == entity.Batch) {
		e.takeTurn(ask, r)
	}
	e.verdicts[ask.verdict.Kind]++
	if r.Verb == entity.Query && ask.verdict.Kind == partition.Admitted && e.pageEnds != model.AtPartition {
		ask.end, ask.ends = e.layer.PageEnd(ask.place)
	}
}

// takeTurn has an admitted write wait for the transactions that hold its entities, and a
// transaction hold its own until the service is through with it.
func (e *Engine) takeTurn(ask *decision, r *Request) {
	begins := ask.now.Add(ask.verdict.Wait)
	free := begins
	switch {
	case e.holds.last <= begins:
	case r.Verb == entity.Batch:
		for i := range r.Changes {
			free = max(free, e.holds.until[newHeld(ask.place.Table, r.Changes[i].Key)])
		}
	default:
		free = max(free, e.holds.until[newHeld(ask.place.Table, r.Change.Key)])
	}
	ask.verdict.Wait += free.Sub(begins)
	deadline := e.timeout
	if r.Timeout > 0 {
		deadline = min(deadline, r.Timeout)
	}
	if ask.verdict.Wait > deadline {
		ask.verdict.Kind, ask.verdict.Wait = partition.TimedOut, deadline
		return
	}
	if r.Verb == entity.Batch {
		served := e.times.ReplyTime(partition.Writing, ask.cost, ask.chance) - e.times.RoundTrip()
		e.holds.add(ask.now, ask.now.Add(ask.verdict.Wait+served), ask.place.Table, r.Changes)
	}
}

// bytesIn returns the size of what a request brings, by the rule that the
// service bills by.
func bytesIn(r *Request) int64 {
	switch r.Verb {
	case entity.Get, entity.Query:
		return 0
	case entity.Batch:
		size := 0
		for i := range r.Changes {
			size += entity.Size(r.Changes[i].Key, r.Changes[i].Properties)
		}
		return int64(size)
	default:
		return int64(entity.Size(r.Change.Key, r.Change.Properties))
	}
}

// The service's texts for its refusals. A client cannot tell which of key, range and server was
// busy, nor whether the range was moving: all these are partitionBusy.
const (
	partitionBusy = "The server is currently unable to receive requests. Please retry your request."
	timedOut      = "Operation could not be completed within the specified time."
)

var accountRefusals = [partition.Kinds]string{
	partition.AccountBusy: "Operations per second is over the account limit.",
	partition.IngressBusy: "Ingress is over the account limit.",
	partition.EgressBusy:  "Egress is over the account limit.",
}

// ThrottledBy returns how many requests each limit of the partition model has throttled so
// far, by the limit's name as [partition.Kind] has it; none that throttled nothing. A client
// does not learn the limit.
func (e *Engine) ThrottledBy() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	by := make(map[string]int64)
	for kind, n := range e.verdicts {
		if n > 0 && partition.Kind(kind) != partition.Admitted {
			by[partition.Kind(kind).String()] = n
		}
	}
	return by
}

// CountsBytes reports whether an account has a limit in bytes, so that [Request.Bytes] and
// [Engine.ChargeReply] matter.
func (e *Engine) CountsBytes() bool { return e.countsBytes }

// ChargeReply debits how long a reply was on the wire, which only who has written it knows, from
// the account that it was for. As what a throttled request brought counts nowhere, its reply
// should not be passed.
func (e *Engine) ChargeReply(accountName string, bytes int64) {
	a, known := e.accounts[accountName]
	if !known || !e.countsBytes {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.layer.ChargeOut(e.latest, a.number, bytes)
}

// Advance moves the engine's time to now, and load balancing along with it, and
// returns now, or the largest instant seen if that is later. Requests do so by
// themselves.
func (e *Engine) Advance(now clock.Instant) clock.Instant {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latest = max(e.latest, now)
	e.layer.Advance(e.latest)
	return e.latest
}

// page reads one page of a query and charges what it scanned where it scanned
// it. The page ends at the latest where the model's page_boundary says.
func (e *Engine) page(a *account, ask *decision, r *Request, reply *Reply) {
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
	if e.pageEnds == model.AtPartition {
		page.EndAtPartition()
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
	reply.Done = ask.now.Add(e.times.ReplyTime(partition.Scanning, counted, ask.chance) + ask.verdict.Wait)
}
