package workflow

import (
	"errors"
	"iter"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Procedure is a workflow in straight-line code: a function that sends one request after another
// and ends the operation by its return. The function runs as a coroutine, which starts with the
// first reply. The retry policy handles throttled and failed attempts, which the function does not
// see. So a request must be safe to repeat.
type Procedure struct {
	tx   Tx
	body func(t *Tx)
	// foreseen are the requests of an operation without conflicts, scans is the estimate that the
	// first one was created with.
	foreseen []target.Operation
	scans    int64
	// inner is a procedure that sends some of the requests, nil for none.
	inner *Procedure
	// trace follows the write of an audited procedure, nil for none.
	trace  *trace
	resume func() (struct{}, bool)
	stop   func()
}

// Request is one request of a [Procedure], with the rejections that the procedure handles itself.
type Request struct {
	Operation target.Operation
	Expected  target.Expected
}

// Reply is the reply to a [Request]: a success, or a rejection that the request expects.
type Reply struct {
	target.Outcome
	// Silent is [Attempt.Silent].
	Silent bool
}

// OK reports whether the request succeeded.
func (r Reply) OK() bool { return Ok(r.Status) }

// Missing reports whether the entity does not exist.
func (r Reply) Missing() bool { return Missing(r.Status, r.Code) }

// NewProcedure returns the workflow of a function. Forecasts use the foreseen requests: those of an
// operation without conflicts, of which the first must be the first that the function sends. Without
// any, the function starts with [Procedure.Begin]. A nil function sends the one foreseen request.
func NewProcedure(body func(t *Tx), foreseen ...Request) *Procedure {
	p := &Procedure{body: body, foreseen: make([]target.Operation, len(foreseen))}
	for i := range foreseen {
		p.foreseen[i] = foreseen[i].Operation
	}
	if len(foreseen) > 0 {
		p.scans, p.tx.expected = foreseen[0].Operation.Query.Scans, foreseen[0].Expected
	}
	return p
}

// Begin returns the first request.
func (p *Procedure) Begin() target.Operation {
	if len(p.foreseen) > 0 {
		first := p.foreseen[0]
		first.Query.Scans = p.scans // forecasts fill it in
		return first
	}
	if p.resume == nil {
		p.start()
	}
	return p.tx.operation
}

// Requests returns the requests that the procedure sends if each succeeds at once, as far as they are
// known beforehand: at least the first.
func (p *Procedure) Requests() []target.Operation {
	if len(p.foreseen) == 0 {
		return []target.Operation{p.Begin()}
	}
	return p.foreseen
}

// Next handles an attempt and returns the next move; the operation is valid with Proceed only. Proceed
// and Succeed are allowed for replies with a status below 500; the attempt then counts as executed.
func (p *Procedure) Next(a Attempt) (Move, target.Operation) {
	t := &p.tx
	t.pause = 0
	if t.inner {
		if move, next := p.inner.Next(a); move == Proceed || move == Fail || move == Settle && !wrote(a) {
			return move, next
		}
	} else if a = p.follow(a); a.Outcome.Class(expected(t.expected, a)) != results.Ok {
		return Settle, target.Operation{}
	}
	if p.body == nil {
		return Succeed, target.Operation{}
	}
	if p.resume == nil {
		p.start()
	}
	t.attempt = a
	switch _, sends := p.resume(); {
	case t.settled:
		return Settle, target.Operation{}
	case sends:
		return Proceed, t.operation
	case t.failed:
		return Fail, target.Operation{}
	default:
		return Succeed, target.Operation{}
	}
}

// follow records an attempt at an audited write that may have been executed without a reply.
func (p *Procedure) follow(a Attempt) Attempt {
	if p.trace != nil && a.Sent.Verb != entity.Get {
		p.trace.follow(&a)
		a.Silent = p.trace.silent
	}
	return a
}

// start runs the function up to its first request.
func (p *Procedure) start() {
	expected := p.tx.expected
	p.resume, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		t := &p.tx
		t.yield = yield
		defer func() {
			if t.exits {
				_ = recover()
			}
		}()
		p.body(t)
	})
	p.resume()
	if op := &p.tx.operation; len(p.foreseen) > 0 {
		if first := &p.foreseen[0]; op.Verb != first.Verb || op.Table != first.Table || op.Change.Key != first.Change.Key || p.tx.expected != expected {
			panic("workflow: the first request is not the first that is foreseen")
		}
	}
}

