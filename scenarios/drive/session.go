package drive

import (
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Event is what happens to a session.
type Event uint8

// The events of a session.
const (
	// Due begins an operation, or goes on with it after a wait.
	Due Event = iota
	// Replied says that the outcome of the attempt has come.
	Replied
	// Stopped says that the run ends while the operation waits to retry.
	Stopped
)

// Action is what a session wants done.
type Action uint8

// The actions of an effect.
const (
	// Send asks for an attempt at the session's operation, now.
	Send Action = iota
	// WaitUntil asks for a Due event at an instant.
	WaitUntil
	// Done says that the operation has ended.
	Done
)

// Effect is the result of an event. It has few fields, so that the compiler keeps it in registers.
type Effect struct {
	Action Action
	// Attempted reports that an attempt ended with this event.
	Attempted bool
	// Until is when a wait ends, Waited how long it is.
	Until  clock.Instant
	Waited time.Duration
}

// patience is what a session has done for the request that it is at.
type patience struct {
	// retries counts those since the last success, unanswered the attempts since
	// then that no reply came to; waited is the last back-off.
	retries, unanswered int
	waited              time.Duration
	// began is when the first attempt since then was sent.
	began clock.Instant
}

// Session is the life of one operation: send, be throttled, back off, retry, ask
// for the next page, give up. It is a pure step machine, the same under both
// runners; it knows no clock and belongs to one goroutine at a time.
type Session struct {
	progress
	work Work
	// Entries for the record: the operation as due, the last attempt that ended, and the completed operation.
	noted     results.Scheduled
	attempt   results.Attempt
	completed results.Completed
}

// progress is how far an operation has come.
type progress struct {
	stage    *Stage
	k        uint64
	number   uint64
	intended clock.Instant
	// built reports that the work has its request.
	built bool
	// phase is the record's index of the work's phase.
	phase int

	// sent is when the attempt under way was sent.
	sent clock.Instant
	patience
	// pages are those read so far, returned their entities.
	pages    int
	returned int64
	// grant is what the client's limiter said of the attempt under way, admitted
	// that it has let the first one go.
	grant    backoff.Grant
	admitted bool
	// granted reports that the operation's rate limit admitted the next attempt, announced that
	// the operation was recorded before it was sent.
	granted, announced bool
	// silent reports that an attempt at the present request ended without a reply, so that it is unknown
	// whether it was carried out.
	silent bool
	detour
}

// begin makes s the session of operation k, which is due at the given instant, in a phase
// of the record. If sending is set, it forms the request at once, else when the request is sent.
func (s *Session) begin(stage *Stage, k uint64, intended clock.Instant, phase int, sending bool) {
	s.progress = progress{}
	s.stage, s.k, s.number, s.intended = stage, k, stage.First+k, intended
	s.noted, s.attempt = results.Scheduled{}, results.Attempt{}
	if stage.Outline != nil && !sending {
		s.work = stage.Outline(k)
	} else {
		s.form()
	}
	s.phase = phase
	s.completed = results.Completed{
		Phase: s.phase, Kind: s.work.Kind, Number: s.number,
		Intended: intended.Offset(), Done: intended.Offset(), Class: results.Failed,
		Entities: s.work.Offers,
	}
	if s.work.Offers == 0 {
		s.completed.Entities = s.work.Operation.Entities()
	}
}

func (s *Session) form() {
	s.work = Work{}
	s.stage.Build(s.k, &s.work)
	if s.work.Workflow != nil {
		s.work.Operation = s.work.Workflow.Begin()
	}
	s.built = true
}

// releaseContent releases the request while the session waits: of the many
// that wait during an overload, entities would take most of the memory. The state of queries and workflows is kept.
func (s *Session) releaseContent() {
	if s.stage.Outline != nil && !s.work.Pages && s.work.Workflow == nil {
		s.work.Operation = target.Operation{}
		s.attempt.PartitionKey = ""
		s.built = false
	}
}

// Operation returns the request after a Due event. The next event changes it.
func (s *Session) Operation() *target.Operation { return &s.work.Operation }

// scheduled returns the session as an operation that became due and was sent at
// an instant, or dropped. It is the session's own.
func (s *Session) scheduled(sent clock.Instant, dropped bool) *results.Scheduled {
	s.noted = results.Scheduled{Phase: s.phase, Kind: s.work.Kind, Intended: s.intended.Offset(),
		Sent: sent.Offset(), Entities: s.completed.Entities, Dropped: dropped}
	return &s.noted
}

// Step takes the session on by one event at an instant. The outcome belongs to
// Replied and is nil otherwise.
func (s *Session) Step(now clock.Instant, event Event, outcome *target.Outcome) Effect {
	effect := s.step(now, event, outcome)
	if s.work.Workflow != nil && effect.Action == Done {
		s.work.Workflow.Stop()
	}
	return effect
}

func (s *Session) step(now clock.Instant, event Event, outcome *target.Outcome) Effect {
	switch event {
	case Due:
		if !s.built {
			s.form()
		}
		op := &s.work.Operation
		op.Number, op.Attempt = s.number, s.completed.Attempts
		if s.stage.Timeouts != nil {
			op.Timeout = s.stage.Timeouts[s.work.Kind]
		}
		s.attempt.PartitionKey, s.attempt.HasPartition = op.PartitionKey()
		s.attempt.Table = s.stage.tableSuffix(op)
		if s.stage.AccountOf != nil {
			op.Account = s.stage.AccountOf(op)
		}
		s.fitPage()
		s.sent, s.granted = now, false
		if s.retries == 0 {
			s.began = now
		}
		return Effect{Action: Send}
	case Stopped:
		s.completed.Cut, s.completed.Done = true, now.Offset()
		if s.completed.Class == results.Ok {
			// It has pages left to read: what it got is not what was asked.
			s.completed.Class = results.Failed
		}
		return Effect{Action: Done}
	default:
		return s.replied(now, outcome)
	}
}

// replied records the attempt and decides how to go on.
func (s *Session) replied(now clock.Instant, outcome *target.Outcome) Effect {
	if effect, off := s.turnOff(now, outcome); off {
		return effect
	}
	class := outcome.Class(s.expected())
	if outcome.Status == 0 && outcome.Code == entity.OK {
		s.unanswered++
	}
	s.silent = s.silent || outcome.Unheard()
	move, next := s.consult(outcome)
	if move == workflow.Proceed || move == workflow.Succeed {
		class = results.Ok
	}
	s.record(now, outcome, class)
	s.stage.Limiters.record(s, now, outcome)
	effect := Effect{Action: Done, Attempted: true}
	switch {
	case move == workflow.Proceed:
		s.work.Operation, s.patience, s.silent, s.made = *next, patience{}, false, false
		effect.Action, effect.Until = WaitUntil, now.Add(s.work.Workflow.Pause())
	case move == workflow.Fail:
		s.completed.Class = results.Failed
	case class == results.Ok:
		if s.turn(outcome) {
			effect.Action, effect.Until = WaitUntil, now
		}
	default:
		if wait, again := s.backOff(now, outcome); again {
			effect.Action, effect.Until, effect.Waited = WaitUntil, now.Add(wait), wait
		}
	}
	return effect
}

// expected returns the refusals that count as success by now. An insert or a
// delete that is sent again after an attempt without a word may meet its own
// success: the entity to insert exists (409), the entity to
// delete is gone (404). The target has then carried out the request, and must not be blamed
// twice for the lost reply. The status does not show whether another client was
// faster; a workflow can find out, and decides itself.
func (s *Session) expected() target.Expected {
	expected := s.work.Expected
	if !s.silent || s.work.Workflow != nil {
		return expected
	}
	op := &s.work.Operation
	verb := op.Verb
	if verb == entity.Batch && len(op.Changes) > 0 {
		// All of a transaction is carried out or nothing, and it changes one way.
		verb = op.Changes[0].Verb
	}
	expected.Conflict = expected.Conflict || verb == entity.Insert
	expected.NotFound = expected.NotFound || verb == entity.Delete
	return expected
}

// consult passes an attempt to the operation's workflow, if it has one, and
// returns how the workflow continues, and the next request if it proceeds.
func (s *Session) consult(outcome *target.Outcome) (workflow.Move, *target.Operation) {
	if s.work.Workflow == nil || s.put != nil {
		return workflow.Settle, nil
	}
	if outcome.Fault != "" && outcome.Status != 0 {
		// To a workflow, a reply that is not what was asked for is none.
		unread := *outcome
		unread.Status, outcome = 0, &unread
	}
	move, next := s.work.Workflow.Next(workflow.Attempt{Sent: &s.work.Operation, Outcome: outcome, Silent: s.silent})
	if move != workflow.Fail && (outcome.Status == 0 || outcome.Status >= 500) {
		return workflow.Settle, nil
	}
	if move == workflow.Proceed {
		follows := next // of its own, so that the others stay off the heap
		return move, &follows
	}
	return move, nil
}

// turn prepares the request for the next page, and returns false if there is
// none or enough was read.
func (s *Session) turn(outcome *target.Outcome) bool {
	if !s.work.Pages || !outcome.Next.Present {
		return false
	}
	query := &s.work.Operation.Query
	s.returned += outcome.Returned
	s.pages++
	if s.work.Rows > 0 && s.returned >= s.work.Rows || s.pages == s.work.MaxPages {
		return false
	}
	s.fitPage()
	query.Token = outcome.Next
	s.patience = patience{}
	return true
}

// fitPage keeps the next page from returning more than is left to be read.
func (s *Session) fitPage() {
	left := s.work.Rows - s.returned
	if query := &s.work.Operation.Query; left > 0 && (query.Top == 0 || int64(query.Top) > left) {
		query.Top = int(left)
	}
}

// record fills in the entries of the attempt that has just ended.
func (s *Session) record(now clock.Instant, outcome *target.Outcome, class results.Class) {
	a := &s.attempt
	a.Phase, a.Kind = s.phase, s.work.Kind
	a.Number, a.Try, a.Retry = s.number, s.work.Operation.Attempt, s.retries > 0
	a.Intended, a.Sent, a.Done = s.intended.Offset(), s.sent.Offset(), now.Offset()
	a.Class, a.Status, a.Code = class, outcome.Status, outcome.Cause()
	a.Counted, a.Returned = outcome.Counted, outcome.Returned
	a.Account, a.Entities, a.Beyond = s.work.Operation.Account, s.completed.Entities, nil
	a.Due, a.Stored = s.work.Operation.Entities(), 0
	if op := &s.work.Operation; s.work.Workflow == nil && op.Verb == entity.Query && op.Beside == nil {
		// A query is due to count what its operation has not read yet: its pages are unknown in advance.
		a.Due = max(1, s.completed.Entities-s.completed.Served)
	}
	a.BytesOut, a.BytesIn, a.LineWait = outcome.BytesOut, outcome.BytesIn, outcome.LineWait
	a.Injected, a.Kept = "", outcome.Kept
	if outcome.Injected != 0 {
		a.Injected = outcome.Injected.String()
	}

	c := &s.completed
	if c.Attempts == 0 && s.work.Workflow != nil {
		requests := s.work.Workflow.Requests()
		var parts []results.Part
		for i := 1; i < len(requests); i++ {
			key, one := requests[i].PartitionKey()
			if !one {
				continue
			}
			part := results.Part{Table: s.stage.tableSuffix(&requests[i]), PartitionKey: key, Account: requests[i].Account, Entities: requests[i].Entities()}
			if s.stage.AccountOf != nil {
				part.Account = s.stage.AccountOf(&requests[i])
			}
			parts = append(parts, part)
		}
		a.Beyond = parts
	}
	c.Attempts++
	c.Done, c.Class = now.Offset(), class
	if class == results.Ok {
		c.Served += outcome.Counted
		a.Stored = stored(&s.work.Operation, outcome)
	}
}

// backOff returns how long to wait before another attempt, and false where the
// policy gives up.
func (s *Session) backOff(now clock.Instant, outcome *target.Outcome) (time.Duration, bool) {
	policy := &s.stage.Retry
	if own := s.stage.Retries; own != nil && own[s.work.Kind] != nil {
		policy = own[s.work.Kind]
	}
	if s.number < s.stage.First+s.stage.Once || !policy.Retryable(outcome.Status, string(outcome.Code)) {
		return 0, false
	}
	s.retries++
	var wait time.Duration
	if policy.RetriesAtOnce(outcome.Status, string(outcome.Code), s.unanswered) {
		if s.retries > policy.Retries {
			return 0, false
		}
	} else {
		draw := s.stage.Chance.Try(s.number, s.work.Operation.Attempt)
		next, again := policy.Next(s.retries, s.waited, draw.Float64())
		if !again {
			return 0, false
		}
		wait, s.waited = next, next
	}
	// What the service asks for is the least; a policy that waits longer knows why.
	wait = max(wait, outcome.RetryAfter)
	if policy.Elapsed > 0 && now.Sub(s.began)+wait > policy.Elapsed {
		return 0, false
	}
	limiters := s.stage.Limiters
	if limiters == nil {
		return wait, true
	}
	try := backoff.Try{Retry: true, After: answerOf(outcome)}
	hold, again := limiters.admit(s, now, s.work.Operation.Attempt+1, try)
	if !again {
		limiters.given.Add(1)
	}
	return wait + hold, again
}

// firstAttempt reports whether no attempt has ended yet.
func (s *Session) firstAttempt() bool { return s.completed.Attempts == 0 }

// observe passes the attempt that ended to the stage's own observer.
func (s *Session) observe(outcome *target.Outcome) {
	if s.stage.Observe != nil {
		s.stage.Observe(s.k, outcome, s.attempt.Class)
	}
}

// tableSuffix returns the suffix of the name of a request's table after that of the test table.
func (s *Stage) tableSuffix(op *target.Operation) string {
	if s.Table == "" || op.Beside != nil {
		return ""
	}
	return strings.TrimPrefix(op.Table, s.Table)
}

// stored returns the bytes that a request has written, by the billing rule of the service, if it was carried out. It
// depends on the request alone, so that it is the same whether or not the target stores entities. A merge counts its
// key and the merged properties, since only the target knows the entity. It is computed once for each write that was
// carried out, and not for throttled ones.
func stored(op *target.Operation, outcome *target.Outcome) int64 {
	if op.Beside != nil || outcome.Status < 200 || outcome.Status >= 300 {
		return 0
	}
	switch op.Verb {
	case entity.Batch:
		size := int64(0)
		for i := range op.Changes {
			size += writtenBytes(&op.Changes[i])
		}
		return size
	case entity.Get, entity.Query, entity.CreateTable, entity.DeleteTable:
		return 0
	case entity.Delete:
		return 0
	default:
		if op.Sizes.Billed > 0 {
			return op.Sizes.Billed
		}
		return writtenBytes(&op.Change)
	}
}

// writtenBytes returns the size of a change by the billing rule.
func writtenBytes(c *entity.Change) int64 {
	if c.Verb == entity.Delete {
		return 0
	}
	return int64(entity.Size(c.Key, c.Properties))
}

// detour is how a session makes a queue or a container that is not there, and then sends
// again the request that failed. Each of its requests is an attempt of its own.
//
//	put ─► 404, it is missing ─► make ─► 201, or 409: another made it ─► put
//	                             make ─► anything else: as the retry policy says
type detour struct {
	// put waits while what it is to be put into is made; nil where none does.
	put *target.Beside
	// made says that the request under way has had its detour: where what was made is
	// missing again, that is an outcome like others.
	made bool
}

// turnOff handles an attempt that ended within a detour, or begins one, and returns its effect; false for any other
// attempt. Workflows do not see it.
func (s *Session) turnOff(now clock.Instant, outcome *target.Outcome) (Effect, bool) {
	begins := outcome.StoreMissing && s.work.Operation.Beside != nil && !s.made
	ends := s.put != nil && outcome.Class(target.Expected{Conflict: true}) == results.Ok
	if !begins && !ends {
		return Effect{}, false
	}
	s.record(now, outcome, results.Ok)
	s.stage.Limiters.record(s, now, outcome)
	// Where it was missing, no attempt before was carried out.
	s.patience, s.silent = patience{}, false
	next := s.put
	if begins {
		s.put, s.made = s.work.Operation.Beside, true
		next = s.put.Maker()
	} else {
		s.put = nil
	}
	s.work.Operation = target.Operation{Beside: next}
	return Effect{Action: WaitUntil, Until: now, Attempted: true}, true
}
