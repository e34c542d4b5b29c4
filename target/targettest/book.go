package targettest

import (
	"fmt"
	"sync"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

func addBooks(add func(string, func(*script))) {
	add("entities are counted by the documented rule", entitiesCounted)
	add("the books close over attempts of every kind", booksClose)
	add("operations at the same time do not disturb one another", concurrent)
	add("a caller who has given up is told Failed", cancelled)
}

// Enter counts an outcome in books. A target does not know what an operation expects, so that
// every 404, 409 and 412 is a failure in them.
func Enter(c *target.Counts, o *target.Outcome) {
	c.Requests++
	c.Entities += o.Counted
	switch o.Class(target.Expected{}) {
	case results.Ok:
		c.Ok++
	case results.Throttled:
		c.Throttled++
	default:
		c.Failed++
	}
}

// compareBooks checks that the target saw what the caller was told since the
// check began.
func (s *script) compareBooks() {
	s.Helper()
	if s.subject.Counts == nil {
		return
	}
	got := s.subject.Counts().Plus(s.before, -1)
	if got != s.told {
		s.Errorf("Counts() grew by %+v; want %+v, as the outcomes say", got, s.told)
	}
	if got.Requests != got.Ok+got.Throttled+got.Failed {
		s.Errorf("Counts() grew by %+v; want requests = ok + refused + failed", got)
	}
}

func entitiesCounted(s *script) {
	for _, c := range []struct {
		op   target.Operation
		want int64
	}{
		{write(entity.Insert, row("1"), text("A", "a")), 1},
		{writeIf(entity.Replace, entity.MatchAny, row("1")), 1},
		{writeIf(entity.Merge, entity.MatchAny, row("1")), 1},
		{write(entity.InsertOrReplace, row("1")), 1},
		{write(entity.InsertOrMerge, row("1")), 1},
		{get(row("1")), 1},
		{writeIf(entity.Delete, entity.MatchAny, row("1")), 1},
		{batch(inserts(1, 1)...), 1},
		{batch(inserts(2, 38)...), 37},
		{queryFor(partition("p")), 38},
		{queryFor(partition("x")), 1},
	} {
		if got := s.must(c.op).Counted; got != c.want {
			s.Errorf("%s counted %d entities; want %d", describe(&c.op), got, c.want)
		}
	}
	if got := s.wants(entity.ResourceNotFound, get(row("missing"))).Counted; got != 1 {
		s.Errorf("a get that found nothing counted %d entities; want 1", got)
	}
}

func booksClose(s *script) {
	version := s.must(write(entity.Insert, row("1"))).Version
	s.must(writeIf(entity.Merge, entity.MatchExactly(version), row("1"), text("A", "a")))
	s.wants(entity.EntityAlreadyExists, write(entity.Insert, row("1")))
	s.wants(entity.ConditionNotSatisfied, writeIf(entity.Merge, entity.MatchExactly(version), row("1")))
	s.wants(entity.ResourceNotFound, get(row("2")))
	s.must(batch(inserts(1, 10)...))
	s.wants(entity.EntityAlreadyExists, batch(inserts(10, 12)...))
	s.wants(entity.DifferentPartitions, batch(
		write(entity.Insert, row("x")).Change, write(entity.Insert, entity.Key{Partition: "q"}).Change))
	s.must(queryFor(partition("p")))
	missing := get(row("1"))
	missing.Table = s.table + "Missing"
	s.wants(entity.TableNotFound, missing)
}

// concurrent has several callers insert rows of their own and race for one row.
func concurrent(s *script) {
	if !s.subject.Concurrent {
		return
	}
	const callers, rows = 8, 20
	var group sync.WaitGroup
	contested := make([]target.Outcome, callers)
	for caller := range callers {
		group.Go(func() {
			for n := range rows {
				op := write(entity.Insert, row(fmt.Sprintf("%d-%d", caller, n)))
				if outcome := s.do(op); outcome.Class(target.Expected{}) != results.Ok {
					s.Errorf("%s beside others = %s; want success", describe(&op), result(&outcome))
				}
			}
			contested[caller] = s.do(write(entity.Insert, row("contested"), text("By", fmt.Sprint(caller))))
		})
	}
	group.Wait()
	winners := 0
	for caller, outcome := range contested {
		switch {
		case outcome.Code == entity.OK:
			winners++
			s.holds(row("contested"), text("By", fmt.Sprint(caller)))
		case outcome.Code != entity.EntityAlreadyExists:
			s.Errorf("a contested insert = %s; want success or 409", result(&outcome))
		}
	}
	if winners != 1 {
		s.Errorf("%d of %d inserts of one row succeeded; want 1", winners, callers)
	}
	if got := len(s.walk(partition("p"), nil)); got != callers*rows+1 {
		s.Errorf("the partition holds %d entities; want %d", got, callers*rows+1)
	}
}

// cancelled leaves the books out: whether an attempt arrived whose caller had
// given up is not promised.
func cancelled(s *script) {
	if s.subject.Cancelled == nil {
		return
	}
	s.subject.Counts = nil
	op := write(entity.Insert, row("1"))
	op.Table, op.Number = s.table, s.number+1
	s.number++
	outcome := s.subject.Cancelled(&op)
	if outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) != results.Failed || outcome.Detail == "" {
		s.Errorf("%s of a caller who has given up = %s; want Failed with a detail", describe(&op), result(&outcome))
	}
}
