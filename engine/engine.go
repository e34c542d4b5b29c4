package engine

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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
	// Calendar dates the versions of entities; nil is one that begins in the year 1.
	Calendar clock.Calendar
	// Seed decides the chance in service times, in admission and in hand-overs.
	Seed uint64
	// Cold has every new table begin with one range on one server. Otherwise
	// ranges are spread so that only partitions and accounts are limited.
	Cold bool
	// Background is how the load of tenants outside of the model changes, in the
	// order of time.
	Background []partition.Step
	// Dataless answers writes without storing anything.
	Dataless bool
	// Alone says that one goroutine alone calls the engine, as that of a run on the virtual
	// clock does: what every request asks then takes no lock.
	Alone bool
	// Stores are the tables of accounts, by name, that begin with something; an account
	// without has new ones in memory.
	Stores map[string]Store
}

// Engine is a table service. Its methods are safe for concurrent use.
type Engine struct {
	times    *partition.Times
	chances  clock.Stream
	calendar clock.Calendar
	pageScan int
	pageTop  int
	pageEnds int64
	cold     bool
	// weighs says that the sizes of entities count.
	weighs   bool
	dataless bool
	alone    bool
	// countsBytes reports that an account has a limit in bytes.
	countsBytes bool
	delay       time.Duration
	// timeout is how long the service lets a request wait.
	timeout  time.Duration
	accounts map[string]*account
	// first is one of the accounts, which mostly is the only one.
	first *account
	// partitionTarget and accountTarget are what the model holds them to, headroom the
	// multiple of its own, in thousandths, that a partition reaches while a server is idle.
	partitionTarget, accountTarget, headroom int64

	// mu guards what follows: the clamp of time and the partition layer. It is
	// never held while the store works.
	mu     sync.Mutex
	latest clock.Instant
	layer  *partition.Layer
	holds  holds
	// verdicts counts requests by what was decided on them.
	verdicts [partition.Kinds]int64
	tables   uint32
	// names are the tables of a cold start by their number, events what load
	// balancing did to tables that are gone.
	names  map[uint32]tableName
	events []Event

	// strangers counts the requests to accounts that the engine lacks.
	strangers counter
}

// account is one storage account: its tables, and the numbers under which the
// partition layer knows them.
type account struct {
	name   string
	number uint32
	store  Store
	// tables is guarded by the engine's mutex. It holds a number for each
	// spelling of a table's name that was used, since names compare without
	// regard to case.
	tables map[string]uint32
	// asked is the last requested spelling, askedNumber its number, 0 for none.
	asked       string
	askedNumber uint32
	// deleted are the names that cannot be used again yet.
	deleted reserved
	counts  counter
}

// New returns an engine with empty accounts.
func New(o Options) *Engine {
	e := &Engine{
		times:    partition.NewTimes(o.Model),
		chances:  clock.NewStream(o.Seed, "service"),
		calendar: o.Calendar,
		pageScan: int(o.Model.PageScan()),
		pageTop:  int(o.Model.PageEntities),
		pageEnds: o.Model.Stamp.PageBoundary,
		cold:     o.Cold,
		weighs:   o.Cold || o.Model.Stamp.SizeWeight > 0,
		dataless: o.Dataless,
		alone:    o.Alone,
		delay:    o.Model.NameDelay,
		timeout:  o.Model.Stamp.Timeout,

		partitionTarget: o.Model.PartitionTarget, accountTarget: o.Model.AccountTarget, headroom: o.Model.Idle.Headroom,

		accounts: make(map[string]*account),
		names:    make(map[uint32]tableName),
		layer: partition.New(partition.Options{
			Model: o.Model, Cold: o.Cold, Seed: o.Seed, Background: o.Background}),
	}
	e.countsBytes = e.layer.CountsBytes()
	if e.calendar == nil {
		e.calendar = clock.Epoch{}
	}
	for i, name := range o.Accounts {
		a := &account{name: name, number: uint32(i), store: o.Stores[name], tables: make(map[string]uint32)}
		if a.store == nil {
			a.store = store.New()
		}
		e.accounts[name], e.first = a, a
		// What the store begins with: its tables, and the names that it has kept back before. None
		// is for longer than if its table were deleted now, however the calendar was put since.
		for _, table := range a.store.TableNames() {
			e.welcome(a, 0, table)
		}
		kept := a.store.Deleted()
		names := slices.Collect(maps.Keys(kept))
		slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(kept[x], kept[y]), cmp.Compare(x, y)) })
		zero := e.calendar.Date(0)
		for _, table := range names {
			if left := min(kept[table].Time().Sub(zero), e.delay); left > 0 {
				a.deleted.add(table, clock.Instant(left))
			}
		}
	}
	return e
}