// Stop ends the function. Callers must call it after the last attempt; counters and findings remain.
func (p *Procedure) Stop() {
	if p.inner != nil {
		p.inner.Stop()
	}
	if p.stop != nil {
		p.stop()
	}
}

// Pause returns the wait after an attempt that [Procedure.Next] answered with Proceed, 0 for none.
func (p *Procedure) Pause() time.Duration { return p.tx.pause }

// Counter calls add for each counter after the operation ended.
func (p *Procedure) Counter(add func(name string, count int64)) {
	if p.inner != nil {
		p.inner.Counter(add)
	}
	for name, count := range p.tx.counters {
		add(name, count)
	}
}

// Report returns what the procedure, or its inner one, left in the table, after the operation ended.
// A report without keys is not audited.
func (p *Procedure) Report() Report {
	switch {
	case p.inner != nil:
		return p.inner.Report()
	case p.trace != nil:
		return p.trace.asReport()
	default:
		return Report{}
	}
}

// Tx is how the function of a [Procedure] sends requests.
type Tx struct {
	operation target.Operation
	expected  target.Expected
	// attempt is the one that the function resumes with.
	attempt  Attempt
	pause    time.Duration
	counters map[string]int64
	yield    func(struct{}) bool
	// exits reports that the function ends before its last statement, failed that it gave up.
	exits, failed bool
	// settled reports that the function leaves the last attempt to the driving loop, inner that the
	// procedure's inner workflow sends the requests.
	settled, inner bool
}

// errExit unwinds the function of a procedure.
var errExit = errors.New("workflow: the procedure ends")

func (t *Tx) exit() {
	t.exits = true
	panic(errExit)
}

// Send sends a request and returns its reply. It does not return if the operation is abandoned.
func (t *Tx) Send(r Request) Reply {
	t.operation, t.expected = r.Operation, r.Expected
	if !t.yield(struct{}{}) {
		t.exit()
	}
	return Reply{*t.attempt.Outcome, t.attempt.Silent}
}

// run runs the procedure's inner workflow. It returns once that wrote its entity.
func (t *Tx) run(inner *Procedure) {
	t.inner = true
	t.Send(Request{Operation: inner.Begin()})
	t.inner = false
}

// Sleep delays the next request.
func (t *Tx) Sleep(pause time.Duration) { t.pause = pause }

// Add adds to a counter.
func (t *Tx) Add(name string, count int64) {
	if t.counters == nil {
		t.counters = make(map[string]int64)
	}
	t.counters[name] += count
}

// Fail ends the operation as failed.
func (t *Tx) Fail() {
	t.failed = true
	t.exit()
}

// sendToTable sends a request to a table that exists: if the table is missing, the request has failed.
func (t *Tx) sendToTable(r Request) Reply {
	reply := t.Send(r)
	for reply.Code == entity.TableNotFound {
		reply = t.retryByPolicy()
	}
	return reply
}

// retryByPolicy leaves the last attempt to the driving loop, as [Settle], and returns the reply to a retry.
func (t *Tx) retryByPolicy() Reply {
	t.settled = true
	reply := t.Send(Request{t.operation, t.expected})
	t.settled = false
	return reply
}

// Killed is the name of the counter of clients that crashed.
const Killed = "killed"

// CrashIf ends the client here if it is to crash: no further request is sent.
func (t *Tx) CrashIf(crashes bool) {
	if crashes {
		t.Add(Killed, 1)
		t.exit()
	}
}

// sendBoth sends two requests, the second one first if reversed. The client may crash between them.
func (t *Tx) sendBoth(first, second Request, reversed, crashes bool) {
	if reversed {
		first, second = second, first
	}
	t.Send(first)
	t.CrashIf(crashes)
	t.Send(second)
}

// Restarts returns the rounds of a loop that starts again after a conflict, from 0. It adds each
// restart to a counter and fails after [MaxRestarts].
func (t *Tx) Restarts(counter string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for round := 0; yield(round); round++ {
			if t.Add(counter, 1); round == MaxRestarts {
				t.Fail()
			}
		}
	}
}

