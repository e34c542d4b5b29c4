package targettest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/targettest"
)

// failuresOf returns the first failure of each check that fails.
func failuresOf(subject targettest.Subject) map[string]string {
	failures := map[string]string{}
	for _, check := range targettest.Checks() {
		if texts := check.Failures(subject); len(texts) > 0 {
			failures[check.Name] = texts[0]
		}
	}
	return failures
}

func TestATargetWithoutAFlawPasses(t *testing.T) {
	for name, face := range map[string]func(*fake) targettest.Subject{
		"virtual": func(f *fake) targettest.Subject { return targettest.Virtual(f) },
		"live":    func(f *fake) targettest.Subject { return targettest.Live(f) },
	} {
		synctest.Test(t, func(t *testing.T) {
			sound := face(newFake(nil))
			sound.Unlimited = true
			throttling := newFake(nil)
			throttling.busy = 3
			for what, subject := range map[string]targettest.Subject{"unlimited": sound, "throttling": face(throttling)} {
				for rule, failure := range failuresOf(subject) {
					t.Errorf("%s, %s: %s: %s", name, what, rule, failure)
				}
			}
		})
	}
}

func TestATargetThatKeepsItsTablesPasses(t *testing.T) {
	shared := newFake(nil)
	for _, prefix := range []string{"", "again"} {
		targettest.Run(t, func(*testing.T) targettest.Subject {
			subject := targettest.Virtual(shared)
			subject.Prefix = prefix
			return subject
		})
	}
	left := shared.engine.TableNames("a")
	assert.Truef(t, len(left) == 0, "the suite left %v behind", left)
}

func TestARefusalFailsWhereNoneIsExpected(t *testing.T) {
	for busy, unlimited := range map[int64]bool{3: true, 1: false} {
		refusing := newFake(nil)
		refusing.busy = busy
		subject := targettest.Virtual(refusing)
		subject.Unlimited = unlimited
		assert.NotEmptyf(t, failuresOf(subject),
			"a target that refuses one in %d, said to be unlimited %v, passed the suite", busy, unlimited)
	}
}

// Flaws that more than one check finds.
var (
	mergeForReplace = swapVerbs(map[entity.Verb]entity.Verb{entity.Replace: entity.Merge,
		entity.InsertOrReplace: entity.InsertOrMerge})
	replaceForMerge = swapVerbs(map[entity.Verb]entity.Verb{entity.Merge: entity.Replace,
		entity.InsertOrMerge: entity.InsertOrReplace})
	ignoreFilter = alterOperation(func(op *target.Operation) { op.Query.Filter = nil })
	ignoreTop    = alterOperation(func(op *target.Operation) { op.Query.Top = 0 })
)

// ignoreMisses counts nothing of what finds nothing.
func ignoreMisses(_ *target.Operation, o *target.Outcome) { o.Counted *= min(1, o.Returned) }