// Targets returns the limits of one partition and of one account in entities per second,
// 0 for no limit, and the multiple of its own, in thousandths, that a partition reaches while
// its server is idle, 0 if the target is a hard limit.
func (e *Engine) Targets() (partition, account, headroom int64) {
	const none = 1000
	if headroom = e.headroom; headroom <= none || e.partitionTarget == 0 {
		headroom = 0
	}
	return e.partitionTarget, e.accountTarget, headroom
}

// Submit performs a request that arrives at now.
func (e *Engine) Submit(now clock.Instant, r *Request) (reply Reply) {
	e.Answer(now, r, &reply)
	return reply
}

// Answer performs a request that arrives at now, and fills in the reply, which must be
// empty.
func (e *Engine) Answer(now clock.Instant, r *Request, reply *Reply) {
	a, known := e.first, true
	if a == nil || a.name != r.Account {
		a, known = e.accounts[r.Account]
	}
	if !known {
		reply.Code, reply.Detail, reply.Status = entity.ResourceNotFound, noAccount, entity.ResourceNotFound.Status()
		e.answer(now, e.chance(r), partition.Reading, reply)
		e.strangers.add(r.Verb, reply)
		return
	}
	e.submit(a, now, r, reply)
	switch {
	case reply.Code != entity.OK:
		reply.Status = reply.Code.Status()
	case r.Verb == entity.Get || r.Verb == entity.Query:
		reply.Status = 200
	case r.Verb == entity.Batch:
		reply.Status = 202
	default:
		reply.Status = 204
	}
	a.counts.add(r.Verb, reply)
}

func (e *Engine) submit(a *account, now clock.Instant, r *Request, reply *Reply) {
	switch r.Verb {
	case entity.CreateTable:
		now = e.Advance(now)
		kept := false
		if e.delay != 0 && !a.store.HasTable(r.Table) {
			// Of a table that is there by another way than a request, the name is in use.
			e.mu.Lock()
			a.deleted.release(now)
			_, kept = a.deleted.until[strings.ToLower(r.Table)]
			e.mu.Unlock()
		}
		if kept {
			*reply = tableReply(r.Table, entity.TableBeingDeleted)
		} else {
			*reply = tableReply(r.Table, a.store.CreateTable(r.Table))
			e.welcome(a, now, r.Table)
		}
		e.answer(now, e.chance(r), partition.Writing, reply)
	case entity.DeleteTable:
		now = e.Advance(now)
		if e.delay != 0 && a.store.HasTable(r.Table) {
			e.mu.Lock()
			a.deleted.release(now)
			a.deleted.add(r.Table, now.Add(e.delay))
			e.mu.Unlock()
		}
		*reply = tableReply(r.Table, a.store.DeleteTable(r.Table, e.ticks(now), e.ticks(now.Add(e.delay))))
		e.mu.Lock()
		if e.cold {
			e.collect()
		}
		a.askedNumber = 0
		for spelling, number := range a.tables {
			if strings.EqualFold(spelling, r.Table) {
				delete(a.tables, spelling)
				delete(e.names, number)
				e.layer.TableDeleted(now, number)
			}
		}
		e.mu.Unlock()
		e.answer(now, e.chance(r), partition.Writing, reply)
	default:
		e.admitted(a, now, r, reply)
	}
}