// pages sends a request, of a query one for each page, and returns the replies.
func (t *Tx) pages(r Request) iter.Seq[Reply] {
	return func(yield func(Reply) bool) {
		for more := true; more; {
			page := t.Send(r)
			r.Operation.Query.Token, more = page.Next, page.Next.Present
			if !yield(page) {
				return
			}
		}
	}
}

// Rows sends a query page by page and returns its rows in the order of the index.
func (t *Tx) Rows(r Request) iter.Seq[target.Row] {
	return func(yield func(target.Row) bool) {
		for page := range t.pages(r) {
			for _, row := range page.Rows {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// values sends a query page by page and returns its rows that have a property, with its value.
func (t *Tx) values(r Request, property string) iter.Seq2[target.Row, entity.Value] {
	return func(yield func(target.Row, entity.Value) bool) {
		for row := range t.Rows(r) {
			if value, found := row.Entity.Lookup(property); found && !yield(row, value) {
				return
			}
		}
	}
}

// entities reads a table and returns its entities by their keys.
func (t *Tx) entities(table string) map[entity.Key]entity.Packed {
	all := make(map[entity.Key]entity.Packed)
	for row := range t.Rows(Query(table, target.Query{})) {
		all[row.Key] = row.Entity
	}
	return all
}

// properties returns the properties of an entity that was read. It fails if there is none.
func (t *Tx) properties(read Reply) []entity.Property {
	list, err := read.Entity.Unpack(nil)
	if !read.OK() || err != nil {
		t.Fail()
	}
	return list
}

// Read returns the request for an entity, which may be missing.
func Read(table string, key entity.Key) Request {
	return Request{reading(table, key), target.Expected{NotFound: true}}
}

// WriteOne returns the request of a single write, with the statuses of expected rejections.
func WriteOne(table string, c entity.Change, statuses ...int) Request {
	return Request{target.Operation{Verb: c.Verb, Table: table, Change: c}, expecting(statuses)}
}

// transact returns the request of an entity group transaction: 1 to 100 writes of one partition.
func transact(table string, changes []entity.Change, statuses ...int) Request {
	return Request{target.Operation{Verb: entity.Batch, Table: table, Changes: changes}, expecting(statuses)}
}

// Query returns the request for the first page of a query.
func Query(table string, q target.Query, statuses ...int) Request {
	return Request{target.Operation{Verb: entity.Query, Table: table, Query: q}, expecting(statuses)}
}

// NewBesideRequest returns a request to a queue, a container or a service of the application.
func NewBesideRequest(b target.Beside, statuses ...int) Request {
	return Request{target.Operation{Beside: &b}, expecting(statuses)}
}

func expecting(statuses []int) target.Expected {
	return target.Expected{NotFound: slices.Contains(statuses, 404), Conflict: slices.Contains(statuses, 409), Precondition: slices.Contains(statuses, 412)}
}

// overtaken are the replies to a conditional write after another client's.
var overtaken = []int{404, 409, 412}

// deletion returns an unconditional delete.
func deletion(key entity.Key) entity.Change {
	return entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny}
}

// newSequence returns the workflow that sends requests one after another, of queries one for each
// page, and counts the entities that are missing.
func newSequence(requests ...Request) *Procedure { return newPagedSequence(0, requests) }

func newPagedSequence(maxPages int, requests []Request) *Procedure {
	return NewProcedure(func(t *Tx) {
		for _, one := range requests {
			pages := 0
			for page := range t.pages(one) {
				if !page.OK() {
					t.Add("missing", 1)
				}
				if pages++; pages == maxPages {
					break
				}
			}
		}
	}, requests...)
}

// NewFanOut returns the workflow of a query over several partitions: one query each, at least one,
// in order, with a maximum of pages each, 0 for no limit.
func NewFanOut(queries []target.Operation, maxPages int) *Procedure {
	requests := make([]Request, len(queries))
	for i := range queries {
		requests[i].Operation = queries[i]
	}
	return newPagedSequence(maxPages, requests)
}
