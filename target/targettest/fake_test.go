package targettest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// fake is a table service over a plain map, as slow and as simple as can be. It
// has at most one flaw, which the suite has to find.
type fake struct {
	flaw flaw
	// busy makes every so-manieth attempt be throttled; 0 none.
	busy int64

	lock   sync.Mutex
	tables map[string]map[entity.Key]entity.Packed
	ticks  entity.Ticks
	counts target.Counts
}

func newFake(f flaw) *fake {
	return &fake{flaw: f, tables: map[string]map[entity.Key]entity.Packed{}}
}

func (f *fake) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	f.lock.Lock()
	defer f.lock.Unlock()
	outcome := f.answer(op)
	if outcome.Status == 0 {
		outcome.Status = outcome.Code.Status()
	}
	if outcome.Code != entity.OK && f.flaw != noDetail {
		outcome.Detail = "refused"
	}
	f.enter(&outcome)
	return outcome, now.Add(time.Millisecond)
}

func (f *fake) enter(o *target.Outcome) {
	if f.flaw == missedRequest && o.Status == 412 {
		return
	}
	f.counts.Requests++
	f.counts.Entities += o.Counted
	switch {
	case o.Class(target.Expected{}) == results.Ok, f.flaw == failureAsOk && o.Status == 400:
		f.counts.Ok++
	case o.Class(target.Expected{}) == results.Throttled:
		f.counts.Throttled++
	case f.flaw != lostFailure:
		f.counts.Failed++
	}
	if f.flaw == phantomEntities && o.Code == entity.EntityAlreadyExists {
		f.counts.Entities++
	}
}

func (f *fake) Do(ctx context.Context, op *target.Operation) target.Outcome {
	if err := ctx.Err(); err != nil && f.flaw != deafToCaller {
		return target.Outcome{Detail: err.Error()}
	}
	outcome, _ := f.Submit(0, op)
	return outcome
}

func (f *fake) Counts() target.Counts {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.counts
}

func throttled(code entity.Code) target.Outcome {
	return target.Outcome{Code: code}
}

func (f *fake) answer(op *target.Operation) target.Outcome {
	name := strings.ToLower(op.Table)
	if f.flaw == tableCase {
		name = op.Table
	}
	rows, known := f.tables[name]
	switch op.Verb {
	case entity.CreateTable:
		if known && f.flaw != tableTwice {
			return throttled(entity.TableAlreadyExists)
		}
		f.tables[name] = map[entity.Key]entity.Packed{}
		return target.Outcome{Status: 204}
	case entity.DeleteTable:
		if !known {
			return throttled(entity.ResourceNotFound)
		}
		if f.flaw != tableStays {
			delete(f.tables, name)
		}
		return target.Outcome{Status: 204}
	}
	if f.busy > 0 && f.counts.Requests%f.busy == 0 {
		return throttled(entity.ServerBusy)
	}
	if !known {
		if f.flaw == tableUnknown {
			return throttled(entity.ResourceNotFound)
		}
		return throttled(entity.TableNotFound)
	}
	switch op.Verb {
	case entity.Get:
		return f.get(rows, op)
	case entity.Query:
		return f.query(rows, op.Query)
	case entity.Batch:
		return f.batch(rows, op.Changes)
	default:
		outcome := f.change(rows, &op.Change)
		outcome.Counted = 1
		return outcome
	}
}

func (f *fake) get(rows map[entity.Key]entity.Packed, op *target.Operation) target.Outcome {
	packed, there := rows[op.Change.Key]
	switch {
	case !there && f.flaw == missFree:
		return target.Outcome{Code: entity.ResourceNotFound}
	case !there:
		return target.Outcome{Code: entity.ResourceNotFound, Counted: 1}
	}
	version := packed.Timestamp()
	if f.flaw == otherVersion {
		version++
	}
	return target.Outcome{Counted: 1, Returned: 1, Version: version, Entity: packed}
}

// change carries out one write, or says why not.
func (f *fake) change(rows map[entity.Key]entity.Packed, c *entity.Change) target.Outcome {
	key := c.Key
	switch f.flaw {
	case trimmedKeys:
		key.Row = strings.TrimSpace(key.Row)
	case joinedKeys:
		key = entity.Key{Partition: key.Partition + key.Row}
	case foldedKeys:
		key.Partition = strings.ToLower(key.Partition)
	}
	stored, there := rows[key]
	checked := !c.Match.IsNone()
	switch {
	case c.Verb == entity.Insert && there:
		if f.flaw == insertOverwrites {
			rows[key] = entity.Pack(nil, f.tick(), c.Properties)
		}
		return throttled(entity.EntityAlreadyExists)
	case checked && !there && f.flaw == conditionFirst && c.Match != entity.MatchAny:
		return throttled(entity.ConditionNotSatisfied)
	case checked && !there && f.flaw != replaceInserts:
		return throttled(entity.ResourceNotFound)
	case checked && there && !c.Match.Accepts(stored.Timestamp()) && f.flaw != conditionIgnored:
		return throttled(entity.ConditionNotSatisfied)
	}
	if c.Verb == entity.Delete {
		if f.flaw != deleteKeeps {
			delete(rows, key)
		}
		return target.Outcome{Status: 204}
	}
	version := f.tick()
	merge := c.Verb == entity.Merge || c.Verb == entity.InsertOrMerge
	switch {
	case there && (merge && f.flaw != mergeReplaces || !merge && f.flaw == replaceMerges):
		rows[key] = entity.MergePacked(stored, version, c.Properties)
	case there && f.flaw == rewritesInPlace && len(stored) == len(entity.Pack(nil, version, c.Properties)):
		copy(stored, entity.Pack(nil, version, c.Properties))
	default:
		rows[key] = entity.Pack(nil, version, c.Properties)
	}
	return target.Outcome{Status: 204, Version: version}
}