// Every flaw is found by the check that is about it.
func TestTheSuiteFindsEveryFlaw(t *testing.T) {
	for _, row := range []struct {
		name, check string
		flaw        flaw
	}{
		{"a table is created twice", "a table is created once", alterOutcome(func(op *target.Operation, o *target.Outcome) {
			if op.Verb == entity.CreateTable {
				*o = target.Outcome{Status: 204}
			}
		})},
		{"table names differ by case", "a table is created once", alterOperation(encodeTable)},
		{"a missing table passes for a missing entity", "an operation on a missing table",
			replaceCode(entity.TableNotFound, entity.ResourceNotFound)},
		{"a deleted table stays", "a deleted table is gone", func(op target.Operation, do answerer) target.Outcome {
			if op.Verb == entity.DeleteTable {
				return target.Outcome{Status: 204}
			}
			return do(op)
		}},
		{"failures say nothing", "an entity is inserted once",
			alterOutcome(func(_ *target.Operation, o *target.Outcome) { o.Detail = "" })},
		{"a refused insert overwrites", "an entity is inserted once", overwriteExisting},
		{"a replace inserts", "a missing entity is told so", insertMissing},
		{"a replace merges", "replace leaves nothing", mergeForReplace},
		{"a replacing upsert merges", "insert-or-replace", mergeForReplace},
		{"a merge replaces", "merge keeps", replaceForMerge},
		{"a merging upsert replaces", "insert-or-merge", replaceForMerge},
		{"a delete deletes nothing", "a deleted entity is gone", keepDeleted},
		{"entities are rewritten in place", "a write is the target's own", rewriteInPlace()},
		{"all versions are one", "every write gives the entity a version",
			alterOutcome(func(_ *target.Operation, o *target.Outcome) { o.Version = min(o.Version, 1) })},
		{"a get tells another version", "what is inserted can be read",
			alterOutcome(func(op *target.Operation, o *target.Outcome) {
				if op.Verb == entity.Get {
					o.Version++
				}
			})},
		{"the condition is looked at first", "a condition on a missing entity",
			alterOutcome(func(op *target.Operation, o *target.Outcome) {
				if o.Code == entity.ResourceNotFound && !op.Change.Match.IsNone() && op.Change.Match != entity.MatchAny {
					o.Status, o.Code = 412, entity.ConditionNotSatisfied
				}
			})},
		{"conditions are ignored", "a write on condition of another version", alterOperation(ignoreCondition)},
		{"a failed transaction stays in part", "a transaction that fails",
			splitTransaction("", func(o target.Outcome) target.Outcome { return o })},
		{"a failed transaction does not say where", "a transaction that fails",
			alterOutcome(func(_ *target.Operation, o *target.Outcome) { o.FailedIndex = 0 })},
		{"a transaction may name a row twice", "a transaction holds a row once",
			splitTransaction(entity.InvalidDuplicateRow, successOf)},
		{"a transaction may span partitions", "a transaction keeps to one partition",
			splitTransaction(entity.DifferentPartitions, successOf)},
		{"a transaction may be of any length", "a transaction holds at most 100",
			splitTransaction(entity.InvalidInput, successOf)},
		{"a transaction counts once", "a transaction of 100",
			alterOutcome(func(op *target.Operation, o *target.Outcome) { o.Counted = min(o.Counted, 1) })},
		{"the end of a range is included", "a query returns its key range",
			alterOperation(func(op *target.Operation) { op.Query.Range.To.Row += "\x00" })},
		{"rows beyond the range are returned", "a query returns its key range", alterOperation(widenRange)},
		{"Top is ignored", "Top limits a page", ignoreTop},
		{"a page has no end", "a page holds at most 1,000", joinPages},
		{"no token is given", "a page holds at most 1,000",
			alterOutcome(func(_ *target.Operation, o *target.Outcome) { o.Next = target.Token{} })},
		{"the token is ignored", "a token can be used again",
			alterOperation(func(op *target.Operation) { op.Query.Token = target.Token{} })},
		{"a token needs its row", "a token survives the deletion", requireTokenRow},
		{"a query that finds nothing is free", "a query counts what it scans", alterOutcome(ignoreMisses)},
		{"a get that finds nothing is free", "entities are counted", alterOutcome(ignoreMisses)},
		{"row keys are ordered by bytes", "odd RowKeys", alterOutcome(sortByBytes)},
		{"partition keys are ordered by bytes", "odd PartitionKeys", alterOutcome(sortByBytes)},
		{"keys are trimmed", "odd RowKeys", alterKeys(func(k *entity.Key) { k.Row = strings.TrimSpace(k.Row) })},
		{"keys are folded", "odd PartitionKeys",
			alterKeys(func(k *entity.Key) { k.Partition = strings.ToLower(k.Partition) })},
		{"keys are joined", "keys are compared as pairs",
			alterKeys(func(k *entity.Key) { *k = entity.Key{Partition: k.Partition + k.Row} })},
		{"a filter is ignored", "a partition scan", ignoreFilter},
		{"a filter is ignored by a point query", "a point query", ignoreFilter},
		{"a filter is ignored over several partitions", "a partition range scan", ignoreFilter},
		{"a filter is ignored over the table", "a table scan", ignoreFilter},
		{"what a filter drops is free", "a partition scan", alterOutcome(countReturned)},
		{"what a filter drops is free over several partitions", "a partition range scan", alterOutcome(countReturned)},
		{"what a filter drops is free over the table", "a table scan", alterOutcome(countReturned)},
		{"alternatives are two point queries", "alternatives of RowKeys",
			alterOutcome(func(op *target.Operation, o *target.Outcome) {
				if f := op.Query.Filter; f != nil && strings.Contains(f.String(), "or") {
					countReturned(op, o)
				}
			})},
		{"Top is ignored beside a filter", "Top limits what a filter keeps", ignoreTop},
		{"an empty page ends a query", "a page can be empty", alterOutcome(func(op *target.Operation, o *target.Outcome) {
			if op.Query.Filter != nil && o.Counted > 1000 {
				o.Rows, o.Returned, o.Next = nil, 0, target.Token{}
			}
		})},
		{"a projection is ignored", "a projection", alterOperation(func(op *target.Operation) { op.Query.Select = nil })},
		{"a projection comes without its key", "a projection", alterOutcome(func(_ *target.Operation, o *target.Outcome) {
			for i := range o.Rows {
				o.Rows[i].Key = entity.Key{}
			}
		})},
	} {
		wantFailure(t, row.name, row.check, newFake(row.flaw))
	}
}