// admitted asks the partition layer and, if that agrees, the store.
func (e *Engine) admitted(a *account, now clock.Instant, r *Request, reply *Reply) {
	var ask decision
	e.decide(a, now, r, &ask)
	switch {
	case !ask.known:
		*reply = tableReply(r.Table, entity.TableNotFound)
		e.answer(ask.now, ask.chance, partition.Reading, reply)
	case ask.verdict.Kind == partition.TimedOut:
		// A request whose work has begun is still carried out; its outcome is not reported.
		if ask.verdict.Performed && r.Verb != entity.Query {
			var untold Reply
			e.perform(a, ask.now, r, &untold)
			reply.Counted = ask.cost
		}
		reply.Code, reply.Detail, reply.Done = entity.OperationTimedOut, timedOut, ask.now.Add(ask.verdict.Wait)
	case ask.verdict.Kind != partition.Admitted:
		reply.Code, reply.Detail = entity.ServerBusy, cmp.Or(accountRefusals[ask.verdict.Kind], partitionBusy)
		reply.Done = ask.now.Add(e.times.Refusal())
	case r.Verb == entity.Query:
		e.page(a, &ask, r, reply)
	default:
		e.perform(a, ask.now, r, reply)
		reply.Counted = ask.cost
		work := partition.Writing
		if r.Verb == entity.Get {
			work = partition.Reading
		}
		e.answer(ask.now.Add(ask.verdict.Wait), ask.chance, work, reply)
	}
}

// perform has the store carry out a request for single entities.
func (e *Engine) perform(a *account, now clock.Instant, r *Request, reply *Reply) {
	at := e.ticks(now)
	if r.Payload > entity.MaxBatchPayload {
		reply.Code, reply.Detail = entity.RequestBodyTooLarge, "the payload of the transaction has more than 4 MiB"
		return
	}
	if e.dataless && (r.Verb.IsChange() || r.Verb == entity.Batch) {
		acknowledge(at, r, reply)
		return
	}
	switch r.Verb {
	case entity.Get:
		packed, code := a.store.Get(r.Table, r.Change.Key)
		if code != entity.OK {
			reply.Code, reply.Detail = code, "the entity does not exist"
			if code == entity.InternalError {
				reply.Detail = failed
			}
			return
		}
		reply.Entity, reply.Version = packed, packed.Timestamp()
	case entity.Batch:
		result := a.store.ApplyBatch(r.Table, r.Changes, at)
		reply.Code, reply.Detail, reply.FailedIndex, reply.Versions = result.Code, result.Detail, result.FailedIndex, result.Versions
	default:
		if !r.Verb.IsChange() || r.Change.Verb != r.Verb {
			reply.Code, reply.Detail = entity.InvalidInput, "the verb fits no operation"
			return
		}
		result := a.store.Apply(r.Table, r.Change, at)
		reply.Code, reply.Detail, reply.Version = result.Code, result.Detail, result.Version
	}
}

// failed is the detail where the store cannot go on.
const failed = "the tables are no longer readable or writable"

// ticks dates an instant.
func (e *Engine) ticks(i clock.Instant) entity.Ticks { return entity.TicksOf(e.calendar.Date(i)) }

// tableReply is a reply about a table as a whole.
func tableReply(name string, code entity.Code) Reply {
	reply := Reply{Code: code}
	switch code {
	case entity.OK:
	case entity.TableAlreadyExists:
		reply.Detail = "there is a table " + name
	case entity.TableNotFound, entity.ResourceNotFound:
		reply.Detail = "there is no table " + name
	case entity.InternalError:
		reply.Detail = failed
	case entity.TableBeingDeleted:
		reply.Detail = "the table " + name + " is being deleted; its name is reusable later"
	default:
		reply.Detail = "a table cannot be called " + name
	}
	return reply
}

// answer dates a reply to a request that the service turns to now.
func (e *Engine) answer(now clock.Instant, chance uint64, work partition.Work, reply *Reply) {
	reply.Done = now.Add(e.times.ReplyTime(work, reply.Counted, chance))
}

// chance is the first draw of an attempt, which decides how long it takes; the
// second is admission's.
func (e *Engine) chance(r *Request) uint64 {
	draw := e.chances.Try(r.Number, r.Attempt)
	return draw.Uint64()
}

// ErrInvalidFault is the error for a plan that contradicts itself, to be tested for
// with [errors.Is].
var ErrInvalidFault = errors.New("engine: invalid plan")

// HasTable reports whether an account has a table of that name, in whatever
// case. It is no request: nothing is charged or counted for it.
func (e *Engine) HasTable(account, table string) bool {
	a, known := e.accounts[account]
	return known && a.store.HasTable(table)
}

