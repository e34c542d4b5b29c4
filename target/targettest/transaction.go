package targettest

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/target"
)

func addTransactions(add func(string, func(*script))) {
	add("a transaction of 100 writes is carried out whole", transactionOfHundred)
	add("a transaction mixes every kind of write", transactionMixed)
	add("a transaction that fails names the write and changes nothing", transactionFails)
	add("a transaction holds a row once", transactionDuplicateRow)
	add("a transaction keeps to one partition", transactionPartitions)
	add("a transaction holds at most 100 writes", transactionTooLong)
}

func batch(changes ...entity.Change) target.Operation {
	return target.Operation{Verb: entity.Batch, Changes: changes}
}

// inserts returns writes of rows with the numbers from first to last, padded so
// that they sort.
func inserts(first, last int) []entity.Change {
	var changes []entity.Change
	for n := first; n <= last; n++ {
		changes = append(changes, write(entity.Insert, numbered(n), text("N", fmt.Sprint(n))).Change)
	}
	return changes
}

func numbered(n int) entity.Key { return row(fmt.Sprintf("%05d", n)) }

func transactionOfHundred(s *script) {
	outcome := s.must(batch(inserts(1, 100)...))
	if outcome.Counted != 100 {
		s.Errorf("a transaction of 100 counted %d entities; want 100", outcome.Counted)
	}
	for _, n := range []int{1, 50, 100} {
		s.holds(numbered(n), text("N", fmt.Sprint(n)))
	}
	if got := len(s.walk(partition("p"), nil)); got != 100 {
		s.Errorf("after a transaction of 100 the partition holds %d entities; want 100", got)
	}
}

func transactionMixed(s *script) {
	for _, there := range []string{"replaced", "merged", "deleted", "upserted"} {
		s.must(write(entity.Insert, row(there), text("A", "a"), text("B", "b")))
	}
	version := s.must(get(row("merged"))).Version
	b := text("B", "new")
	s.must(batch(
		write(entity.Insert, row("inserted"), b).Change,
		writeIf(entity.Replace, entity.MatchAny, row("replaced"), b).Change,
		writeIf(entity.Merge, entity.MatchExactly(version), row("merged"), b).Change,
		write(entity.InsertOrReplace, row("upserted"), b).Change,
		write(entity.InsertOrMerge, row("absent"), b).Change,
		writeIf(entity.Delete, entity.MatchAny, row("deleted")).Change,
	))
	for _, written := range []string{"inserted", "replaced", "upserted", "absent"} {
		s.holds(row(written), b)
	}
	s.holds(row("merged"), text("A", "a"), b)
	s.lacks(row("deleted"))
}

func transactionFails(s *script) {
	stale := s.must(write(entity.Insert, row("there"), text("A", "a"))).Version
	s.must(writeIf(entity.Replace, entity.MatchAny, row("there"), text("A", "b")))
	for _, fault := range []struct {
		change entity.Change
		code   entity.Code
	}{
		{write(entity.Insert, row("there")).Change, entity.EntityAlreadyExists},
		{writeIf(entity.Replace, entity.MatchAny, row("missing")).Change, entity.ResourceNotFound},
		{writeIf(entity.Merge, entity.MatchExactly(stale), row("there")).Change, entity.ConditionNotSatisfied},
		{writeIf(entity.Delete, entity.MatchExactly(stale), row("there")).Change, entity.ConditionNotSatisfied},
	} {
		// The fault comes first, after writes that could be carried out and
		// before others, and last.
		for _, index := range []int{0, 3, 9} {
			changes := inserts(1, 9)
			changes = append(changes[:index:index], append([]entity.Change{fault.change}, changes[index:]...)...)
			outcome := s.wants(fault.code, batch(changes...))
			if outcome.FailedIndex != index {
				s.Errorf("%v at place %d failed a transaction with index %d; want the place", fault.change.Verb, index, outcome.FailedIndex)
			}
			for _, n := range []int{1, 3, 9} {
				s.lacks(numbered(n))
			}
			s.holds(row("there"), text("A", "b"))
		}
	}
}

func transactionDuplicateRow(s *script) {
	changes := append(inserts(1, 3), write(entity.InsertOrMerge, numbered(2)).Change)
	outcome := s.wants(entity.InvalidDuplicateRow, batch(changes...))
	if outcome.FailedIndex != 3 {
		s.Errorf("a row that came at 1 and 3 failed with index %d; want 3, the second", outcome.FailedIndex)
	}
	s.lacks(numbered(1))
}

func transactionPartitions(s *script) {
	other := write(entity.Insert, entity.Key{Partition: "q", Row: "1"}).Change
	s.wants(entity.DifferentPartitions, batch(append(inserts(1, 3), other)...))
	s.lacks(numbered(1))
	s.lacks(other.Key)
}

func transactionTooLong(s *script) {
	s.wants(entity.InvalidInput, batch(inserts(1, 101)...))
	s.lacks(numbered(1))
}
