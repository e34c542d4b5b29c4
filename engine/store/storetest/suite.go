package storetest

import (
	"testing"

	"loadgen/engine"
)

// Opener opens a store without tables, which the test closes at its end.
type Opener func(testing.TB) engine.Store

// Conformance runs the suite.
func Conformance(t *testing.T, open Opener) {
	for _, row := range []struct {
		name string
		test func(*testing.T, Opener)
	}{
		{"names that are none", namesThatAreNone},
		{"a tag dies with its entity", aTagDiesWithItsEntity},
		{"a merge may not grow an entity beyond the limits", mergeMayNotGrowAnEntityBeyondTheLimits},
		{"keys are copied", keysAreCopied},
		{"what was read stays as it was", whatWasReadStaysAsItWas},
		{"keep may use the store", keepMayUseTheStore},
		{"pages together are the whole", pagesTogetherAreTheWhole},
		{"readers see whole batches only", readersSeeWholeBatchesOnly},
		{"partitions come and go", partitionsComeAndGo},
		{"conditions guard against lost updates", conditionsGuardAgainstLostUpdates},
		{"pages during writes miss nothing that stays", pagesDuringWritesMissNothingThatStays},
		{"tables come and go", tablesComeAndGo},
	} {
		t.Run(row.name, func(t *testing.T) { row.test(t, open) })
	}
}

// partitions returns how many partitions a store remembers of a table, and what it should
// where it does not tell.
func partitions(s engine.Store, name string, want int) int {
	if tells, ok := s.(interface{ Partitions(string) int }); ok {
		return tells.Partitions(name)
	}
	return want
}
