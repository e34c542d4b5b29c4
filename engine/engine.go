package engine

import (
	"strings"
	"sync"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/engine/store"
)

// Options says what an engine is like.
type Options struct {
	// Model is the partition model; the engine takes a copy.
	Model *model.Model
	// Accounts names the storage accounts; each has limits of its own.
	Accounts []string
	// Epoch is the calendar instant of the clock's instant zero.
	Epoch entity.Ticks
	// Seed decides the chance in service times.
	Seed uint64
}

// Engine is a table service in memory. Its methods are safe for concurrent use.
type Engine struct {
	times    *partition.Times
	chances  clock.Stream
	epoch    entity.Ticks
	pageScan int
	pageTop  int
	accounts map[string]*account

	// mu guards what follows: the clamp of time and the partition layer. It is
	// never held while the store works.
	mu     sync.Mutex
	latest clock.Instant
	layer  *partition.Layer
	tables uint32

	counts tally
}

// account is one storage account: its tables, and the numbers under which the
// partition layer knows them.
type account struct {
	number uint32
	store  *store.Store
	// tables is guarded by the engine's mutex. It holds a number for each
	// spelling of a table's name that was used, since names compare without
	// regard to case.
	tables map[string]uint32
}

// New returns an engine with empty accounts.
func New(o Options) *Engine {
	e := &Engine{
		times:    partition.NewTimes(o.Model),
		chances:  clock.NewStream(o.Seed, "service"),
		epoch:    o.Epoch,
		pageScan: int(o.Model.PageScan()),
		pageTop:  int(o.Model.PageEntities),
		accounts: make(map[string]*account),
		layer:    partition.New(o.Model),
	}
	for i, name := range o.Accounts {
		e.accounts[name] = &account{uint32(i), store.New(), make(map[string]uint32)}
	}
	return e
}

// Submit performs a request that arrives at now.
func (e *Engine) Submit(now clock.Instant, r *Request) Reply {
	reply := e.submit(now, r)
	if reply.Code == entity.OK {
		reply.Status = successStatus(r.Verb)
	} else {
		reply.Status = reply.Code.Status()
	}
	e.counts.add(r.Verb, &reply)
	return reply
}

func (e *Engine) submit(now clock.Instant, r *Request) Reply {
	a, known := e.accounts[r.Account]
	if !known {
		return e.answer(now, r, partition.Reading, Reply{
			Code: entity.ResourceNotFound, Detail: "there is no account of that name"})
	}
	switch r.Verb {
	case entity.CreateTable:
		now = e.advance(now)
		return e.answer(now, r, partition.Writing, tableReply(r.Table, a.store.CreateTable(r.Table)))
	case entity.DeleteTable:
		now = e.advance(now)
		reply := tableReply(r.Table, a.store.DeleteTable(r.Table))
		e.forget(a, r.Table)
		return e.answer(now, r, partition.Writing, reply)
	}
	return e.admitted(a, now, r)
}

// admitted asks the partition layer and, if that agrees, the store.
func (e *Engine) admitted(a *account, now clock.Instant, r *Request) Reply {
	key, cost := addressed(r)
	e.mu.Lock()
	e.latest = max(e.latest, now)
	now = e.latest
	table, known := e.table(a, r.Table)
	verdict := partition.Admitted
	place := partition.Place{Account: a.number, Table: table, PartitionKey: key}
	if known {
		verdict = e.layer.Admit(now, place, cost)
	}
	e.mu.Unlock()

	switch {
	case !known:
		return e.answer(now, r, partition.Reading, tableReply(r.Table, entity.TableNotFound))
	case verdict == partition.PartitionBusy:
		return Reply{Code: entity.ServerBusy, Detail: partitionBusy, Done: now.Add(e.times.Refusal())}
	case verdict == partition.AccountBusy:
		return Reply{Code: entity.ServerBusy, Detail: accountBusy, Done: now.Add(e.times.Refusal())}
	case r.Verb == entity.Query:
		return e.page(a, place, now, r)
	}
	reply := e.perform(a, now, r)
	reply.Counted = cost
	work := partition.Writing
	if r.Verb == entity.Get {
		work = partition.Reading
	}
	return e.answer(now, r, work, reply)
}

// The service's texts for the two refusals.
const (
	partitionBusy = "The server is currently unable to receive requests. Please retry your request."
	accountBusy   = "Operations per second is over the account limit."
)

// addressed returns the PartitionKey that a request is admitted under and the
// entities it is known to count. A query is admitted for one, at the first
// partition of its range.
func addressed(r *Request) (partitionKey string, cost int64) {
	switch r.Verb {
	case entity.Batch:
		if len(r.Changes) == 0 {
			return "", 1
		}
		return r.Changes[0].Key.Partition, int64(len(r.Changes))
	case entity.Query:
		return r.Query.Range.From.Partition, 1
	default:
		return r.Change.Key.Partition, 1
	}
}

