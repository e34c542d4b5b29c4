package targettest_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"loadgen/target"
	"loadgen/target/targettest"
)

// flaw is what is wrong with a fake.
type flaw int

const (
	none flaw = iota
	tableTwice
	tableCase
	tableUnknown
	tableStays
	noDetail
	insertOverwrites
	replaceInserts
	replaceMerges
	mergeReplaces
	deleteKeeps
	rewritesInPlace
	oneVersion
	otherVersion
	conditionFirst
	conditionIgnored
	batchInParts
	batchNameless
	batchTwice
	batchAnywhere
	batchEndless
	batchCountsOne
	endIncluded
	rangeIgnored
	topIgnored
	pageEndless
	tokenMissing
	tokenIgnored
	tokenNeedsRow
	emptyFree
	missFree
	byteOrder
	trimmedKeys
	joinedKeys
	foldedKeys
	missedRequest
	lostFailure
	failureAsOk
	phantomEntities
	deafToCaller
	filterIgnored
	droppedFree
	alternativesSought
	pageEndsEmpty
	selectIgnored
	selectWithoutKey
)

func TestAFlawlessVirtualTargetPasses(t *testing.T) {
	targettest.Run(t, func(*testing.T) targettest.Subject {
		subject := targettest.Virtual(newFake(none))
		subject.Unlimited = true
		return subject
	})
}

func TestAFlawlessLiveTargetPasses(t *testing.T) {
	targettest.Run(t, func(*testing.T) targettest.Subject {
		subject := targettest.Live(newFake(none))
		subject.Unlimited = true
		return subject
	})
}

func TestATargetThatKeepsItsTablesPasses(t *testing.T) {
	shared := newFake(none)
	for _, prefix := range []string{"", "again"} {
		targettest.Run(t, func(*testing.T) targettest.Subject {
			subject := targettest.Virtual(shared)
			subject.Prefix = prefix
			return subject
		})
	}
	if left := len(shared.tables); left > 0 {
		t.Errorf("the suite left %d tables behind", left)
	}
}

func TestATargetThatThrottlesPasses(t *testing.T) {
	targettest.Run(t, func(*testing.T) targettest.Subject {
		throttling := newFake(none)
		throttling.busy = 3
		return targettest.Virtual(throttling)
	})
	synctest.Test(t, func(t *testing.T) {
		throttling := newFake(none)
		throttling.busy = 3
		for name, failures := range failuresOf(targettest.Live(throttling)) {
			t.Errorf("live, throttling: %s: %s", name, failures)
		}
	})
}

func TestARefusalFailsWhereNoneIsExpected(t *testing.T) {
	throttling := newFake(none)
	throttling.busy = 3
	subject := targettest.Virtual(throttling)
	subject.Unlimited = true
	if len(failuresOf(subject)) == 0 {
		t.Error("a target that throttles, said to be unlimited, passed the suite")
	}
}

func TestATargetThatRefusesForEverFails(t *testing.T) {
	refusing := newFake(none)
	refusing.busy = 1
	if got := failuresOf(targettest.Virtual(refusing)); len(got) == 0 {
		t.Error("a target that refuses everything passed the suite")
	}
}