// tick returns a version; each is later than the one before.
func (f *fake) tick() entity.Ticks {
	if f.flaw == oneVersion {
		return entity.EarliestDateTime
	}
	f.ticks++
	return entity.EarliestDateTime + f.ticks
}

func (f *fake) batch(rows map[entity.Key]entity.Packed, changes []entity.Change) target.Outcome {
	counted := int64(len(changes))
	seen := map[entity.Key]bool{}
	for i := range changes {
		switch key := changes[i].Key; {
		case i == entity.MaxBatchChanges && f.flaw != batchEndless:
			return target.Outcome{Code: entity.InvalidInput, FailedIndex: i}
		case key.Partition != changes[0].Key.Partition && f.flaw != batchAnywhere:
			return target.Outcome{Code: entity.DifferentPartitions, FailedIndex: i}
		case seen[key] && f.flaw != batchTwice:
			return target.Outcome{Code: entity.InvalidDuplicateRow, FailedIndex: i}
		}
		seen[changes[i].Key] = true
	}
	before := map[entity.Key]entity.Packed{}
	for key, packed := range rows {
		before[key] = packed
	}
	for i := range changes {
		outcome := f.change(rows, &changes[i])
		if outcome.Code == entity.OK {
			continue
		}
		if f.flaw != batchInParts {
			clear(rows)
			for key, packed := range before {
				rows[key] = packed
			}
		}
		outcome.FailedIndex, outcome.Counted = i, counted
		if f.flaw == batchNameless {
			outcome.FailedIndex = 0
		}
		return outcome
	}
	if f.flaw == batchCountsOne {
		counted = 1
	}
	return target.Outcome{Status: 202, Counted: counted}
}

// scanLimit is how many entities a page of the fake reads at most.
const scanLimit = 1000

// selected returns the row of an entity with what was selected of it.
func (f *fake) selected(key entity.Key, packed entity.Packed, names []string) target.Row {
	if len(names) == 0 || f.flaw == selectIgnored {
		return target.Row{Key: key, Entity: packed}
	}
	var kept []entity.Property
	for i, name := range names {
		if value, there := packed.Lookup(name); there && !slices.Contains(names[:i], name) {
			kept = append(kept, entity.Property{Name: name, Value: value})
		}
	}
	if f.flaw == selectWithoutKey {
		key = entity.Key{}
	}
	return target.Row{Key: key, Entity: entity.Pack(nil, packed.Timestamp(), kept)}
}

func (f *fake) query(rows map[entity.Key]entity.Packed, q target.Query) target.Outcome {
	keys := make([]entity.Key, 0, len(rows))
	for key := range rows {
		keys = append(keys, key)
	}
	compare := entity.Key.Compare
	if f.flaw == byteOrder {
		compare = func(a, b entity.Key) int {
			return strings.Compare(a.Partition+"\x00"+a.Row, b.Partition+"\x00"+b.Row)
		}
	}
	slices.SortFunc(keys, compare)
	from := q.Range.From
	scanned := 0
	if q.Token.Present && f.flaw != tokenIgnored {
		from = entity.Key{Partition: q.Token.NextPartitionKey, Row: q.Token.NextRowKey}
		if _, there := rows[from]; !there && f.flaw == tokenNeedsRow {
			return target.Outcome{}
		}
	}
	top := 1000
	if q.Top > 0 && f.flaw != topIgnored {
		top = q.Top
	}
	if f.flaw == pageEndless {
		top = max(top, 5000)
	}
	var outcome target.Outcome
	for _, key := range keys {
		past := q.Range.Bounded && compare(key, q.Range.To) >= 0
		if f.flaw == endIncluded {
			past = q.Range.Bounded && compare(key, q.Range.To) > 0
		}
		if compare(key, from) < 0 || past && !(f.flaw == rangeIgnored && key.Partition == from.Partition) {
			continue
		}
		if len(outcome.Rows) == top || scanned == scanLimit && f.flaw != pageEndless {
			if f.flaw != tokenMissing && !(f.flaw == pageEndsEmpty && len(outcome.Rows) == 0) {
				outcome.Next = target.Token{Present: true, NextPartitionKey: key.Partition, NextRowKey: key.Row}
			}
			break
		}
		scanned++
		if q.Filter == nil || q.Filter.Keeps(key, rows[key]) || f.flaw == filterIgnored {
			outcome.Rows = append(outcome.Rows, f.selected(key, rows[key], q.Select))
		}
		if f.flaw == alternativesSought && q.Filter != nil && strings.Contains(q.Filter.String(), "or") {
			scanned = len(outcome.Rows)
		}
	}
	outcome.Returned = int64(len(outcome.Rows))
	outcome.Counted = int64(scanned)
	if f.flaw == droppedFree {
		outcome.Counted = outcome.Returned
	}
	if f.flaw != emptyFree {
		outcome.Counted = max(1, outcome.Counted)
	}
	return outcome
}
