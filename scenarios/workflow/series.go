package workflow

import (
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// Step is one of the further writes of a [Series].
type Step struct {
	Operation target.Operation
	// Expected are the refusals of a precondition that count as success.
	Expected target.Expected
}

// Series is a write followed by others in order: an entity and its copies under other keys. Each
// starts after the success of the one before and retries on its own. A failure ends the operation
// and keeps the earlier writes: readers can meet an entity without some copies until they are
// repaired.
type Series struct {
	// first is the write that the others follow; nil where the first step is one like
	// the others.
	first Workflow
	steps []Step
	// dies says that the client dies after the last step, before further ones.
	dies bool
	// at is the step under way, negative while it is the first workflow's turn.
	at int
}

var (
	_ Counted = (*Series)(nil)
	_ Audited = (*Series)(nil)
)

// NewSeries returns the workflow of some writes, one at least in all. The first may
// be nil. The steps must be such that carrying one out twice does no harm.
func NewSeries(first Workflow, steps ...Step) *Series {
	s := &Series{first: first, steps: steps}
	if first != nil {
		s.at = -1
	}
	return s
}

// Dying makes the client crash after this number of steps.
func (s *Series) Dying(after int) {
	s.steps, s.dies = s.steps[:after], true
}

// Counter implements [Counted]: operations whose client died are those that came so far.
func (s *Series) Counter(add func(name string, count int64)) {
	if s.dies && s.at == len(s.steps) {
		add(Killed, 1)
	}
}

// Killed is the name of the counter of clients that died.
const Killed = "killed"

// Requests returns what the series sends where each request succeeds at once.
func (s *Series) Requests() []target.Operation {
	var writes []target.Operation
	if s.first != nil {
		writes = append(writes, s.first.Begin())
	}
	for i := range s.steps {
		writes = append(writes, s.steps[i].Operation)
	}
	return writes
}

// Begin implements [Workflow].
func (s *Series) Begin() target.Operation {
	if s.first != nil {
		return s.first.Begin()
	}
	return s.steps[0].Operation
}

// Next implements [Workflow].
func (s *Series) Next(a Attempt) (Move, target.Operation) {
	if s.at < 0 {
		move, next := s.first.Next(a)
		if move == Proceed || move == Fail || move == Settle && !leads(a) {
			return move, next
		}
		return s.goOn()
	}
	switch {
	case a.Outcome.Class(expected(s.steps[s.at].Expected, a)) != results.Ok:
		return Settle, target.Operation{}
	case s.first == nil && s.at == 0 && !leads(a):
		// To write copies of what is not there would bring it back.
		return Settle, target.Operation{}
	default:
		return s.goOn()
	}
}

// leads reports whether copies are to be written after an attempt at their entity: it
// was written, now or in silence before, or it is to be deleted and gone already.
func leads(a Attempt) bool {
	o, deletes := a.Outcome, changes(a.Sent) == entity.Delete
	return Ok(o.Status) || deletes && Missing(o.Status, o.Code) || a.Silent && o.Status == 409
}

// expected adds to what a step expects the success that it may meet of its own: an
// insert or a delete that is sent again after an attempt without a word.
func expected(e target.Expected, a Attempt) target.Expected {
	verb := changes(a.Sent)
	e.Conflict = e.Conflict || a.Silent && verb == entity.Insert
	e.NotFound = e.NotFound || a.Silent && verb == entity.Delete
	return e
}

// changes returns what a request does to its entity; of a transaction, to the first of
// them: what follows are others like it, or copies.
func changes(op *target.Operation) entity.Verb {
	if op.Verb == entity.Batch && len(op.Changes) > 0 {
		return op.Changes[0].Verb
	}
	return op.Verb
}

// goOn returns the next step, or ends with success after the last.
func (s *Series) goOn() (Move, target.Operation) {
	if s.at++; s.at == len(s.steps) {
		return Succeed, target.Operation{}
	}
	return Proceed, s.steps[s.at].Operation
}

// Report implements [Audited]: that of the write that the others follow, empty if it has none.
func (s *Series) Report() Report {
	if first, audited := s.first.(Audited); audited {
		return first.Report()
	}
	return Report{}
}
