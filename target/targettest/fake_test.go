package targettest_test

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"sync"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/target"
	"loadgen/target/targettest"
)

// answerer carries an operation out.
type answerer func(op target.Operation) target.Outcome

// flaw stands before a service and alters operations on their way, or outcomes.
type flaw func(op target.Operation, do answerer) target.Outcome

// fake is the engine with books of its own, and at most one flaw, which the suite has to find.
type fake struct {
	flaw flaw
	// enter counts an outcome.
	enter func(*target.Counts, *target.Outcome)
	// busy throttles one attempt in so many, 0 none; deaf ignores callers who have given up.
	busy int64
	deaf bool

	lock   sync.Mutex
	engine *engine.Engine
	to     *target.InProcess
	counts target.Counts
}

func newFake(f flaw) *fake {
	m, err := model.New(model.Off)
	if err != nil {
		panic(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}})
	return &fake{flaw: f, enter: targettest.Enter, engine: e, to: target.NewInProcess(e, "a", nil)}
}

// Submit implements target.Immediate.
func (f *fake) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	f.lock.Lock()
	defer f.lock.Unlock()
	do := func(op target.Operation) target.Outcome {
		outcome, _ := f.to.Submit(now, &op)
		return outcome
	}
	var outcome target.Outcome
	switch onTable := op.Verb == entity.CreateTable || op.Verb == entity.DeleteTable; {
	case f.busy > 0 && f.counts.Requests%f.busy == 0 && !onTable:
		outcome = target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "busy"}
	case f.flaw != nil:
		outcome = f.flaw(*op, do)
	default:
		outcome = do(*op)
	}
	f.enter(&f.counts, &outcome)
	return outcome, now + 1_000_000
}

// Do implements target.Target.
func (f *fake) Do(ctx context.Context, op *target.Operation) target.Outcome {
	if err := ctx.Err(); err != nil && !f.deaf {
		return target.Outcome{Detail: err.Error()}
	}
	outcome, _ := f.Submit(0, op)
	return outcome
}

// Counts implements target.Counter.
func (f *fake) Counts() target.Counts {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.counts
}

// alterOperation returns the flaw of operations that are altered on their way.
func alterOperation(alter func(op *target.Operation)) flaw {
	return func(op target.Operation, do answerer) target.Outcome {
		op.Changes = slices.Clone(op.Changes)
		alter(&op)
		return do(op)
	}
}

// alterOutcome returns the flaw of outcomes that are altered.
func alterOutcome(alter func(op *target.Operation, o *target.Outcome)) flaw {
	return func(op target.Operation, do answerer) target.Outcome {
		outcome := do(op)
		alter(&op, &outcome)
		return outcome
	}
}

// alterKeys returns the flaw of keys that are altered.
func alterKeys(alter func(k *entity.Key)) flaw {
	return alterOperation(func(op *target.Operation) {
		alter(&op.Change.Key)
		for i := range op.Changes {
			alter(&op.Changes[i].Key)
		}
	})
}

// swapVerbs returns the flaw of verbs that are taken for others.
func swapVerbs(verbs map[entity.Verb]entity.Verb) flaw {
	return alterOperation(func(op *target.Operation) {
		if other, is := verbs[op.Verb]; is {
			op.Verb, op.Change.Verb = other, other
		}
	})
}

// replaceCode returns the flaw of another code than that of the service.
func replaceCode(of, code entity.Code) flaw {
	return alterOutcome(func(op *target.Operation, o *target.Outcome) {
		if o.Code == of {
			o.Code, o.Status = code, code.Status()
		}
	})
}

// splitTransaction carries out the writes of a transaction that ends with a code by themselves, and
// tells the outcome that it is given of that.
func splitTransaction(of entity.Code, tell func(target.Outcome) target.Outcome) flaw {
	return func(op target.Operation, do answerer) target.Outcome {
		outcome := do(op)
		if op.Verb != entity.Batch || outcome.Code == entity.OK || of != "" && outcome.Code != of {
			return outcome
		}
		for i := range op.Changes {
			do(target.Operation{Verb: op.Changes[i].Verb, Table: op.Table, Change: op.Changes[i]})
		}
		return tell(outcome)
	}
}

// successOf is the outcome of a transaction that is carried out.
func successOf(o target.Outcome) target.Outcome {
	return target.Outcome{Status: 202, Counted: max(1, o.Counted)}
}

// overwriteExisting has a refused insert overwrite what is there.
func overwriteExisting(op target.Operation, do answerer) target.Outcome {
	outcome := do(op)
	if op.Verb == entity.Insert && outcome.Code == entity.EntityAlreadyExists {
		op.Verb, op.Change.Verb = entity.InsertOrReplace, entity.InsertOrReplace
		do(op)
	}
	return outcome
}

// insertMissing has a replace of what is missing insert it.
func insertMissing(op target.Operation, do answerer) target.Outcome {
	outcome := do(op)
	if op.Verb == entity.Replace && outcome.Code == entity.ResourceNotFound {
		op.Verb, op.Change.Verb, op.Change.Match = entity.InsertOrReplace, entity.InsertOrReplace, entity.Match{}
		return do(op)
	}
	return outcome
}

// keepDeleted has a delete delete nothing.
func keepDeleted(op target.Operation, do answerer) target.Outcome {
	if op.Verb == entity.Delete {
		op.Verb, op.Change = entity.Get, entity.Change{Verb: entity.Get, Key: op.Change.Key}
		if outcome := do(op); outcome.Code != entity.OK {
			return outcome
		}
		return target.Outcome{Status: 204, Counted: 1}
	}
	return do(op)
}

// rewriteInPlace returns the flaw of writes into what was read before.
func rewriteInPlace() flaw {
	var read entity.Packed
	return alterOutcome(func(op *target.Operation, o *target.Outcome) {
		if op.Verb == entity.Replace {
			clear(read)
		}
		read = o.Entity
	})
}

// requireTokenRow has a token lead nowhere where its row is gone.
func requireTokenRow(op target.Operation, do answerer) target.Outcome {
	if token := op.Query.Token; token.Present {
		key := entity.Key{Partition: token.NextPartitionKey, Row: token.NextRowKey}
		read := target.Operation{Verb: entity.Get, Table: op.Table, Change: entity.Change{Verb: entity.Get, Key: key}}
		if outcome := do(read); outcome.Code != entity.OK {
			return target.Outcome{}
		}
	}
	return do(op)
}

// joinPages has all pages come as one.
func joinPages(op target.Operation, do answerer) target.Outcome {
	outcome := do(op)
	for op.Query.Top == 0 && outcome.Next.Present {
		op.Query.Token = outcome.Next
		next := do(op)
		outcome.Rows, outcome.Next = append(outcome.Rows, next.Rows...), next.Next
		outcome.Returned, outcome.Counted = outcome.Returned+next.Returned, outcome.Counted+next.Counted
	}
	return outcome
}

// sortByBytes has the rows of a page be in the order of their bytes.
func sortByBytes(_ *target.Operation, o *target.Outcome) {
	slices.SortFunc(o.Rows, func(a, b target.Row) int {
		return cmp.Or(cmp.Compare(a.Key.Partition, b.Key.Partition), cmp.Compare(a.Key.Row, b.Key.Row))
	})
}

// encodeTable has names of tables differ by case.
func encodeTable(op *target.Operation) { op.Table = "T" + hex.EncodeToString([]byte(op.Table)) }

// widenRange has a query return the partition in which its range begins.
func widenRange(op *target.Operation) {
	if r := op.Query.Range; r.Bounded {
		op.Query.Range = filter.OnePartition(r.From.Partition)
	}
}
