package replay

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/logs"
)

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
	// place is that among the operations.
	place int
}

// asked is a query by what it asks for.
type asked struct {
	filter string
	top    int64
}

// gatherer gathers the operations of a log.
type gatherer struct {
	keyless string
	found   *Operations
	first   clock.Instant
	begun   bool
	// tried are the operations whose client may come again, by its id.
	tried map[string]*pending
	// queries are those of each kind that a further page may be of, by their places: those whose last page
	// was full, or else the last. It is taken for one of the latest, since the pages of some are never answered.
	queries map[asked][]int
	full    map[int]bool
	// lastPartition is the partition of the last single write, waiting are the transactions before the
	// first.
	lastPartition string
	hasLast       bool
	waiting       []int
}

// maxTried bounds the operations that may be tried again at a time, and the kinds of query whose further pages
// are known as such.
const maxTried = 1 << 18

// Gather reads the operations of a log. A request with the id of one that was not answered before, for the same
// on the same key and within two minutes, is no operation of its own, nor is a page of a query after the
// first. Keyless is [LeftOut] or [AsWrites], empty for LeftOut. The error is as of [logs.Read].
func Gather(files []logs.Source, o logs.Options, keyless string) (*Operations, error) {
	f := &Operations{Reading: new(logs.Reading), Totals: Totals{Left: make(map[string]int64), Unrelated: make(map[string]int64)}}
	g := &gatherer{keyless: keyless, found: f, tried: make(map[string]*pending), full: make(map[int]bool), queries: make(map[asked][]int)}
	if err := logs.Read(files, o, f.Reading, g.addRequest); err != nil {
		return nil, err
	}
	f.Lost += int64(len(g.tried))
	for _, at := range g.waiting {
		f.List[at].Key.Partition = g.lastPartition
	}
	if len(g.waiting) > 0 && !g.hasLast {
		return nil, fmt.Errorf("%w: no single write has a key; remove --set log.keyless=as-writes", logs.ErrSource)
	}
	if len(f.List) == 0 {
		if err := f.Reading.Missing(o.Table); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: no operation of %s can be replayed: not %s", logs.ErrSource, f.Reading.Source, logs.NamedCounts(f.Left, f.Unrelated))
	}
	return f, nil
}

// addRequest takes a request: it is left out, or tries again what was tried before, or begins an operation.
func (g *gatherer) addRequest(r *accesslog.Observed) error {
	f := g.found
	if isUnrelated(r) {
		f.Unrelated[nameOperation(f.Unrelated, r.Operation)]++
		return nil
	}
	if reason := g.leaves(r); reason != "" {
		f.Left[reason]++
		if r.Verb >= entity.Insert && r.Verb != entity.Query && r.Outcome() != accesslog.Throttled {
			f.LeftEntities += r.Asked
		}
		return nil
	}
	if !g.begun {
		g.begun, g.first = true, r.Arrived
	}
	at := r.Arrived.Sub(g.first)
	g.count(r)
	if g.isRetry(r, at) || g.further(r, at) {
		return nil
	}
	if len(f.List) == arrival.MaxTraceRows {
		return fmt.Errorf("%w: more than %d operations; use fewer files or --table", logs.ErrSource, arrival.MaxTraceRows)
	}
	g.begin(r, at)
	if r.Outcome() == accesslog.Throttled {
		g.wait(r, at)
	}
	return nil
}

// isUnrelated reports whether a request is for tables or the service and not for entities. The names of all such
// operations contain Table, and those of others do not.
func isUnrelated(r *accesslog.Observed) bool {
	return r.Verb > entity.Batch || r.Verb < entity.Insert && strings.Contains(r.Operation, "Table")
}

// maxNames is the number of operations that are not replayed and counted by their names.
const maxNames = 64

// nameOperation returns the name under which an operation is counted.
func nameOperation(counts map[string]int64, name string) string {
	if counts[name] == 0 && len(counts) >= maxNames {
		return "other operations"
	}
	return name
}

// leaves says why a request is not replayed, empty where it is.
func (g *gatherer) leaves(r *accesslog.Observed) string {
	guess := g.keyless == AsWrites
	switch {
	case r.Verb < entity.Insert:
		return nameOperation(g.found.Left, "unknown "+cmp.Or(r.Operation, "operation"))
	case r.Verb == entity.Batch && !r.HasPartition && !guess:
		return noTransactionKey
	case r.Verb == entity.Query && r.Class == "":
		return noFilter
	case r.Verb == entity.Query && r.Filter == "" && r.Class != filter.ClassTableScan.String():
		return noBounds
	case r.Verb == entity.Query && r.Further && !g.knows(r):
		return noQueryBefore
	case r.Verb != entity.Batch && r.Verb != entity.Query && !r.HasRow && !(guess && r.Verb == entity.Insert):
		return noInsertKey
	}
	return ""
}

func (g *gatherer) knows(r *accesslog.Observed) bool {
	_, known := g.queries[asked{r.Filter, r.Top}]
	return known
}