// wantFailure has a check fail a target.
func wantFailure(t *testing.T, name, begins string, f *fake) {
	t.Helper()
	subject := targettest.Live(f)
	subject.Unlimited = true
	var failed []string
	for _, check := range targettest.Checks() {
		if strings.HasPrefix(check.Name, begins) {
			failed = append(failed, check.Failures(subject)...)
		}
	}
	assert.NotEmptyf(t, failed, "%s: the check that begins %q does not fail", name, begins)
}

// countReturned counts nothing of what a filter drops.
func countReturned(_ *target.Operation, o *target.Outcome) { o.Counted = max(1, o.Returned) }

// ignoreCondition takes a condition for one that any version meets.
func ignoreCondition(op *target.Operation) {
	if !op.Change.Match.IsNone() {
		op.Change.Match = entity.MatchAny
	}
}

// Books that are not those of the outcomes are found, and a caller who is not heard.
func TestTheSuiteFindsWrongBooks(t *testing.T) {
	for name, wrong := range map[string]func(c *target.Counts, o *target.Outcome){
		"a request is not booked":  func(c *target.Counts, o *target.Outcome) { c.Requests -= countStatus(o, 412) },
		"a failure is of no class": func(c *target.Counts, o *target.Outcome) { c.Failed -= countStatus(o, 404) },
		"a failure is a success": func(c *target.Counts, o *target.Outcome) {
			c.Failed, c.Ok = c.Failed-countStatus(o, 404), c.Ok+countStatus(o, 404)
		},
		"entities that nobody told": addPhantoms,
	} {
		f := newFake(nil)
		f.enter = func(c *target.Counts, o *target.Outcome) {
			targettest.Enter(c, o)
			wrong(c, o)
		}
		wantFailure(t, name, "the books close", f)
	}
	f := newFake(nil)
	f.deaf = true
	wantFailure(t, "a caller who gave up is not heard", "a caller who has given up", f)
	f.enter, f.deaf = addPhantoms, false
	subject := targettest.Virtual(f)
	subject.Counts = nil
	failures := failuresOf(subject)
	assert.Truef(t, len(failures) == 0, "a target without books failed %v", failures)
}

// countStatus is 1 of an outcome of that status, 0 of others.
func countStatus(o *target.Outcome, is int) int64 {
	if o.Status == is {
		return 1
	}
	return 0
}

// addPhantoms books entities that no outcome tells of.
func addPhantoms(c *target.Counts, o *target.Outcome) { c.Entities += countStatus(o, 409) }

// A walk meets every outcome that a table without limits has.
func TestAWalkShowsEnough(t *testing.T) {
	statuses := map[int]int{}
	for seed := range uint64(4) {
		walk, f := targettest.NewWalk(seed), newFake(nil)
		walk.Drops = true
		for range 400 {
			op := walk.Next()
			outcome := f.Do(t.Context(), op)
			walk.Saw(op, outcome)
			statuses[outcome.Status]++
		}
	}
	for _, want := range []int{200, 202, 204, 400, 404, 409, 412} {
		assert.Truef(t, statuses[want] != 0, "no status %d among %v", want, statuses)
	}
}

var _ target.Counter = (*fake)(nil)