// Every flaw is found by the check that is about it.
func TestTheSuiteFindsEveryFlaw(t *testing.T) {
	for _, row := range []struct {
		name  string
		flaw  flaw
		check string
	}{
		{"a table is created twice", tableTwice, "a table is created once"},
		{"table names differ by case", tableCase, "a table is created once"},
		{"a missing table passes for a missing entity", tableUnknown, "an operation on a missing table"},
		{"a deleted table stays", tableStays, "a deleted table is gone"},
		{"failures say nothing", noDetail, "an entity is inserted once"},
		{"a refused insert overwrites", insertOverwrites, "an entity is inserted once"},
		{"a replace inserts", replaceInserts, "a missing entity is told so"},
		{"a replace merges", replaceMerges, "replace leaves nothing"},
		{"a replacing upsert merges", replaceMerges, "insert-or-replace"},
		{"a merge replaces", mergeReplaces, "merge keeps"},
		{"a merging upsert replaces", mergeReplaces, "insert-or-merge"},
		{"a delete deletes nothing", deleteKeeps, "a deleted entity is gone"},
		{"entities are rewritten in place", rewritesInPlace, "a write is the target's own"},
		{"all versions are one", oneVersion, "every write gives the entity a version"},
		{"a get tells another version", otherVersion, "what is inserted can be read"},
		{"the condition is looked at first", conditionFirst, "a condition on a missing entity"},
		{"conditions are ignored", conditionIgnored, "a write on condition of another version"},
		{"a failed transaction stays in part", batchInParts, "a transaction that fails"},
		{"a failed transaction does not say where", batchNameless, "a transaction that fails"},
		{"a transaction may name a row twice", batchTwice, "a transaction holds a row once"},
		{"a transaction may span partitions", batchAnywhere, "a transaction keeps to one partition"},
		{"a transaction may be of any length", batchEndless, "a transaction holds at most 100"},
		{"a transaction counts once", batchCountsOne, "a transaction of 100"},
		{"the end of a range is included", endIncluded, "a query returns its key range"},
		{"rows beyond the range are returned", rangeIgnored, "a query returns its key range"},
		{"Top is ignored", topIgnored, "Top limits a page"},
		{"a page has no end", pageEndless, "a page holds at most 1,000"},
		{"no token is given", tokenMissing, "a page holds at most 1,000"},
		{"the token is ignored", tokenIgnored, "a token can be used again"},
		{"a token needs its row", tokenNeedsRow, "a token survives the deletion"},
		{"a query that finds nothing is free", emptyFree, "a query counts what it scans"},
		{"a get that finds nothing is free", missFree, "entities are counted"},
		{"row keys are ordered by bytes", byteOrder, "odd RowKeys"},
		{"partition keys are ordered by bytes", byteOrder, "odd PartitionKeys"},
		{"keys are trimmed", trimmedKeys, "odd RowKeys"},
		{"keys are folded", foldedKeys, "odd PartitionKeys"},
		{"keys are joined", joinedKeys, "keys are compared as pairs"},
		{"a request is not booked", missedRequest, "the books close"},
		{"a failure is of no class", lostFailure, "the books close"},
		{"a failure is booked as a success", failureAsOk, "the books close"},
		{"the books count entities that the outcomes do not", phantomEntities, "the books close"},
		{"a filter is ignored", filterIgnored, "a partition scan"},
		{"a filter is ignored by a point query", filterIgnored, "a point query"},
		{"a filter is ignored over several partitions", filterIgnored, "a partition range scan"},
		{"a filter is ignored over the table", filterIgnored, "a table scan"},
		{"what a filter drops is free", droppedFree, "a partition scan"},
		{"what a filter drops is free over several partitions", droppedFree, "a partition range scan"},
		{"what a filter drops is free over the table", droppedFree, "a table scan"},
		{"alternatives are two point queries", alternativesSought, "alternatives of RowKeys"},
		{"Top is ignored beside a filter", topIgnored, "Top limits what a filter keeps"},
		{"an empty page ends a query", pageEndsEmpty, "a page can be empty"},
		{"a projection is ignored", selectIgnored, "a projection"},
		{"a projection comes without its key", selectWithoutKey, "a projection"},
		{"a caller who gave up is not heard", deafToCaller, "a caller who has given up"},
	} {
		subject := targettest.Live(newFake(row.flaw))
		subject.Unlimited = true
		about := func(c targettest.Check) bool { return strings.HasPrefix(c.Name, row.check) }
		if failures := failuresOf(subject, about); len(failures) != 1 {
			t.Errorf("%s: the check that begins %q failed %d times; want once", row.name, row.check, len(failures))
		}
	}
}

func TestBooksAreOptional(t *testing.T) {
	subject := targettest.Virtual(newFake(phantomEntities))
	subject.Counts = nil
	if failures := failuresOf(subject); len(failures) > 0 {
		t.Errorf("a target without books failed %v", failures)
	}
}

func TestChecksHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, check := range targettest.Checks() {
		if check.Name == "" || seen[check.Name] {
			t.Errorf("check %q has no name of its own", check.Name)
		}
		seen[check.Name] = true
	}
}

// recorder is a Reporter that keeps the failures.
type recorder struct {
	lock  sync.Mutex
	texts []string
}

func (r *recorder) Helper()  {}
func (r *recorder) FailNow() { runtime.Goexit() }
func (r *recorder) Errorf(format string, args ...any) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

// failuresOf runs the checks that every condition selects and returns the first
// failure of each that failed.
func failuresOf(subject targettest.Subject, selected ...func(targettest.Check) bool) map[string]string {
	failures := map[string]string{}
	for _, check := range targettest.Checks() {
		if slices.ContainsFunc(selected, func(ok func(targettest.Check) bool) bool { return !ok(check) }) {
			continue
		}
		var r recorder
		var group sync.WaitGroup
		group.Go(func() { check.Run(&r, subject) })
		group.Wait()
		if len(r.texts) > 0 {
			failures[check.Name] = r.texts[0]
		}
	}
	return failures
}

var _ target.Counter = (*fake)(nil)