// count counts a request that is replayed.
func (g *gatherer) count(r *accesslog.Observed) {
	f := g.found
	if f.Attempts++; r.Outcome() == accesslog.Throttled {
		f.Throttled++
	}
	if r.Billed() {
		f.Billed++
	}
	if r.Verb.IsChange() && r.Verb != entity.Delete && r.RequestBytes > 0 {
		f.Bodies.Record(time.Duration(r.RequestBytes) * time.Microsecond)
	}
	if r.Verb.IsChange() && r.HasPartition && g.lastPartition != r.PartitionKey {
		g.lastPartition = r.PartitionKey
	}
	g.hasLast = g.hasLast || r.Verb.IsChange() && r.HasPartition
}

// isRetry reports whether a request tries again what was not answered before.
func (g *gatherer) isRetry(r *accesslog.Observed, at time.Duration) bool {
	before := g.tried[r.ClientRequestID]
	if before == nil || r.ClientRequestID == "" {
		return false
	}
	if before.verb != r.Verb || before.key != r.Key() || before.filter != r.Filter || at-before.last >= window {
		g.found.Lost++
		delete(g.tried, r.ClientRequestID)
		return false
	}
	g.found.Retries++
	if before.last = at; r.Outcome() == accesslog.Throttled {
		return true
	}
	delete(g.tried, r.ClientRequestID)
	switch one := &g.found.List[before.place]; {
	case one.Verb != entity.Query:
		one.there, one.done, one.ended = showsExisting(r), isSuccess(r), at
	case r.Outcome() == accesslog.Ok:
		one.Entities, one.ended = one.Entities+r.Asked, at
		g.paged(asked{one.Query.Filter, int64(one.Query.Top)}, before.place, r.Asked)
	}
	return true
}

// isSuccess reports whether a request was carried out.
func isSuccess(r *accesslog.Observed) bool {
	return r.Status >= http.StatusOK && r.Status < http.StatusBadRequest
}

// showsExisting reports whether an answer shows that the entity was there before.
func showsExisting(r *accesslog.Observed) bool {
	switch r.Verb {
	case entity.Insert:
		return r.Status == http.StatusConflict
	case entity.InsertOrReplace, entity.InsertOrMerge:
		return false
	default:
		return isSuccess(r) || r.Status == http.StatusPreconditionFailed
	}
}

// further reports whether a request is a page after the first of a query.
func (g *gatherer) further(r *accesslog.Observed, at time.Duration) bool {
	if r.Verb != entity.Query || !r.Further {
		return false
	}
	g.found.Further++
	if r.Outcome() == accesslog.Throttled {
		return true
	}
	kind := asked{r.Filter, r.Top}
	list := g.queries[kind]
	place := list[len(list)-1]
	one := &g.found.List[place]
	one.Query.Pages++
	one.Entities, one.ended = one.Entities+r.Asked, at
	g.paged(kind, place, r.Asked)
	return true
}

// paged records that a query has read a page of entities.
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
	g.queries[kind] = list[max(0, len(list)-maxOpen):]
}

// fullPage is how many entities a page has that another may follow, maxOpen how many queries
// of a kind are known that one may be of.
const (
	fullPage = 1000
	maxOpen  = 64
)

// begin adds an operation.
func (g *gatherer) begin(r *accesslog.Observed, at time.Duration) {
	f := g.found
	one := Operation{At: at, Verb: r.Verb, Key: r.Key(), Entities: r.Asked, there: showsExisting(r), done: isSuccess(r), ended: at}
	if r.Verb == entity.Batch || r.Verb != entity.Query && !r.HasRow {
		// An insert without key is as a transaction of one.
		one.Verb, one.Entities, one.Key.Row = entity.Batch, min(r.Asked, entity.MaxBatchChanges), ""
		if r.Verb != entity.Batch || !r.HasPartition {
			f.Guessed++
			if one.Key.Partition = g.lastPartition; !g.hasLast {
				g.waiting = append(g.waiting, len(f.List))
			}
		}
	}
	if one.number = f.Counts[one.Verb]; one.Verb == entity.Query {
		if one.Query = (&Query{Filter: r.Filter, Exact: r.Exact, Top: int(r.Top), Pages: 1}); r.Outcome() != accesslog.Ok {
			one.Entities = 0
		}
		if len(g.queries) < maxTried || g.knows(r) {
			g.paged(asked{r.Filter, r.Top}, len(f.List), one.Entities)
		}
	}
	f.Counts[one.Verb]++
	f.List = append(f.List, one)
}

// wait keeps the last operation, which may be tried again.
func (g *gatherer) wait(r *accesslog.Observed, at time.Duration) {
	id := r.ClientRequestID
	if id == "" || len(g.tried) >= maxTried {
		for other, old := range g.tried {
			if at-old.last >= window {
				g.found.Lost++
				delete(g.tried, other)
			}
		}
	}
	if id == "" || len(g.tried) >= maxTried {
		g.found.Lost++
		return
	}
	g.tried[id] = &pending{verb: r.Verb, key: r.Key(), filter: r.Filter, last: at, place: len(g.found.List) - 1}
}
