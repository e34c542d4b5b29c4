package targettest

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

func addConditions(add func(string, func(*script))) {
	add("every write gives the entity a version of its own", versionsDiffer)
	add("a write on condition of the stored version succeeds", versionHeld)
	add("a write on condition of another version changes nothing", versionStale)
	add("a condition on a missing entity is 404, not 412", conditionOnMissing)
}

// conditional are the verbs that take a condition.
var conditional = [...]entity.Verb{entity.Replace, entity.Merge, entity.Delete}

func versionsDiffer(s *script) {
	seen := map[entity.Ticks]entity.Verb{}
	for _, op := range []target.Operation{
		write(entity.Insert, row("1"), text("A", "a")),
		writeIf(entity.Replace, entity.MatchAny, row("1"), text("A", "a")),
		writeIf(entity.Merge, entity.MatchAny, row("1"), text("A", "a")),
		write(entity.InsertOrReplace, row("1"), text("A", "a")),
		write(entity.InsertOrMerge, row("1"), text("A", "a")),
	} {
		version := s.must(op).Version
		if earlier, taken := seen[version]; taken || version == 0 {
			s.Errorf("%v gave version %d, which %v had given; want a new one, not 0", op.Verb, version, earlier)
		}
		seen[version] = op.Verb
		if read := s.must(get(row("1"))); read.Version != version {
			s.Errorf("version read after %v = %d; want %d", op.Verb, read.Version, version)
		}
	}
}

func versionHeld(s *script) {
	version := s.must(write(entity.Insert, row("1"), text("A", "a"))).Version
	version = s.must(writeIf(entity.Replace, entity.MatchExactly(version), row("1"), text("A", "b"))).Version
	version = s.must(writeIf(entity.Merge, entity.MatchExactly(version), row("1"), text("B", "b"))).Version
	s.holds(row("1"), text("A", "b"), text("B", "b"))
	s.must(writeIf(entity.Delete, entity.MatchExactly(version), row("1")))
	s.lacks(row("1"))
}

func versionStale(s *script) {
	stale := s.must(write(entity.Insert, row("1"), text("A", "a"))).Version
	current := s.must(writeIf(entity.Replace, entity.MatchAny, row("1"), text("A", "b"))).Version
	for _, verb := range conditional {
		s.wants(entity.ConditionNotSatisfied, writeIf(verb, entity.MatchExactly(stale), row("1"), text("A", "lost")))
		if read := s.holds(row("1"), text("A", "b")); read.Version != current {
			s.Errorf("version after a failed %v = %d; want %d, as before", verb, read.Version, current)
		}
	}
}

func conditionOnMissing(s *script) {
	version := s.must(write(entity.Insert, row("1"))).Version
	s.must(writeIf(entity.Delete, entity.MatchAny, row("1")))
	for _, verb := range conditional {
		s.wants(entity.ResourceNotFound, writeIf(verb, entity.MatchExactly(version), row("1")))
	}
	s.lacks(row("1"))
}