// perform has the store carry out a request for single entities.
func (e *Engine) perform(a *account, now clock.Instant, r *Request) Reply {
	at := e.epoch + entity.Ticks(now.Offset()/100)
	switch r.Verb {
	case entity.Get:
		packed, code := a.store.Get(r.Table, r.Change.Key)
		if code != entity.OK {
			return Reply{Code: code, Detail: "the entity does not exist"}
		}
		return Reply{Entity: packed, Version: packed.Timestamp()}
	case entity.Batch:
		result := a.store.ApplyBatch(r.Table, r.Changes, at)
		return Reply{Code: result.Code, Detail: result.Detail, FailedIndex: result.FailedIndex,
			Versions: result.Versions}
	default:
		if !r.Verb.IsChange() || r.Change.Verb != r.Verb {
			return Reply{Code: entity.InvalidInput, Detail: "the verb fits no operation"}
		}
		result := a.store.Apply(r.Table, r.Change, at)
		return Reply{Code: result.Code, Detail: result.Detail, Version: result.Version}
	}
}

// page reads one page of a query and charges what it scanned where it scanned
// it.
func (e *Engine) page(a *account, first partition.Place, now clock.Instant, r *Request) Reply {
	top := e.pageTop
	if r.Query.Top > 0 {
		top = min(top, r.Query.Top)
	}
	page, code := a.store.Scan(r.Table, store.Query{
		Range: r.Query.Range, Top: top, ScanLimit: e.pageScan, Keep: r.Query.Keep})
	if code != entity.OK {
		reply := tableReply(r.Table, code)
		reply.Counted = 1
		return e.answer(now, r, partition.Reading, reply)
	}
	// The first partition and the account were debited one entity when the
	// query was admitted; it is part of what is charged here.
	counted := max(1, int64(page.Scanned))
	e.mu.Lock()
	for _, span := range page.Spans {
		place := first
		place.PartitionKey = span.PartitionKey
		charge := int64(span.Scanned)
		if place == first {
			charge--
		}
		e.layer.Charge(now, place, charge)
	}
	e.layer.ChargeAccount(now, a.number, counted-1)
	e.mu.Unlock()
	reply := Reply{Counted: counted, Rows: page.Rows, Spans: page.Spans, Next: page.Next, More: page.More}
	reply.Done = now.Add(e.times.Of(partition.Scanning, counted, e.chance(r)))
	return reply
}

// tableReply is a reply about a table as a whole.
func tableReply(name string, code entity.Code) Reply {
	reply := Reply{Code: code}
	switch code {
	case entity.OK:
	case entity.TableAlreadyExists:
		reply.Detail = "there is a table " + name
	case entity.TableNotFound, entity.ResourceNotFound:
		reply.Detail = "there is no table " + name
	default:
		reply.Detail = "a table cannot be called " + name
	}
	return reply
}

// answer dates a reply.
func (e *Engine) answer(now clock.Instant, r *Request, work partition.Work, reply Reply) Reply {
	reply.Done = now.Add(e.times.Of(work, reply.Counted, e.chance(r)))
	return reply
}

func (e *Engine) chance(r *Request) uint64 {
	draw := e.chances.Try(r.Number, r.Attempt)
	return draw.Uint64()
}

// advance moves the engine's time to now and returns it, or the largest instant
// seen if that is later.
func (e *Engine) advance(now clock.Instant) clock.Instant {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latest = max(e.latest, now)
	return e.latest
}

// table returns the number of a table that exists. The engine's mutex is held.
func (e *Engine) table(a *account, name string) (uint32, bool) {
	if number, known := a.tables[name]; known {
		return number, true
	}
	if !a.store.HasTable(name) {
		return 0, false
	}
	folded := strings.ToLower(name)
	number, known := a.tables[folded]
	if !known {
		e.tables++
		number = e.tables
		a.tables[folded] = number
	}
	if len(a.tables) < mostSpellings {
		a.tables[name] = number
	}
	return number, true
}

// mostSpellings bounds how many spellings of table names an account keeps.
const mostSpellings = 4096

// TableNames returns the names of an account's tables as they were created,
// sorted without regard to case; nil for an account that the engine lacks.
func (e *Engine) TableNames(account string) []string {
	if a, known := e.accounts[account]; known {
		return a.store.TableNames()
	}
	return nil
}

// forget drops the number of a table that was deleted, in every spelling.
func (e *Engine) forget(a *account, name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for spelling := range a.tables {
		if strings.EqualFold(spelling, name) {
			delete(a.tables, spelling)
		}
	}
}