// LoadTable makes a table at now; one that is there already is left as it is. The
// code is OK, or else with one line of detail that of what the name or the
// account lacks.
//
// Neither it nor [Engine.Load] is a request: admission is passed by, so that what
// is put in before anybody asks takes no time and leaves everybody's allowance
// whole, whatever the model's limits are, and no count knows of it.
func (e *Engine) LoadTable(now clock.Instant, account, table string) (entity.Code, string) {
	a, known := e.accounts[account]
	if !known {
		return entity.ResourceNotFound, noAccount
	}
	// The store keeps the name, which may be a view into a larger text.
	code := a.store.CreateTable(strings.Clone(table))
	switch code {
	case entity.OK:
		e.welcome(a, e.Advance(now), table)
		return entity.OK, ""
	case entity.TableAlreadyExists:
		return entity.OK, ""
	}
	if code == entity.InternalError {
		return code, failed
	}
	_, detail := entity.ValidateTableName(table)
	return code, detail
}

// Load makes a change of an entity at now. Its code and detail are those of the
// request that it stands for.
func (e *Engine) Load(now clock.Instant, account, table string, c *entity.Change) (entity.Code, string) {
	a, known := e.accounts[account]
	if !known {
		return entity.ResourceNotFound, noAccount
	}
	result := a.store.Apply(table, c, e.ticks(e.Advance(now)))
	return result.Code, result.Detail
}

const noAccount = "the account does not exist"

// Store is one account's tables: what requests mean, without time. Package store has one
// in memory and says what each method means; durable.Store keeps the same in a folder.
// All methods are safe for concurrent use, and each outcome is a code: InternalError of a
// store that cannot go on.
type Store interface {
	CreateTable(name string) entity.Code
	// DeleteTable drops a table at now; until is to be one of Deleted for its name.
	DeleteTable(name string, now, until entity.Ticks) entity.Code
	HasTable(name string) bool
	TableNames() []string
	Count(name string) int64

	Get(name string, k entity.Key) (entity.Packed, entity.Code)
	Scan(name string, q store.Query) (store.Page, entity.Code)
	Apply(name string, c *entity.Change, at entity.Ticks) store.Result
	ApplyBatch(name string, changes []entity.Change, at entity.Ticks) store.BatchResult

	// Note and SetNote are what others keep with a table, or with the account where the
	// name is empty.
	Note(name string) []byte
	SetNote(name string, note []byte) entity.Code
	// Deleted says until when the names of deleted tables are kept back, in lower case.
	Deleted() map[string]entity.Ticks
}

var _ Store = (*store.Store)(nil)

// Note returns what is kept with a table of an account, or with the account itself where
// the table is empty; nil for nothing. Like [Engine.SetNote] it is no request.
func (e *Engine) Note(account, table string) []byte {
	if a, known := e.accounts[account]; known {
		return a.store.Note(table)
	}
	return nil
}

// SetNote replaces what is kept with a table of an account, or with the account itself
// where the table is empty. It goes with the table. The code is TableNotFound where that
// is missing, and InternalError where the store cannot go on.
func (e *Engine) SetNote(account, table string, note []byte) entity.Code {
	if a, known := e.accounts[account]; known {
		return a.store.SetNote(table, note)
	}
	return entity.ResourceNotFound
}

// acknowledge answers a write as if it had succeeded, and leaves the store alone.
//
// Admission, counts and times do not depend on what a table holds, so that those
// of a run of writes are the same to the nanosecond with and without a store, at
// several times the pace. What depends on it cannot be shown: no insert finds its
// key taken (409), no condition fails (412), nothing that was deleted is missing
// (404), no transaction is undone, and what is read afterwards was never there.
func acknowledge(at entity.Ticks, r *Request, reply *Reply) {
	if r.Verb != entity.Batch {
		if r.Verb != entity.Delete {
			reply.Version = at
		}
		return
	}
	if code, index, detail := entity.ValidateBatch(r.Changes); code != entity.OK {
		reply.Code, reply.Detail, reply.FailedIndex = code, detail, index
		return
	}
	reply.Versions = make([]entity.Ticks, len(r.Changes))
	for i := range r.Changes {
		if r.Changes[i].Verb != entity.Delete {
			reply.Versions[i] = at
		}
	}
}
