package targettest_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/target"
	"loadgen/target/targettest"
)

// flawed is an engine without limits with one flaw, which the suite has to find.
type flawed struct {
	to *target.InProcess
	// request alters an operation before it is carried out, reply its outcome; nil for none.
	request func(op *target.Operation)
	reply   func(op *target.Operation, o *target.Outcome)

	lock   sync.Mutex
	counts target.Counts
}

// Submit implements target.Immediate.
func (f *flawed) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	f.lock.Lock()
	defer f.lock.Unlock()
	altered := *op
	if f.request != nil {
		f.request(&altered)
	}
	o, done := f.to.Submit(now, &altered)
	if f.reply != nil {
		f.reply(op, &o)
	}
	targettest.Enter(&f.counts, &o)
	return o, done
}

// Do implements target.Target. It ignores that the context has ended.
func (f *flawed) Do(_ context.Context, op *target.Operation) target.Outcome {
	o, _ := f.Submit(0, op)
	return o
}

// Counts implements target.Counter.
func (f *flawed) Counts() target.Counts {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.counts
}

// A flaw is found by the check that is about it.
func TestSuiteFindsFlaws(t *testing.T) {
	for _, row := range []struct {
		name, check string
		flaw        *flawed
	}{
		{"a missing table passes for a missing entity", "an operation on a missing table", &flawed{reply: func(_ *target.Operation, o *target.Outcome) {
			if o.Code == entity.TableNotFound {
				o.Code = entity.ResourceNotFound
			}
		}}},
		{"failures have no detail", "an entity is inserted once", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { o.Detail = "" }}},
		{"a replace merges", "replace leaves nothing", &flawed{request: func(op *target.Operation) {
			if op.Verb == entity.Replace {
				op.Verb, op.Change.Verb = entity.Merge, entity.Merge
			}
		}}},
		{"all versions are one", "every write gives the entity a version", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { o.Version = min(o.Version, 1) }}},
		{"conditions are ignored", "a write on condition of another version", &flawed{request: func(op *target.Operation) {
			if !op.Change.Match.IsNone() {
				op.Change.Match = entity.MatchAny
			}
		}}},
		{"a failed transaction does not say where", "a transaction that fails", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { o.FailedIndex = 0 }}},
		{"a transaction counts once", "a transaction of 100", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { o.Counted = min(o.Counted, 1) }}},
		{"the end of a range is included", "a query returns its key range", &flawed{request: func(op *target.Operation) { op.Query.Range.To.Row += "\x00" }}},
		{"Top is ignored", "Top limits a page", &flawed{request: func(op *target.Operation) { op.Query.Top = 0 }}},
		{"no token is given", "a page holds at most 1,000", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { o.Next = target.Token{} }}},
		{"a filter is ignored", "a partition scan", &flawed{request: func(op *target.Operation) { op.Query.Filter = nil }}},
		{"a projection is ignored", "a projection", &flawed{request: func(op *target.Operation) { op.Query.Select = nil }}},
		{"keys are trimmed", "odd RowKeys", &flawed{request: func(op *target.Operation) { op.Change.Key.Row = strings.TrimSpace(op.Change.Key.Row) }}},
		{"every attempt is throttled", "an entity is inserted once", &flawed{reply: func(_ *target.Operation, o *target.Outcome) { *o = target.Outcome{Status: 503} }}},
		{"a caller who gave up gets a reply", "a caller who has given up", &flawed{}},
		{"nothing", "", &flawed{}},
	} {
		unlimited, err := model.New(model.Off)
		assert.NoError(t, err)
		row.flaw.to = target.NewInProcess(engine.New(engine.Options{Model: unlimited, Accounts: []string{"a"}}), "a", nil)
		subject := targettest.Live(row.flaw)
		if row.check == "" {
			subject = targettest.Virtual(row.flaw)
		}
		subject.Unlimited = true
		var failures []string
		for _, check := range targettest.Checks() {
			if strings.HasPrefix(check.Name, row.check) {
				failures = append(failures, check.Failures(subject)...)
			}
		}
		assert.Equalf(t, row.check != "", len(failures) > 0, "%s: the check that begins %q fails with %q", row.name, row.check, failures)
	}
}
