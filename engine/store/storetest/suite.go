package storetest

import (
	"testing"

	"loadgen/engine"
	"loadgen/engine/entity"
)

// Opener opens a store without tables, which the test closes at its end.
type Opener func(testing.TB) engine.Store

// Conformance runs the suite.
func Conformance(t *testing.T, open Opener) {
	for _, row := range []struct {
		name string
		test func(*testing.T, Opener)
	}{
		{"table names compare without case", tableNamesCompareWithoutCase},
		{"a table made anew is empty", aTableMadeAnewIsEmpty},
		{"notes go with their table", notesGoWithTheirTable},
		{"versions", versions},
		{"a tag dies with its entity", aTagDiesWithItsEntity},
		{"a merge may not grow an entity beyond the limits", mergeMayNotGrowAnEntityBeyondTheLimits},
		{"a failed batch leaves nothing", aFailedBatchLeavesNothing},
		{"keys are copied", keysAreCopied},
		{"what was read stays as it was", whatWasReadStaysAsItWas},
		{"keep may use the store", keepMayUseTheStore},
		{"pages together are the whole", pagesTogetherAreTheWhole},
		{"pages go on where the next entity was deleted", pagesGoOnWhereTheNextEntityWasDeleted},
		{"a page that keeps nothing still moves on", aPageThatKeepsNothingStillMovesOn},
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

func notesGoWithTheirTable(t *testing.T, open Opener) {
	s := filled(t, open)
	for _, row := range []struct {
		table, note string
		code        entity.Code
		want        string
	}{
		{"", "of the account", entity.OK, "of the account"},
		{table, "of the table", entity.OK, "of the table"},
		{"REGISTRATIONS", "in another case", entity.OK, "in another case"},
		{"none", "of nothing", entity.TableNotFound, ""},
	} {
		if code := s.SetNote(row.table, []byte(row.note)); code != row.code {
			t.Errorf("SetNote(%q) = %q; want %q", row.table, code, row.code)
		}
		if got := string(s.Note(row.table)); got != row.want {
			t.Errorf("Note(%q) = %q; want %q", row.table, got, row.want)
		}
	}
	s.DeleteTable(table, 0, 0)
	s.CreateTable(table)
	if got, kept := s.Note(table), s.Note(""); got != nil || string(kept) != "of the account" {
		t.Errorf("Note after the table was made anew = %q, the account's %q; want none, and as before", got, kept)
	}
	s.SetNote("", nil)
	if got := s.Note(""); got != nil {
		t.Errorf("Note of the account after it was taken back = %q; want none", got)
	}
}
