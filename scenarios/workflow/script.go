package workflow

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Script is a workflow that names the next request after each one. It continues once a request was
// answered as expected; the retry policy handles rejected and failed ones. So a request must be
// safe to repeat, or its Then must recognize its own success.
type Script struct {
	at       Request
	pause    time.Duration
	counters map[string]int64
	nominal  []target.Operation
}

var (
	_ Counted = (*Script)(nil)
	_ Pausing = (*Script)(nil)
)

// Request is one request of a [Script].
type Request struct {
	Operation target.Operation
	// Expected are the refusals that Then knows what to do with.
	Expected target.Expected
	// Then gets the attempt that succeeded, or was rejected as expected, and returns the next step.
	// Nil ends the operation with success.
	Then func(a Attempt) Turn
}

// Turn is how a [Script] goes on: with a request, after a pause, or to its end.
type Turn struct {
	next  *Request
	pause time.Duration
	fails bool
}

// Send goes on with a request.
func Send(r Request) Turn { return Turn{next: &r} }

// SendAfter goes on with a request after a pause.
func SendAfter(pause time.Duration, r Request) Turn { return Turn{next: &r, pause: pause} }

// End ends the operation well.
func End() Turn { return Turn{} }

// GiveUp ends the operation as failed.
func GiveUp() Turn { return Turn{fails: true} }

// NewScript returns the workflow that begins with a request. What its parts count
// they add by [Script.Add].
func NewScript(first func(s *Script) Request) *Script {
	s := new(Script)
	s.at = first(s)
	return s
}

// Begin implements [Workflow].
func (s *Script) Begin() target.Operation { return s.at.Operation }

// Foresee says what the operation sends where all goes as it mostly does, its first
// request included: forecasts go by it, and what each partition is offered. Without it
// they know of the first request alone. The requests are the script's, and forecasts may
// say of each query what it scans.
func (s *Script) Foresee(requests ...target.Operation) { s.nominal = requests }

// Requests returns what the operation sends where all goes as it mostly does.
func (s *Script) Requests() []target.Operation {
	if len(s.nominal) == 0 {
		return []target.Operation{s.at.Operation}
	}
	return s.nominal
}

// Next implements [Workflow].
func (s *Script) Next(a Attempt) (Move, target.Operation) {
	s.pause = 0
	if a.Outcome.Class(expected(s.at.Expected, a)) != results.Ok {
		return Settle, target.Operation{}
	}
	if s.at.Then == nil {
		return Succeed, target.Operation{}
	}
	turn := s.at.Then(a)
	switch {
	case turn.fails:
		return Fail, target.Operation{}
	case turn.next == nil:
		return Succeed, target.Operation{}
	default:
		s.at, s.pause = *turn.next, turn.pause
		return Proceed, s.at.Operation
	}
}

// Pause implements [Pausing].
func (s *Script) Pause() time.Duration { return s.pause }

// Add counts something.
func (s *Script) Add(name string, count int64) {
	if s.counters == nil {
		s.counters = make(map[string]int64)
	}
	s.counters[name] += count
}

// EndWith counts something and ends the operation well.
func (s *Script) EndWith(name string, count int64) Turn {
	s.Add(name, count)
	return End()
}

// InTurn is [InTurn], and foresees all of the requests.
func (s *Script) InTurn(count int, request func(i int, next func() Turn) Request) Request {
	s.nominal = make([]target.Operation, count)
	for i := range s.nominal {
		s.nominal[i] = request(i, End).Operation
	}
	return InTurn(count, request)
}

// Counter implements [Counted].
func (s *Script) Counter(add func(name string, count int64)) {
	for name, count := range s.counters {
		add(name, count)
	}
}

// Read returns the request that reads an entity, there or not.
func Read(table string, key entity.Key, then func(a Attempt) Turn) Request {
	return Request{Operation: reading(table, key), Expected: target.Expected{NotFound: true}, Then: then}
}

// WriteOne returns the request of a single write.
func WriteOne(table string, c entity.Change, expected target.Expected, then func(a Attempt) Turn) Request {
	return Request{Operation: target.Operation{Verb: c.Verb, Table: table, Change: c}, Expected: expected, Then: then}
}

// writeTogether returns the request of an entity group transaction: 1 to 100 writes of
// one partition.
func writeTogether(table string, changes []entity.Change, expected target.Expected, then func(a Attempt) Turn) Request {
	return Request{Operation: target.Operation{Verb: entity.Batch, Table: table, Changes: changes}, Expected: expected, Then: then}
}

// Aside returns a request to a queue or a container.
func Aside(b target.Beside, expected target.Expected, then func(a Attempt) Turn) Request {
	return Request{Operation: target.Operation{Beside: &b}, Expected: expected, Then: then}
}

// InTurn returns the first of count requests, at least one; each calls next to continue.
func InTurn(count int, request func(i int, next func() Turn) Request) Request {
	var from func(i int) Request
	from = func(i int) Request {
		return request(i, func() Turn {
			if i+1 == count {
				return End()
			}
			return Send(from(i + 1))
		})
	}
	return from(0)
}

// ReadAll returns the request that reads all pages of a query. It calls see for each row, in the
// order of the index.
func ReadAll(table string, q target.Query, see func(target.Row), then func() Turn) Request {
	return readAllExpecting(table, q, target.Expected{}, see, then)
}

// readAllExpecting is [ReadAll], which ends as well where a page is refused as expected.
func readAllExpecting(table string, q target.Query, expected target.Expected, see func(target.Row), then func() Turn) Request {
	var page func(q target.Query) Request
	page = func(q target.Query) Request {
		op := target.Operation{Verb: entity.Query, Table: table, Query: q}
		return Request{Operation: op, Expected: expected, Then: func(a Attempt) Turn {
			for _, row := range a.Outcome.Rows {
				see(row)
			}
			if a.Outcome.Next.Present {
				further := q
				further.Token = a.Outcome.Next
				return Send(page(further))
			}
			return then()
		}}
	}
	return page(q)
}

// Finding is a [Check] whose requests are a script. It fills in what it finds as it goes.
type Finding struct {
	*Script
	name  string
	Found Findings
}

var _ Check = (*Finding)(nil)

// newFinding returns the check with a name.
func newFinding(name string, first func(f *Finding) Request) *Finding {
	f := &Finding{name: name}
	NewScript(func(s *Script) Request {
		f.Script = s
		return first(f)
	})
	return f
}

// Look records an examined item, and its fault if the check does not hold.
func (f *Finding) Look(holds bool, fault string, about ...any) {
	f.Found.Looked++
	if !holds {
		f.Found.Fault(fmt.Sprintf(fault, about...))
	}
}

// Name implements [Check].
func (f *Finding) Name() string { return f.name }

// Findings implements [Check].
func (f *Finding) Findings() Findings { return f.Found }
