package replay

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/logs"
)

// Rules say what is taken for what a log does not say.
type Rules struct {
	Estimate logs.Estimate
	// Keyless is [LeftOut] or [AsWrites], empty for LeftOut.
	Keyless string
}

// window is for how long an attempt after one that was not answered, with the id of the same
// client, is a retry.
const window = 2 * time.Minute

// pending is an operation that may be tried again.
type pending struct {
	verb entity.Verb
	key  entity.Key
	// filter is what a query asks for.
	filter string
	last   time.Duration
	// place is that among the operations of its kind.
	place int
}

// asked is a query by what it asks for.
type asked struct {
	filter string
	top    int64
}

// gatherer is a log on its way to its operations.
type gatherer struct {
	rules Rules
	found *Operations
	first entity.Ticks
	begun bool
	// tried are the operations whose client may come again, by its id.
	tried          map[string]*pending
	written, wrote int64
	// queries are those of each kind that a further page may be of, by their places: those
	// whose last page was full, or else the last. It is taken for one of the latest, since the
	// pages of some are never answered.
	queries map[asked][]int
	full    map[int]bool
	// beside is the partition of the last single write, waiting are the transactions that
	// came before the first.
	beside  string
	wrote1  bool
	waiting []int
}

// mostTried bounds the operations that may be tried again at a time, and the kinds of query
// whose further pages are known as such.
const mostTried = 1 << 18

// Gather reads the operations of a log. A request with the id of one that was not answered
// before, for the same on the same key and within two minutes, is no operation of its own,
// nor is a page of a query after the first. The error is as of [logs.Read].
func (r Rules) Gather(files []logs.Source, o logs.Options) (*Operations, error) {
	g := &gatherer{rules: r, tried: make(map[string]*pending), full: make(map[int]bool), queries: make(map[asked][]int),
		found: &Operations{Reading: new(logs.Reading), Estimate: r.Estimate,
			Left: make(map[string]int64), Bodies: bodies{buckets: make(map[int]int64)}}}
	f := g.found
	if err := logs.Read(files, o, f.Reading, g.take); err != nil {
		return nil, err
	}
	f.Lost += int64(len(g.tried))
	for _, at := range g.waiting {
		f.Transactions[at].Partition = g.beside
	}
	if len(g.waiting) > 0 && !g.wrote1 {
		return nil, fmt.Errorf("%w: no single write has a key; remove --set log.keyless=as-writes", logs.ErrSource)
	}
	if f.Count() == 0 {
		if err := f.Reading.Missing(o.Table); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: no operation has a key or filter (%d omitted)", logs.ErrSource, f.left())
	}
	if g.wrote > 0 {
		f.Bytes = g.written / g.wrote
	}
	return f, nil
}

// take takes a line: it is left out, or tries again what was tried before, or begins an
// operation.
func (g *gatherer) take(e *accesslog.Entry) error {
	f := g.found
	if e.Verb < entity.Insert || e.Verb > entity.Batch && e.Verb != entity.Query {
		return nil
	}
	entities := f.Estimate.Entities(e)
	if reason := g.leaves(e); reason != "" {
		f.Left[reason]++
		if e.Verb != entity.Query && e.Outcome() != accesslog.Throttled {
			f.LeftEntities += entities
		}
		return nil
	}
	if !g.begun {
		g.begun, g.first = true, e.At
	}
	at := time.Duration(e.At-g.first) * 100
	g.count(e)
	if g.again(e, at, entities) || g.further(e, at, entities) {
		return nil
	}
	if f.Count() == arrival.MaxTraceRows {
		return accesslog.Stop(fmt.Errorf("%w: more than %d operations; use fewer files or --table", logs.ErrSource, arrival.MaxTraceRows))
	}
	g.begin(e, at, entities)
	if e.Outcome() == accesslog.Throttled {
		g.wait(e, at)
	}
	return nil
}

// leaves says why a request is not replayed, empty where it is.
func (g *gatherer) leaves(e *accesslog.Entry) string {
	guess := g.rules.Keyless == AsWrites
	switch {
	case e.Verb == entity.Batch && !e.Keyed && !guess:
		return noTransactionKey
	case e.Verb == entity.Query && e.Class == "":
		return noFilter
	case e.Verb == entity.Query && e.Filter == "" && e.Class != filter.ClassTableScan.String():
		return noBounds
	case e.Verb == entity.Query && e.Further && !g.knows(e):
		return noQueryBefore
	case e.Verb != entity.Batch && e.Verb != entity.Query && !e.KeyedRow && !(guess && e.Verb == entity.Insert):
		return noInsertKey
	}
	return ""
}

func (g *gatherer) knows(e *accesslog.Entry) bool {
	_, known := g.queries[asked{e.Filter, e.Top}]
	return known
}

// count counts a request that is replayed.
func (g *gatherer) count(e *accesslog.Entry) {
	f := g.found
	if f.Attempts++; e.Outcome() == accesslog.Throttled {
		f.Throttled++
	}
	if e.Billed() {
		f.Billed++
	}
	if e.Verb.IsChange() && e.Verb != entity.Delete && e.RequestPacket > 0 {
		g.written, g.wrote = g.written+e.RequestPacket, g.wrote+1
		f.Bodies.all++
		f.Bodies.buckets[int(math.Round(bodySteps*math.Log(float64(e.RequestPacket))))]++
	}
	if e.Verb.IsChange() && e.Keyed && g.beside != e.Key.Partition {
		g.beside = strings.Clone(e.Key.Partition)
	}
	g.wrote1 = g.wrote1 || e.Verb.IsChange() && e.Keyed
}

// again reports whether a request tries again what was not answered before.
func (g *gatherer) again(e *accesslog.Entry, at time.Duration, entities int64) bool {
	before := g.tried[e.ClientID]
	if before == nil || e.ClientID == "" {
		return false
	}
	if before.verb != e.Verb || before.key != e.Key || before.filter != e.Filter || at-before.last >= window {
		g.found.Lost++
		delete(g.tried, e.ClientID)
		return false
	}
	g.found.Retries++
	if before.last = at; e.Outcome() != accesslog.Throttled {
		delete(g.tried, e.ClientID)
		switch {
		case e.Verb == entity.Query && e.Outcome() == accesslog.Ok:
			one := &g.found.Queries[before.place]
			one.Returned, one.ended = one.Returned+entities, at
			g.paged(asked{one.Filter, int64(one.Top)}, before.place, entities)
		case e.Verb <= entity.Get && e.KeyedRow:
			one := &g.found.List[before.place]
			one.there, one.done, one.ended = showsExisting(e), isSuccess(e), at
		case e.Verb == entity.Batch || !e.KeyedRow:
			one := &g.found.Transactions[before.place]
			one.done, one.ended = isSuccess(e), at
		}
	}
	return true
}

// isSuccess reports whether a request was carried out.
func isSuccess(e *accesslog.Entry) bool {
	return e.HTTP >= http.StatusOK && e.HTTP < http.StatusBadRequest
}

// showsExisting reports whether an answer shows that the entity was there before.
func showsExisting(e *accesslog.Entry) bool {
	switch e.Verb {
	case entity.Insert:
		return e.HTTP == http.StatusConflict
	case entity.InsertOrReplace, entity.InsertOrMerge:
		return false
	default:
		return isSuccess(e) || e.HTTP == http.StatusPreconditionFailed
	}
}

// further reports whether a request is a page after the first of a query.
func (g *gatherer) further(e *accesslog.Entry, at time.Duration, entities int64) bool {
	if e.Verb != entity.Query || !e.Further {
		return false
	}
	g.found.Further++
	if e.Outcome() == accesslog.Throttled {
		return true
	}
	kind := asked{e.Filter, e.Top}
	list := g.queries[kind]
	place := list[len(list)-1]
	one := &g.found.Queries[place]
	one.Pages++
	one.Returned += entities
	one.ended = at
	g.paged(kind, place, entities)
	return true
}

// paged takes down that a query has read a page of so many entities.
func (g *gatherer) paged(kind asked, place int, entities int64) {
	list := slices.DeleteFunc(g.queries[kind], func(other int) bool { return other == place })
	if last := len(list) - 1; last >= 0 && !g.full[list[last]] {
		// It waited for want of another.
		list = list[:last]
	}
	delete(g.full, place)
	if entities >= fullPage {
		g.full[place] = true
	}
	if g.full[place] || len(list) == 0 {
		list = append(list, place)
	}
	g.queries[kind] = list[max(0, len(list)-mostOpen):]
}

// fullPage is how many entities a page has that another may follow, mostOpen how many queries
// of a kind are known that one may be of.
const (
	fullPage = 1000
	mostOpen = 64
)

// begin adds an operation.
func (g *gatherer) begin(e *accesslog.Entry, at time.Duration, entities int64) {
	f := g.found
	switch e.Verb {
	case entity.Query:
		one := asked{strings.Clone(e.Filter), e.Top}
		if e.Outcome() != accesslog.Ok {
			entities = 0
		}
		if len(g.queries) < mostTried || g.knows(e) {
			g.paged(one, len(f.Queries), entities)
		}
		f.Queries = append(f.Queries, Query{At: at, Filter: one.filter, Exact: e.Exact, Top: int(e.Top), Pages: 1, Returned: entities, ended: at})
	case entity.Batch:
		g.transact(e.Keyed, Transaction{At: at, Partition: strings.Clone(e.Key.Partition), Entities: min(entities, 100), done: isSuccess(e), ended: at})
	default:
		if !e.KeyedRow {
			g.transact(false, Transaction{At: at, Entities: 1, done: isSuccess(e), ended: at})
			return
		}
		key := entity.Key{Partition: strings.Clone(e.Key.Partition), Row: strings.Clone(e.Key.Row)}
		f.List = append(f.List, Operation{At: at, Verb: e.Verb, Key: key, there: showsExisting(e), done: isSuccess(e), ended: at})
	}
}

// transact adds a transaction, beside the last single write where its key is not known.
func (g *gatherer) transact(keyed bool, one Transaction) {
	f := g.found
	if !keyed {
		f.Guessed++
		if one.Partition = g.beside; !g.wrote1 {
			g.waiting = append(g.waiting, len(f.Transactions))
		}
	}
	f.Transactions = append(f.Transactions, one)
}

// wait keeps an operation that may be tried again.
func (g *gatherer) wait(e *accesslog.Entry, at time.Duration) {
	id := e.ClientID
	if id == "" || len(g.tried) >= mostTried {
		for other, old := range g.tried {
			if at-old.last >= window {
				g.found.Lost++
				delete(g.tried, other)
			}
		}
	}
	if id == "" || len(g.tried) >= mostTried {
		g.found.Lost++
		return
	}
	key := entity.Key{Partition: strings.Clone(e.Key.Partition), Row: strings.Clone(e.Key.Row)}
	place := len(g.found.List) - 1
	switch {
	case e.Verb == entity.Query:
		place = len(g.found.Queries) - 1
	case e.Verb == entity.Batch || !e.KeyedRow:
		place = len(g.found.Transactions) - 1
	}
	g.tried[strings.Clone(id)] = &pending{verb: e.Verb, key: key, filter: strings.Clone(e.Filter), last: at, place: place}
}
